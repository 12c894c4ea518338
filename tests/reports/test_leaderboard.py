"""Leaderboards: rows from recorded replies, ties, what a tampered file changes, the page, and the Space."""

from __future__ import annotations

import gzip
import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from perturb.errors import PerturbError, PublishError, RecordingError
from perturb.files.resources import demo_recording
from perturb.llm.recording import read_recording, write_recording
from perturb.metrics.ranking import common_ranks
from perturb.reports.leaderboard import DATA, BoardRow, make_leaderboard, read_leaderboard, replay_evaluation
from perturb.reports.leaderboard_page import (
    check_rows,
    files_of,
    make_leaderboard_page,
    replies_name,
    write_leaderboard,
)
from perturb.reports.rendering import render_page
from perturb.snapshots.hub import push_space
from tests.building import perturb
from tests.loopback_hub import LoopbackHub

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

Row = dict[str, Any]
NASTY = "</td><script>alert(1)</script>$x_{$"


def demo(name: str) -> Path:
    found = demo_recording(name)
    assert found is not None
    return found


def edited(
    source: Path, target: Path, change: Callable[[Row], Row | None], header: Row | None = None
) -> Path:
    """The file with each line changed, or left out, and a digest that fits."""
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        first, *rows = map(json.loads, lines)
    head = {key: value for key, value in first.items() if key not in ("sha256", "format", "version")}
    write_recording(target, {**head, **(header or {})}, filter(None, map(change, rows)))
    return target


def renamed(source: Path, target: Path, names: dict[str, str]) -> Path:
    """The replies of some models alone, under other names."""
    models = read_recording(source).header["models"]

    def change(row: Row) -> Row | None:
        if row["kind"] != "reply":
            return row
        judged, space, variant = row["part"].partition(" ")
        if space and judged in names:
            return {**row, "part": f"{names[judged]} {variant}"}
        return {**row, "model": names[row["model"]]} if row["model"] in names else None

    under_test = {new: {**models[old], "name": new} for old, new in names.items()}
    return edited(source, target, change, {"models": under_test})


def rows_of(folder: Path, kind: str) -> dict[str, BoardRow]:
    tables = {table.kind: table for table in read_leaderboard(folder).standings}
    return {row.name: row for row in tables[kind].rows}  # type: ignore[index]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The leaderboard of the recorded evaluation, written by the command."""
    folder = tmp_path_factory.mktemp("made") / "board"
    perturb("publish", str(folder), "--leaderboard", "--add", str(demo("evaluate")))
    return folder


@pytest.fixture
def board(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "board"))


