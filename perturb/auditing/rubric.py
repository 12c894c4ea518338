"""The questions that annotators answer, the verdicts from their answers, and the draw of the items to review.

Annotators answer five questions about a candidate (RefusalBench, appendix C.2), or grade a reply. `Reviews` holds the
answers: item → annotator → question → answer. The draw takes the same number of candidates from each cell, which is a
perturbation class with an intensity.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from perturb.auditing.rates import overall_rate
from perturb.auditing.votes import Labels
from perturb.errors import ConfigError
from perturb.files.resources import seed_of
from perturb.ledger.evaluations import Reviews, read_reviews, read_sample_fact
from perturb.ledger.plans import CurrentPlan
from perturb.ledger.queries import REPLACED, accepted_jobs, candidate, instance_of
from perturb.metrics.corrected_rates import Share
from perturb.metrics.inputs import Estimate
from perturb.records import JsonObject, PlantedItem

# The stored answers to a yes-or-no question.
YES, NO = "yes", "no"
# The name under which an annotator's comment is stored beside the answers.
COMMENT = "comment"
# The largest number of characters in a comment.
MAX_COMMENT = 4_000


@dataclass(frozen=True, slots=True)
class RubricQuestion:
    """A question with the answers to choose from."""

    name: str
    label: str
    text: str
    choices: tuple[str, ...] = (YES, NO)


# The five questions about a candidate (RefusalBench, appendix C.2).
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

# The questions that decide whether the label is right. An unused lever or clumsy wording does not make it wrong.
LABEL_QUESTIONS = ("intensity_achieved", "uncertainty_induction", "ground_truth_alignment")


# The questions about a judged reply, by kind of judgement. Their names are keys of stored judgements. Some choices
# depend on the item.
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


def human_verdict(answers: Mapping[str, str], decisive: Sequence[str] = QUESTION_NAMES) -> bool | None:
    """True (pass) if the answers to all `decisive` questions are yes, False (fail) if one is no.

    None until all five questions are answered, even if one answer is already "no".

    >>> human_verdict(dict.fromkeys(QUESTION_NAMES, "yes")), human_verdict({"intensity_achieved": "no"})
    (True, None)
    """
    if any(name not in answers for name in QUESTION_NAMES):
        return None
    return all(answers[name] == YES for name in decisive)


def finished_verdicts(
    by_annotator: Mapping[str, Mapping[str, str]], decisive: Sequence[str] = QUESTION_NAMES
) -> dict[str, bool]:
    """Annotator → verdict on an item, for the annotators who finished it."""
    verdicts = {name: human_verdict(answers, decisive) for name, answers in by_annotator.items()}
    return {name: verdict for name, verdict in verdicts.items() if verdict is not None}


@dataclass(frozen=True, slots=True)
class AnnotatorWork:
    """The progress of one annotator, and the share of items that the annotator passes."""

    name: str
    finished: int
    begun: int
    """Items with some answers, but not all five."""
    pass_rate: float | None

    @classmethod
    def of(cls, name: str, reviews: Reviews) -> AnnotatorWork:
        """The reviews of candidates by one annotator."""
        own = [by_annotator[name] for by_annotator in reviews.values() if name in by_annotator]
        verdicts = [human_verdict(answers) for answers in own]
        finished = [verdict for verdict in verdicts if verdict is not None]
        pass_rate = sum(finished) / len(finished) if finished else None
        return cls(name, len(finished), begun=len(verdicts) - len(finished), pass_rate=pass_rate)


def people_verdicts(reviews: Reviews, decisive: Sequence[str] = QUESTION_NAMES) -> dict[str, bool]:
    """Item → whether more than half of the annotators who finished it pass it; only items that somebody finished."""
    finished = {
        item_id: list(finished_verdicts(by_annotator, decisive).values())
        for item_id, by_annotator in reviews.items()
    }
    # An even split is a fail: to pass, an item needs more than half.
    return {item_id: 2 * sum(verdicts) > len(verdicts) for item_id, verdicts in finished.items() if verdicts}


@dataclass(frozen=True, slots=True)
class LabelSample:
    """The labels of accepted candidates that people checked."""

    share: Share
    """The share of wrong labels, with the effective number of independent items."""
    read: int
    """Number of items that at least one person finished."""

    @property
    def estimate(self) -> Estimate:
        """The share of wrong labels, with Clopper and Pearson's interval."""
        return replace(self.share.estimate(), n=self.read)


def read_label_sample(db: sqlite3.Connection, plan: CurrentPlan) -> LabelSample | None:
    """The checked labels among the accepted candidates of a review's sample; None if nobody finished one.

    The weight of a cell is its number of accepted candidates, however many of them people read. Cells without a read
    candidate are left out.
    """
    is_right = people_verdicts(read_reviews(db), LABEL_QUESTIONS)
    if not is_right:
        return None
    accepted = [accepted_job.job for accepted_job in accepted_jobs(db, plan.number, plan.panel)]
    checked = [job for job in accepted if job.id in is_right]
    if not checked:
        return None
    accepted_per_cell = Counter(job.cell for job in accepted)
    checked_per_cell = Counter(job.cell for job in checked)
    weights = np.array([accepted_per_cell[job.cell] / checked_per_cell[job.cell] for job in checked])
    _, base_numbers = np.unique([job.instance_id for job in checked], return_inverse=True)
    is_wrong = np.array([not is_right[job.id] for job in checked], dtype=np.float64)
    return LabelSample(Share.of_sample(is_wrong, weights, base_numbers), len(checked))


