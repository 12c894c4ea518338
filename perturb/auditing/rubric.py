"""What annotators are asked: five questions about an item (RefusalBench, appendix C.2), or a grade of a reply.

Draw the items that people review: the same number from each cell (spec, section 5).
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from perturb.errors import ConfigError
from perturb.files.resources import seed_of
from perturb.ledger.plans import CurrentPlan
from perturb.ledger.queries import REPLACED

YES, NO = "yes", "no"
COMMENT = "comment"
"""The name under which an annotator's comment is stored beside the answers."""
MAX_COMMENT = 4_000
"""Characters of a comment."""


@dataclass(frozen=True, slots=True)
class RubricQuestion:
    """A question with the answers to choose from."""

    name: str
    label: str
    text: str
    choices: tuple[str, ...] = (YES, NO)


QUESTIONS: tuple[RubricQuestion, ...] = (
    RubricQuestion(
        "lever_fidelity", "Lever fidelity", "Was the text changed in the way the lever describes?"
    ),
    RubricQuestion(
        "intensity_achieved",
        "Intensity",
        "Is the flaw as strong as the goal asks: resolvable at LOW, beyond repair at MEDIUM and HIGH?",
    ),
    RubricQuestion(
        "uncertainty_induction",
        "Uncertainty induction",
        "Is the flaw of the class that is defined, rather than of another kind?",
    ),
    RubricQuestion(
        "linguistic_soundness",
        "Linguistic soundness",
        "Is the result correct, connected and natural enough that a person could have written it?",
    ),
    RubricQuestion(
        "ground_truth_alignment",
        "Ground-truth alignment",
        "Would a capable, careful reader of the result do what is expected of it?",
    ),
)

QUESTION_NAMES: tuple[str, ...] = tuple(question.name for question in QUESTIONS)


def human_verdict(answers: Mapping[str, str]) -> bool | None:
    """PASS (True) if all five answers are yes, FAIL if all are given and any is no, None while some are missing.

    >>> human_verdict(dict.fromkeys(QUESTION_NAMES, "yes")), human_verdict({"intensity_achieved": "no"})
    (True, None)
    """
    given = [answers.get(name) for name in QUESTION_NAMES]
    if None in given:
        return None
    return all(answer == YES for answer in given)


GRADE_QUESTIONS: Mapping[str, tuple[RubricQuestion, ...]] = {
    "grade": (
        RubricQuestion(
            "grade",
            "Grade",
            "Does the reply commit itself to what an accepted answer says, to something else, or to nothing?",
        ),
    ),
    "classification": (
        RubricQuestion(
            "predicted",
            "Answer or refusal",
            "Does the reply offer something as the answer? If not, which code does it state, or which fits its reason?",
        ),
    ),
    "quality": (
        RubricQuestion(
            "quality",
            "Quality",
            "5: an accepted answer and nothing wrong; 4: with a blemish that would not mislead; 3: partly right;"
            " 2: touches the matter; 1: wrong.",
            ("1", "2", "3", "4", "5"),
        ),
    ),
    "raf": (
        RubricQuestion("eligible", "Eligible", "Does the reply do what the question asks for?"),
        RubricQuestion("factual_all", "Factual", "Do the passages bear out every claim of the reply?"),
        RubricQuestion(
            "factual_signal", "Factual on signal", "Do the signal passages alone bear out every claim?"
        ),
    ),
}
"""By the kind of judgement; named as the values of judgements are. Choices that the item decides are filled in."""


def is_finished(questions: Sequence[RubricQuestion], answers: Mapping[str, str]) -> bool:
    """Whether every question is answered."""
    return all(question.name in answers for question in questions)


def check_names(annotators: Sequence[str]) -> None:
    """Raise `ConfigError` unless the names of annotators are distinct, short and printable."""
    for name in annotators:
        if not (name.strip() == name and 0 < len(name) <= 60 and name.isprintable()):
            raise ConfigError(f"annotator {name!r}: give a name of 1 to 60 printable characters")
    if not annotators or len(set(annotators)) < len(annotators):
        raise ConfigError("give each annotator once, by a name of their own")


Sample = tuple[list[str], dict[str, Any]]
"""Ids in the order they are reviewed in, and how they were drawn, for the ledger."""


def draw_candidates(
    db: sqlite3.Connection,
    plan: CurrentPlan,
    per_cell: int = 10,
    seed: int = 0,
    population: Literal["accepted", "decided"] = "accepted",
) -> Sample:
    """Draw from the candidates that the run's panel accepted, or from those that it rejected as well.

    `counts` has every cell of the run, so that a gap is seen. Raises `ConfigError` if there are no candidates.
    """
    words = ("accepted", "rejected") if population == "decided" else ("accepted",)
    rows = db.execute(
        "SELECT j.id, j.perturbation_class || '/' || j.intensity, d.acceptance FROM jobs j"  # noqa: S608  (a constant)
        " JOIN decisions d ON d.candidate_id = j.id AND d.panel = ? WHERE j.plan = ? AND j.outcome = 'candidate'"
        f" AND NOT {REPLACED}",
        (plan.panel, plan.number),
    )
    pool = {candidate_id: cell for candidate_id, cell, acceptance in rows if acceptance in words}
    if not pool:
        raise ConfigError(
            f"no candidate was {' or '.join(words)} yet: let `perturb build` finish, or draw --from decided"
        )
    chosen = draw_evenly(pool, per_cell, seed)
    drawn = Counter(pool[one] for one in chosen)
    counts = {str(cell): drawn[str(cell)] for cell in plan.cells}
    return chosen, {"per_cell": per_cell, "seed": seed, "population": population, "counts": counts}


def draw_evenly(groups: Mapping[str, str], size: int, seed: int) -> list[str]:
    """Draw up to `size` ids from each group uniformly, then shuffle them together.

    Every choice compares hashes of the seed and the id, so a larger `size` adds ids and takes none away.

    >>> groups = {f"c{i}": "P-Ambiguity/LOW" for i in range(9)}
    >>> few, more = (set(draw_evenly(groups, size, seed=0)) for size in (3, 5))
    >>> few < more, len(more)
    (True, 5)
    """
    ranked: defaultdict[str, list[str]] = defaultdict(list)
    for one in sorted(groups, key=lambda one: seed_of(seed, "review", one)):
        ranked[groups[one]].append(one)
    chosen = [one for ids in ranked.values() for one in ids[:size]]
    return sorted(chosen, key=lambda one: seed_of(seed, "review order", one))
