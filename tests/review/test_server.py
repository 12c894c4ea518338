"""The server without a browser: what it refuses, and that an answer it took is on disk."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from perturb.auditing.rubric import draw_candidates
from perturb.errors import ConfigError, LedgerError
from perturb.ledger.calls import open_read_only
from perturb.ledger.evaluations import ReviewLedger, answers_by, sample_ids
from perturb.ledger.plans import current_plan
from perturb.reports.local_server import HOST, MAX_BODY
from perturb.reports.review_site import ReviewServer
from tests.review.made_run import make_run


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a sample that nobody has answered yet."""
    folder = make_run(tmp_path_factory.mktemp("drawn") / "run", per_cell=1)
    with ReviewLedger.of_run(folder) as ledger:
        plan = current_plan(ledger.db, folder)
        ledger.replace_sample(*draw_candidates(ledger.db, plan, per_cell=1))
    return folder


@pytest.fixture
def run(drawn: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(drawn, tmp_path / "run"))


@pytest.fixture
def server(run: Path) -> Iterator[ReviewServer]:
    with ReviewServer(run, ["ann", "ben"]) as one:
        yield one


def ask(
    address: str, method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[int, str, http.client.HTTPMessage]:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    try:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, parts.path + (f"?{parts.query}" if parts.query else ""), body, given)
        reply = connection.getresponse()
        return reply.status, reply.read().decode(), reply.headers
    finally:
        connection.close()


def post(address: str, content: Any, **headers: str) -> tuple[int, Any]:
    sent = {"Content-Type": "application/json", **headers}
    status, text, _ = ask(address, "POST", json.dumps(content).encode(), **sent)
    return status, json.loads(text)


def test_an_answer_is_on_disk_when_the_reply_comes(server: ReviewServer, run: Path) -> None:
    status, content = post(
        server.links["ann"] + "answers/1", {"question": "intensity_achieved", "answer": "no"}
    )
    assert (status, content) == (200, {"done": 0})
    with open_read_only(run) as db:
        assert answers_by(db, "ann") == {sample_ids(db, run)[0]: {"intensity_achieved": "no"}}
        assert answers_by(db, "ben") == {}


@pytest.mark.parametrize(
    "content",
    [
        [],
        {"question": "intensity_achieved"},
        {"question": "intensity_achieved", "answer": "maybe"},
        {"question": "intensity_achieved", "answer": True},
        {"question": "verdict", "answer": "yes"},
        {"question": ["comment"], "answer": "x"},
        {"question": "comment", "answer": "x" * 4001},
    ],
)
def test_other_answers_are_refused(server: ReviewServer, run: Path, content: Any) -> None:
    status, _ = post(server.links["ann"] + "answers/1", content)
    assert status == 400
    with open_read_only(run) as db:
        assert answers_by(db, "ann") == {}


def test_half_a_character_in_a_comment_is_no_trouble(server: ReviewServer, run: Path) -> None:
    assert post(server.links["ann"] + "answers/1", {"question": "comment", "answer": "a\ud800b"})[0] == 200
    with open_read_only(run) as db:
        assert answers_by(db, "ann")[sample_ids(db, run)[0]] == {"comment": "a?b"}


def test_requests_from_elsewhere_are_refused(server: ReviewServer) -> None:
    link = server.links["ann"]
    assert ask(link + "item/1", Host="evil.example:80")[0] == 403
    assert ask(link + "item/1", Host="evil.example")[0] == 403
    assert (
        post(link + "answers/1", {"question": "comment", "answer": ""}, Content_Type="text/plain")[0] == 415
    )
    assert (
        ask(link + "answers/1", "POST", b"", Content_Type="application/json", Content_Length="-1")[0] == 413
    )
    length = str(MAX_BODY + 1)
    assert (
        ask(link + "answers/1", "POST", b"", Content_Type="application/json", Content_Length=length)[0] == 413
    )


