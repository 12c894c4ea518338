"""Requests to models under test and to judges, and systems under test that are not chat models.

- A model under test gets one text: instructions, then question and passages between marks that occur nowhere else in
  it (`respond_request`). A snapshot has the same text for other harnesses.
- A judge gets instructions and one JSON object (`judge_request`, and `kind_request` for free replies).
- RAG services behind HTTP (`ServiceModel`) and Python functions (`FunctionModel`) also get the parts of the item, to
  make their own prompts.

A free reply was not asked for codes. Its kind says how it behaves, for example that it answers and points out the flaw.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from perturb.catalogue.classes import OwnCode
from perturb.catalogue.prompts import (
    code_meanings,
    data_request,
    folder_version,
    numbered_passages,
    object_schema,
    render_template,
)
from perturb.evaluation.question_formats import Question
from perturb.files.resources import digest
from perturb.llm.client import ChatReply, ChatRequest, ModelSettings
from perturb.llm.functions import FunctionError, OwnFunction
from perturb.llm.redaction import read_key
from perturb.llm.replies import ReplyError, read_ruling
from perturb.llm.transports import chat_reply, failure, is_worth_retrying, redirect_words, retry_after
from perturb.metrics.outcomes import BehaviourKind
from perturb.records import BaseInstance, Facts, Item, JsonObject
from perturb.snapshots.items import Variant
from perturb.snapshots.settings import CODES_SETTING, PromptSetting

# The number of characters of a reply that a judge gets; a longer reply loses its middle.
JUDGED_CHARS = 12_000
# What a judge answers if a reply fits no kind of behaviour.
_UNREADABLE = "unreadable"
# The variables of request templates and functions.
FIELDS: tuple[str, ...] = ("prompt", "query", "context", "passages", "item_id")
# Other variables of a function that judges: the reply, the kind of judgement, expected answers and behaviour.
JUDGED_FIELDS: tuple[str, ...] = ("reply", "asked", "answers", "reference", "expected", "signal")


@dataclass(frozen=True, slots=True)
class ItemRequest(ChatRequest):
    """A request about one item, with the parts of the item for services and functions that take them separately."""

    fields: Facts = field(default_factory=dict)
    """`prompt`, `query`, `context`, `passages` (a list of texts), `item_id`."""


def item_request(request: ChatRequest, item: Item | BaseInstance | Question, **variables: Any) -> ItemRequest:
    """A request with the parts of its item or question, and with other variables for a function."""
    if isinstance(item, Question):
        query = item.text
        passages = [] if item.context is None else [item.context]
    else:
        query = item.query
        passages = [passage.text for passage in item.passages]
    parts = {
        "prompt": _prompt_of(request),
        "query": query,
        "context": item.context or "",
        "passages": passages,
        "item_id": item.id,
    }
    return ItemRequest(request.messages, request.schema, fields={**parts, **variables})


def respond_request(
    item: Item,
    variant: Variant,
    own_codes: tuple[OwnCode, ...] = (),
    setting: PromptSetting = CODES_SETTING,
) -> ItemRequest:
    """The request to a model under test about an item; `own_codes` are the codes of the user's classes."""
    return item_request(ChatRequest(setting.messages(item, variant, own_codes)), item)


def judge_request(kind: str, item: Item, reply: str, own_codes: tuple[OwnCode, ...] = ()) -> ItemRequest:
    """The request to a judge for one kind of judgement of a reply.

    `classification`: whether the reply is an answer or a refusal, and its code. The judge sees neither the passages nor
    the expected behaviour, since it must read the reply and not answer the question itself. `quality`: a grade from 1
    to 5 for an answer from one passage. `raf`: eligibility and factuality of an answer from several passages.

    A function that judges also gets the parts of the item, the reply and the expected behaviour.
    """
    data: JsonObject = {"query": item.query}
    schema_fields: JsonObject
    if kind == "classification":
        template = render_template("judge/classify", own_codes)
        schema_fields = {
            "behaviour": {"type": "string", "enum": ["answer", "refusal"]},
            "code": {"type": "string"},
        }
    elif kind == "quality":
        template = render_template("judge/quality")
        data |= {"context": item.context, "accepted": list(item.answers)}
        schema_fields = {"quality": {"type": "integer"}, "reason": {"type": "string"}}
    else:  # raf
        template = render_template("judge/garage")
        data |= numbered_passages(item.passages, roles=False)
        data["signal"] = list(item.signal_numbers)
        # The rubric of GaRAGe compares with a long answer; a short one is better than none.
        data["reference"] = item.reference_answer or next(iter(item.answers), "")
        schema_fields = {key: {"type": "boolean"} for key in ("eligible", "factual_all", "factual_signal")}
    data["reply"] = shorten(reply)
    return _request_to_judge(kind, item, reply, data_request(template, data, object_schema(schema_fields)))


