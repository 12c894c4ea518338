"""Push a snapshot to the Hugging Face Hub, with one commit and one tag for each round, or a static page as a Space.

This is the only module that imports `huggingface_hub`. A second push continues where the first one stopped: large files
that have arrived are not sent again, and an existing commit with the same content is not repeated.
"""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TypeVar

import huggingface_hub
from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationDelete,
    HfApi,
    constants,
    get_session,
    get_token,
    hf_hub_url,
    hf_raise_for_status,
)
from huggingface_hub.errors import HfHubHTTPError, RemoteEntryNotFoundError, RepositoryNotFoundError
from huggingface_hub.utils.tqdm import disable_progress_bars

from perturb.errors import PublishError, SnapshotError
from perturb.files.resources import digest
from perturb.llm.redaction import redact
from perturb.records import Facts, JsonObject
from perturb.snapshots.manifest import (
    CARD,
    MANIFEST,
    manifest_digest,
    parse_manifest,
    render_manifest,
    with_digest,
)
from perturb.snapshots.published_card import (
    config_names,
    identity,
    listed_paths,
    merge_cards,
    round_entry,
    rounds_section,
    split_card,
)
from perturb.snapshots.snapshot import REPLIES, Snapshot

# Version 2 of huggingface_hub uses httpx2, whose errors have the names of those of httpx.
_http = import_module("httpx2" if huggingface_hub.__version__.startswith("2.") else "httpx")

# The number of times that a request is sent if the Hub is busy or the connection breaks.
TRIES = 5
# Seconds before the next try: they double each time, and are limited also if the Hub asks for more.
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0

# Status codes after which the same request may succeed; 409 and 412 come from another push at the same time.
_TRANSIENT = (408, 409, 412, 425, 429, 500, 502, 503, 504)
# What to do, by the status code of the Hub's final answer.
_HINTS = {
    401: "the token is not valid: export HF_TOKEN, or run `hf auth login`",
    403: "the token may not write there: use one with write access to this account",
    404: "there is no such repository, or the token may not see it: check the name",
    429: "too many requests: wait some minutes and run the same command again",
}

# What to do after any other failure.
_GO_ON = "run the same command again to resume where it stopped"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Publication:
    """The state on the Hub after a push."""

    repo: str
    tag: str
    commit: str
    """The commit that the tag names."""
    url: str
    uploaded: bool
    """False if the Hub already had the content."""


@dataclass(frozen=True, slots=True)
class RoundOnHub:
    """A round to push: the snapshot, its repository and its tag."""

    snapshot: Snapshot
    repo: str
    replies: Path | None = None
    """The file of recorded replies to publish beside the rows."""
    scores: str = ""
    """The part of the card with scores of models; empty leaves it out."""

    @property
    def tag(self) -> str:
        """The tag of the round."""
        return tag_of(str(self.snapshot.manifest["round"]))


def check_repo_name(repo: str) -> None:
    """Raise `PublishError` unless the name has the form `OWNER/NAME`."""
    part = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
    if not re.fullmatch(f"{part}/{part}", repo) or len(repo) > 96 or re.search(r"--|\.\.|\.git$", repo):
        raise PublishError(
            f"'{repo}' is not a repository name: give OWNER/NAME, of letters, digits and single . _ - between them"
        )


def tag_of(round_name: str) -> str:
    """The tag of a round: its name, changed where git does not allow it.

    >>> tag_of("2026-Q4"), tag_of("autumn, 2nd try"), tag_of("main")
    ('2026-Q4', 'autumn-2nd-try', 'round-main')
    """
    tag = re.sub(r"\.{2,}", ".", re.sub(r"[^A-Za-z0-9._-]+", "-", round_name)).strip("-.")
    tag = re.sub(r"\.lock$", "-lock", tag)
    if not tag or tag in ("main", "HEAD") or re.fullmatch("[0-9a-f]{40}", tag):
        return f"round-{tag or digest(round_name)}"
    return tag


def push(round_: RoundOnHub, *, public: bool, endpoint: str | None, progress: bool) -> Publication:
    """Push a checked snapshot (see `perturb.snapshots.publish`) and tag it with its round.

    A new repository is private; `public` opens it after everything has arrived. `endpoint` is the address of the Hub,
    if it is not the configured one; `progress` shows bars and retries on stderr.

    Raises `PublishError` if nobody is logged in, the Hub refuses, or the tag exists with other content.
    """
    hub = _log_in(round_.repo, endpoint, progress)
    hub.create()
    uploaded = False
    # The tag comes after the commit. So a tag shows that the round is complete, and a broken push is repeated.
    commit = hub.tags().get(round_.tag)
    if commit is None:
        commit, uploaded = hub.call("commit", lambda: _commit_once(hub, round_))
        hub.tag(round_, commit)
    else:
        _require_same(round_, hub.read_manifest(commit))
    # last, so that nobody sees a repository without its tag
    if public:
        hub.open()
    url = f"{hub.api.endpoint}/datasets/{round_.repo}/tree/{round_.tag}"
    return Publication(round_.repo, round_.tag, commit, url, uploaded)


