"""Base instances for the tests of the rule verifiers, and a short way to make an item of one."""

from __future__ import annotations

from perturb.building.offline.checked_item import RuleVerdict
from perturb.building.offline.judge import CHECKS, judge_by_rule
from perturb.records import (
    ANSWER_CORRECTLY,
    BaseInstance,
    Candidate,
    Cell,
    Intensity,
    Passage,
    PerturbationClass,
    Target,
)

AMB, CON, MIS = PerturbationClass.AMBIGUITY, PerturbationClass.CONTRADICTION, PerturbationClass.MISSING_INFO
FAL, GRA, EPI = PerturbationClass.FALSE_PREMISE, PerturbationClass.GRANULARITY, PerturbationClass.EPISTEMIC
LOW, MEDIUM, HIGH = Intensity.LOW, Intensity.MEDIUM, Intensity.HIGH

CODES = {
    AMB: "REFUSE_AMBIGUOUS_QUERY",
    CON: "REFUSE_CONTRADICTORY_CONTEXT",
    MIS: "REFUSE_INFO_MISSING_IN_CONTEXT",
    FAL: "REFUSE_FALSE_PREMISE_IN_QUERY",
    GRA: "REFUSE_GRANULARITY_MISMATCH",
    EPI: "REFUSE_NONFACTUAL_QUERY",
}
TARGETS: dict[PerturbationClass, frozenset[Target]] = {
    AMB: frozenset({"query", "context"}),
    CON: frozenset({"context"}),
    MIS: frozenset({"context"}),
    FAL: frozenset({"query"}),
    GRA: frozenset({"query", "context"}),
    EPI: frozenset({"query", "context"}),
}


def _base(name: str, query: str, text: str, *answers: str) -> BaseInstance:
    return BaseInstance(id=name, source="test", query=query, passages=(Passage(text),), answers=answers)


OPERA = _base(
    "opera",
    "who wrote the opera the glass harbour",
    "The Glass Harbour is an opera in three acts. It was written by Edda Brenneck in 1911 and first "
    "staged in the town of Orlow. "
    "The opera has 14 roles, and its overture lasts nine minutes (without the repeat). Critics of "
    "the time praised the music.",
    "Edda Brenneck",
)
BRIDGE = _base(
    "bridge",
    "when was the tarn bridge opened",
    "The Tarn Bridge crosses the river Sike near Orlow. It was opened to traffic on 12 May 1923 "
    "after four years of work. "
    "The bridge is 340 metres long and carries a red tramway.",
    "12 May 1923",
    "1923",
)
THEATRE = _base(
    "theatre",
    "how many seats does the orpheum theatre have",
    "The Orpheum Theatre in Stell was built in 1888. The theatre has 1,184 seats on three levels, "
    "and its stage is twenty metres wide. "
    "It is closed in August.",
    "1,184",
)
REGATTA = _base(
    "regatta",
    "where is the amber regatta held",
    "The Amber Regatta is a yearly boat race. The Amber Regatta is held at Lissel, a small port in "
    "Portugal, in the last week of June. "
    "About 60 boats take part.",
    "Lissel",
    "Portugal",
)
MOTHS = _base(
    "moths",
    "what do glimmer moths feed on",
    "Glimmer moths live in the Sarn valley. Glimmer moths feed on the nectar of the marsh lantern, "
    "a reed that flowers at night. "
    "They never fly before dusk.",
    "the nectar of the marsh lantern",
    "nectar",
)
BASES = (OPERA, BRIDGE, THEATRE, REGATTA, MOTHS)


def judge(
    check: str,
    base: BaseInstance,
    cell: tuple[PerturbationClass, Intensity],
    lever: str = "-",
    query: str | None = None,
    *edits: tuple[str, str],
) -> RuleVerdict:
    """Ask one verifier about the item made by replacing `query` and applying `edits` (old, new) to the passage.

    An empty `old` appends `new` to the passage.
    """
    text = base.passages[0].text
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new) if old else f"{text} {new}"
    kind, intensity = cell
    candidate = Candidate(
        id="c",
        instance_id=base.id,
        generator="test",
        cell=Cell(kind, intensity),
        lever=lever,
        query=base.query if query is None else query,
        passages=(Passage(text),),
        reasoning="",
        expected_behavior=ANSWER_CORRECTLY if intensity is LOW else CODES[kind],
    )
    return judge_by_rule(check, base, candidate, TARGETS[kind])


def test_every_sample_holds_its_answers() -> None:
    assert all(answer in base.context for base in BASES for answer in base.answers)


def test_no_verifier_finds_scars_in_an_untouched_sample() -> None:
    for base in BASES:
        for check in set(CHECKS) & {"leftovers", "fluency"}:
            assert judge(check, base, (CON, MEDIUM)).passed, (base.id, check)
