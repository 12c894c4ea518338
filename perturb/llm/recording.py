"""Recorded replies: a file with all replies of a run, and a model that gives them again.

The file is gzipped JSON Lines. The first line is the header:

- `format`, `version`: `perturb-replies`, 1
- `kind`: `build`, `evaluation`, `refusal-index` or `bas`
- `code_version`: the version of perturb that made the calls; null for an evaluation of items
- `name`, `round`, `seed`, `config`, `digests`: of a build: the round, and digests of its configuration, catalogue,
  templates, base set and panel
- `items`, `judge`, `judges`: of an evaluation: digest of the items or questions, and the model or panel that judged
- `variant`, `prompts`, `planted_judgements`: of an evaluation of a round: whether its prompt asks for confidence, other
  prompts by name and source, and how many planted replies were judged
- `ways`: of an evaluation by refusal index or BAS: how the model was asked
- `models`: name, model and parameters of each model, without addresses and keys
- `sha256`: digest of the uncompressed header (without this key) and of all lines that follow

The other lines have a `kind`: `instance`, `job` (instance, cell, replicate, offers), `item` (of an evaluation),
`planted` (a planted item of a build) and `reply`, in the order of the run. A *cell* is a perturbation class and an
intensity. An *offer* is a list of levers to choose from. A generator that declines an offer gets the next one. A reply
has

- `id`: id of the job (also of its candidate) or of the item
- `role`: `generate`, `verify`; in evaluations `respond`, `judge …`, `grade`, `confidence`, or the name of the prompt
- `model`, `prompt`: name of the model; digest of model, settings and prompt
- `part`: number of the offer; in evaluations the prompt, or the model whose reply is judged
- `attempt`: 2 for the second reply after an unreadable one
- `text`, `problem`: the reply as received; the reason if it counts as unread
- `prompt_tokens`, `completion_tokens`, `seconds`, `finish_reason`: of the call
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, NamedTuple

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from perturb.errors import PermanentModelError, RecordingError
from perturb.files.resources import Spool, canonical, reading_errors
from perturb.files.yaml_files import describe_fault
from perturb.llm.client import ChatModel, ChatReply, ChatRequest, ModelSettings, Topic
from perturb.llm.limits import holding
from perturb.records import BaseInstance, Depth, Job, PlantedItem

# The limit is that of whole numbers in JSON, which many readers take for floats.
Count = Annotated[int, Field(ge=0, lt=2**53)]
Seconds = Annotated[float, Field(ge=0, lt=2**53)]


# The classes below are the schema of the header. The docstring of the module explains its fields.


@dataclass(kw_only=True)
class _Model:
    """A model that was called."""

    name: str
    model: str
    params: dict[str, Any]
    system: str = ""


@dataclass
class _Panel:
    """Several models that judged together."""

    rule: Literal["majority", "unanimity"]
    members: Annotated[list[_Model], Field(min_length=1)]


@dataclass(kw_only=True)
class _Run:
    """What all headers have."""

    name: str
    code_version: str | None
    models: Annotated[dict[str, _Model], Field(min_length=1)]


@dataclass
class _Digests:
    """Digests of what a build was made from."""

    base_set: str
    catalogue: str
    templates: str


@dataclass(kw_only=True)
class _Build(_Run):
    """The header of a build."""

    kind: Literal["build"]
    round: str
    seed: int
    config: str
    digests: _Digests


@dataclass(kw_only=True)
class _Judged(_Run):
    """What the headers of all evaluations have."""

    items: str
    judge: _Model | None
    judges: _Panel | None = None


@dataclass(kw_only=True)
class _Evaluation(_Judged):
    """The header of an evaluation with the metrics of RefusalBench."""

    kind: Literal["evaluation"]
    round: str | None
    variant: Literal["plain", "confidence"]
    prompts: list[dict[Literal["name", "source"], str]] = field(default_factory=list)
    planted_judgements: Count = 0


@dataclass(kw_only=True)
class _TwoPasses:
    """How a model was asked for its refusal index."""

    settings: list[str]
    samples: Count = 1


@dataclass(kw_only=True)
class _RefusalIndex(_Judged):
    """The header of an evaluation by refusal index."""

    kind: Literal["refusal-index"]
    ways: _TwoPasses


@dataclass
class _Elicited:
    """How a model was asked for its confidence."""

    elicitations: list[Literal["direct", "reflection", "top-k", "top-k-reflection"]]
    k: Count


@dataclass(kw_only=True)
class _Bas(_Judged):
    """The header of an evaluation by behavioral alignment score."""

    kind: Literal["bas"]
    ways: _Elicited


@dataclass
class _InstanceRow:
    """The line of a base instance."""

    content: BaseInstance


@dataclass
class _ItemRow:
    """The line of an item, whose content is checked by its task."""

    id: str
    content: dict[str, Any]


# Pydantic checks the parts of a file against these types. Replies and jobs have theirs below their classes.
_HEADER: TypeAdapter[Any] = TypeAdapter(
    Annotated[_Build | _Evaluation | _RefusalIndex | _Bas, Field(discriminator="kind")]
)
_INSTANCE_ROW = TypeAdapter(_InstanceRow)
_ITEM_ROW = TypeAdapter(_ItemRow)


def check_header(header: Mapping[str, Any]) -> None:
    """Raise `ValueError` if a field is missing or of another type, or if a model is listed under another name."""
    for name, model in _HEADER.validate_python(header).models.items():
        if model.name != name:
            raise ValueError(f"lists the model '{model.name}' as '{name}'")


FORMAT, VERSION = "perturb-replies", 1
"""The format of the file, which its header names."""

NO_REPLY = "no reply on record"
"""The beginning of the error that stands for a missing reply."""

# A longer line, in bytes, comes from a damaged file and would fill the memory.
_LONGEST_LINE = 2**28
_CONFIG = ConfigDict(extra="forbid")

Kind = Literal["build", "evaluation", "refusal-index", "bas"]
"""The kinds of runs whose replies can be recorded."""


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """A reply as it arrived."""

    __pydantic_config__ = _CONFIG

    id: str
    """The id of the job, whose candidate has the same id, or of the item that it is about."""
    role: str
    model: str
    part: str
    attempt: Count
    prompt: str
    """Digest of the model, its settings and the prompt that it answers."""
    text: str
    prompt_tokens: Count | None
    completion_tokens: Count | None
    seconds: Seconds
    finish_reason: str | None
    problem: str

    @property
    def key(self) -> tuple[str, Topic]:
        """The model and the topic of its reply."""
        return self.model, Topic(self.role, self.id, self.part, self.attempt)


class JobKey(NamedTuple):
    """What identifies a job in a recording."""

    instance: str
    """Content key of the base instance."""
    cell: str
    generator: str
    replicate: int


@dataclass(frozen=True, slots=True)
class RecordedJob:
    """A job of a model whose replies are on record."""

    __pydantic_config__ = _CONFIG

    id: str
    instance: str
    """Content key of its base instance."""
    perturbation_class: str
    intensity: str
    generator: str
    replicate: Count
    offers: list[list[str]] | None
    depth: Depth = "open"
    constructions: tuple[str, ...] = ()
    hardens: str = ""
    """The id of the item that a quieter attempt should replace; empty for other jobs."""

    @property
    def key(self) -> JobKey:
        """What the job is about; the prompt is not part of it."""
        cell = f"{self.perturbation_class}/{self.intensity}"
        return JobKey(self.instance, cell, self.generator, self.replicate)


_REPLY = TypeAdapter(RecordedReply)
_JOB = TypeAdapter(RecordedJob)


@dataclass
class Recording:
    """A file of recorded replies, read and checked. The texts stay on disk until they are needed."""

    path: Path
    header: Mapping[str, Any]
    digest: str
    """Digest of the whole content of the file."""
    instances: list[dict[str, Any]] = field(default_factory=list)
    """The base instances in the form of the ledger."""
    jobs: dict[JobKey, RecordedJob] = field(default_factory=dict)
    hardened: dict[str, list[RecordedJob]] = field(default_factory=dict)
    """The quieter attempts at an item, by its id, in the order in which they were made."""
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The items or questions of an evaluation by id, in the form of the ledger."""
    planted: list[dict[str, Any]] = field(default_factory=list)
    """The planted items of a build, in the form of the ledger."""
    _positions: dict[tuple[str, Topic], int] = field(default_factory=dict)
    """Model and topic of a reply → its position among `_replies`."""
    _replies: Spool = field(default_factory=Spool)

    def __len__(self) -> int:
        """The number of replies."""
        return len(self._positions)

    @property
    def judge_name(self) -> str | None:
        """The model that judged an evaluation, or the panel and its rule; None if a rule graded every answer."""
        panel, judge = self.header.get("judges"), self.header.get("judge")
        if panel:
            members = ", ".join(member["model"] for member in panel["members"])
            return f"{panel['rule']} of {members}"
        return str(judge["model"]) if judge else None

    def contents(self) -> Iterator[tuple[str, Any]]:
        """Yield every part of the file with a name for messages."""
        yield "its header", self.header
        yield from (("a base instance", instance) for instance in self.instances)
        yield from ((f"item '{name}'", item) for name, item in self.items.items())
        jobs = [*self.jobs.values(), *chain.from_iterable(self.hardened.values())]
        yield from ((f"job '{job.id}'", record_row("job", job)) for job in jobs)
        yield from ((f"the reply to '{row['id']}'", row) for row in self._replies)

    def find(self, model: str, topic: Topic) -> RecordedReply | None:
        """The reply of a model about a topic; None if it is not on record."""
        position = self._positions.get((model, topic))
        return None if position is None else RecordedReply(**self._replies[position])

    def as_recorded(self, job: Job, instance_key: str) -> Job:
        """The job with the id, offers and depth of its recording, or the job itself if it is not on record."""
        recorded = self.jobs.get(JobKey(instance_key, str(job.cell), job.generator, job.replicate))
        if recorded is None:
            return job
        # Offers come from the recording too, since the numbers of offers are part of the topics of replies.
        offers = None if recorded.offers is None else tuple(map(tuple, recorded.offers))
        constructions = tuple(recorded.constructions)
        return replace(job, id=recorded.id, offers=offers, depth=recorded.depth, constructions=constructions)

    def require(self, kind: Kind, **identity: Any) -> None:
        """Raise `RecordingError` if the recording is of another kind or another run."""
        if self.header.get("kind") != kind:
            raise RecordingError(
                f"{self.path}: holds the replies of a run of another kind ({self.header.get('kind')}):"
                f" give one of '{kind}'"
            )
        for name, value in identity.items():
            if self.header.get(name) != value:
                raise RecordingError(
                    f"{self.path}: holds the replies of another run, whose {name} is"
                    f" {self.header.get(name)!r} and not {value!r}: give the file of this one"
                )

    def _add(self, row: Any) -> None:
        """Add a line of the file. Raises `ValueError` if it is malformed or repeats another line."""
        kind = row.pop("kind", None) if isinstance(row, dict) else None
        if kind == "instance":
            _INSTANCE_ROW.validate_python(row)
            self.instances.append(row["content"])
        elif kind == "item":
            _ITEM_ROW.validate_python(row)
            self.items[row["id"]] = row["content"]
        elif kind == "planted":
            self._add_planted(row)
        elif kind == "job":
            self._add_job(_JOB.validate_python(row))
        elif kind == "reply":
            self._add_reply(row)
        else:
            raise ValueError("is neither an instance, a job, an item, a planted item nor a reply")

    def _add_planted(self, row: dict[str, Any]) -> None:
        try:
            item = PlantedItem.from_payload(row["content"])
        except ValidationError:
            raise  # it names the field
        except (ValueError, KeyError, TypeError):
            raise ValueError("is not a planted item: a field is missing or of another type") from None
        self.planted.append(item.to_payload())

    def _add_job(self, job: RecordedJob) -> None:
        if job.hardens:
            # Attempts at the same item share a key, so they are kept apart from the jobs.
            self.hardened.setdefault(job.hardens, []).append(job)
        elif job.key in self.jobs:
            raise ValueError(f"repeats job {job.id}")
        else:
            self.jobs[job.key] = job

    def _add_reply(self, row: dict[str, Any]) -> None:
        reply = _REPLY.validate_python(row)
        if reply.key in self._positions:
            raise ValueError(f"repeats the reply of '{reply.model}' ({reply.role}) about {reply.id}")
        # The text goes to disk and only its position is kept, since a recording may be larger than the memory.
        self._positions[reply.key] = len(self._positions)
        self._replies.append(row)