def push_space(
    folder: Path,
    repo: str,
    files: Sequence[str],
    *,
    public: bool = False,
    endpoint: str | None = None,
    progress: bool = False,
) -> Publication:
    """Push these files of a folder of static pages to the Space `repo`, in one commit; its other files are deleted.

    A new Space is private, like a data set of `push`. Raises `PublishError` as `push` does.
    """
    check_repo_name(repo)
    hub = _log_in(repo, endpoint, progress, "space")
    hub.create()
    # The Hub makes no commit if nothing has changed; the last commit is then the same as before.
    last_commit = hub.head()
    send = partial(
        hub.api.upload_folder,
        repo_id=repo,
        repo_type="space",
        folder_path=folder,
        allow_patterns=[*files],
        delete_patterns="*",
    )
    commit = str(hub.call("commit", send).oid)
    if public:
        hub.open()
    url = f"{hub.api.endpoint}/spaces/{repo}"
    return Publication(repo, tag="", commit=commit, url=url, uploaded=commit != last_commit)


def _log_in(repo: str, endpoint: str | None, progress: bool, repo_type: str = "dataset") -> HubRepository:
    """Open the repository as the user who is logged in. Raises `PublishError` without a login."""
    if get_token() is None:
        raise PublishError("nobody is logged in to the Hub: export HF_TOKEN, or run `hf auth login`")
    if not progress:
        disable_progress_bars()
        # otherwise it warns about each of its own retries
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    return HubRepository(HfApi(endpoint=endpoint, library_name="perturb"), repo, repo_type)


class HubRepository:
    """A data set or Space on the Hub.

    `create`, `open`, `tags`, `tag` and `read_manifest` repeat their requests after an error that may pass. The other
    methods send a request once, for use in `call`.
    """

    def __init__(self, api: HfApi, repo: str, repo_type: str) -> None:
        self.api = api
        self.repo = repo
        self.repo_type = repo_type

    def call(self, action: str, send: Callable[[], T]) -> T:
        """Send a request, several times if need be. Raises `PublishError`, which names the `action`, if all fail.

        `send` may itself use methods that repeat their requests. If one of them gives up, its `PublishError` ends this
        call too, so that tries do not multiply.
        """
        for attempt in range(TRIES):
            try:
                return send()
            # The library raises RuntimeError or OSError for an upload that broke off.
            except (HfHubHTTPError, _http.HTTPError, RuntimeError, OSError) as error:
                wait = _wait_before_retry(error, attempt)
                if wait is None or attempt == TRIES - 1:
                    raise PublishError(_explain(self.repo, action, error)) from None
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def create(self) -> None:
        """Create the repository as a private one, unless it exists."""
        self.call(
            "create the repository",
            lambda: self.api.create_repo(
                self.repo,
                repo_type=self.repo_type,
                private=True,
                exist_ok=True,
                space_sdk="static" if self.repo_type == "space" else None,
            ),
        )

    def open(self) -> None:
        """Make the repository public."""
        self.call(
            "make it public",
            lambda: self.api.update_repo_settings(self.repo, repo_type=self.repo_type, visibility="public"),
        )

    def tags(self) -> dict[str, str]:
        """The commit of each tag."""
        refs = self.call("list the tags", lambda: self.api.list_repo_refs(self.repo, repo_type="dataset"))
        return {ref.name: ref.target_commit for ref in refs.tags}

    def tag(self, round_: RoundOnHub, commit: str) -> None:
        """Tag a commit. If the tag has appeared meanwhile, it must have the same content."""

        def send() -> None:
            if (tagged := self.tags().get(round_.tag)) is not None:
                _require_same(round_, self.read_manifest(tagged))
                return
            message = f"Manifest digest: {manifest_digest(self.read_manifest(commit))}"
            self.api.create_tag(
                self.repo, repo_type="dataset", tag=round_.tag, tag_message=message, revision=commit
            )

        self.call("tag", send)

    def head(self) -> str:
        """The newest commit."""
        return str(self.api.repo_info(self.repo, repo_type=self.repo_type).sha)

    def files(self, revision: str) -> set[str]:
        """The paths of the files at a revision."""
        return set(self.api.list_repo_files(self.repo, repo_type=self.repo_type, revision=revision))

    def read_text(self, path: str, revision: str) -> str | None:
        """A text file at a revision; None if it is missing."""
        url = hf_hub_url(self.repo, path, repo_type="dataset", revision=revision, endpoint=self.api.endpoint)
        try:
            headers = {"Authorization": f"Bearer {token}"} if (token := get_token()) else {}
            response = get_session().get(url, headers=headers, follow_redirects=True)
            hf_raise_for_status(response)
        except RemoteEntryNotFoundError:
            return None
        return response.content.decode("utf-8", "replace")

    def read_manifest(self, revision: str) -> JsonObject:
        """The manifest at a revision; empty if the repository has no valid one."""
        text = self.call("read the manifest", lambda: self.read_text(MANIFEST, revision))
        try:
            return parse_manifest(text or "")
        except SnapshotError:
            return {}