def test_rows_say_what_score_says_and_are_ranked_by_it(board: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    perturb("evaluate", "--demo", "--out", str(run), "-q")
    scored = perturb("score", str(run), "--json").json
    rows = rows_of(board, "evaluation")
    for one in scored["models"]:
        crs, row = one["metrics"]["calibrated_refusal_score"], rows[one["model"]].scores["CRS"]
        assert (row.value, row.low) == pytest.approx((crs["value"], crs["low"]), abs=1e-6)
    # each is better than the next on so many base instances that few patterns of signs do as well
    assert {name: row.rank for name, row in rows.items()} == {"steady": 1, "cautious": 2, "eager": 3}
    digest = read_recording(demo("evaluate")).digest
    assert {row.replies for row in rows.values()} == {digest}
    assert read_recording(board / replies_name(digest)).digest == digest
    page = (board / "index.html").read_text()
    assert page.count(">1 =</td>") == 0
    assert "First: steady" in page
    assert "round demo-2026-11" in page
    assert digest in page


def test_ranks_are_corrected_for_the_number_of_pairs() -> None:
    values = {"a": 0.9, "b": 0.8, "c": 0.7, "d": None}
    p_values = {("a", "b"): 0.04, ("a", "c"): 0.02, ("b", "c"): 0.5, ("a", "d"): None}
    assert common_ranks(values, p_values) == {"a": 1, "b": 1, "c": 1, "d": None}
    assert common_ranks(values, p_values | {("a", "c"): 0.016})["c"] == 2
    assert common_ranks({"a": 0.1, "b": 0.9}, {("a", "b"): 0.001}) == {"a": 2, "b": 1}


@pytest.mark.slow
def test_runs_and_files_of_all_three_systems_are_added(board: Path, tmp_path: Path) -> None:
    questions = demo("refusal-index")
    twin = renamed(questions, tmp_path / "twin.jsonl.gz", {"model": "twin"})
    run = tmp_path / "run"
    perturb("bas", "run", "--demo", "--out", str(run), "-q")
    added = [word for source in (questions, twin, run) for word in ("--add", str(source))]
    done = perturb("publish", str(board), "--leaderboard", *added, "--json")
    assert done.json["rows"] == 15
    rows = rows_of(board, "refusal-index")
    assert {row.rank for row in rows.values()} == {1}
    assert rows["twin / low"].scores == rows["model / low"].scores
    assert rows["twin / low"].replies == read_recording(twin).digest != rows["model / low"].replies
    assert [len(rows_of(board, kind)) for kind in ("evaluation", "refusal-index", "bas")] == [3, 8, 4]


def test_a_tampered_reply_is_named(board: Path, tmp_path: Path) -> None:
    assert check_rows(board, demo("evaluate")) == (3, ())
    refused = 0

    def refuse(row: Row) -> Row:
        nonlocal refused
        if row["kind"] == "reply" and row["model"] == "eager" and refused < 10:
            refused += 1
            return {**row, "text": "REFUSE_OTHER"}
        return row

    file = edited(demo("evaluate"), tmp_path / "tampered.jsonl.gz", refuse)
    _, problems = check_rows(board, file)
    assert len(problems) == 3
    assert all(
        f"digest of the replies is {read_recording(demo('evaluate')).digest[:12]}" in line
        for line in problems
    )
    assert ["CRS is " in line for line in problems] == [False, False, True]
    ended = perturb("publish", str(board), "--leaderboard", "--replay", str(file))
    assert (ended.returncode, ended.stdout.splitlines()[:3]) == (1, [*problems])
    with gzip.open(file) as lines:
        content = lines.read().replace(b"REFUSE_OTHER", b"REFUSE_OTHEr")
    file.write_bytes(gzip.compress(content))
    with pytest.raises(RecordingError, match=r"differs from what was written"):
        check_rows(board, file)


def test_a_tampered_row_is_named_and_ranks_only_where_all_replies_are_there(
    board: Path, tmp_path: Path
) -> None:
    twin = renamed(demo("evaluate"), tmp_path / "twin.jsonl.gz", {"eager": "eager twin"})
    judge = {"name": "judge", "model": "strict/judge", "params": {}}
    twin = edited(twin, tmp_path / "judged.jsonl.gz", lambda row: row, {"judge": judge})
    write_leaderboard(board, [twin])
    assert "Judges may differ in how strict they are." in (board / "index.html").read_text()
    assert rows_of(board, "evaluation")["eager twin"].judge == "strict/judge"
    assert check_rows(board, twin) == (1, ())
    before = (board / DATA).read_bytes()
    write_leaderboard(board, [twin])
    assert (board / DATA).read_bytes() == before
    content = json.loads((board / DATA).read_text())
    for row in content["standings"][0]["rows"]:
        if row["model"] == "eager":
            row["scores"]["MRR"]["value"] = 0.1
        row["rank"] = 1
    (board / DATA).write_text(json.dumps(content))
    _, problems = check_rows(board, demo("evaluate"))
    assert len(problems) == 3
    assert "'cautious': rank is 1 on the board and 2 by the replies" in problems[0]
    assert "'eager': rank is 1 on the board and 3 by the replies; MRR is 0.100" in problems[1]
    (board / replies_name(read_recording(twin).digest)).unlink()
    _, problems = check_rows(board, demo("evaluate"))
    assert "rank" not in problems[0]
    assert "MRR" in problems[0]
    assert "are cited and not there" in problems[1]


def _rename(content: Any) -> None:
    content["standings"][0]["rows"][0]["model"] = "better"


def _remove(content: Any) -> None:
    del content["standings"][0]["rows"][0]


def _double(content: Any) -> None:
    rows = content["standings"][0]["rows"]
    rows.append(rows[0] | {"model": "twin"})


def _cite_what_is_not_there(content: Any) -> None:
    content["standings"][0]["rows"][0]["replies"] = "0" * 64


def _move_the_round(content: Any) -> None:
    content["round"] = "another"


def _count(content: Any) -> None:
    content["standings"][0]["rows"][0]["n"] += 1


def _change_the_fifth_decimal(content: Any) -> None:
    content["standings"][0]["rows"][0]["scores"]["CRS"]["value"] += 1e-5


def _count_behind_a_score(content: Any) -> None:
    content["standings"][0]["rows"][0]["scores"]["CRS"]["n"] += 1


def _give_a_reason(content: Any) -> None:
    content["standings"][0]["rows"][0]["scores"]["CRS"]["reason"] = "because"


def _state_another_version(content: Any) -> None:
    content["code_version"] = "9.9.9"


def _turn_the_scores(content: Any) -> None:
    for row in content["standings"][0]["rows"]:
        row["scores"] = dict(reversed(row["scores"].items()))


@pytest.mark.parametrize(
    "falsify",
    [
        *(_rename, _remove, _double, _cite_what_is_not_there, _move_the_round),
        *(
            _change_the_fifth_decimal,
            _count,
            _count_behind_a_score,
            _give_a_reason,
            _state_another_version,
            _turn_the_scores,
        ),
    ],
)
def test_a_falsified_board_is_found_even_if_its_page_is_made_anew(
    board: Path, falsify: Callable[[Any], None]
) -> None:
    content = json.loads((board / DATA).read_text())
    falsify(content)
    (board / DATA).write_text(json.dumps(content))
    page = render_page(make_leaderboard_page(read_leaderboard(board)))
    (board / "index.html").write_text(page, encoding="utf-8")
    assert check_rows(board, demo("evaluate"))[1]


def _change_the_kind(content: Any) -> None:
    content["standings"][0]["kind"] = "bas"


def _turn_the_rows(content: Any) -> None:
    content["standings"][0]["rows"].reverse()


def _remove_a_row_of_another_file(content: Any) -> None:
    rows = content["standings"][0]["rows"]
    rows.remove(next(row for row in rows if row["model"] == "zeta"))


def _drop_a_score(content: Any) -> None:
    content["standings"][0]["rows"][0]["scores"].pop("MRR")


@pytest.fixture(scope="module")
def two_files(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The leaderboard with a second file of replies, which nothing is wrong with."""
    folder = tmp_path_factory.mktemp("two")
    board = Path(shutil.copytree(made, folder / "board"))
    write_leaderboard(board, [renamed(demo("evaluate"), folder / "twin.jsonl.gz", {"eager": "zeta"})])
    assert check_rows(board, demo("evaluate"))[1] == ()
    return board


@pytest.mark.parametrize(
    "falsify", [_change_the_kind, _turn_the_rows, _remove_a_row_of_another_file, _drop_a_score]
)
def test_what_the_rows_of_one_file_do_not_show_is_found(
    two_files: Path, tmp_path: Path, falsify: Callable[[Any], None]
) -> None:
    board = Path(shutil.copytree(two_files, tmp_path / "board"))
    content = json.loads((board / DATA).read_text())
    falsify(content)
    (board / DATA).write_text(json.dumps(content))
    problems = check_rows(board, demo("evaluate"))[1]
    assert [problem for problem in problems if "index.html" not in problem]


def test_a_row_that_does_not_follow_from_the_replies_is_named(two_files: Path, tmp_path: Path) -> None:
    board = Path(shutil.copytree(two_files, tmp_path / "board"))
    content = (board / DATA).read_text()
    (board / DATA).write_text(content.replace('"eager"', '"invented"'))
    problems = check_rows(board, demo("evaluate"))[1]
    assert any("'invented': no such row follows from the replies" in problem for problem in problems)


def test_a_changed_card_is_found(board: Path) -> None:
    card = board / "README.md"
    card.write_text(card.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert ["README.md: does not show" in line for line in check_rows(board, demo("evaluate"))[1]] == [True]


def test_a_falsified_or_missing_page_is_found(board: Path) -> None:
    page = board / "index.html"
    page.write_text(page.read_text().replace("steady", "better"))
    (problem,) = check_rows(board, demo("evaluate"))[1]
    assert "does not show the rows" in problem
    page.unlink()
    (problem,) = check_rows(board, demo("evaluate"))[1]
    assert "cannot be read" in problem


def test_items_are_compared_by_their_contents_whatever_the_header_says(board: Path, tmp_path: Path) -> None:
    def relabel(row: Row) -> Row:
        if row["kind"] == "item":
            return {**row, "content": {**row["content"], "query": "?"}}
        return row

    names = {"steady": "better"}
    file = edited(renamed(demo("evaluate"), tmp_path / "a.jsonl.gz", names), tmp_path / "b.jsonl.gz", relabel)
    with pytest.raises(
        RecordingError, match=r"b\.jsonl\.gz: differs from .* in its items: rows of one leaderboard"
    ):
        write_leaderboard(board, [file])


def lacking(tmp_path: Path) -> Path:
    lost = iter([True])

    def drop(row: Row) -> Row | None:
        return None if row["kind"] == "reply" and next(lost, False) else row

    return edited(demo("evaluate"), tmp_path / "lacking.jsonl.gz", drop)


def test_rows_need_every_reply_a_name_of_their_own_and_no_key(board: Path, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"lacks 1 reply \(the first: \w+, answer, item "):
        write_leaderboard(tmp_path / "new", [lacking(tmp_path)])
    assert not (tmp_path / "new").exists()
    other = edited(demo("evaluate"), tmp_path / "other.jsonl.gz", lambda row: row, {"code_version": "0.3"})
    with pytest.raises(RecordingError, match=r"'cautious' is also in .*: one name stands for one model"):
        write_leaderboard(board, [other])


@pytest.mark.parametrize("place", ["reply", "item", "header"])
def test_a_key_anywhere_in_the_replies_is_refused(tmp_path: Path, place: str) -> None:
    key, escaped = "sk-" + "aB3dE6gH9" * 4, r"s\u006b-" + "aB3dE6gH9" * 4

    def leak(row: Row) -> Row:
        if row["kind"] != place:
            return row
        return (
            {**row, "text": escaped} if place == "reply" else {**row, "content": {**row["content"], "x": key}}
        )

    models = read_recording(demo("evaluate")).header["models"]
    header = (
        {"models": {name: {**one, "system": key} for name, one in models.items()}}
        if place == "header"
        else {}
    )
    leaky = edited(demo("evaluate"), tmp_path / "leaky.jsonl.gz", leak, header)
    with pytest.raises(PublishError, match=rf"{place}.* holds what looks like a key \(sk-a…\)") as caught:
        write_leaderboard(tmp_path / "new", [leaky])
    assert key[:5] not in str(caught.value)


@pytest.mark.parametrize(("unread", "accepted"), [(0, True), (1, False), (36, False)])
def test_replies_of_the_judge_that_cannot_be_read_do_not_help(
    tmp_path: Path, unread: int, accepted: bool
) -> None:
    """Leaving out a model's worst items would raise its score; one reply is about all items with the same text."""
    with gzip.open(demo("evaluate"), "rt", encoding="utf-8") as lines:
        head, *rows = map(json.loads, lines)
    head = {key: value for key, value in head.items() if key not in ("sha256", "format", "version")}
    judged = [row for row in rows if row["kind"] == "reply" and row["part"].startswith("eager ")]
    items = list(dict.fromkeys(row["id"] for row in judged))[:unread]
    spoiled = [row for row in judged if row["id"] in items]
    again = [{**row, "text": "hmm", "attempt": n} for row in spoiled if row["attempt"] == 1 for n in (1, 2)]
    file = tmp_path / "spoiled.jsonl.gz"
    write_recording(file, head, [*(row for row in rows if row not in spoiled), *again])
    if accepted:
        write_leaderboard(tmp_path / "board", [file])
        assert rows_of(tmp_path / "board", "evaluation")["eager"].unscored == unread
    else:
        with pytest.raises(RecordingError, match=r"of 126 replies of '\w+' are unscored, more than 2%"):
            write_leaderboard(tmp_path / "board", [file])


@pytest.mark.parametrize("kind", ["refusal-index", "bas"])
def test_a_reply_to_a_question_that_cannot_be_read_does_not_raise_a_row(tmp_path: Path, kind: str) -> None:
    twin = renamed(demo(kind), tmp_path / "twin.jsonl.gz", {"model": "twin"})
    with gzip.open(twin, "rt", encoding="utf-8") as lines:
        head, *rows = map(json.loads, lines)
    head = {key: value for key, value in head.items() if key not in ("sha256", "format", "version")}
    wrong = next(
        row for row in rows if "INCORRECT" in row.get("text", "") and not row["part"].endswith("forced")
    )
    rows.remove(wrong)
    unread = [{**wrong, "text": "hmm", "attempt": attempt} for attempt in (1, 2)]
    write_recording(tmp_path / "spoiled.jsonl.gz", head, [*rows, *unread])
    for files in itertools.permutations((tmp_path / "spoiled.jsonl.gz", demo(kind))):
        board = make_leaderboard([read_recording(file) for file in files])
        way = wrong["part"].split()[-1]
        order = [row for row in board.standings[0].rows if row.way == way]
        assert [(row.model, row.unscored) for row in order] == [("model", 0), ("twin", 1)]
        (score, *_), low = order[1].scores.values(), order[1].cautious_score
        assert low == score.low


def test_names_of_models_are_text_on_the_page(tmp_path: Path) -> None:
    file = renamed(demo("evaluate"), tmp_path / "nasty.jsonl.gz", {"steady": NASTY, "eager": "e"})
    write_leaderboard(tmp_path / "board", [file])
    page = (tmp_path / "board/index.html").read_text()
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert "default-src 'none'" in page
    assert "http://" not in page
    assert "https://" not in page
    assert "alert" not in (tmp_path / "board/README.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "said", "code"),
    [
        (["--leaderboard"], "holds no replies yet: name runs or files of replies with --add", 1),
        (["--leaderboard", "--add", "BUILD"], "is a recording of build, without replies", 1),
        (["--leaderboard", "--add", "nothing.jsonl.gz"], "nothing.jsonl.gz: no such file", 1),
        (["--leaderboard", "--replay", "BUILD"], "leaderboard.json: no such file", 1),
        (["--leaderboard", "--replay", "a", "--add", "b"], "--replay: only compares", 2),
        (["--leaderboard", "--public"], "--public needs the Space", 2),
        (["--leaderboard", "--scores", "a"], "--scores: cannot be used with --leaderboard", 2),
        (["--add", "a"], "--add needs --leaderboard", 2),
        ([], "repo is missing", 2),
        (["no-owner", "--leaderboard", "--add", "a"], "'no-owner' is not a repository name", 2),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    tmp_path: Path, arguments: list[str], said: str, code: int
) -> None:
    words = [str(demo("recorded")) if word == "BUILD" else word for word in arguments]
    ended = perturb("publish", str(tmp_path / "board"), *words)
    assert ended.returncode == code
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_folder_of_something_else_and_a_broken_file_are_refused(board: Path, tmp_path: Path) -> None:
    (board / DATA).write_text('{"format": "perturb-leaderboard 1", "rows": []}')
    with pytest.raises(
        PerturbError, match=r"leaderboard\.json: is not a leaderboard \(code_version: Field required\)"
    ):
        check_rows(board, demo("evaluate"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/README.md").write_text("mine")
    with pytest.raises(PerturbError, match="mine: has files and is not a leaderboard"):
        write_leaderboard(tmp_path / "mine", [demo("evaluate")])
    other = renamed(demo("evaluate"), tmp_path / "a.jsonl.gz", {"steady": "b"})
    other = edited(other, tmp_path / "b.jsonl.gz", lambda row: row, {"round": "2027-Q1"})
    recordings = [read_recording(demo("evaluate")), read_recording(other)]
    with pytest.raises(RecordingError, match=r"differs from .* in its round"):
        make_leaderboard(recordings)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LoopbackHub]:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    with LoopbackHub() as server:
        monkeypatch.setenv("HF_TOKEN", server.token)
        yield server


def test_a_space_holds_the_folder_and_pushing_again_changes_nothing(hub: LoopbackHub, board: Path) -> None:
    names = files_of(read_leaderboard(board))
    for other in (".env", "notes.txt", "replies/mine.txt"):
        (board / other).write_text("private")
    done = push_space(board, "someone/board", names, endpoint=hub.url)
    space = hub.repositories["someone/board"]
    assert (space.kind, space.sdk, space.private, done.uploaded) == ("space", "static", True, True)
    assert set(space.head.files) - {".gitattributes"} == {*names}
    assert [name for name in names if name.startswith("replies/")]
    assert b"sdk: static\n" in space.head.files["README.md"]
    assert not push_space(board, "someone/board", names, endpoint=hub.url).uploaded
    assert push_space(board, "someone/board", names[:3], public=True, endpoint=hub.url).uploaded
    assert not [name for name in space.head.files if name.startswith("replies/")]
    assert not space.private


def test_a_run_is_named_by_its_folder(tmp_path: Path) -> None:
    replay_evaluation(read_recording(demo("evaluate")), tmp_path / "run")
    other = renamed(demo("evaluate"), tmp_path / "a.jsonl.gz", {"eager": "steady"})
    with pytest.raises(RecordingError, match=rf"^{tmp_path / 'run'}: 'steady' is also in {other}"):
        write_leaderboard(tmp_path / "board", [other, tmp_path / "run"])