def kind_request(item: Item, reply: str, own_codes: tuple[OwnCode, ...] = ()) -> ItemRequest:
    """The request to a judge for the kind of a free reply to an item.

    The judge sees the question, the reply and the meaning of the item's code, but neither passages nor answers.
    """
    data = {"query": item.query, "reply": shorten(reply), "flaw": flaw_of(item, own_codes)}
    schema_fields = {
        "kind": {"type": "string", "enum": [*BehaviourKind, _UNREADABLE]},
        "reason": {"type": "string"},
    }
    request = data_request(render_template("judge/kinds/kind"), data, object_schema(schema_fields))
    return _request_to_judge("kind", item, reply, request)


def flaw_of(item: Item, own_codes: tuple[OwnCode, ...] = ()) -> str:
    """Why an item cannot be answered, in the words of the list of codes; empty if it can be answered."""
    return "" if item.answerable else code_meanings(own_codes)[item.expected_behavior]


def _request_to_judge(asked: str, item: Item, reply: str, request: ChatRequest) -> ItemRequest:
    """The request with the variables `JUDGED_FIELDS`, for a function that judges."""
    return item_request(
        request,
        item,
        reply=reply,
        asked=asked,
        answers=list(item.answers),
        reference=item.reference_answer,
        expected=item.expected_behavior,
        signal=list(item.signal_numbers),
    )


def shorten(text: str) -> str:
    """The reply for a judge. Of a reply beyond `JUDGED_CHARS`, two thirds are from its start and one from its end."""
    if len(text) <= JUDGED_CHARS:
        return text
    start_chars, end_chars = JUDGED_CHARS * 2 // 3, JUDGED_CHARS // 3
    return f"{text[:start_chars]}\n[… {len(text) - start_chars - end_chars} characters left out …]\n{text[-end_chars:]}"


def read_kind(text: str, judged: str = "") -> BehaviourKind:
    """The kind in a judge's reply about the reply `judged`. Raises `ReplyError`, also if the judge names no kind.

    >>> read_kind('{"kind": "answers_flagged", "reason": "It names two dates and prefers one."}').value
    'answers_flagged'
    """
    ruling = read_ruling(text, frozenset({"kind"}), judged)
    kind = ruling.value["kind"]
    if kind == _UNREADABLE:
        raise ReplyError("the judge says that the reply fits no kind")
    if kind not in list(BehaviourKind):
        raise ReplyError(f"'kind' must be one of {', '.join(BehaviourKind)}")
    # The judge's reasoning must not name another kind. "answers" is left out, since it is an ordinary word too.
    other_kinds = [name for name in BehaviourKind if name != kind and "_" in name]
    ruling.must_not_be_denied(re.compile(rf"\b(?:{'|'.join(other_kinds)})\b"))
    return BehaviourKind(kind)


def judge_version(own_codes: tuple[OwnCode, ...] = ()) -> str:
    """Digest of the templates of prompts for judges."""
    return digest(folder_version("judge"), folder_version("respond", own_codes))


def kinds_version(own_codes: tuple[OwnCode, ...] = ()) -> str:
    """Digest of the templates of prompts for the judge of kinds."""
    codes = render_template("respond/codes", own_codes, examples=False)
    return digest(folder_version("judge/kinds"), codes)


# What a service gets, and where its reply has the text, unless the user says otherwise.
DEFAULT_REQUEST: Facts = {"query": "{query}", "passages": "{passages}", "prompt": "{prompt}"}
DEFAULT_REPLY = "answer"

# The name of a part in a request template, such as `{query}`.
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(FIELDS)})\}}")
# The most bytes that are read of a response, so that a faulty service cannot fill the memory.
_MOST_BYTES = 8 * 2**20