@dataclass(frozen=True, slots=True)
class PlannedPush:
    """The changes that a push would commit."""

    head: str | None
    """The commit that it would follow; None if the repository does not exist, or if the plan is offline."""
    card: str
    manifest: str
    files: list[JsonObject]
    """Path, bytes and change of each file: `add` or `same`, then `delete`, without bytes, for earlier rounds."""


def plan_push(round_: RoundOnHub, endpoint: str | None = None, *, online: bool = True) -> PlannedPush:
    """The changes that `push` would commit, merged with the content of the Hub if `online`; this changes nothing.

    A repository that does not exist counts as empty. Raises `PublishError` if the Hub cannot be read, or if the tag of
    the round has other content.
    """
    former: Facts = {}
    head = published_card = None
    if online:
        hub = HubRepository(HfApi(endpoint=endpoint, library_name="perturb"), round_.repo, "dataset")
        if hub.call("look it up", lambda: hub.api.repo_exists(round_.repo, repo_type="dataset")):
            # A round that was published must not change under its tag.
            if (tagged := hub.tags().get(round_.tag)) is not None:
                _require_same(round_, hub.read_manifest(tagged))
            head = hub.call("look it up", hub.head)
            former = hub.read_manifest(head)
            published_card = hub.call("read the card", lambda: hub.read_text(CARD, head))
    card, manifest = _published_texts(round_, former, published_card)
    contents = _contents(round_, card, manifest)
    # A file is the same if path and digest are; the Hub then stores nothing new.
    same = {path for path, _ in set(identity(former)) & set(identity(round_.snapshot.manifest))}
    files: list[JsonObject] = [
        {
            "path": path,
            "bytes": len(content) if isinstance(content, bytes) else content.stat().st_size,
            "change": "same" if path in same else "add",
        }
        for path, content in sorted(contents.items())
    ]
    stale = sorted(listed_paths(former) - set(contents))
    files += [{"path": path, "bytes": None, "change": "delete"} for path in stale]
    return PlannedPush(head, card, manifest, files)


def _commit_once(hub: HubRepository, round_: RoundOnHub) -> tuple[str, bool]:
    """The commit with the content, and whether this call made it.

    Each try reads everything again: the response to an earlier try may have been lost after its commit.
    """
    head = hub.head()
    former = hub.read_manifest(head)
    if identity(former) == identity(round_.snapshot.manifest):
        return head, False
    card, manifest = _published_texts(round_, former, hub.read_text(CARD, head))
    contents = _contents(round_, card, manifest)
    operations: list[CommitOperationAdd | CommitOperationDelete] = [
        CommitOperationAdd(path, content) for path, content in contents.items()
    ]
    if stale := listed_paths(former) - set(contents):
        # The Hub refuses a commit that deletes a file it does not have.
        operations += map(CommitOperationDelete, sorted(stale & hub.files(head)))
    commit = _send_commit(hub, operations, f"Round {round_.snapshot.manifest['round']}", head)
    # The Hub leaves out files that its .gitignore names, without an error.
    if missing := sorted(set(contents) - hub.files(commit)):
        raise PublishError(
            f"{hub.repo}: the Hub left out {', '.join(missing)}: remove its .gitignore, then publish under a "
            "new round"
        )
    return commit, True


def _contents(round_: RoundOnHub, card: str, manifest: str) -> dict[str, Path | bytes]:
    """Path in the repository → its content. Card and manifest are merged; all other files go as they are."""
    snapshot = round_.snapshot
    contents: dict[str, Path | bytes] = {
        entry["path"]: snapshot.folder / entry["path"] for entry in snapshot.manifest["files"]
    }
    contents |= {CARD: card.encode(), MANIFEST: manifest.encode()}
    if round_.replies is not None:
        contents[REPLIES] = round_.replies
    return contents


