"""What a lever's `rule:` may say: the operators of the offline engine, what each takes, and the gaps of its wordings.

The operators and gaps themselves stand in `perturb/rules`; here is the vocabulary that `levers/*.yaml` is held to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pydantic import Field, model_validator

from perturb.features import Need, word_table
from perturb.records import Rule
from perturb.yaml_files import Strict


@dataclass(frozen=True, slots=True)
class OperatorFacts:
    """What an operator does and takes."""

    summary: str
    what: tuple[str, ...] = ()
    """The values of `what`, of which a rule names one; none where the operator knows no choice."""
    says: bool = True
    """Whether the rule gives wordings in `say`."""
    words: bool = False
    """Whether the rule gives `words`: a word of the question and what may stand for it."""


OPERATORS: Mapping[str, OperatorFacts] = {
    "ask": OperatorFacts("puts a new question in the place of the old one"),
    "remark": OperatorFacts("adds a remark to the question at the name of its subject", ("behind", "before")),
    "reword": OperatorFacts("puts other words in the place of words of the question", says=False, words=True),
    "rename": OperatorFacts("puts a wording in the place of the subject's name in the question"),
    "add": OperatorFacts(
        "adds a sentence to the passage, behind the sentence that holds the answer, a date or a figure beside it",
        ("answer", "date", "figure"),
    ),
    "restate": OperatorFacts("puts a wording in the place of the one sentence that states the answer"),
    "substitute": OperatorFacts("puts a wording in the place of every mention of the answer"),
    "convert": OperatorFacts(
        "sets the same measure in another unit behind a measure of the passage", says=False
    ),
    "delete": OperatorFacts(
        "cuts something from the passage",
        (
            *("bracket", "opening", "city", "colour", "example", "figure", "month", "alias", "companion"),
            *("answer", "time", "agent"),
        ),
        says=False,
    ),
    "exchange": OperatorFacts("puts the passage of another instance in the place of this one", says=False),
    "join": OperatorFacts(
        "sets the passage of another instance, which answers a like question, beside this one"
    ),
}

GAPS: Mapping[str, str] = {
    "subject": "what the passage is about, with the noun that says what it is, if it is no person",
    "thing": "the subject, if no kind is known of it",
    "name": "the bare name of the subject",
    "noun": "the noun that says what the subject is",
    "answer": "the answer as the passage writes it",
    "rival": "the answer of another instance, of the same kind and not in this passage",
    "claim": "question and answer as a clause: Jane Austen wrote Emma",
    "denial": "the claim with a negation: Jane Austen did not write Emma",
    "never": "the answer never having done so: Jane Austen had never written Emma",
    "would": "the deed without its doer, as a possibility: would have written Emma",
    "statement": "the one sentence that states the answer, as a clause",
    "rival_statement": "the same with the rival in the answer's place",
    "before": "a year long before the subject came out or began, and before every year of the passage",
    "authored": "the bare name of a work whose author, and nobody else's part, is asked for",
    "living": "the subject, a person whom the passage shows to be alive",
    "office": "the office that the answer holds now",
    "later": "a year far in the future",
    "land": "the country or large state that the question names or the passage is about",
    "far_land": "another one, in another part of the world",
    "nationality": "another nationality than the passage gives the subject",
    "lasting": "nothing: keeps the wording to passages that tell of no end of their subject",
    "unreviewed": "nothing: keeps the wording to passages without praise, review, award or success",
    "figure": "the one figure of a sentence beside the answer",
    "round_figure": "the figure rounded, with what it counts",
    "other_date": "a date some days from the one beside the answer",
}
"""Gap -> what stands in it. A kind or group of kinds of `levers/words.yaml` is a gap, too: the subject, if of it.
With `if:` before a kind it stands for nothing, and only keeps the wording to subjects of that kind."""

_GAP = re.compile(r"\{([^{}]*)\}")


@lru_cache(maxsize=4096)
def gaps_in(text: str) -> tuple[str, ...]:
    """The gaps of a wording, with what stands between their braces.

    >>> gaps_in("Did {film|series} come out in {later}?")
    ('film|series', 'later')
    """
    return tuple(_GAP.findall(text))


@lru_cache(maxsize=1024)
def kinds_of_gap(name: str) -> frozenset[str]:
    """The kinds of subject that a name of a kind or of a group stands for; empty for others."""
    groups, name = word_table("kind_groups"), name.removeprefix("if:")
    if name in groups:
        return frozenset(groups[name])
    return frozenset((name,)) if name in word_table("kinds") else frozenset()


class RuleEntry(Strict):
    """A lever's rule as it is written."""

    do: str
    what: str | None = None
    say: tuple[str, ...] = ()
    words: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    needs: tuple[str, ...] = ()
    why: str = Field(min_length=1)

    @model_validator(mode="after")
    def _known(self) -> RuleEntry:
        facts = OPERATORS.get(self.do)
        if facts is None:
            raise ValueError(f"unknown operator '{self.do}': choose from {', '.join(OPERATORS)}")
        if facts.what and self.what not in facts.what:
            raise ValueError(f"'{self.do}' needs 'what', one of {', '.join(facts.what)}")
        for name, wanted, given in (
            ("what", bool(facts.what), self.what is not None),
            ("say", facts.says, bool(self.say)),
            ("words", facts.words, bool(self.words)),
        ):
            if wanted != given:
                raise ValueError(f"'{self.do}' {'needs' if wanted else 'takes no'} '{name}'")
        for text in (*self.say, self.why):
            _check_gaps(text)
        for pattern, words in self.words.items():
            _check_pattern(pattern, words)
        for need in self.needs:
            Need.read(need)
        return self

    def rule(self) -> Rule:
        """The rule as the engine takes it."""
        return Rule(self.do, self.what, self.say, tuple(self.words.items()), self.needs, self.why)


def _check_gaps(text: str) -> None:
    for gap in gaps_in(text):
        for name in gap.split("|"):
            if name not in GAPS and not kinds_of_gap(name):
                raise ValueError(f"unknown gap '{{{name}}}': `docs/levers.md` lists them")
    if re.search(r"[{}]", _GAP.sub("", text)):
        raise ValueError(f"a brace without its other half: {text}")


def _check_pattern(pattern: str, words: tuple[str, ...]) -> None:
    try:
        for word in words:
            re.sub(pattern, word, "")
    except re.error as error:
        raise ValueError(f"'{pattern}' is no sound pattern: {error}") from None
