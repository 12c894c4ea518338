"""A leaderboard as a folder (page, rows as JSON, replies, files of a Space), and the check of its rows."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from perturb.errors import ConfigError, PublishError, RecordingError
from perturb.files.resources import writing_errors
from perturb.files.templating import text_environment
from perturb.llm.recording import Recording, read_recording
from perturb.llm.redaction import show_key
from perturb.metrics.inputs import Estimate
from perturb.reports.figures import Mark, draw_intervals
from perturb.reports.leaderboard import (
    DATA,
    REPLIES,
    BoardRow,
    Leaderboard,
    Standings,
    make_leaderboard,
    read_leaderboard,
    recordings_of,
)
from perturb.reports.model import CellFormat, Figure, Report, Section, Table, TableRows, show, table_columns
from perturb.reports.rendering import render_page
from perturb.snapshots.replies import export_replies
from perturb.text.wording import counted, listed

# The files of the folder that people read. A Hub Space shows the first and reads its settings from the second.
PAGE, CARD = "index.html", "README.md"


class _System(NamedTuple):
    """How the page presents one kind of replies."""

    title: str
    question: str
    """The question that its scores answer."""
    way_heading: str
    """The heading of the column of `BoardRow.way`."""
    score_format: CellFormat


# By kind of replies.
_SYSTEMS = {
    "evaluation": _System(
        "RefusalBench",
        "Does a model answer what the text answers, and refuse the rest for the right reason?",
        "way",
        "percent",
    ),
    "refusal-index": _System(
        "Refusal Index", "Does a model refuse the questions that it would get wrong?", "setting", "number"
    ),
    "bas": _System(
        "Behavioral Alignment Score",
        "Does the confidence that a model states support decisions?",
        "elicitation",
        "number",
    ),
}
# The note below a ranking; the gaps are for which rows are ranked together, and for the score that ranks.
_RANKS = (
    "Rank: one more than the number of rows{} that are better in {} beyond chance, by paired tests with Holm's"
    " correction at 5 %. Rows marked = share their rank."
)


def write_leaderboard(folder: Path, added: Sequence[Path]) -> Leaderboard:
    """Write the leaderboard of all replies in `folder` and of those `added`: files of replies, or folders of runs.

    Raises `ConfigError` if the folder has other files or cannot be written, `RecordingError` for replies that no row
    can be computed from, `PublishError` if a reply contains a key.
    """
    is_leaderboard = (folder / DATA).is_file()
    is_free = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    if not (is_leaderboard or is_free):
        raise ConfigError(f"{folder}: has files and is not a leaderboard: name a new folder")
    with tempfile.TemporaryDirectory() as exports:
        files = _files_to_rank(folder, added, Path(exports))
        recordings = [recording for recording, _ in files.values()]
        if not recordings:
            raise ConfigError(f"{folder}: holds no replies yet: name runs or files of replies with --add")
        for recording in recordings:
            for part, content in recording.contents():
                if masked_key := show_key(content):
                    raise PublishError(
                        f"{recording.path}: not published, since {part} holds what looks like a key ({masked_key}):"
                        " revoke it"
                    )
        # All is computed before anything is written, so that a failure leaves the old leaderboard as it is.
        board = make_leaderboard(recordings)
        texts = {DATA: board.to_json(), PAGE: _page_of(board), CARD: _card_of(board)}
        with writing_errors(folder, ConfigError):
            (folder / REPLIES).mkdir(parents=True, exist_ok=True)
            for digest, (_, file) in files.items():
                copy = folder / replies_name(digest)
                if not copy.exists():
                    shutil.copyfile(file, copy)
            for name, text in texts.items():
                (folder / name).write_text(text, encoding="utf-8", errors="replace")
    return board


def _files_to_rank(folder: Path, added: Sequence[Path], exports: Path) -> dict[str, tuple[Recording, Path]]:
    """Digest → recording and its file, so that the same replies added twice make one row.

    Runs among those `added` are exported into the folder `exports`.
    """
    files = {recording.digest: (recording, recording.path) for recording in recordings_of(folder)}
    for number, source in enumerate(added):
        file = export_replies(source, exports / f"{number}.jsonl.gz").file if source.is_dir() else source
        recording = replace(read_recording(file), path=source)  # errors name what the user gave
        files[recording.digest] = recording, file
    return files


def replies_name(digest: str) -> str:
    """The name in the folder of the file of replies with this digest."""
    return f"{REPLIES}/{digest[:16]}.jsonl.gz"


def files_of(board: Leaderboard) -> list[str]:
    """The files of a leaderboard's folder that belong to it."""
    replies = {replies_name(row.replies) for _, row in _table_rows(board)}
    return [DATA, PAGE, CARD, *sorted(replies)]


def make_leaderboard_page(board: Leaderboard) -> Report:
    """The page: a ranking for each system, then what it follows from."""
    sections = [_ranking_section(table) for table in board.standings]
    subtitle = "95 % intervals. " + "; ".join(
        f"{_SYSTEMS[table.kind].title}: {counted(len(table.rows), 'row')}" for table in board.standings
    )
    return Report(_title(board), subtitle, [*sections, _replies_section(board)])


