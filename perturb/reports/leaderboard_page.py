"""A leaderboard as a folder (page, rows as JSON, replies, files of a Space), and the check of its rows."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from perturb.errors import ConfigError, PublishError, RecordingError
from perturb.files.resources import writing_errors
from perturb.files.templating import text_environment
from perturb.llm.recording import read_recording
from perturb.llm.redaction import show_key
from perturb.metrics.inputs import Estimate, Floats
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
from perturb.reports.model import (
    CellFormat,
    Figure,
    Report,
    Section,
    Table,
    TableRows,
    show,
    table_columns,
)
from perturb.reports.rendering import render_page
from perturb.snapshots.replies import export_replies
from perturb.text.wording import counted, listed

# The files of the folder that people read. A Hub Space shows the first and reads its settings from the second.
PAGE, CARD = "index.html", "README.md"
# By kind of replies: the title of its table, and the question that it answers.
_TITLES = {
    "evaluation": (
        "RefusalBench",
        "Does a model answer what the text answers, and refuse the rest for the right reason?",
    ),
    "refusal-index": ("Refusal Index", "Does a model refuse the questions that it would get wrong?"),
    "bas": ("Behavioral Alignment Score", "Does the confidence that a model states support decisions?"),
}
# By kind of replies: the heading of the column of `BoardRow.way`.
_WAYS = {"evaluation": "way", "refusal-index": "setting", "bas": "elicitation"}
# The note below a table; the gaps are for which rows are ranked together, and for the score that ranks.
_RANKS = (
    "Rank: one more than the number of rows{} that are better in {} beyond chance, by paired tests with Holm's"
    " correction at 5 %. Rows marked = share theirs."
)


def write_leaderboard(folder: Path, added: Sequence[Path]) -> Leaderboard:
    """Write the leaderboard of all replies in `folder` and of those `added`: files of replies, or folders of runs.

    Raises `ConfigError` if the folder has other files or cannot be written, `RecordingError` for replies that no row
    can be computed from, `PublishError` if a reply contains a key.
    """
    if folder.exists() and not (folder / DATA).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder}: has files and is not a leaderboard: name a new folder")
    with tempfile.TemporaryDirectory() as exports:
        files = [
            export_replies(path, Path(exports) / f"{number}.jsonl.gz").file if path.is_dir() else path
            for number, path in enumerate(added)
        ]
        # By digest, so that the same replies added twice make one row.
        recordings = {recording.digest: recording for recording in recordings_of(folder)}
        sources = {digest: recording.path for digest, recording in recordings.items()}
        for source, file in zip(added, files, strict=True):
            recording = replace(read_recording(file), path=source)  # errors name what the user gave
            recordings[recording.digest], sources[recording.digest] = recording, file
        if not recordings:
            raise ConfigError(f"{folder}: holds no replies yet: name runs or files of replies with --add")
        for recording in recordings.values():
            for part, content in recording.contents():
                if masked_key := show_key(content):
                    raise PublishError(
                        f"{recording.path}: not published, since {part} holds what looks like a key ({masked_key}):"
                        " revoke it"
                    )
        # All is computed before anything is written, so that a failure leaves the old leaderboard as it is.
        board = make_leaderboard([*recordings.values()])
        texts = {DATA: board.to_json(), PAGE: _page_of(board), CARD: _card_of(board)}
        with writing_errors(folder, ConfigError):
            (folder / REPLIES).mkdir(parents=True, exist_ok=True)
            for digest, file in sources.items():
                if not (copy := folder / replies_name(digest)).exists():
                    shutil.copyfile(file, copy)
            for name, text in texts.items():
                (folder / name).write_text(text, encoding="utf-8", errors="replace")
    return board


def replies_name(digest: str) -> str:
    """The name in the folder of the file of replies with this digest."""
    return f"{REPLIES}/{digest[:16]}.jsonl.gz"


def files_of(board: Leaderboard) -> list[str]:
    """The files of a leaderboard's folder that belong to it."""
    return [
        DATA,
        PAGE,
        CARD,
        *sorted({replies_name(row.replies) for table in board.standings for row in table.rows}),
    ]