def is_finished(questions: Sequence[RubricQuestion], answers: Mapping[str, str]) -> bool:
    """Whether every question is answered."""
    return all(question.name in answers for question in questions)


def check_names(annotators: Sequence[str]) -> None:
    """Raise `ConfigError` unless the names of annotators are distinct, short and printable."""
    for name in annotators:
        if not (name.strip() == name and 0 < len(name) <= 60 and name.isprintable()):
            raise ConfigError(f"annotator {name!r}: give a name of 1 to 60 printable characters")
    if not annotators or len(set(annotators)) < len(annotators):
        raise ConfigError("name each annotator once, with different names")


def read_right_items(db: sqlite3.Connection, plan: CurrentPlan) -> list[PlantedItem]:
    """The candidates whose label is right according to people, to measure how often the panel fails right items.

    Empty unless the sample was drawn from rejected candidates too: the panel failed none of the accepted ones. Also
    empty for the schedule `economy` and the consensus `certified`, under which votes depend on each other.
    """
    is_right = people_verdicts(read_reviews(db), LABEL_QUESTIONS)
    if not is_right or read_sample_fact(db)["population"] != "decided":
        return []
    panel = plan.facts.panel
    if panel.schedule != "full" or panel.target is not None:
        return []
    # For the certificate, they are planted items: items with a label that is known to be right.
    return [
        PlantedItem("right", instance_of(db, candidate_id), candidate(db, candidate_id))
        for candidate_id, right in is_right.items()
        if right
    ]


# Ids in the order of review, and a description of the draw for the ledger.
Sample = tuple[list[str], JsonObject]


def draw_candidates(
    db: sqlite3.Connection,
    plan: CurrentPlan,
    per_cell: int = 10,
    seed: int = 0,
    population: Literal["accepted", "decided"] = "accepted",
) -> Sample:
    """Draw from the candidates that the run's panel accepted, or from accepted and rejected ones.

    `counts` in the description has every cell of the run, so that gaps show. Raises `ConfigError` if there are no
    candidates.
    """
    decisions = ("accepted", "rejected") if population == "decided" else ("accepted",)
    rows = db.execute(
        "SELECT j.id, j.perturbation_class || '/' || j.intensity, d.acceptance FROM jobs j"  # noqa: S608  (a constant)
        " JOIN decisions d ON d.candidate_id = j.id AND d.panel = ? WHERE j.plan = ? AND j.outcome = 'candidate'"
        f" AND NOT {REPLACED}",
        (plan.panel, plan.number),
    )
    pool = {candidate_id: cell for candidate_id, cell, acceptance in rows if acceptance in decisions}
    if not pool:
        raise ConfigError(
            f"no candidate was {' or '.join(decisions)} yet: let `perturb build` finish, or draw --from decided"
        )
    chosen = draw_evenly(pool, per_cell, seed)
    drawn = Counter(pool[candidate_id] for candidate_id in chosen)
    counts = {str(cell): drawn[str(cell)] for cell in plan.cells}
    return chosen, {"per_cell": per_cell, "seed": seed, "population": population, "counts": counts}


def draw_evenly(group_of: Mapping[str, str], size: int, seed: int) -> list[str]:
    """Draw up to `size` ids from each group uniformly, then shuffle them together; `group_of` maps ids to groups.

    Every choice compares hashes of the seed and the id, so a larger `size` adds ids and removes none.

    >>> group_of = {f"c{i}": "P-Ambiguity/LOW" for i in range(9)}
    >>> few, more = (set(draw_evenly(group_of, size, seed=0)) for size in (3, 5))
    >>> few < more, len(more)
    (True, 5)
    """
    ranked: defaultdict[str, list[str]] = defaultdict(list)
    for item_id in sorted(group_of, key=lambda item_id: seed_of(seed, "review", item_id)):
        ranked[group_of[item_id]].append(item_id)
    chosen = [item_id for ids in ranked.values() for item_id in ids[:size]]
    return sorted(chosen, key=lambda item_id: seed_of(seed, "review order", item_id))


def people_figures(db: sqlite3.Connection, plan: CurrentPlan) -> JsonObject | None:
    """The share of accepted items that most annotators pass, among reviewed items; None if no item was reviewed."""
    verdicts = people_verdicts(read_reviews(db))
    accepted = accepted_jobs(db, plan.number, plan.panel)
    reviewed = [planned.job for planned in accepted if planned.job.id in verdicts]
    if not reviewed:
        return None
    # The share is of accepted items: people may also have read items that the panel rejected.
    passed = np.array([float(verdicts[job.id]) for job in reviewed])
    bases = Labels.of_words([job.instance_id for job in reviewed])
    rate = overall_rate("people", passed, bases.codes)
    # With several items of one base instance, the interval that allows for their likeness is the right one.
    estimate = rate.estimate
    if estimate.low is None:
        estimate = replace(estimate, low=rate.low, high=rate.high)
    return estimate.spread("value") | {"n": rate.n}
