"""The leaderboard of a round: every row follows from a file of recorded replies, and can be computed from it again.

There are three systems: RefusalBench, the Refusal Index and the Behavioral Alignment Score. Each has a table of its
own, a `Standings`. A row is one model, asked in one *way*: under a setting of the Refusal Index, or with an elicitation
of confidence. `make_leaderboard` replays the recordings, scores them and ranks the rows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ConfigDict, TypeAdapter, ValidationError

from perturb.catalogue.levers import Catalogue
from perturb.errors import RecordingError, SourceError
from perturb.evaluation.bas import BasTask
from perturb.evaluation.refusal_index import RefusalIndexTask
from perturb.evaluation.refusalbench import EvaluationPlan, evaluate
from perturb.evaluation.results import read_run
from perturb.evaluation.run import QuestionPlan, ask_questions
from perturb.evaluation.session import EvaluationReport
from perturb.files.resources import code_version, digest, read_text
from perturb.llm.recording import Recording, Replay, read_recording
from perturb.metrics.inputs import Estimate, NamedEstimates
from perturb.metrics.ranking import common_ranks
from perturb.reports.scores_page import DASHBOARD
from perturb.scoring.confidence_report import ConfidenceOptions, score_confidence
from perturb.scoring.model_comparison import compare_models, compare_refusals
from perturb.scoring.model_scores import Resampling, score_model
from perturb.scoring.refusal_report import RefusalOptions, report_refusals
from perturb.scoring.refusal_table import read_refusals
from perturb.scoring.table import result_table
from perturb.text.wording import counted

# The file of the rows, and the folder of the files that they follow from.
DATA, REPLIES = "leaderboard.json", "replies"
# By kind of replies: the scores of a row and their headings. The first one ranks.
SCORES: Mapping[str, Mapping[str, str]] = {
    "evaluation": DASHBOARD,
    "refusal-index": {
        "refusal_index": "RI",
        "correct_rate": "correct",
        "refusal_rate": "refused",
        "c_over_a": "C/A",
    },
    "bas": {"bas_uniform": "BAS", "accuracy": "accuracy", "ece": "ECE", "aurc": "AURC"},
}
# For all intervals and tests. They are fixed, so that anybody who computes a row again gets the same digits.
RESAMPLES, SEED = 1000, 0
# The largest share of unscored replies in a row. More could hide wrong replies, since unscored ones are left out.
MOST_UNSCORED = 0.02
# The header fields that comparable recordings share.
_SAME = ("round", "classes", "variant", "templates")
# A leaderboard file with an unknown field is refused, since nobody would check that field.
_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One model under one setting or elicitation."""

    __pydantic_config__ = _STRICT

    model: str
    way: str | None
    """The setting or elicitation; None for RefusalBench. Rows of one way are ranked among each other."""
    scores: dict[str, Estimate]
    """By heading; ends and values are rounded to six digits."""
    n: int
    """Number of scored replies."""
    unscored: int
    rank: int | None = None
    """Shared by rows whose difference may be chance; None without a score."""
    judge: str | None = None
    replies: str = ""
    """SHA-256 of the recorded replies that the row follows from, as their header states it."""

    @property
    def cautious_score(self) -> float | None:
        """The first score, which ranks; with unscored replies, the lower end of its interval, if it has one."""
        score = next(iter(self.scores.values()))
        return score.low if self.unscored and score.low is not None else score.value

    @property
    def name(self) -> str:
        """Model and way."""
        return " / ".join(filter(None, (self.model, self.way)))


