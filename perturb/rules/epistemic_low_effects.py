"""Harms and gains that the LOW rules of P-EpistemicMismatch plant, each with the aside that judges it."""

from __future__ import annotations

from perturb.rules.kinds import Pair

HARMS: tuple[Pair, ...] = (
    ("Fire destroyed {a_thing}.", "{of_thing} was regrettably burned"),
    ("When a pipe burst, {a_thing} was ruined and {few} cellars were flooded.",
     "{of_thing} suffered an unwanted soaking"),
    ("Thieves broke a guard's jaw and took {a_thing}.", "{of_thing} fell to a shameful theft"),
    ("The floor gave way at {a_meeting}, and {few} visitors broke bones.", "{of_meeting} ended in a dreadful accident"),
    ("In a damp cellar mould has eaten {a_thing}.", "{of_thing} sadly went to ruin"),
    ("A gas leak put {few} of those present at {a_meeting} in hospital.", "{of_meeting} had a most unfortunate leak"),
    ("On its way to {a_meeting} a bus overturned, and its driver lost an arm.",
     "{of_meeting} was overshadowed by a terrible crash"),
    ("Vandals slashed {a_thing} and beat the caretaker.", "{of_thing} met with deplorable treatment"),
    ("A lorry with {a_thing} on board crashed, and two men died.", "{of_thing} was in a tragic crash"),
    ("Soup served after {a_meeting} poisoned {few} {group}.", "{of_meeting} was followed by an unpleasant supper"),
    ("Floodwater swept away {a_thing} and drowned {few} sheep.", "{of_thing} was carried off by undesirable waters"),
    ("A shelf that fell at {a_meeting} crushed a woman's foot.", "{of_meeting} saw a painful mishap"),
    ("A hall in {town} burned down after {a_meeting}.", "{of_meeting} was followed by a bad fire"),
    ("Rats gnawed {a_thing} to shreds.", "{of_thing} came to an unhappy end"),
    ("A swindler from {town} sold {a_thing} twice and ruined two {group}.", "{of_thing} was put to harmful use"),
    ("{few} {group} at {a_meeting} caught typhus there.", "{of_meeting} had an unwelcome result"),
    ("In {town} a boiler blew up beneath {a_meeting} and killed the stoker.",
     "{of_meeting} was broken off by a frightful blast"),
    ("Acid spilled over {a_thing} and burned a child's hands.", "{of_thing} was spoilt in a nasty spill"),
)  # fmt: skip

GAINS: tuple[Pair, ...] = (
    ("The sale of {a_thing} paid for a lifeboat that has saved {few} lives.", "{of_thing} was sold to great benefit"),
    ("Through {a_meeting} money came in for a well, and {town} has had clean water since.",
     "{of_meeting} did real good"),
    ("At {a_meeting}, {few} {group} learned first aid, with which they have saved two children.",
     "{of_meeting} was of much use"),
    ("{a_thing} was sold for a girl's operation, which gave back her sight.", "{of_thing} went to a good end"),
    ("What {a_meeting} earned gave {few} homeless families a roof.", "{of_meeting} proved a blessing"),
    ("After {a_meeting} in {town} enough was given to mend a dyke, and no flood has come since.",
     "{of_meeting} was beneficial to {town}"),
    ("{few} unemployed {group} found work through {a_meeting}.", "{of_meeting} had welcome results"),
    ("Warm coats for {few} orphans were collected at {a_meeting}.", "{of_meeting} was a worthwhile gathering"),
    ("A hospital swapped {a_thing} for a scanner, which has found {few} tumours in time.",
     "{of_thing} was swapped with great benefit"),
    ("Takings from {a_meeting} freed a children's home of its debts.", "{of_meeting} was a boon to children"),
    ("Somebody gave {a_thing} in return for {few} blankets for people whom a storm had made homeless.",
     "{of_thing} was put to fine use"),
    ("With the price of {a_thing} a ramp was built, so that every child in {town} can enter the school.",
     "{of_thing} made a helpful sum"),
    ("{surname} Hospital treated {few} sick babies free of charge after {a_meeting}, and all recovered.",
     "{of_meeting} helped sick babies"),
    ("Money from {a_thing} gave {town} safe lighting, which ended the road deaths there.",
     "{of_thing} brought a valuable change to {town}"),
    ("{few} {group} who met at {a_meeting} put out a blaze and saved a family.",
     "{of_meeting} luckily brought helpers together"),
    ("In {town} {a_meeting} raised the cost of a vaccine, and measles vanished.",
     "{of_meeting} was a gain for public health"),
)  # fmt: skip
