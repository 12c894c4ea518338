"""The votes of a panel as arrays: a matrix of verdicts, with labels for each candidate.

`vote_table` checks votes and makes the matrix, `decide_by_rule` makes decisions of it, and `read_tally` counts the
decisions that a run has stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from perturb.errors import SourceError
from perturb.files.tables import read_flag, row_place
from perturb.ledger.queries import VOTES_ON_DECIDED, bind
from perturb.metrics.agreement import VoteWords
from perturb.metrics.corrected_rates import Share
from perturb.metrics.inputs import Flags, Floats, Integers
from perturb.records import VerdictState, taxonomy_place

if TYPE_CHECKING:
    import sqlite3

    import pandas as pd

    from perturb.ledger.plans import CurrentPlan

# The columns of a vote table, which has one row per vote.
COLUMNS: tuple[str, ...] = (
    "candidate_id",
    "base_id",
    "generator_model",
    "verifier",
    "perturbation_class",
    "intensity",
    "lever",
    "verdict",
)
# An optional column: true for a candidate that was drawn to get the vote of every verifier.
AUDITED = "audited"
# An optional column: the code of the language of a candidate.
LANGUAGE = "language"

# A column as numbers: for each row the index of its value in a list of values, -1 for a missing value.
Coded = tuple[NDArray[np.integer], Sequence[Any]]

# States in the matrix. Only the first two are votes. An absent verifier abstained, or does not judge the class.
PASS, FAIL, UNSCORED, NOT_ASKED, ABSENT = 1, 0, -1, -2, -3

# Stored verdict → state in the matrix.
STATE_CODES = {
    VerdictState.PASS: PASS,
    VerdictState.FAIL: FAIL,
    VerdictState.UNSCORED: UNSCORED,
    VerdictState.ABSTAIN: ABSENT,
}


@dataclass(frozen=True, slots=True)
class Labels:
    """One label for each candidate, as indices into a list of names."""

    names: tuple[str, ...]
    codes: Integers

    @classmethod
    def of(cls, codes: Integers, names: Iterable[str]) -> Labels:
        """Labels whose names are in the order of the taxonomy, then of the alphabet, whatever the order of the rows."""
        unsorted = list(names)
        names_in_order = sorted(unsorted, key=taxonomy_place)
        new_index_of = {name: index for index, name in enumerate(names_in_order)}
        new_index_of_old = np.array([new_index_of[name] for name in unsorted], dtype=np.int64)
        return cls(tuple(names_in_order), new_index_of_old[codes])

    @classmethod
    def of_words(cls, words: Sequence[str]) -> Labels:
        """Labels from the word of each candidate."""
        names, codes = np.unique(np.array(words, dtype=str), return_inverse=True)
        return cls.of(codes, map(str, names))

    def keep(self, rows: Flags) -> Labels:
        """The labels of the chosen candidates, with all names."""
        return Labels(self.names, self.codes[rows])


# How sentences about the votes call what is judged, both verdicts, and the raters.
CANDIDATE_WORDS = VoteWords("candidate", "passed", "failed", "verifiers")


@dataclass(frozen=True)
class VoteTable:
    """Votes as candidates × verifiers; every column has one entry for each candidate."""

    source: str
    """Where the votes come from, for messages."""
    base: Labels
    """The base instance; candidates from the same base instance are not independent."""
    generator: Labels
    perturbation_class: Labels
    intensity: Labels
    lever: Labels
    verifiers: tuple[str, ...]
    states: NDArray[np.int8]
    """Shape (candidates, verifiers): `PASS`, `FAIL`, `UNSCORED`, `NOT_ASKED` or `ABSENT`."""
    language: Labels | None = None
    """None if the source has no languages."""
    audited: Flags | None = None
    """True for candidates that were drawn to get every vote; None if the source does not say."""
    full_schedule: bool = False
    """Whether the source says that every verifier votes on every candidate."""
    same_model: Mapping[str, str] = field(default_factory=dict)
    """Generator → the verifier that is the same model; equal names need no entry."""
    known_levers: frozenset[str] = frozenset()
    """Levers that generators could choose, even if no candidate has them."""
    words: VoteWords = CANDIDATE_WORDS
    unfinished: str = ""
    """A sentence on the jobs that the run has yet to do; empty if all are done."""
    caveat: str = ""
    """The note of the configuration, for readers of figures on generators and verifiers."""

    def __len__(self) -> int:
        return len(self.states)

    @cached_property
    def votes(self) -> Floats:
        """1 for a pass, 0 for a fail, NaN without a vote."""
        return np.where(self.states >= 0, self.states, np.nan).astype(np.float64)

    @cached_property
    def scored(self) -> Flags:
        """True where there is a vote."""
        return np.asarray(self.states >= 0)

    @property
    def mean_judges(self) -> float:
        """The mean number of verifiers that judge a candidate: all verifiers but the absent ones."""
        judges = (self.states != ABSENT).sum(axis=1)
        return float(judges.mean()) if len(self) else float(len(self.verifiers))

    @cached_property
    def judged(self) -> Flags:
        """Whether each verifier judges each class, shape (classes, verifiers).

        A verifier judges a class unless it is absent from every candidate of that class. A class without candidates
        counts as judged by all.
        """
        judged = np.ones((len(self.perturbation_class.names), len(self.verifiers)), dtype=np.bool_)
        for code in np.unique(self.perturbation_class.codes):
            is_of_class = self.perturbation_class.codes == code
            judged[code] = (self.states[is_of_class] != ABSENT).any(axis=0)
        return judged

    @property
    def groupings(self) -> dict[str, Labels]:
        """The labels that rates can be grouped by; language only if there are several languages."""
        groupings = {
            "class": self.perturbation_class,
            "intensity": self.intensity,
            "lever": self.lever,
            "generator": self.generator,
        }
        if self.language is not None and len(self.language.names) > 1:
            groupings["language"] = self.language
        return groupings

    def keep(self, rows: Flags) -> VoteTable:
        """The table of the chosen candidates. All names stay, even if no chosen candidate has them."""
        kept: dict[str, Any] = {
            name: value.keep(rows) for name, value in vars(self).items() if isinstance(value, Labels)
        }
        audited = None if self.audited is None else self.audited[rows]
        return replace(self, states=self.states[rows], audited=audited, **kept)


def vote_table(frame: pd.DataFrame, source: str) -> VoteTable:
    """Check a table with one row per vote and turn it into candidates × verifiers; raises as `coded_vote_table`."""
    import pandas as pd

    columns: dict[str, Coded] = {}
    for name in frame.columns:
        codes, values = pd.factorize(frame[name])
        columns[name] = codes, list(values)
    return coded_vote_table(columns, source)


def coded_vote_table(columns: Mapping[str, Coded], source: str) -> VoteTable:
    """Check columns with one row per vote and turn them into candidates × verifiers. Other columns are ignored.

    Raises `SourceError` if a column is missing, the table is empty, a cell is blank, a verdict is not pass, fail,
    abstain or unscored, a verifier voted twice on a candidate, or the rows of a candidate contradict each other.
    """
    if not columns or any(not len(codes) for codes, _ in columns.values()):
        raise SourceError(f"{source}: no votes in it: give a run whose panel has voted, or a table with rows")
    missing = [name for name in COLUMNS if name not in columns]
    if missing:
        raise SourceError(
            f"{source}: no column '{missing[0]}': a vote table has the columns {', '.join(COLUMNS)}"
        )
    expected = (*COLUMNS, LANGUAGE, AUDITED)
    labels = {name: _read_labels(*columns[name], name, source) for name in expected if name in columns}
    states = _read_verdicts(labels["verdict"], source)
    candidate, verifier = labels["candidate_id"], labels["verifier"]
    _refuse_double_votes(candidate, verifier, source)
    _, first_rows = np.unique(candidate.codes, return_index=True)
    # A vote without a row was never asked for, as under the economy schedule.
    matrix = np.full((len(candidate.names), len(verifier.names)), NOT_ASKED, dtype=np.int8)
    matrix[candidate.codes, verifier.codes] = states

    def of_candidate(name: str) -> Labels:
        return _one_per_candidate(labels[name], candidate, first_rows, name, source)

    return VoteTable(
        source=source,
        base=of_candidate("base_id"),
        generator=of_candidate("generator_model"),
        perturbation_class=of_candidate("perturbation_class"),
        intensity=of_candidate("intensity"),
        lever=of_candidate("lever"),
        verifiers=verifier.names,
        states=matrix,
        language=of_candidate(LANGUAGE) if LANGUAGE in columns else None,
        audited=_read_audited(of_candidate(AUDITED), source) if AUDITED in columns else None,
    )


def _read_labels(codes: NDArray[np.integer], values: Sequence[Any], name: str, source: str) -> Labels:
    """The labels of a column, its values read as text. Raises `SourceError` for a blank cell."""
    texts = ["" if value is None else str(value).strip() for value in values]
    blank = (codes < 0) | np.isin(codes, [i for i, text in enumerate(texts) if not text])
    if blank.any():
        raise SourceError(f"{_row_name(source, np.flatnonzero(blank)[0])}: '{name}' is empty: fill it in")
    # Different values can be the same text, such as 1 and "1 ". They get one code.
    index_of = {text: index for index, text in enumerate(dict.fromkeys(texts))}
    merged_codes = np.array([index_of[text] for text in texts])
    return Labels.of(merged_codes[codes], index_of)


def _read_verdicts(verdicts: Labels, source: str) -> NDArray[np.int8]:
    """The state of each row. Raises `SourceError` for a word that is not a verdict."""
    words = [word.casefold() for word in verdicts.names]
    for number, word in enumerate(words):
        if word not in STATE_CODES:
            row_name = _row_name(source, np.flatnonzero(verdicts.codes == number)[0])
            raise SourceError(
                f"{row_name}: verdict '{_short(verdicts.names[number])}' is not one of {', '.join(STATE_CODES)}"
            )
    return np.array([STATE_CODES[VerdictState(word)] for word in words], dtype=np.int8)[verdicts.codes]


def _refuse_double_votes(candidate: Labels, verifier: Labels, source: str) -> None:
    # one number for each pair of candidate and verifier
    pairs = candidate.codes * len(verifier.names) + verifier.codes
    different_pairs, counts = np.unique(pairs, return_counts=True)
    repeated_pairs = different_pairs[counts > 1]
    if repeated_pairs.size:
        first_row, second_row = np.flatnonzero(pairs == repeated_pairs[0])[:2]
        verifier_name = _short(verifier.names[verifier.codes[first_row]])
        candidate_name = _short(candidate.names[candidate.codes[first_row]])
        raise SourceError(
            f"{_row_name(source, second_row)}: verifier '{verifier_name}' votes twice on candidate '{candidate_name}',"
            f" first at {_row_name(source, first_row)}: keep one of the two"
        )


def _one_per_candidate(
    labels: Labels, candidate: Labels, first_rows: NDArray[np.intp], name: str, source: str
) -> Labels:
    """The label of each candidate. Raises `SourceError` if its rows disagree."""
    codes = labels.codes[first_rows]
    conflicts = np.flatnonzero(labels.codes != codes[candidate.codes])
    if conflicts.size:
        row = int(conflicts[0])
        number = candidate.codes[row]
        first_value, value = _short(labels.names[codes[number]]), _short(labels.names[labels.codes[row]])
        raise SourceError(
            f"{_row_name(source, row)}: candidate '{_short(candidate.names[number])}' has another value of '{name}'"
            f" than at {_row_name(source, first_rows[number])}: '{value}' and '{first_value}'"
        )
    return Labels(labels.names, codes)


def _read_audited(labels: Labels, source: str) -> Flags:
    """Whether each candidate was drawn to get every vote."""
    flags = [read_flag(name) for name in labels.names]
    if None in flags:
        word = _short(labels.names[flags.index(None)])
        raise SourceError(f"{source}: '{AUDITED}' holds '{word}': write true or false")
    return np.array(flags, dtype=np.bool_)[labels.codes]


def _row_name(source: str, row: int) -> str:
    return row_place(Path(source), int(row))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def decide_by_rule(states: NDArray[np.int8], needed: int) -> tuple[Flags, Flags]:
    """Which candidates are accepted, and which are rejected, if `needed` passes accept a candidate.

    If fewer verifiers judge a candidate, all of them must pass it. A candidate is rejected if its fails leave too few
    verifiers to pass it. A candidate with too few votes is neither.
    """
    judges = (states != ABSENT).sum(axis=1)
    passes, fails = (states == PASS).sum(axis=1), (states == FAIL).sum(axis=1)
    passes_needed = np.minimum(needed, judges)
    accepted = (passes >= passes_needed) & (judges > 0)
    rejected = fails > judges - passes_needed
    return accepted, rejected


@dataclass(frozen=True, slots=True)
class Tally:
    """The panel's decisions on the candidates of a round or a part of it, or the votes of one verifier on them."""

    accepted: int
    """Candidates that the panel accepts, or that the verifier passes."""
    decided: int
    """Candidates that the panel accepts or rejects; undecided ones are left out."""
    bases: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Base instance → the number of its accepted and of its decided candidates."""
    rejected_by_panel: int = 0
    """The number of candidates that the verifier passes although the panel rejects them; 0 for the panel."""

    @property
    def share(self) -> Share:
        """The share of accepted candidates, as a share of the effective number of independent candidates."""
        n, clusters = self.decided, len(self.bases)
        if n == 0 or clusters < 2 or self.accepted in (0, n):
            return Share(self.accepted, n)
        p = self.accepted / n
        # The variance of a ratio over clusters, from the residuals of the clusters. Both variances are times n.
        squares = sum((accepted - p * decided) ** 2 for accepted, decided in self.bases.values())
        cluster_variance = clusters / (clusters - 1) * squares / n
        binomial_variance = p * (1 - p)
        # At least 1: candidates of one base instance are never worth more than independent ones.
        design_effect = max(1.0, cluster_variance / binomial_variance)
        return Share(self.accepted / design_effect, n / design_effect)


def read_tally(db: sqlite3.Connection, plan: CurrentPlan) -> Tally:
    """The panel's decisions on all candidates."""
    return _read_panel_tallies(db, plan, "''").get("", Tally(0, 0))