@dataclass(frozen=True, slots=True)
class Replay:
    """Recorded replies that are used instead of models."""

    recording: Recording
    fill: bool = False
    """Whether models are asked for missing replies."""
    own_base_set: bool = False
    """Whether the base instances of the recording replace those that the configuration names."""


def read_recording(path: Path) -> Recording:
    """Read a file of recorded replies and check all of it. Raises `RecordingError` for any other file."""
    number = 0  # of the last line that was read; 0 while the header is read
    with reading_errors(path, RecordingError):
        try:
            with gzip.open(path) as stream:
                lines = _lines(stream)
                header = _read_header(next(lines, b""))
                expected_digest = header.pop("sha256", None)
                hashed = hashlib.sha256(_encode(header))
                recording = Recording(path, header, str(expected_digest))
                for number, line in enumerate(lines, start=2):  # noqa: B007 - named in the error
                    hashed.update(line)
                    row = json.loads(line.decode())
                    # "\ud" begins the JSON escape of a surrogate. Half a pair, which no ledger can hold, raises here.
                    if b"\\ud" in line:
                        _encode(row)
                    recording._add(row)
        # These errors come first, since two of them are also a `ValueError`.
        except (EOFError, zlib.error, json.JSONDecodeError, UnicodeDecodeError):
            raise RecordingError(f"{path}: is cut short or damaged: fetch the file again") from None
        except (gzip.BadGzipFile, ValueError, RecursionError) as exc:
            problem = _describe_read_error(exc, number)
            raise RecordingError(
                f"{path}: {problem}: give a file of `perturb export RUN --replies`"
            ) from None
    if hashed.hexdigest() != expected_digest:
        raise RecordingError(f"{path}: differs from what was written (its digest is another): fetch it again")
    return recording


