"""The questions of the HIGH rules of P-EpistemicMismatch about deeds."""

from __future__ import annotations

from perturb.rules.fact_kinds import Pair

NECESSITY = (
    "If {name} had never {done}, what would necessarily have followed?",
    "Had {name} never {done}, what must have happened, with no other outcome possible?",
    "If {name} had never {done}, which later event would have been inevitable?",
    "Suppose that {name} had never {done}: what would have been bound to happen instead?",
    "If somebody else had {done}, what would {name} necessarily have done instead?",
    "Imagine that {name} had never {done}: which outcome would have been unavoidable?",
    "If nobody had ever {done}, what would inevitably have happened instead?",
    "If another person had {done}, what would inevitably have become of {name}?",
)

VACUUM = (
    "Would it still be virtuous to have {done} in a universe without people, motives or effects?",
    "What moral worth would there be in having {done} if there were no people, no motives and no effects?",
    "Would it be right or wrong to have {done} in an empty universe with no motives and no consequences?",
    "If all people, motives and results are thought away, is it praiseworthy to have {done}?",
    "How noble would it be to have {done} in a universe without minds, aims or consequences?",
    "Is there virtue in having {done} in a universe with no minds, no motives and no results?",
    "Would having {done} be morally good in a world without people, purposes or results?",
    "In a universe without society, motives or consequences, would it be good or evil to have {done}?",
)

TRUTHS = (
    "What truth about every human life is proved by the fact that {name} {did}?",
    "What does the fact that {name} {did} prove about all human beings?",
    "What universal law of life follows from the fact that {name} {did}?",
    "What does the fact that {name} {did} teach us about the fate of every human being?",
    "{name} {did}: what does this prove about the destiny of all humanity?",
    "Which law of history, true of all nations, is proved by the fact that {name} {did}?",
    "Given that {name} {did}, what must be true of every human life?",
    "What does the fact that {name} {did} prove about human nature at all times?",
)

ABSOLUTES: tuple[Pair, ...] = (
    ("{someone} broke a promise in order to attend {a_meeting}.", "Is breaking a promise always wrong?"),
    ("{someone} told a lie about {a_thing} to protect a friend.", "Is lying wrong in all circumstances?"),
    ("{someone} stole {a_thing} from a rich man and gave it to a school.", "Is stealing wrong without exception?"),
    ("{someone} opened a stranger's letter about {full}.", "Is it wrong in every case to open a stranger's letter?"),
    ("{someone} kept silent about the theft of {a_thing} to protect a brother.",
     "Is it always wrong to conceal a theft?"),
    ("A guard in {town} let a thief keep {a_thing}.", "Is it right in all circumstances to show mercy to a thief?"),
    ("{someone} forgave the man who had burned {a_thing}.", "Is it always right to forgive?"),
    ("{group} in {town} disobeyed an order not to hold {a_meeting}.", "Is disobedience wrong in every possible case?"),
    ("Without asking its owner, {someone} copied {a_thing}.", "Is copying without permission always wrong?"),
    ("{someone} gave away {a_thing} that had been a present.", "Is giving away a present always wrong?"),
    ("{someone} took revenge on a man who had damaged {a_thing}.", "Is revenge wrong in all conceivable cases?"),
)  # fmt: skip
"""Each reports one act without comment, and asks for a verdict on all acts of its type."""