def read_class_tallies(db: sqlite3.Connection, plan: CurrentPlan) -> dict[str, Tally]:
    """Class → the panel's decisions on its candidates."""
    return _read_panel_tallies(db, plan, "j.perturbation_class")


def _read_panel_tallies(db: sqlite3.Connection, plan: CurrentPlan, name: str) -> dict[str, Tally]:
    """The panel's decisions by the value of an SQL expression."""
    rows = db.execute(
        f"""
        SELECT
            {name} AS name,
            j.instance_key AS base,
            sum(d.acceptance = 'accepted') AS accepted,
            count(*) AS decided,
            0 AS rejected
        FROM jobs j
        JOIN decisions d ON d.candidate_id = j.id AND d.panel = ?
        WHERE j.plan = ? AND d.acceptance != 'undecided'
        GROUP BY 1, 2
        """,  # noqa: S608  (the name is one of ours)
        (plan.panel, plan.number),
    )
    return _tallies_of(rows)


def read_member_tallies(db: sqlite3.Connection, plan: CurrentPlan) -> dict[str, Tally]:
    """Verifier → the tally of its scored votes on candidates that the panel decided."""
    return _tallies_of(db.execute(VOTES_ON_DECIDED, bind(plan.judges, plan.number, plan.panel)))


def _tallies_of(rows: Iterable[sqlite3.Row]) -> dict[str, Tally]:
    """Name → tally, from a row for each name and base instance with the numbers of its candidates."""
    by_name: dict[str, list[sqlite3.Row]] = defaultdict(list)
    for row in rows:
        by_name[row["name"]].append(row)
    return {
        name: Tally(
            accepted=sum(row["accepted"] for row in group),
            decided=sum(row["decided"] for row in group),
            bases={row["base"]: (row["accepted"], row["decided"]) for row in group},
            rejected_by_panel=sum(row["rejected"] for row in group),
        )
        for name, group in by_name.items()
    }