def _describe_read_error(error: Exception, number: int) -> str:
    """What is wrong with a file. `number` is that of the last line that was read; 0 if it was the header."""
    if isinstance(error, gzip.BadGzipFile):
        # Python raises the same error for a file that is not gzipped and for one whose checksum is wrong. A file whose
        # first line could be read is gzipped.
        is_gzipped = number > 0 or "CRC" in str(error)
        return f"is damaged ({error})" if is_gzipped else f"holds no recorded replies ({error})"
    reason = " ".join(str(error).split())[:200]
    if isinstance(error, ValidationError):
        fault = error.errors(include_url=False)[0]
        reason = f"holds no recorded replies: {describe_fault(fault['loc'], fault['type'], fault['msg'])}"
    return f"line {number} {reason}" if number else reason


def write_recording(path: Path, header: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> str:
    """Write a recording and return its digest. The same content always gives the same bytes.

    The file is written completely or not at all. Raises `RecordingError` if it cannot be written.
    """
    header = {"format": FORMAT, "version": VERSION, **header}
    hashed = hashlib.sha256(_encode(header))
    # The header comes first and holds the digest of all lines, so the lines wait on disk until all are hashed.
    spooled = Spool()
    for row in rows:
        hashed.update(_encode(row))
        spooled.append(dict(row))
    digest = hashed.hexdigest()
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Without a name and a time in the gzip header, the bytes depend on the content alone.
        with part.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
            file.write(_encode({**header, "sha256": digest}))
            for row in spooled:
                file.write(_encode(row))
        part.replace(path)
    except OSError as exc:
        part.unlink(missing_ok=True)
        raise RecordingError(f"{path}: cannot be written ({exc.strerror}): check the folder") from None
    return digest


def judged_part(model: str, variant: str) -> str:
    """The `Topic.part` of a judge's reply: the model whose reply it judges, and that model's prompt."""
    return f"{model} {variant}"


class ReplayedModel:
    """A model that gives recorded replies. `live`, if given, is asked for replies that are not on record."""

    def __init__(self, settings: ModelSettings, recording: Recording, live: ChatModel | None = None) -> None:
        self.settings = settings if live is None else live.settings
        self._recording = recording
        self._live = live

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The recorded reply, which costs nothing. Raises `PermanentModelError` if it is missing."""
        async with self.holding(request) as reply:
            return reply

    @asynccontextmanager
    async def holding(self, request: ChatRequest) -> AsyncIterator[ChatReply]:
        """Like `complete`, but a live model keeps its slot until the end of the block."""
        topic = request.topic
        recorded = topic and self._recording.find(self.settings.name, topic)
        if recorded:
            yield ChatReply(
                recorded.text,
                recorded.prompt_tokens,
                recorded.completion_tokens,
                cost_usd=0.0,
                seconds=recorded.seconds,
                finish_reason=recorded.finish_reason,
                problem=recorded.problem,
            )
        elif self._live is not None:
            async with holding(self._live, request) as reply:
                yield reply
        else:
            role = topic.role if topic else "unknown"
            raise PermanentModelError(f"{NO_REPLY}: {role}, {self.settings.name}")

    async def close(self) -> None:
        """Close the live model, if there is one."""
        if self._live is not None:
            await self._live.close()


def record_row(kind: Literal["reply", "job"], record: RecordedReply | RecordedJob) -> dict[str, Any]:
    """The line of a reply or job."""
    # `asdict` would do the same, but it copies every text.
    row = {"kind": kind, **{name: getattr(record, name) for name in record.__slots__}}
    if isinstance(record, RecordedJob):
        # Later versions added three fields to jobs. They are left out while they have their defaults, so that
        # recordings of the same replies keep their digests. Only a job of depth "deep" has constructions.
        if record.depth == "open":
            del row["depth"], row["constructions"]
        if not record.hardens:
            del row["hardens"]
    return row


def _encode(row: Mapping[str, Any]) -> bytes:
    """A line of the file."""
    return (canonical(dict(row)) + "\n").encode()


def _lines(stream: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
    """Yield the lines of the file. Raises `EOFError` if the last line has no end."""
    while line := stream.readline(_LONGEST_LINE):
        if not line.endswith(b"\n"):
            raise EOFError
        yield line


def _read_header(line: bytes) -> dict[str, Any]:
    """The header in the first line of the file. Raises `ValueError` for any other line."""
    try:
        header = json.loads(line.decode())
    except ValueError:
        header = None  # reported below, like any other file
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("holds no recorded replies")
    if header.get("version") != VERSION:
        raise ValueError(f"was written in format {header.get('version')}, this perturb reads {VERSION}")
    check_header(header)
    return header