def make_leaderboard_page(board: Leaderboard) -> Report:
    """The page: a ranking for each system, then what it follows from."""
    table_of_file = {row.replies: table for table in board.standings for row in table.rows}
    rows = [
        (
            _TITLES[table.kind][0],
            ", ".join(dict.fromkeys(row.model for row in table.rows if row.replies == digest)),
            replies_name(digest),
            digest,
        )
        for digest, table in table_of_file.items()
    ]
    columns = "system | models | file | SHA-256"
    verify = Section(
        "replies",
        "Replies",
        (
            f"Computed by perturb {board.code_version} from recorded replies alone. To compute rows again, and compare:"
            " perturb publish FOLDER --leaderboard --replay FILE.",
            "The replies of the judge are part of each file: who doubts them asks a judge of their own.",
        ),
        tables=(Table("replies", "Files that the rows follow from", columns, rows, shown=len(rows)),),
    )
    subtitle = "95 % intervals. " + "; ".join(
        f"{_TITLES[standing.kind][0]}: {counted(len(standing.rows), 'row')}" for standing in board.standings
    )
    return Report(_title(board), subtitle, [*map(_section, board.standings), verify])


def _title(board: Leaderboard) -> str:
    return f"Leaderboard, round {board.round}" if board.round else "Leaderboard"


def _section(table: Standings) -> Section:
    title, question = _TITLES[table.kind]
    setting_column = _WAYS[table.kind]
    form: CellFormat = "percent" if table.kind == "evaluation" else "number"
    scale = 100 if form == "percent" else 1
    judge_of = {row.judge: row.judge or "nobody" for row in table.rows}
    settings = {row.way for row in table.rows}
    headings = list(table.rows[0].scores)
    columns: dict[str, CellFormat] = {"rank": "text", "model": "text", setting_column: "text"}
    columns |= dict.fromkeys(headings, form)
    columns |= table_columns("replies: count | unscored: count | judge | digest")
    rows: TableRows = [
        [
            _rank(row, table),
            row.model,
            row.way or "",
            *row.scores.values(),
            row.n,
            row.unscored,
            judge_of[row.judge] if len(judge_of) > 1 else "",
            row.replies[:12],
        ]
        for row in table.rows
    ]
    figure = Figure(
        table.kind,
        headings[0],
        "95 % intervals. Two of them may overlap although the paired test tells the rows apart.",
        draw_intervals(
            [(headings[0], [Mark.of(row.name, row.scores[headings[0]], scale) for row in table.rows])],
            x_label="percent" if scale == 100 else headings[0],
        ),
    )
    note = _RANKS.format(f" of the same {setting_column}" if any(settings) else "", headings[0])
    sentences = [f"{question} Asked about: {table.name}. Judged by: {', '.join(judge_of.values())}."]
    if len(judge_of) > 1:
        sentences.append("Judges may differ in how strict they are.")
    winners = [row.model for row in table.rows if row.rank == 1]
    # With several settings there are several rankings, so no model is first of all.
    verdict = (
        f"First: {listed(winners)}. No model is better beyond chance."
        if len(settings) == 1 and winners
        else ""
    )
    ranking = Table(table.kind, title, columns, rows, note, shown=len(rows))
    return Section(table.kind, title, sentences, (figure,), (ranking,), verdict=verdict)


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
    kind, models = str(recording.header.get("kind")), recording.header.get("models", {})
    board_rows = _table_rows(board)
    checked_rows = []
    for table, row in board_rows:
        names_a_model = table.kind == kind and row.model in models
        if names_a_model or row.replies == recording.digest:
            checked_rows.append((table, row))
    if not checked_rows:
        raise RecordingError(
            f"{file}: no row of {folder} is about its models ({listed([*models])}): give another file"
        )
    # The file takes the place of the recordings that these rows cite.
    replaced = {row.replies for _, row in checked_rows}
    other_recordings = [
        other for other in recordings_of(folder) if other.digest not in {recording.digest, *replaced}
    ]
    missing = {row.replies for _, row in board_rows} - replaced
    missing -= {other.digest for other in other_recordings}
    # Ranks depend on all rows. If replies of any row are missing, only the scores of this file can be compared.
    remade = make_leaderboard([recording] if missing else [recording, *other_recordings])
    remade_rows = {(str(table.kind), row.name): (table, row) for table, row in _table_rows(remade)}
    problems = []
    for table, row in checked_rows:
        remade_row = remade_rows.get((str(table.kind), row.name))
        faults = "; ".join(_differences(table, row, remade_row, ranked=not missing))
        if faults:
            problems.append(f"{file}: '{row.name}': {faults}")
    names = {row.name for _, row in checked_rows}
    problems += [
        f"{file}: '{row.name}': the board lacks this row"
        for _, row in remade_rows.values()
        if row.replies == recording.digest and row.name not in names
    ]
    problems += [f"{folder}: replies {digest[:12]} are cited and not there" for digest in sorted(missing)]
    if not missing:
        problems += [f"{folder}: {fault}" for fault in _layout_differences(board, remade)]
    for name, make in ((PAGE, _page_of), (CARD, _card_of)):
        if fault := _file_fault(folder / name, board, make):
            problems.append(f"{folder / name}: {fault}: write the leaderboard again")
    if board.code_version != remade.code_version:
        problems.append(
            f"{folder}: code_version is {board.code_version} on the board, and this is {remade.code_version}"
        )
    return len(checked_rows), tuple(problems)