@dataclass(frozen=True, slots=True)
class Standings:
    """All rows of one system."""

    __pydantic_config__ = _STRICT

    kind: Literal["evaluation", "refusal-index", "bas"]
    name: str
    """The snapshot or the questions."""
    items: str
    """Digest of the items or questions."""
    rows: tuple[BoardRow, ...]


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The standings of a round."""

    __pydantic_config__ = _STRICT

    format: Literal["perturb-leaderboard 1"]
    code_version: str
    """The version of perturb that computed it."""
    round: str | None
    standings: tuple[Standings, ...]

    def to_json(self) -> str:
        """As `leaderboard.json` holds it."""
        return _BOARD.dump_json(self, indent=1, exclude=_NOT_IN_JSON).decode() + "\n"


# `Estimate.effective` is not part of the JSON of an estimate. "__all__" stands for each element of a tuple or mapping.
_NOT_IN_JSON = {"standings": {"__all__": {"rows": {"__all__": {"scores": {"__all__": {"effective"}}}}}}}
_BOARD = TypeAdapter(Leaderboard)


class UnrankedRows(NamedTuple):
    """The rows of one system, and what their ranks are computed from."""

    rows: dict[str, BoardRow]
    """By the name of the row."""
    p_values: dict[tuple[str, str], float | None]
    """Of the difference between two rows, by their names."""
    lowest_scores: dict[str, float]
    """By the name of the row, if it is known: the ranking score if its unscored replies had all been wrong."""


def make_leaderboard(recordings: Sequence[Recording]) -> Leaderboard:
    """Compute every row from recorded replies; no model is asked.

    Raises `RecordingError` for replies that lack something, or that do not compare with the others.
    """
    by_kind: dict[str, list[Recording]] = {}
    for recording in recordings:
        kind = str(recording.header.get("kind"))
        if kind not in SCORES:
            raise RecordingError(
                f"{recording.path}: is a recording of {kind}, without replies of models under test: give what"
                " `perturb export RUN --replies` wrote of evaluate, refusal-index or bas"
            )
        by_kind.setdefault(kind, []).append(recording)
    rounds = [recording.header["round"] for recording in recordings if recording.header.get("round")]
    # In the order of SCORES, so that the board does not depend on the order of the files.
    standings = tuple(_standings(by_kind[kind]) for kind in SCORES if kind in by_kind)
    return Leaderboard("perturb-leaderboard 1", code_version(), rounds[0] if rounds else None, standings)


def read_leaderboard(folder: Path) -> Leaderboard:
    """The leaderboard in a folder. Raises `SourceError` if it is missing."""
    try:
        return _BOARD.validate_json(read_text(folder / DATA, SourceError))
    except ValidationError as exc:
        fault = exc.errors()[0]
        field = ".".join(map(str, fault["loc"])) or "it"
        raise SourceError(
            f"{folder / DATA}: is not a leaderboard ({field}: {fault['msg']}): give a folder of"
            " `perturb publish --leaderboard`"
        ) from None


def recordings_of(folder: Path) -> list[Recording]:
    """The files of replies beside a leaderboard."""
    return [read_recording(path) for path in sorted((folder / REPLIES).glob("*.jsonl.gz"))]


def _standings(recordings: Sequence[Recording]) -> Standings:
    """The ranked rows of recordings of one kind."""
    reference, by_model = recordings[0], _by_model(recordings)
    kind = reference.header["kind"]
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for number, recording in enumerate(recordings):
            runs.append(replay_evaluation(recording, Path(folder) / str(number)).run)
        unranked = _ROW_MAKERS[kind](runs)
    _refuse_many_unscored(unranked.rows.values(), by_model)
    rows = []
    for row in _ranked_rows(unranked):
        source = by_model[row.model]
        rows.append(replace(row, judge=source.judge_name, replies=source.digest))
    return Standings(kind, str(reference.header["name"]), digest(reference.items), tuple(rows))


def _refuse_many_unscored(rows: Iterable[BoardRow], by_model: Mapping[str, Recording]) -> None:
    for row in rows:
        n_replies = row.n + row.unscored
        if row.unscored > MOST_UNSCORED * n_replies:
            raise RecordingError(
                f"{by_model[row.model].path}: {row.unscored} of {n_replies} replies of '{row.name}' are"
                f" unscored, more than {MOST_UNSCORED:.0%}: run the evaluation again with --retry-unparsed"
            )


def _ranked_rows(unranked: UnrankedRows) -> Iterator[BoardRow]:
    """The rows with their ranks: by way, then by rank, with rows without a rank last."""
    rows = unranked.rows
    # Unscored replies count against a row in the ranking; otherwise an unreadable reply would pay off.
    scores = {name: unranked.lowest_scores.get(name, row.cautious_score) for name, row in rows.items()}
    for way in dict.fromkeys(row.way for row in rows.values()):
        scores_of_way = {name: scores[name] for name, row in rows.items() if row.way == way}
        p_values = {
            (a, b): p for (a, b), p in unranked.p_values.items() if a in scores_of_way and b in scores_of_way
        }
        ranks = common_ranks(scores_of_way, p_values)
        # In a rank, the row with the higher score comes first.
        for name in sorted(ranks, key=lambda name: (ranks[name] or len(rows) + 1, -(scores[name] or 0.0))):
            yield replace(rows[name], rank=ranks[name])


def _by_model(recordings: Sequence[Recording]) -> dict[str, Recording]:
    """The recording of each model. Raises `RecordingError` if the recordings cannot be compared."""
    reference = recordings[0]
    by_model: dict[str, Recording] = {}
    for recording in recordings:
        differences = ["items"] if recording.items != reference.items else []
        differences += [name for name in _SAME if recording.header.get(name) != reference.header.get(name)]
        if differences:
            raise RecordingError(
                f"{recording.path}: differs from {reference.path} in its {differences[0]}: rows of one leaderboard"
                " answer the same items, asked in the same words"
            )
        for name in recording.header["models"]:
            if name in by_model:
                raise RecordingError(
                    f"{recording.path}: '{name}' is also in {by_model[name].path}: one name stands for one model, so"
                    " evaluate one of them under another name"
                )
            by_model[name] = recording
    return by_model


def _refusal_bench(runs: Sequence[Path]) -> UnrankedRows:
    evaluations = [read_run(run) for run in runs]
    rows = ((f"item '{result.item_id}'", result.to_dict()) for run in evaluations for result in run.results)
    catalogue = Catalogue.load().with_classes(evaluations[0].classes)
    table = result_table(rows, "leaderboard", items=evaluations[0].items, catalogue=catalogue)
    resampling = Resampling(RESAMPLES, SEED)
    # `groupings` is empty: a row shows no scores by class or lever, and these would take as long as everything else.
    models = [score_model(replies, resampling, codes=table.codes, groupings=()) for replies in table.models]
    named_rows = {
        model.model: _row("evaluation", model.model, None, model.metrics, model.unscored) for model in models
    }
    ranking_metric = next(iter(SCORES["evaluation"]))
    p_values = {
        (comparison.a, comparison.b): comparison.p_value
        for comparison in compare_models(table.models, resampling)
        if comparison.metric == ranking_metric
    }
    lowest_scores = {}
    for model in models:
        if model.unscored and (bounds := model.bounds[ranking_metric]):
            lowest_scores[model.model] = bounds.low
    return UnrankedRows(named_rows, p_values, lowest_scores)


def _refusal_index(runs: Sequence[Path]) -> UnrankedRows:
    table = [_write_joined_table(runs)]
    options = RefusalOptions(resamples=RESAMPLES, seed=SEED)
    groups = report_refusals(table, options).groups
    named_rows = {
        group.name: _row("refusal-index", str(group.model), group.setting, group.metrics, group.unscored)
        for group in groups
    }
    pairs = ((a, b) for a, b in combinations(read_refusals(table), 2) if a.setting == b.setting)
    p_values = {(a.name, b.name): compare_refusals(a, b, RESAMPLES, SEED) for a, b in pairs}
    return UnrankedRows(named_rows, p_values, {})


def _bas(runs: Sequence[Path]) -> UnrankedRows:
    options = ConfidenceOptions(resamples=RESAMPLES, seed=SEED)
    report = score_confidence([_write_joined_table(runs)], options=options)
    named_rows = {}
    for scored in report.groups:
        group, metrics = scored.group, scored.report.metrics
        named_rows[group.name] = _row("bas", group.model, group.elicitation, metrics, group.unscored)
    p_values = {(difference.a, difference.b): difference.p_value for difference in report.differences}
    return UnrankedRows(named_rows, p_values, {})


# Kind of recording → the function that replays recordings of this kind and scores them.
_ROW_MAKERS: Mapping[str, Callable[[Sequence[Path]], UnrankedRows]] = {
    "evaluation": _refusal_bench,
    "refusal-index": _refusal_index,
    "bas": _bas,
}


def _row(kind: str, model: str, way: str | None, metrics: NamedEstimates, unscored: int) -> BoardRow:
    """A row without a rank. Its scores are rounded, so that machines with other arithmetic give the same digits."""
    scores = {}
    for name, heading in SCORES[kind].items():
        estimate = metrics[name]
        value, low, high = (
            None if number is None else round(number, 6)
            for number in (estimate.value, estimate.low, estimate.high)
        )
        scores[heading] = Estimate(value, low, high, n=estimate.n, reason=estimate.reason)
    return BoardRow(model, way, scores, next(iter(scores.values())).n, unscored)


def _write_joined_table(runs: Sequence[Path]) -> Path:
    """Write the tables of all runs into one file beside the folder of the first run. Return its path."""
    joined = runs[0].with_suffix(".jsonl")
    tables = [path for run in runs for path in sorted(run.glob("*.jsonl"))]
    joined.write_bytes(b"".join(path.read_bytes() for path in tables))
    return joined


def replay_evaluation(recording: Recording, folder: Path) -> EvaluationReport:
    """Repeat a run of RefusalBench, of the Refusal Index or of stated confidence in an empty folder.

    Raises `RecordingError` if the recording lacks a reply.
    """
    kind, replay = recording.header["kind"], Replay(recording)
    if kind == "evaluation":
        report = evaluate(EvaluationPlan(source=None, replay=replay, out=folder))
    else:
        make_task = RefusalIndexTask.of if kind == "refusal-index" else BasTask.of
        report = ask_questions(QuestionPlan(kind=kind, make_task=make_task, out=folder, replay=replay))
    if missing := report.facts["missing_replies"]:
        first_missing = "{model}, {role}, item {item}".format(**missing[0])
        raise RecordingError(
            f"{recording.path}: lacks {counted(len(missing), 'reply', 'replies')} (the first: {first_missing}): give"
            " the file of a finished run"
        )
    return report
