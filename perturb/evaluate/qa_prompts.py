"""Prompts about questions: a fixed system message from a template, and one JSON object with the texts.

The texts are data: they are never rendered as a template and cannot break out of their strings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import jinja2

from perturb.digests import digest
from perturb.evaluate.questions import Question
from perturb.llm.client import ChatRequest, Message
from perturb.resources import data_folder


@cache
def _source(name: str) -> str:
    return (data_folder("templates") / f"{name}.j2").read_text(encoding="utf-8")


@cache
def template_version(name: str) -> str:
    """Digest of the template `name` (`grade/judge`, say)."""
    return digest(_source(name))


@cache
def system_message(name: str, **options: Any) -> str:
    """The template `name` rendered with options of ours, never with a text of a data set."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - plain text for models, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.from_string(_source(name)).render(options)


def data_request(
    system: str, data: Mapping[str, Any], schema: Mapping[str, Any] | None = None
) -> ChatRequest:
    """A request of two messages: the system message, and `data` as JSON."""
    text = json.dumps(dict(data), ensure_ascii=False, indent=1)
    return ChatRequest((Message("system", system), Message("user", text)), schema)


def question_data(question: Question) -> dict[str, Any]:
    """What a model is shown of a question: never an answer.

    >>> question_data(Question("q1", "Which letter?", ("A",), "option", {"A": "this", "B": "that"}))
    {'question': 'Which letter?', 'options': {'A': 'this', 'B': 'that'}}
    """
    data: dict[str, Any] = {"question": question.text}
    if question.options:
        data["options"] = dict(question.options)
    if question.context is not None:
        data["context"] = question.context
    return data