def _replies_section(board: Leaderboard) -> Section:
    rows = []
    for table in board.standings:
        for digest in dict.fromkeys(row.replies for row in table.rows):
            models = dict.fromkeys(row.model for row in table.rows if row.replies == digest)
            rows.append((_SYSTEMS[table.kind].title, ", ".join(models), replies_name(digest), digest))
    columns = "system | models | file | SHA-256"
    return Section(
        "replies",
        "Replies",
        (
            f"Computed by perturb {board.code_version} from recorded replies alone. To compute rows again, and compare:"
            " perturb publish FOLDER --leaderboard --replay FILE.",
            "The replies of the judge are part of each file: who doubts them asks a judge of their own.",
        ),
        tables=(Table("replies", "Files that the rows follow from", columns, rows, shown=len(rows)),),
    )


def _title(board: Leaderboard) -> str:
    return f"Leaderboard, round {board.round}" if board.round else "Leaderboard"


def _ranking_section(table: Standings) -> Section:
    system = _SYSTEMS[table.kind]
    judges = dict.fromkeys(row.judge or "nobody" for row in table.rows)
    sentences = [f"{system.question} Asked about: {table.name}. Judged by: {', '.join(judges)}."]
    if len(judges) > 1:
        sentences.append("Judges may differ in how strict they are.")
    winners = [row.model for row in table.rows if row.rank == 1]
    verdict = ""
    # With several ways of asking there are several rankings, so no model is first in all of them.
    if winners and len({row.way for row in table.rows}) == 1:
        verdict = f"First: {listed(winners)}. No model is better beyond chance."
    ranking = _ranking_table(table, system, show_judges=len(judges) > 1)
    return Section(
        table.kind, system.title, sentences, (_score_figure(table, system),), (ranking,), verdict=verdict
    )


def _ranking_table(table: Standings, system: _System, *, show_judges: bool) -> Table:
    headings = list(table.rows[0].scores)
    columns = table_columns(f"rank | model | {system.way_heading}")
    columns |= dict.fromkeys(headings, system.score_format)
    columns |= table_columns("replies: count | unscored: count | judge | digest")
    rows: TableRows = []
    for row in table.rows:
        judge = (row.judge or "nobody") if show_judges else ""
        names = [_rank(row, table), row.model, row.way or ""]
        rows.append([*names, *row.scores.values(), row.n, row.unscored, judge, row.replies[:12]])
    has_ways = any(row.way for row in table.rows)
    note = _RANKS.format(f" of the same {system.way_heading}" if has_ways else "", headings[0])
    return Table(table.kind, system.title, columns, rows, note, shown=len(rows))


def _score_figure(table: Standings, system: _System) -> Figure:
    """The score that ranks, for each row."""
    heading = next(iter(table.rows[0].scores))
    is_percent = system.score_format == "percent"
    marks = [Mark.of(row.name, row.scores[heading], 100 if is_percent else 1) for row in table.rows]
    return Figure(
        table.kind,
        heading,
        "95 % intervals. Two of them may overlap although the paired test tells the rows apart.",
        draw_intervals([(heading, marks)], x_label="percent" if is_percent else heading),
    )


def _rank(row: BoardRow, table: Standings) -> str:
    if row.rank is None:
        return ""
    shared = sum((other.rank, other.way) == (row.rank, row.way) for other in table.rows) > 1
    return f"{row.rank} =" if shared else str(row.rank)


# Scores are rounded to six digits; machines may differ in the last one.
_TOLERANCE = 2e-6


def check_rows(folder: Path, file: Path) -> tuple[int, tuple[str, ...]]:
    """Compute the rows that follow from a file of replies again; return their number and one line for each fault.

    A row belongs to the file if it cites the file's digest or one of its models. Ranks and the round are compared if
    the replies of all rows are there. Raises `SourceError` if the folder has no leaderboard, `RecordingError` for a
    file that cannot be read or that no row belongs to.
    """
    board, recording = read_leaderboard(folder), read_recording(file)
    checked_rows = _rows_about(board, recording)
    if not checked_rows:
        models = listed(list(recording.header.get("models", {})))
        raise RecordingError(f"{file}: no row of {folder} is about its models ({models}): give another file")
    # The file takes the place of the recordings that these rows cite.
    replaced = {row.replies for _, row in checked_rows}
    others = [other for other in recordings_of(folder) if other.digest not in {recording.digest, *replaced}]
    cited = {row.replies for _, row in _table_rows(board)}
    missing = cited - replaced - {other.digest for other in others}
    # Ranks depend on all rows. If replies of any row are missing, only the scores of this file can be compared.
    remade = make_leaderboard([recording] if missing else [recording, *others])
    row_faults = _row_faults(checked_rows, remade, recording.digest, ranked=not missing)
    problems = [f"{file}: {fault}" for fault in row_faults]
    problems += [f"{folder}: replies {digest[:12]} are cited and not there" for digest in sorted(missing)]
    if not missing:
        problems += [f"{folder}: {fault}" for fault in _layout_differences(board, remade)]
    for name, make in ((PAGE, _page_of), (CARD, _card_of)):
        fault = _file_fault(folder / name, board, make)
        if fault:
            problems.append(f"{folder / name}: {fault}: write the leaderboard again")
    if board.code_version != remade.code_version:
        problems.append(
            f"{folder}: code_version is {board.code_version} on the board, and this is {remade.code_version}"
        )
    return len(checked_rows), tuple(problems)