def _table_rows(board: Leaderboard) -> list[tuple[Standings, BoardRow]]:
    """Every row, with the table that it stands in."""
    return [(table, row) for table in board.standings for row in table.rows]


def _layout_differences(board: Leaderboard, remade: Leaderboard) -> Iterator[str]:
    """Differences in the round, the tables and the order of rows; they are the same only if all rows were computed."""
    if board.round != remade.round:
        yield f"round is {board.round} on the board and {remade.round} by the replies"
    # As lists: equal mappings may differ in the order of their keys.
    on_board, by_replies = (
        [((str(table.kind), table.name), [row.name for row in table.rows]) for table in leaderboard.standings]
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


def _differences(
    table: Standings, row: BoardRow, remade_row: tuple[Standings, BoardRow] | None, *, ranked: bool
) -> Iterator[str]:
    """What a row says on the board and what follows from the replies, for each content in which they differ."""
    if remade_row is None:
        yield "no such row follows from the replies"
        return
    remade_table, remade = remade_row
    pairs = {
        "digest of the items": (table.items, remade_table.items),
        "digest of the replies": (row.replies, remade.replies),
    }
    names = ("n", "unscored", "judge", *(["rank"] if ranked else []))
    pairs |= {name: (str(getattr(row, name)), str(getattr(remade, name))) for name in names}
    pairs["order of the scores"] = ", ".join(row.scores), ", ".join(remade.scores)
    for heading in {**row.scores, **remade.scores}:
        listed_score, computed = row.scores.get(heading), remade.scores.get(heading)
        if not np.allclose(
            _value_and_ends(listed_score),
            _value_and_ends(computed),
            rtol=0,
            atol=_TOLERANCE,
            equal_nan=True,
        ):
            pairs[heading] = show(listed_score, "number"), show(computed, "number")
        elif listed_score and computed:
            pairs[f"reason of {heading}"] = str(listed_score.reason), str(computed.reason)
            pairs[f"replies behind {heading}"] = str(listed_score.n), str(computed.n)
    for name, (on_board, by_replies) in pairs.items():
        if on_board != by_replies:
            yield f"{name} is {on_board[:40]} on the board and {by_replies[:40]} by the replies"


def _value_and_ends(estimate: Estimate | None) -> Floats:
    """Value, low and high; NaN for what is missing."""
    numbers = [estimate.value, estimate.low, estimate.high] if estimate else [None] * 3
    return np.array(numbers, dtype=np.float64)
