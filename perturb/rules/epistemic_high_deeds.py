"""The questions of the HIGH rules of P-EpistemicMismatch about deeds."""

from __future__ import annotations

from perturb.rules.kinds import Pair

NECESSITY = (
    "Had {name} never {done}, what must have followed, with no other outcome possible?",
    "If {name} had never {done}, which course of events was inevitable?",
    "Had somebody else {done}, what could not possibly have failed to happen to {name}?",
    "If nobody had {done}, what would of necessity be there in its place?",
    "Suppose {name} had not {done}: what had to happen then?",
    "What was bound to come in every case, had {name} never {done}?",
    "Imagine {name} had not {done}: for what was {name} destined beyond doubt?",
    "Had {name} never {done}, which later event was unavoidable?",
    "Assuming {name} had not {done}, what follows with certainty and in no other way?",
    "If another person had {done}, what must {name} necessarily do?",
    "Imagine that {name} had never {done}: which outcome is guaranteed?",
    "Were it so that {name} had never {done}, what else could not but occur?",
    "Had nobody at all {done}, what would {town} inescapably need?",
)  # fmt: skip

VACUUM = (
    "Would it still be virtuous to have {done} in a universe without people, motives or effects?",
    "What moral worth is there in having {done} once every person, motive and effect is thought away?",
    "Stripped of all aims, results and society, was it right of {name} to have {done}?",
    "In a void without minds or consequences, how good is it to have {done}?",
    "Is there virtue in having {done} if nobody knew, willed or felt it and nothing followed?",
    "Alone in emptiness, with no purpose and no outcome, is having {done} noble?",
    "With all people, customs and results thought away, is having {done} to be praised?",
    "Where nothing lives or follows, how just is it to have {done}?",
    "Devoid of any motive, witness or effect, has having {done} a value of its own?",
    "What duty is met by having {done}, with no one there and nothing at stake?",
    "Isolated from every circumstance whatever, is to have {done} good or evil?",
)  # fmt: skip

TRUTHS = (
    "What truth about every human life is proved by the fact that {name} {did}?",
    "Since {name} {did}, what law of fate holds for all peoples?",
    "What does it show of mankind for ever that {name} {did}?",
    "{name} {did}: what does this prove about the destiny of humanity?",
    "From the one fact that {name} {did}, what is always true of human effort?",
    "What universal law of life is laid bare by {name}, who {did}?",
    "Given that {name} {did}, which rule of human nature can never be broken?",
    "What are people everywhere like, seeing that {name} {did}?",
    "If {name} {did}, what then is the reward of any striving?",
    "Which law of history, true of all nations, rests on {name}, who {did}?",
    "Because {name} {did}, what is the final purpose of each life?",
    "What does nature at large teach us through {name}, who {did}?",
    "As {name} {did}, what must every mortal expect of fortune?",
    "What eternal wisdom follows from this alone, that {name} {did}?",
)  # fmt: skip

ABSOLUTES: tuple[Pair, ...] = (
    ("{someone} broke a promise in order to see {a_thing}.", "Is breaking a promise always wrong?"),
    ("To attend {a_meeting}, {someone} left a sick friend alone.", "Is leaving a sick friend wrong in every case?"),
    ("{someone} told a lie about {a_thing} to spare a widow.", "Can no circumstance whatever make a lie right?"),
    ("From a rich man {someone} stole {a_thing} and gave it to {group}.", "Is theft unjust without exception?"),
    ("{someone} opened a letter in which {a_thing} was mentioned.",
     "Is opening a stranger's letter intrinsically wrong, no matter why?"),
    ("At {a_meeting} a witness kept silent to save a friend.", "Is silence to save a friend under no conditions just?"),
    ("A guard let a thief keep {a_thing}.", "Is mercy towards a thief right at all times and for all people?"),
    ("{someone} forgave the man who burned {a_thing}.", "Is it wrong of anyone, ever, to withhold forgiveness?"),
    ("{group} in {town} disobeyed an order not to hold {a_meeting}.", "Is disobeying orders absolutely wrong?"),
    ("Without asking its owner, {someone} copied {a_thing}.", "Is copying without leave inherently unjust, whatever "
     "the reason?"),
    ("{someone} gave away {a_thing} that a parent had left.", "Is giving away what a parent left never permissible?"),
    ("{someone} paid a son's debt for {a_thing}.", "Is paying a child's debts good universally?"),
    ("One of the {group} took revenge for {a_thing}, which had been spoilt.", "Is revenge wrong in all conceivable "
     "cases?"),
    ("{someone} flattered a judge at {a_meeting}.", "Is flattery bad in each and every situation?"),
)  # fmt: skip
"""Each reports one act without comment, and asks for a verdict on all acts of its type."""