@pytest.mark.parametrize(
    "body",
    [b"[" * 30_000, b'{"question":' * 5000, b"1" * 5002, b"\xff", b"[]", b'{"question": {}, "answer": []}'],
    ids=["deep list", "deep object", "long number", "no text", "list", "other types"],
)
def test_hostile_bodies_are_refused_without_a_traceback(
    server: ReviewServer, body: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    status, text, _ = ask(server.links["ann"] + "answers/1", "POST", body, Content_Type="application/json")
    assert (status, list(json.loads(text))) == (400, ["error"])
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("length", ["9" * 5002, "1e3", "²", "0x10", " "])
def test_hostile_lengths_are_refused_without_a_traceback(
    server: ReviewServer, length: str, capfd: pytest.CaptureFixture[str]
) -> None:
    headers = {"Content_Type": "application/json", "Content_Length": length}
    assert ask(server.links["ann"] + "answers/1", "POST", b"", **headers)[0] == 413
    assert capfd.readouterr().err == ""


def test_an_address_that_is_none_is_refused(server: ReviewServer, capfd: pytest.CaptureFixture[str]) -> None:
    host = urlsplit(server.links["ann"]).netloc
    with socket.create_connection((HOST, int(host.rpartition(":")[2])), timeout=10) as connection:
        connection.sendall(f"GET http://[x HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
        assert b" 400 " in connection.recv(4096)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("host", [HOST, "localhost", f"{HOST}:80"])
def test_a_host_may_leave_its_port_out(server: ReviewServer, host: str) -> None:
    """Browsers do so for port 80."""
    assert ask(server.links["ann"] + "item/1", Host=host)[0] == 200


def test_a_wrong_token_learns_nothing(server: ReviewServer) -> None:
    root = server.links["ann"].rsplit("/", 2)[0]
    own = server.tokens["ann"]
    tokens = (
        "/?token=",
        "/?token=x",
        "/item/1?token=x",
        f"/?token={own}x",
        f"/{own}/?token=x",
        "/?token=%ff",
    )
    for path in ("/", "/x/", "/x/item/1", "/x/review.js", "/é/", "//item/1", *tokens):
        status, text, _ = ask(root + path.replace("é", "%C3%A9"))
        assert status == 403
        assert "bridge" not in text
    assert post(root + "/x/answers/1", {"question": "comment", "answer": ""})[0] == 403


@pytest.mark.parametrize(
    "path", ["item/0", "item/19", "item/x", "item/1/", "answers/99", "../etc/passwd", "what"]
)
def test_what_is_not_there_is_not_found(server: ReviewServer, path: str) -> None:
    assert ask(server.links["ann"] + path)[0] == 404


def test_pages_may_neither_be_kept_nor_framed_nor_load_anything_foreign(server: ReviewServer) -> None:
    status, _, headers = ask(server.links["ann"] + "item/1")
    assert status == 200
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_it_listens_on_the_loopback_address_only(server: ReviewServer) -> None:
    port = urlsplit(server.links["ann"]).port
    assert HOST == "127.0.0.1"
    assert urlsplit(server.links["ann"]).hostname == HOST
    with pytest.raises(OSError, match=r".*"), socket.create_connection(("127.0.0.2", port), timeout=5):
        pass


def test_the_start_page_leads_to_the_next_unfinished_item(server: ReviewServer) -> None:
    link = server.links["ann"]
    for question in ("lever_fidelity", "intensity_achieved", "uncertainty_induction"):
        post(link + "answers/1", {"question": question, "answer": "yes"})
    assert ask(link)[2]["Location"].endswith("/item/1")
    for question in ("linguistic_soundness", "ground_truth_alignment"):
        post(link + "answers/1", {"question": question, "answer": "yes"})
    assert ask(link)[2]["Location"].endswith("/item/2")
    assert ask(link + "?after=2")[2]["Location"].endswith("/item/3")
    assert ask(link + "?after=18")[2]["Location"].endswith("/item/2")
    assert ask(link + "?after=-x")[2]["Location"].endswith("/item/2")
    assert ask(server.links["ben"])[2]["Location"].endswith("/item/1")


def test_annotators_work_at_once_over_one_address(server: ReviewServer, run: Path) -> None:
    assert {link.partition("?")[0] for link in server.invitations.values()} == {server.address}
    with open_read_only(run) as db:
        ids = sample_ids(db, run)
    answers = {"ann": "yes", "ben": "no"}

    def give(name: str, position: int) -> int:
        link = f"{server.address}answers/{position}?token={server.tokens[name]}"
        return post(link, {"question": "intensity_achieved", "answer": answers[name]})[0]

    with ThreadPoolExecutor(8) as pool:
        jobs = [(name, position) for position in range(1, len(ids) + 1) for name in answers]
        assert set(pool.map(give, *zip(*jobs, strict=True))) == {200}
    with open_read_only(run) as db:
        for name, answer in answers.items():
            assert answers_by(db, name) == {one: {"intensity_achieved": answer} for one in ids}


def test_one_review_at_a_time(server: ReviewServer, run: Path) -> None:
    with pytest.raises(LedgerError, match="is being worked on by process"):
        ReviewServer(run, ["eve"])


def test_wrong_settings_are_refused_and_leave_the_run_free(run: Path, tmp_path: Path) -> None:
    for names in ([], ["ann", "ann"], [""], [" ann"], ["a\nb"]):
        with pytest.raises(ConfigError):
            ReviewServer(run, names)
    with (
        socket.create_server((HOST, 0)) as taken,
        pytest.raises(ConfigError, match="choose another with --port"),
    ):
        ReviewServer(run, ["ann"], taken.getsockname()[1])
    with pytest.raises(LedgerError, match="no run there"):
        ReviewServer(tmp_path / "none", ["ann"])
    undrawn = make_run(tmp_path / "undrawn", per_cell=1)
    with pytest.raises(LedgerError, match="no sample yet"):
        ReviewServer(undrawn, ["ann"])
    with ReviewLedger.of_run(run), ReviewLedger.of_run(undrawn):
        pass
