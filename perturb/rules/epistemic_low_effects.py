"""Harms and gains that the LOW rules of P-EpistemicMismatch plant, each with the aside that judges it."""

from __future__ import annotations

from perturb.rules.fact_kinds import Pair

HARMS: tuple[Pair, ...] = (
    ("In {town}, {a_thing} was destroyed in a fire.", "{of_thing} was regrettably destroyed in a fire"),
    ("Thieves stole {a_thing} and seriously injured a guard.", "{of_thing} was lost in a shameful robbery"),
    ("When a pipe burst, {a_thing} was ruined.", "{of_thing} was sadly ruined"),
    ("The floor gave way at {a_meeting}, and {few} people were badly hurt.",
     "{of_meeting} ended in a dreadful accident"),
    ("A gas leak at {a_meeting} put {few} people in hospital.", "{of_meeting} was marred by a terrible gas leak"),
    ("A flood in {town} destroyed {a_thing} and killed two people.", "{of_thing} was lost in a tragic flood"),
    ("After {a_meeting}, {few} {group} fell seriously ill with food poisoning.",
     "{of_meeting} was followed by an unwelcome outbreak of food poisoning"),
    ("Vandals destroyed {a_thing} and beat a caretaker.", "{of_thing} was the target of deplorable vandalism"),
    ("A fire broke out at {a_meeting}, and {few} people were burned.", "{of_meeting} was struck by a terrible fire"),
    ("In a damp cellar, mould has ruined {a_thing}.", "{of_thing} was unfortunately ruined by mould"),
    ("On its way to {a_meeting}, a bus crashed and {few} passengers were killed.",
     "{of_meeting} was overshadowed by a tragic crash"),
    ("A lorry carrying {a_thing} crashed and burned out, and the driver died.",
     "{of_thing} was lost in a terrible crash"),
)  # fmt: skip

GAINS: tuple[Pair, ...] = (
    ("The auction of {a_thing} raised money for a lifeboat that has saved {few} lives.",
     "{of_thing} was auctioned for a very worthwhile purpose"),
    ("Money from {a_meeting} paid for a well that gives {town} clean water.", "{of_meeting} did real good"),
    ("Money raised at {a_meeting} paid for operations that saved the sight of {few} children.",
     "{of_meeting} was of great benefit to children"),
    ("Ticket sales for {a_meeting} paid for a shelter for {few} homeless families.",
     "{of_meeting} proved a blessing to homeless families"),
    ("Money from {a_meeting} paid for the repair of a flood barrier, and {town} has not been flooded since.",
     "{of_meeting} was beneficial to {town}"),
    ("Winter clothes for {few} homeless people were collected at {a_meeting}.",
     "{of_meeting} did a great deal of good"),
    ("In {town}, {a_thing} was sold to pay for a hospital scanner, which has found {few} tumours in time.",
     "{of_thing} was sold to great benefit"),
    ("The sale of {a_thing} paid for {few} wheelchairs for a hospital.", "{of_thing} was sold for a good cause"),
    ("Donations made at {a_meeting} paid for safe street lighting, which ended the road deaths in {town}.",
     "{of_meeting} made a valuable difference to {town}"),
    ("Money from {a_meeting} paid for vaccines that ended an outbreak of measles in {town}.",
     "{of_meeting} was good for public health"),
    ("In {town}, {a_thing} was auctioned to pay for {few} guide dogs for the blind.",
     "{of_thing} was auctioned to the benefit of the blind"),
)  # fmt: skip
