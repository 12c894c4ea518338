"""Reads the lines of a batch's output and error files: what became of each request, by its custom id.

Lines come in any order and some may be missing or broken; what cannot be read is as good as missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from perturb.errors import ModelError
from perturb.llm.client import ChatReply, ModelSettings
from perturb.llm.wire import chat_reply, failure, is_worth_retrying

RowOutcome = ChatReply | ModelError
"""A reply, or why there is none: transient where it is worth asking again."""

_CUT_SHORT = ("max_tokens", "MAX_TOKENS")


@dataclass(frozen=True, slots=True)
class RowReader:
    """Reads the files of one model's batches."""

    settings: ModelSettings

    def read(self, content: bytes) -> Iterator[tuple[str, RowOutcome]]:
        """The custom id and the outcome of each line that can be read."""
        for line in content.splitlines():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            custom_id = _at(row, "custom_id") or _at(row, "recordId")
            if isinstance(custom_id, str):
                yield custom_id, self._outcome(row)

    def _outcome(self, row: Mapping[str, Any]) -> RowOutcome:
        status = _at(row, "response", "status_code")
        error = _at(row, "error") or _at(row, "response", "body", "error")
        if error or (isinstance(status, int) and status >= 400):
            return self._error(error, _at(error, "errorCode") if status is None else status)
        body = _at(row, "response", "body") or _at(row, "modelOutput")
        reply = self._reply(body) if isinstance(body, Mapping) else None
        return reply or failure(self.settings, "a row of a batch holds no reply", transient=True)

    def _error(self, error: Any, status: Any) -> ModelError:
        words = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
        # Without a status the row was given up together with its batch, which expired or was cancelled.
        said = f"in a batch, status {status or 'unknown'}: {words}"
        return failure(self.settings, said, transient=is_worth_retrying(status, words))

    def _reply(self, body: Mapping[str, Any]) -> ChatReply | None:
        """The reply in a completion as OpenAI, Anthropic or Amazon's Nova write it; None if it has no choices."""
        finish: Any
        if _at(body, "choices"):
            text = _at(body, "choices", 0, "message", "content")
            finish = _at(body, "choices", 0, "finish_reason")
        elif isinstance(_at(body, "content"), list):
            text, finish = _joined(body["content"]), _at(body, "stop_reason")
        elif isinstance(_at(body, "output", "message", "content"), list):
            text, finish = _joined(body["output"]["message"]["content"]), _at(body, "stopReason")
        else:
            return None
        usage = _at(body, "usage")
        tokens = (
            _first(usage, "prompt_tokens", "input_tokens", "inputTokens"),
            _first(usage, "completion_tokens", "output_tokens", "outputTokens"),
        )
        finish = "length" if finish in _CUT_SHORT else finish
        text = text if isinstance(text, str) else ""
        return chat_reply(self.settings, text, tokens, 0.0, finish)


def _joined(parts: list[Any]) -> str:
    return "".join(text for part in parts if isinstance(text := _at(part, "text"), str))


def _first(value: Any, *names: str) -> Any:
    return next((found for name in names if (found := _at(value, name)) is not None), None)


def _at(value: Any, *path: str | int) -> Any:
    """What stands at a path of keys and positions; None where there is nothing."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and len(value) > step else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value
