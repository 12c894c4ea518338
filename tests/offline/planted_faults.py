"""Items with a known defect, and items without one, for measuring the offline checks.

Checks were written against the items of one half of the questions (`DEVELOPED`), and are measured on the other
(`MEASURED`). All draws are by place: the same items each time.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from perturb.building.checks import copy_unchanged_parts
from perturb.building.generate import Declined, read_reply
from perturb.building.offline.judge import CHECKS, CLASSES_JUDGED, judge_by_rule
from perturb.catalogue.levers import Catalogue
from perturb.curation.base_sets import load_base_set
from perturb.records import (
    PUBLISHED_CLASSES,
    BaseInstance,
    Candidate,
    Cell,
    Intensity,
    Passage,
    PerturbationClass,
)
from perturb.text.matching import holds_answer
from perturb.text.passages import without_telling_titles

TESTS = Path(__file__).parents[1]
CATALOGUE = Catalogue.load()
DEVELOPED, MEASURED = 0, 1
PER_FAULT = {
    "answer left in": 36,
    "answer lost": 32,
    "second value": 36,
    "grammar": 36,
    "target": 30,
    "unchanged": 30,
}
"""Items of each fault: 200 in all."""

AMB, CON, MIS = PerturbationClass.AMBIGUITY, PerturbationClass.CONTRADICTION, PerturbationClass.MISSING_INFO
FAL, GRA, EPI = PerturbationClass.FALSE_PREMISE, PerturbationClass.GRANULARITY, PerturbationClass.EPISTEMIC
LOW, MEDIUM, HIGH = Intensity


@dataclass(frozen=True)
class Planted:
    """One item and what is wrong with it; `fault` is empty if nothing is."""

    fault: str
    way: str
    original: BaseInstance
    candidate: Candidate


def rejecting(item: Planted) -> list[str]:
    """The checks that fail an item."""
    kind = item.candidate.cell.perturbation_class
    target = CATALOGUE.classes[kind].target
    asked = [name for name in CHECKS if kind in CLASSES_JUDGED.get(name, PUBLISHED_CLASSES)]
    return [n for n in asked if judge_by_rule(n, item.original, item.candidate, target).passed is False]


@cache
def questions(half: int) -> tuple[BaseInstance, ...]:
    """Every other question of Natural Questions whose first answer stands in a sentence of the passage."""
    found = load_base_set(TESTS / "data" / "nq-400.jsonl.gz").instances[half::2]
    return tuple(one for one in found if _support(one) and len(_sentences(one)) > 2)


@cache
def recorded_good(half: int) -> tuple[Planted, ...]:
    """A language model's items that its verifiers accepted and strict readers found fit."""
    with gzip.open(TESTS / "recorded" / "covering.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    readings = pd.read_csv(TESTS / "recorded" / "covering-readings.csv").set_index("id")
    bases = {row["id"]: _base(row) for row in rows if row["kind"] == "instance"}
    halves = {name: number % 2 for number, name in enumerate(sorted(bases))}
    good = (row for row in rows if row["kind"] == "item" and row["acceptance"] == "accepted")
    good = (row for row in good if row["id"] in readings.index and readings.loc[row["id"], "fit"] == 1)
    return tuple(_recorded(row, bases[row["base_id"]]) for row in good if halves[row["base_id"]] == half)


def rule_items(half: int) -> Iterator[Planted]:
    """What the rule engine makes of the questions, as it came."""
    from perturb.building.generate import generate_by_rule
    from perturb.building.offline.engine import DonorTable
    from perturb.records import ALL_CELLS, Job

    donors = DonorTable.of(questions(half))
    for base in questions(half):
        for cell in ALL_CELLS:
            job = Job(f"{base.id}/{cell}", base.id, cell, "rules", 0, "p")
            made = generate_by_rule(CATALOGUE, job, base, 0, donors.lent_to(base))
            if made.candidate is not None:
                yield Planted("", made.candidate.lever, base, made.candidate)


def planted(half: int) -> list[Planted]:
    """200 items with a known defect."""
    drawn = []
    for fault, ways in FAULTS.items():
        found = [list(make(half)) for make in ways]
        turns = (
            one for turn in zip(*(_padded(items) for items in found), strict=True) for one in turn if one
        )
        drawn += [one for one, _ in zip(turns, range(PER_FAULT[fault]), strict=False)]
    return drawn


def _padded(items: list[Planted]) -> list[Planted | None]:
    return [*items, *[None] * (400 - len(items))]


# -- the ways in which an item is spoilt ---------------------------------------------------------------------------


def _answer_stands(half: int) -> Iterator[Planted]:
    """Another sentence is cut, and the answer stays."""
    for number, base in enumerate(questions(half)):
        rest = [s for s in _sentences(base) if s != _support(base)]
        text = base.passages[0].text.replace(rest[-1], "").strip()
        yield _made("answer left in", "answer stands", base, (MIS, (MEDIUM, HIGH)[number % 2]), text=text)


def _answer_in_other_shape(half: int) -> Iterator[Planted]:
    """The answer is blacked out, and a form of it stays: the last name, the year, the number in other digits."""
    for number, base in enumerate(questions(half)):
        form = _other_form(base.answers[0])
        if form and form.casefold() not in base.query.casefold():
            text = _without_answers(base, "[redacted]") + f" Later accounts name {form} again."
            yield _made("answer left in", "other form", base, (MIS, (MEDIUM, HIGH)[number % 2]), text=text)


def _sentence_cut(half: int) -> Iterator[Planted]:
    for number, base in enumerate(questions(half)):
        kept = [s for s in _sentences(base) if not holds_answer(s, *base.answers)]
        if kept:
            cell = ((AMB, CON, GRA, EPI)[number % 4], LOW)
            yield _made("answer lost", "sentence cut", base, cell, text=" ".join(kept))


def _answer_exchanged(half: int) -> Iterator[Planted]:
    for number, (base, rival) in enumerate(_with_rivals(half)):
        cell = ((CON, GRA, AMB, EPI)[number % 4], LOW)
        yield _made("answer lost", "answer exchanged", base, cell, text=_without_answers(base, rival))


def _rival_at_low(half: int) -> Iterator[Planted]:
    """A statement as credible as the answer's gives another value."""
    for number, (base, rival) in enumerate(_with_rivals(half)):
        said = _support(base)
        second = re.sub(re.escape(base.answers[0]), rival, said, flags=re.I)
        text = base.passages[0].text.replace(said, f"{said} {second}")
        yield _made("second value", "rival at LOW", base, ((GRA, CON, EPI)[number % 3], LOW), text=text)


def _no_rival(half: int) -> Iterator[Planted]:
    """A contradiction that contradicts nothing: a sentence of another passage is put in."""
    bases = questions(half)
    for number, base in enumerate(bases):
        stranger = _sentences(bases[number - 7])[-1]
        text = f"{base.passages[0].text} {stranger}"
        yield _made("second value", "no rival", base, (CON, (MEDIUM, HIGH)[number % 2]), text=text)


def _broken(name: str, spoil: Callable[[str], str]) -> Callable[[int], Iterator[Planted]]:
    """Good items whose changed part is broken."""

    def make(half: int) -> Iterator[Planted]:
        for item in recorded_good(half):
            spoilt = _spoil_changed_part(item, spoil)
            if spoilt is not None:
                yield Planted("grammar", name, item.original, spoilt)

    return make


def _query_beside(half: int) -> Iterator[Planted]:
    """The question is changed where only the context may be."""
    for item in recorded_good(half):
        if item.candidate.cell.perturbation_class in (CON, MIS):
            query = f"Briefly, {item.candidate.query}"
            yield Planted("target", "query beside", item.original, replace(item.candidate, query=query))


def _context_beside(half: int) -> Iterator[Planted]:
    """A passage is changed where only the question may be."""
    for item in recorded_good(half):
        if item.candidate.cell.perturbation_class is FAL:
            first = item.candidate.passages[0]
            changed = replace(first, text=f"{first.text} This is well known.")
            passages = (changed, *item.candidate.passages[1:])
            yield Planted(
                "target", "context beside", item.original, replace(item.candidate, passages=passages)
            )


def _same(half: int) -> Iterator[Planted]:
    for number, base in enumerate(questions(half)):
        kind = PUBLISHED_CLASSES[number % 6]
        yield _made("unchanged", "a copy", base, (kind, tuple(Intensity)[number % 3]))


def _marks_only(half: int) -> Iterator[Planted]:
    for number, base in enumerate(questions(half)):
        cell = ((AMB, GRA, EPI)[number % 3], tuple(Intensity)[number % 3])
        yield _made(
            "unchanged", "capitals and marks", base, cell, query=base.query.capitalize().rstrip("?") + "?"
        )


FAULTS: dict[str, tuple[Callable[[int], Iterator[Planted]], ...]] = {
    "answer left in": (_answer_stands, _answer_in_other_shape),
    "answer lost": (_sentence_cut, _answer_exchanged),
    "second value": (_rival_at_low, _no_rival),
    "grammar": (
        _broken("doubled word", lambda text: re.sub(r"(\w+)(\W*)$", r"\1 \1\2", text)),
        _broken("lost verb", lambda text: re.sub(r"\b(?:is|was|are|were|did|does|has|had) ", "", text)),
        _broken("blank before a mark", lambda text: re.sub(r"([.?])$", r" ,\1", text)),
        _broken("two joints", lambda text: re.sub(r"\b(the|of|in) ", r"\1 of the ", text, count=1)),
        _broken(
            "wrong article", lambda text: re.sub(r"\b(?:a|the) (?=[bcdfgklmprst])", "an ", text, count=1)
        ),
        _broken("no end", lambda text: " ".join(text.split()[:-2])),
    ),
    "target": (_query_beside, _context_beside),
    "unchanged": (_same, _marks_only),
}


# -- parts ---------------------------------------------------------------------------------------------------------


def _made(
    fault: str,
    way: str,
    base: BaseInstance,
    cell: tuple[PerturbationClass, Intensity],
    *,
    query: str | None = None,
    text: str | None = None,
) -> Planted:
    of = Cell(*cell)
    passages = base.passages if text is None else (replace(base.passages[0], text=text), *base.passages[1:])
    expected = CATALOGUE.expected_behavior(of)
    lever = CATALOGUE.levers_of(of)[0].name
    return Planted(
        fault,
        way,
        base,
        Candidate(
            f"{way}/{base.id}", base.id, "test", of, lever, query or base.query, passages, "", expected
        ),
    )


def _sentences(base: BaseInstance) -> list[str]:
    return [
        one.strip()
        for one in re.split(r"(?<=[a-z0-9)][.!?])\s+(?=[A-Z])", base.passages[0].text)
        if one.strip()
    ]


def _support(base: BaseInstance) -> str:
    """The sentence that holds the first answer, if there is just one and the question shares two words with it."""
    asked = set(re.findall(r"\w{4,}", base.query.lower()))
    holding = [s for s in _sentences(base) if base.answers[0].lower() in s.lower()]
    if len(base.passages) != 1 or len(holding) != 1:
        return ""
    return holding[0] if len(asked & set(re.findall(r"\w{4,}", holding[0].lower()))) > 1 else ""


def _without_answers(base: BaseInstance, instead: str) -> str:
    text = base.passages[0].text
    for answer in sorted(base.answers, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(answer)}(?!\w)", instead, text, flags=re.I)
    return text


def _shape(answer: str) -> str:
    if re.fullmatch(r"(?:1[5-9]|20)\d\d", answer):
        return "year"
    if re.search(r"\b(?:1[5-9]|20)\d\d\b", answer):
        return "date"
    if re.fullmatch(r"[\d,.]+", answer):
        return "number"
    return "person" if re.fullmatch(r"[A-Z][a-z]+ [A-Z][a-z]+", answer) else ""


def _with_rivals(half: int) -> Iterator[tuple[BaseInstance, str]]:
    """Questions, each with the answer of another that has the same shape."""
    groups: dict[str, list[BaseInstance]] = defaultdict(list)
    for base in questions(half):
        groups[_shape(base.answers[0])].append(base)
    for shape in ("year", "date", "number", "person"):
        for number, base in enumerate(groups[shape]):
            others = [group.answers[0] for group in groups[shape][number + 1 :] + groups[shape][:number]]
            others = [other for other in others if other.casefold() not in base.context.casefold()]
            if others:
                yield base, others[0]


def _other_form(answer: str) -> str:
    shape = _shape(answer)
    if shape == "date":
        return str(re.findall(r"\b(?:1[5-9]|20)\d\d\b", answer)[0])
    if shape == "person":
        return answer.split()[1]
    return ""


def _spoil_changed_part(item: Planted, spoil: Callable[[str], str]) -> Candidate | None:
    """The candidate with its question, or else its first changed passage's new sentence, spoilt."""
    candidate = item.candidate
    if candidate.query != item.original.query:
        query = spoil(candidate.query)
        return replace(candidate, query=query) if query != candidate.query else None
    for place, (old, new) in enumerate(zip(item.original.passages, candidate.passages, strict=True)):
        fresh = [s for s in _sentences_of(new.text) if s not in old.text and len(s.split()) > 5]
        if fresh and (spoilt := spoil(fresh[0])) != fresh[0]:
            passages = list(candidate.passages)
            passages[place] = replace(new, text=new.text.replace(fresh[0], spoilt))
            return replace(candidate, passages=tuple(passages))
    return None


def _sentences_of(text: str) -> Sequence[str]:
    return re.split(r"(?<=[.!?])\s+(?=[A-Z])", text)


def _base(row: dict[str, Any]) -> BaseInstance:
    content = {key: value for key, value in row.items() if key != "kind"}
    content["passages"] = tuple(Passage(**one) for one in content["passages"])
    return BaseInstance(**{**content, "answers": tuple(content["answers"])})


def _recorded(row: dict[str, Any], base: BaseInstance) -> Planted:
    reply = read_reply(row["reply"], len(base.passages))
    assert not isinstance(reply, Declined)
    cell = Cell(PerturbationClass(row["perturbation_class"]), Intensity(row["intensity"]))
    passages = tuple(
        replace(passage, text=reply.texts.get(number, passage.text))
        for number, passage in enumerate(base.passages, start=1)
    )
    expected = CATALOGUE.expected_behavior(cell)
    made = Candidate(
        row["id"], base.id, "writer", cell, reply.lever, reply.query, passages, reply.reasoning, expected
    )
    return Planted("", "recorded", base, without_telling_titles(base, copy_unchanged_parts(base, made)))