def _rows_about(board: Leaderboard, recording: Recording) -> list[TableRow]:
    """The rows of a board that belong to a recording."""
    kind, models = recording.header.get("kind"), recording.header.get("models", {})
    rows = []
    for table, row in _table_rows(board):
        names_a_model = table.kind == kind and row.model in models
        if names_a_model or row.replies == recording.digest:
            rows.append(TableRow(table, row))
    return rows


def _row_faults(
    checked_rows: Sequence[TableRow], remade: Leaderboard, replies: str, *, ranked: bool
) -> Iterator[str]:
    """The differences of each checked row, then the rows that the board lacks; `replies` is the digest of the file."""
    remade_rows = {(entry.table.kind, entry.row.name): entry for entry in _table_rows(remade)}
    for checked in checked_rows:
        name = checked.row.name
        remade_row = remade_rows.get((checked.table.kind, name))
        if remade_row is None:
            yield f"'{name}': no such row follows from the replies"
        elif differences := list(_differences(checked, remade_row, ranked=ranked)):
            yield f"'{name}': {'; '.join(differences)}"
    names = {row.name for _, row in checked_rows}
    for _, row in remade_rows.values():
        if row.replies == replies and row.name not in names:
            yield f"'{row.name}': the board lacks this row"


class TableRow(NamedTuple):
    """A row with the table that it stands in."""

    table: Standings
    row: BoardRow


def _table_rows(board: Leaderboard) -> list[TableRow]:
    return [TableRow(table, row) for table in board.standings for row in table.rows]


def _layout_differences(board: Leaderboard, remade: Leaderboard) -> Iterator[str]:
    """Differences in the round, the tables and the order of rows; they are the same only if all rows were computed."""
    if board.round != remade.round:
        yield f"round is {board.round} on the board and {remade.round} by the replies"
    on_board, by_replies = (
        [(table.kind, table.name, [row.name for row in table.rows]) for table in leaderboard.standings]
        for leaderboard in (board, remade)
    )
    if on_board != by_replies:
        yield "the tables and the order of their rows are not those that follow from the replies"


def _page_of(board: Leaderboard) -> str:
    return render_page(make_leaderboard_page(board))


def _card_of(board: Leaderboard) -> str:
    template = text_environment().get_template("card/leaderboard.md.j2")
    return template.render(title=_title(board), replies=REPLIES)


def _file_fault(file: Path, board: Leaderboard, make: Callable[[Leaderboard], str]) -> str:
    """What is wrong with a file that is made from the board; empty if making it again gives the same."""
    try:
        content = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return "cannot be read"
    try:
        expected = make(board)
    except (ValueError, LookupError):  # rows of one table that differ in their scores
        return f"cannot be made of the rows of {DATA}"
    return "" if content == expected else f"does not show the rows of {DATA}"


def _differences(checked: TableRow, remade: TableRow, *, ranked: bool) -> Iterator[str]:
    """What a row says on the board and what follows from the replies, for each content in which they differ."""
    # Name of a content → what the board says, and what follows from the replies.
    pairs = {
        "digest of the items": (checked.table.items, remade.table.items),
        "digest of the replies": (checked.row.replies, remade.row.replies),
    }
    for name in ("n", "unscored", "judge", "rank") if ranked else ("n", "unscored", "judge"):
        pairs[name] = getattr(checked.row, name), getattr(remade.row, name)
    pairs["order of the scores"] = ", ".join(checked.row.scores), ", ".join(remade.row.scores)
    missing = Estimate(None)
    for heading in {**checked.row.scores, **remade.row.scores}:
        on_board, by_replies = (entry.row.scores.get(heading, missing) for entry in (checked, remade))
        pairs |= _score_pairs(heading, on_board, by_replies)
    for name, (said, computed) in pairs.items():
        if said != computed:
            yield f"{name} is {str(said)[:40]} on the board and {str(computed)[:40]} by the replies"


def _score_pairs(heading: str, on_board: Estimate, by_replies: Estimate) -> dict[str, tuple[Any, Any]]:
    """The numbers of a score if they differ by more than rounding, otherwise its reason and its count."""
    numbers, other_numbers = np.array(
        [[score.value, score.low, score.high] for score in (on_board, by_replies)], dtype=np.float64
    )
    if np.allclose(numbers, other_numbers, rtol=0, atol=_TOLERANCE, equal_nan=True):
        return {
            f"reason of {heading}": (on_board.reason, by_replies.reason),
            f"replies behind {heading}": (on_board.n, by_replies.n),
        }
    texts = show(on_board, "number"), show(by_replies, "number")
    # The texts have three decimals. A smaller difference takes all digits to be seen.
    return {heading: texts if len(set(texts)) > 1 else (numbers.tolist(), other_numbers.tolist())}