def _send_commit(
    hub: HubRepository,
    operations: Sequence[CommitOperationAdd | CommitOperationDelete],
    message: str,
    parent: str,
) -> str:
    """Send the commit, without Xet if the upload breaks off with it. Returns its id."""
    send = partial(
        hub.api.create_commit,
        hub.repo,
        repo_type="dataset",
        operations=operations,
        commit_message=message,
        parent_commit=parent,
    )
    try:
        return str(send().oid)
    except (RuntimeError, OSError) as error:
        # An answer of the Hub has nothing to do with Xet; any other failure may.
        if constants.HF_HUB_DISABLE_XET or isinstance(error, HfHubHTTPError):
            raise
    with _without_xet():
        return str(send().oid)


@contextmanager
def _without_xet() -> Iterator[None]:
    """Send large files over plain HTTP, which every Hub accepts; a mirror or a firewall may not support Xet."""
    constants.HF_HUB_DISABLE_XET = True
    try:
        yield
    finally:
        constants.HF_HUB_DISABLE_XET = False


def _published_texts(round_: RoundOnHub, former: Facts, published_card: str | None) -> tuple[str, str]:
    """The card and the manifest of the round, merged with the published ones (`former` is a manifest).

    1. The manifest gets the list of all rounds: this one, then those of `former`.
    2. The generated card gets the digest of this manifest. The digest covers all but the digest of the card.
    3. The generated card, with scores and rounds at its end, is merged with the published card.
    4. The manifest gets the digest of the merged card.
    """
    manifest = dict(round_.snapshot.manifest)
    manifest["rounds"] = [round_entry(round_.tag, manifest, former), *former.get("rounds", ())]
    generated = with_digest((round_.snapshot.folder / CARD).read_text(encoding="utf-8"), manifest)
    header, _ = split_card(generated)
    configs = [entry["config_name"] for entry in header.get("configs", ())]
    section = rounds_section(manifest["rounds"], round_.repo, configs)
    section = f"{round_.scores}\n\n{section}" if round_.scores else section
    card = merge_cards(generated, published_card, section, config_names(former))
    content = card.encode()
    card_entry = {"path": CARD, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    manifest["files"] = [card_entry if entry["path"] == CARD else entry for entry in manifest["files"]]
    return card, render_manifest(manifest)


def _require_same(round_: RoundOnHub, published: Facts) -> None:
    """Raise `PublishError` if the published manifest is not that of the round."""
    if identity(published) != identity(round_.snapshot.manifest):
        raise PublishError(
            f"{round_.repo}: the tag '{round_.tag}' exists with other content"
            f" ({published.get('content_digest', 'no manifest of ours')}): published rounds do not change, so build"
            " under a new round name"
        )


def _wait_before_retry(error: Exception, attempt: int) -> float | None:
    """Seconds until the next try; None if it would fail again."""
    if isinstance(error, HfHubHTTPError):
        response = error.response
        if response is None or response.status_code not in _TRANSIENT:
            return None
        hint = response.headers.get("Retry-After", "")
        if hint.isdecimal():
            return min(float(hint), LONGEST_WAIT)
    elif not isinstance(error, _http.TransportError):
        return None  # the library has already repeated an upload that broke off
    return min(FIRST_WAIT * 2.0**attempt, LONGEST_WAIT)


def _explain(repo: str, action: str, error: Exception) -> str:
    """The message of the final error, with what the Hub said and what to do."""
    # an upload that breaks off is raised as a RuntimeError, with the error of the connection as its cause
    cause = error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error
    if isinstance(cause, HfHubHTTPError) and cause.response is not None:
        status = cause.response.status_code
        if isinstance(cause, RepositoryNotFoundError) and status == 401:
            status = 404  # the Hub says so of a repository that it hides
        server_message = redact(" ".join(str(cause.server_message or "").split()))[:200]
        hint = _HINTS.get(status, _GO_ON)
        return f"{repo}: {action}: the Hub answered {status}{f' ({server_message})' if server_message else ''}: {hint}"
    reason = redact(" ".join(str(cause).split()))[:200] or type(cause).__name__
    # some errors carry the status in their text alone, such as "... (403 Forbidden) ..."
    if status_match := re.search(r"\(([45]\d\d) [A-Z]", reason):
        return f"{repo}: {action}: the answer was {status_match[1]} ({reason}): {_GO_ON}"
    return f"{repo}: {action}: the connection failed ({reason}): {_GO_ON}"