class ServiceModel:
    """A service that takes a POST with a JSON body, and replies with a JSON body or with plain text.

    In `settings.params`, `request` is the body; `{query}`, `{passages}` and so on stand for the parts of the item.
    `reply` is the path of the text in the response, such as `answer` or `choices.0.text`.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self._key = read_key(settings.api_key_env)
        self._session: Any = None

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Send one request. Raises `TransientModelError` if another try may help, or else `PermanentModelError`."""
        import aiohttp

        started = time.perf_counter()
        try:
            async with asyncio.timeout(self.settings.timeout):
                filled = fill(self.settings.params["request"], parts_of(request))
                status, headers, body = await self._post(filled)
        except TimeoutError:
            message = f"no reply within {self.settings.timeout:g} s"
            raise failure(self.settings, message, transient=True) from None
        except (aiohttp.ClientError, OSError) as error:
            raise failure(self.settings, str(error), transient=True) from None
        # A redirect is not followed: the key would go to another address.
        if 300 <= status < 400:
            body = redirect_words(headers.get("Location", "nowhere"))
        if status >= 300:
            message = f"status {status}: {body[:10_000]}"
            transient = is_worth_retrying(status)
            raise failure(self.settings, message, transient=transient, wait=retry_after(headers))
        text = self._read(body)
        return chat_reply(self.settings, text, (None, None), time.perf_counter() - started, "stop")

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    async def _post(self, body: Any) -> tuple[int, Mapping[str, str], str]:
        """The status, the headers and the body of the response to a POST with this JSON body."""
        import aiohttp

        if self._session is None:
            connector = aiohttp.TCPConnector(limit=self.settings.max_connections)
            self._session = aiohttp.ClientSession(connector=connector)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        async with self._session.post(
            self.settings.model, json=body, headers=headers, allow_redirects=False
        ) as response:
            content = b""
            # One read may return less than there is.
            while not response.content.at_eof() and len(content) < _MOST_BYTES:
                content += await response.content.read(_MOST_BYTES - len(content))
            return response.status, response.headers, content.decode("utf-8", "replace")

    def _read(self, body: str) -> str:
        """The text at the path `reply`; a body that is not JSON is the reply itself."""
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            return body
        path = str(self.settings.params["reply"])
        for step in path.split("."):
            if isinstance(value, list) and step.isdigit() and int(step) < len(value):
                value = value[int(step)]
            elif isinstance(value, dict) and step in value:
                value = value[step]
            else:
                message = f"the reply has no '{path}': say where the text is with 'reply'"
                raise failure(self.settings, message, transient=False)
        if value is None:
            return ""
        if not isinstance(value, str):
            message = f"'{path}' of the reply is not text: say where the text is with 'reply'"
            raise failure(self.settings, message, transient=False)
        return value


class FunctionModel:
    """A Python function that gets the parts of an item and returns the reply.

    Its parameters are named `prompt`, `query`, `context`, `passages` or `item_id`; a function with one parameter of
    another name gets the prompt. It may be a coroutine function; other functions are called in threads. A judge may
    also have the parameters `JUDGED_FIELDS`, and return its judgement as a dictionary.
    """

    def __init__(self, settings: ModelSettings) -> None:
        """`settings.model` is `module:function`. Raises `ConfigError` if there is no such function."""
        self.settings = settings
        self._function = OwnFunction(
            settings.model,
            (*FIELDS, *JUDGED_FIELDS),
            f"model '{settings.model}'",
            width=settings.max_connections,
            timeout=settings.timeout,
        )

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Call the function.

        Raises `TransientModelError` after a timeout, and `PermanentModelError` if the function raises another exception
        or does not return a string.
        """
        started = time.perf_counter()
        try:
            reply = await self._function.call(parts_of(request))
        except FunctionError as error:
            transient = isinstance(error.__cause__, TimeoutError)
            raise failure(self.settings, str(error), transient=transient) from error
        if isinstance(reply, Mapping):  # a judgement
            reply = json.dumps(dict(reply), ensure_ascii=False, default=str)
        if not isinstance(reply, str):
            message = f"returned {type(reply).__name__}: return the reply as a string"
            raise failure(self.settings, message, transient=False)
        return chat_reply(self.settings, reply, (None, None), time.perf_counter() - started, "stop")

    async def close(self) -> None:
        """Do nothing: a function has no connections to close."""


def fill(template: Any, parts: Facts) -> Any:
    """A request template with the parts of an item filled in.

    The string `{passages}` becomes the list; inside a longer string a part becomes text. A part that itself contains
    `{query}` is not filled in again.

    >>> fill({"q": "Tell me: {query}", "docs": "{passages}"}, {"query": "?", "passages": ["a"]})
    {'q': 'Tell me: ?', 'docs': ['a']}
    """
    if isinstance(template, str):
        if match := _PLACEHOLDER.fullmatch(template):
            return parts[match[1]]
        return _PLACEHOLDER.sub(lambda match: _as_text(parts[match[1]]), template)
    if isinstance(template, Mapping):
        return {key: fill(value, parts) for key, value in template.items()}
    if isinstance(template, list):
        return [fill(value, parts) for value in template]
    return template


def parts_of(request: ChatRequest) -> Facts:
    """The parts of the request's item. A request without an item, such as one to a judge, has only a prompt."""
    if isinstance(request, ItemRequest):
        return request.fields
    return {**dict.fromkeys(FIELDS, ""), "passages": [], "prompt": _prompt_of(request)}


def _prompt_of(request: ChatRequest) -> str:
    return _as_text([message.content for message in request.messages])


def _as_text(value: str | Sequence[str]) -> str:
    """A part of an item as text; the texts of a list become paragraphs."""
    return value if isinstance(value, str) else "\n\n".join(value)
