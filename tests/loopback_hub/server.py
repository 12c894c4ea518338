"""The server: the routes that publishing and loading a data set need, and faults on any of them.

with LoopbackHub() as hub:
    ...  # HfApi(endpoint=hub.url, token=hub.token)
assert hub.repositories["someone/set"].tags
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
import threading
import urllib.parse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from .repositories import Commit, Repository, blob_id, describe_file, is_large, tree

TOKEN = "loopback-token"


@dataclass
class Fault:
    """Something that goes wrong on a route, a number of times."""

    route: str
    """The name of the route, such as `commit` or `upload`."""
    status: int | None
    """The answer's status, or None to drop the connection."""
    times: int = 1
    after: bool = False
    """Do what was asked for first, and fail then: the answer is lost, the work is not."""
    retry_after: str | None = "0"
    body: str = "something went wrong"


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back to the client."""

    status: int = 200
    content: Any = None
    """JSON content, or the bytes of a file."""
    headers: tuple[tuple[str, str], ...] = ()


class LoopbackHub:
    """A Hub for data sets and Spaces; a context manager that serves in a thread on a free port."""

    def __init__(self, *, writers: frozenset[str] = frozenset({TOKEN})) -> None:
        self.repositories: dict[str, Repository] = {}
        self.blobs: dict[str, bytes] = {}
        """Large files by their SHA-256, whether committed or not."""
        self.faults: list[Fault] = []
        self.requests: Counter[str] = Counter()
        """Requests by the name of the route."""
        self.writers = writers
        self.lock = threading.RLock()

    @property
    def url(self) -> str:
        """The endpoint, for `HF_ENDPOINT`."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    @property
    def token(self) -> str:
        """A token that may read and write everything."""
        return TOKEN

    def fault(self, route: str, status: int | None, **options: Any) -> None:
        """Let something go wrong on a route."""
        self.faults.append(Fault(route, status, **options))

    def next_fault(self, route: str, *, after: bool) -> Fault | None:
        """The fault that is due on a route now."""
        with self.lock:
            for fault in self.faults:
                if fault.route == route and fault.after is after and fault.times > 0:
                    fault.times -= 1
                    return fault
        return None

    def __enter__(self) -> LoopbackHub:
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@dataclass(frozen=True, slots=True)
class Request:
    """A request that a route answers."""

    hub: LoopbackHub
    path: dict[str, str]
    query: dict[str, str]
    body: bytes
    headers: dict[str, str]

    @property
    def content(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def repository(self) -> Repository | None:
        """The repository in the path, if the client may see it."""
        found = self.hub.repositories.get(self.path.get("repo", ""))
        return None if found is not None and found.private and not self.may_write else found

    @property
    def may_write(self) -> bool:
        """Whether the token may write."""
        return self.headers.get("authorization", "").removeprefix("Bearer ") in self.hub.writers

    @property
    def revision(self) -> str:
        """The revision in the path."""
        return urllib.parse.unquote(self.path["rev"])


def _create(request: Request) -> Answer:
    if not request.may_write:
        return _refusal(401, "Invalid credentials in Authorization header")
    content = request.content
    name = f"{content['organization']}/{content['name']}"
    kind = content.get("type", "dataset")
    url = f"{request.hub.url}/{kind}s/{name}"
    if name in request.hub.repositories:
        return Answer(409, {"error": "You already created this dataset repo", "url": url})
    private = content.get("private", content.get("visibility") == "private")
    request.hub.repositories[name] = Repository(name, bool(private), kind, content.get("sdk"))
    return Answer(200, {"url": url, "name": name})


def _refs(request: Request) -> Answer:
    repository = _known(request)
    tags = [
        {"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": sha} for tag, sha in repository.tags.items()
    ]
    main = {"name": "main", "ref": "refs/heads/main", "targetCommit": repository.head.sha}
    return Answer(200, {"branches": [main], "tags": tags, "converts": []})


def _info(request: Request) -> Answer:
    repository = _known(request)
    return Answer(200, repository.describe(_commit_of(request)))


def _settings(request: Request) -> Answer:
    repository = _writable(request)
    repository.private = request.content["visibility"] == "private"
    return Answer(200, {"private": repository.private})


def _validate_yaml(request: Request) -> Answer:
    return Answer(200, {"errors": [], "warnings": []})


def _preupload(request: Request) -> Answer:
    files = _writable(request).head.files
    ignored = re.escape(files.get(".gitignore", b"").decode().strip()) or "(?!)"
    modes = [
        {
            "path": file["path"],
            "uploadMode": "lfs" if is_large(file["path"]) else "regular",
            "shouldIgnore": re.match(ignored, file["path"]) is not None,
            "oid": blob_id(files[file["path"]]) if file["path"] in files else None,
        }
        for file in request.content["files"]
    ]
    return Answer(200, {"files": modes})


def _lfs_batch(request: Request) -> Answer:
    _writable(request)
    objects = []
    for one in request.content["objects"]:
        entry = dict(one)
        if one["oid"] not in request.hub.blobs:
            href = f"{request.hub.url}/lfs/{request.path['repo']}/{one['oid']}"
            entry["actions"] = {"upload": {"href": href}, "verify": {"href": f"{href}/verify"}}
        objects.append(entry)
    return Answer(200, {"transfer": "basic", "objects": objects})


def _upload(request: Request) -> Answer:
    oid = hashlib.sha256(request.body).hexdigest()
    if oid != request.path["oid"]:
        return _refusal(400, "the content does not match its oid")
    request.hub.blobs[oid] = request.body
    return Answer()


def _verify(request: Request) -> Answer:
    content = request.content
    known = len(request.hub.blobs.get(content["oid"], b"")) == content["size"]
    return Answer() if known else _refusal(404, "no such object")


def _commit(request: Request) -> Answer:
    repository = _writable(request)
    lines = [json.loads(line) for line in request.body.splitlines() if line.strip()]
    header = next(line["value"] for line in lines if line["key"] == "header")
    if header.get("parentCommit", repository.head.sha) != repository.head.sha:
        return _refusal(412, "A commit has happened since. Please refresh and try again.")
    files = dict(repository.head.files)
    for line in lines:
        value = line["value"]
        if line["key"] == "file":
            files[value["path"]] = base64.b64decode(value["content"])
        elif line["key"] == "lfsFile":
            files[value["path"]] = request.hub.blobs[value["oid"]]
        elif line["key"] == "deletedFile":
            del files[value["path"]]
    made = repository.commit(header["summary"], files)
    url = f"{request.hub.url}/datasets/{repository.name}/commit/{made.sha}"
    return Answer(200, {"commitUrl": url, "commitOid": made.sha, "success": True})


def _tag(request: Request) -> Answer:
    repository = _writable(request)
    tag = request.content["tag"]
    if tag in repository.tags:
        return _refusal(409, "Tag already exists")
    repository.tags[tag] = _commit_of(request).sha
    repository.tag_messages[tag] = request.content.get("message", "")
    return Answer()


def _resolve(request: Request) -> Answer:
    _known(request)
    commit = _commit_of(request)
    content = commit.files.get(urllib.parse.unquote(request.path["path"]))
    if content is None:
        return _refusal(404, "Entry not found", "EntryNotFound")
    etag = hashlib.sha256(content).hexdigest()
    return Answer(200, content, (("X-Repo-Commit", commit.sha), ("ETag", f'"{etag}"')))


def _tree(request: Request) -> Answer:
    _known(request)
    folder = urllib.parse.unquote(request.path.get("path") or "")
    entries = tree(_commit_of(request), folder, request.query.get("recursive", "").lower() == "true")
    if folder and not entries:
        return _refusal(404, "Entry not found", "EntryNotFound")
    return Answer(200, entries)


def _paths_info(request: Request) -> Answer:
    _known(request)
    files = _commit_of(request).files
    wanted = urllib.parse.parse_qs(request.body.decode()).get("paths") or request.content.get("paths", [])
    return Answer(200, [describe_file(path, files[path]) for path in wanted if path in files])


Route = tuple[str, str, re.Pattern[str], Callable[[Request], Answer]]

_REPO = r"(?P<repo>[^/]+/[^/]+)"
ROUTES: tuple[Route, ...] = tuple(
    (name, method, re.compile(pattern), answer)
    for name, method, pattern, answer in (
        ("create", "POST", r"/api/repos/create", _create),
        ("validate-yaml", "POST", r"/api/validate-yaml", _validate_yaml),
        ("refs", "GET", rf"/api/(?:datasets|spaces)/{_REPO}/refs", _refs),
        ("settings", "PUT", rf"/api/(?:datasets|spaces)/{_REPO}/settings", _settings),
        ("preupload", "POST", rf"/api/(?:datasets|spaces)/{_REPO}/preupload/(?P<rev>[^/]+)", _preupload),
        ("lfs-batch", "POST", rf"/(?:datasets|spaces)/{_REPO}\.git/info/lfs/objects/batch", _lfs_batch),
        ("upload", "PUT", rf"/lfs/{_REPO}/(?P<oid>[0-9a-f]+)", _upload),
        ("verify", "POST", rf"/lfs/{_REPO}/(?P<oid>[0-9a-f]+)/verify", _verify),
        ("commit", "POST", rf"/api/(?:datasets|spaces)/{_REPO}/commit/(?P<rev>[^/]+)", _commit),
        ("tag", "POST", rf"/api/(?:datasets|spaces)/{_REPO}/tag/(?P<rev>[^/]+)", _tag),
        ("info", "GET", rf"/api/(?:datasets|spaces)/{_REPO}/revision/(?P<rev>[^/]+)", _info),
        ("info", "GET", rf"/api/(?:datasets|spaces)/{_REPO}", _info),
        ("tree", "GET", rf"/api/(?:datasets|spaces)/{_REPO}/tree/(?P<rev>[^/]+)(?:/(?P<path>.+))?", _tree),
        ("paths-info", "POST", rf"/api/(?:datasets|spaces)/{_REPO}/paths-info/(?P<rev>[^/]+)", _paths_info),
        ("resolve", "GET", rf"/(?:datasets|spaces)/{_REPO}/resolve/(?P<rev>[^/]+)/(?P<path>.+)", _resolve),
    )
)


class _Refused(Exception):
    def __init__(self, answer: Answer) -> None:
        self.answer = answer


def _refusal(status: int, message: str, code: str = "") -> Answer:
    return Answer(status, {"error": message}, (("X-Error-Code", code), ("X-Error-Message", message)))


def _known(request: Request) -> Repository:
    if (repository := request.repository) is None:
        raise _Refused(_refusal(404, "Repository not found", "RepoNotFound"))
    return repository


def _writable(request: Request) -> Repository:
    if not request.may_write:
        raise _Refused(_refusal(401, "Invalid credentials in Authorization header"))
    return _known(request)


def _commit_of(request: Request) -> Commit:
    revision = request.revision if "rev" in request.path else "main"
    if (commit := _known(request).find(revision)) is None:
        raise _Refused(_refusal(404, f"Invalid rev id: {revision}", "RevisionNotFound"))
    return commit


class _Handler(BaseHTTPRequestHandler):
    hub: LoopbackHub
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each reply waits 40 ms for the acknowledgement of its headers

    def do_GET(self) -> None:
        self._handle("GET")

    def do_HEAD(self) -> None:
        self._handle("GET")

    def do_POST(self) -> None:
        self._handle("POST")

    def do_PUT(self) -> None:
        self._handle("PUT")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is http.server's
        """Say nothing."""

    def _handle(self, method: str) -> None:
        address = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        for name, verb, pattern, answer in ROUTES:
            match = pattern.fullmatch(address.path)
            if verb != method or match is None:
                continue
            self.hub.requests[name] += 1
            if self._spoiled(name, after=False):
                return
            named = {key: value for key, value in match.groupdict().items() if value is not None}
            headers = {key.lower(): value for key, value in self.headers.items()}
            query = dict(urllib.parse.parse_qsl(address.query))
            with self.hub.lock:
                result = _answer(answer, Request(self.hub, named, query, body, headers))
            if not self._spoiled(name, after=True):
                self._send(result)
            return
        self.hub.requests[f"unknown: {method} {address.path}"] += 1
        self._send(_refusal(404, "no such route"))

    def _spoiled(self, route: str, *, after: bool) -> bool:
        fault = self.hub.next_fault(route, after=after)
        if fault is None:
            return False
        if fault.status is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return True
        hint = (("Retry-After", fault.retry_after),) if fault.retry_after is not None else ()
        self._send(Answer(fault.status, {"error": fault.body}, hint))
        return True

    def _send(self, answer: Answer) -> None:
        is_file = isinstance(answer.content, bytes)
        plain = {} if answer.content is None else answer.content
        content: bytes = answer.content if is_file else json.dumps(plain).encode()
        status, headers = answer.status, dict(answer.headers)
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if is_file and span is not None:
            start, end = int(span[1]), int(span[2] or len(content) - 1)
            headers["Content-Range"] = f"bytes {start}-{min(end, len(content) - 1)}/{len(content)}"
            status, content = 206, content[start : end + 1]
        self.send_response(status)
        self.send_header("Content-Type", "application/octet-stream" if is_file else "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def _answer(route: Callable[[Request], Answer], request: Request) -> Answer:
    try:
        return route(request)
    except _Refused as refused:
        return refused.answer
