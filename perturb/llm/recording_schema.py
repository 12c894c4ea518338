"""What the lines of a file of recorded replies must hold: its header, by the kind of run, base instances and items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from perturb.records import BaseInstance

Count = Annotated[int, Field(ge=0, lt=2**53)]
Seconds = Annotated[float, Field(ge=0, lt=2**53)]


@dataclass(kw_only=True)
class _Model:
    name: str
    model: str
    params: dict[str, Any]
    system: str = ""


@dataclass
class _Panel:
    rule: Literal["majority", "unanimity"]
    members: Annotated[list[_Model], Field(min_length=1)]


@dataclass(kw_only=True)
class _Run:
    name: str
    code_version: str | None
    models: Annotated[dict[str, _Model], Field(min_length=1)]


@dataclass
class _Digests:
    base_set: str
    catalogue: str
    templates: str


@dataclass(kw_only=True)
class _Build(_Run):
    kind: Literal["build"]
    round: str
    seed: int
    config: str
    digests: _Digests


@dataclass(kw_only=True)
class _Judged(_Run):
    items: str
    judge: _Model | None
    judges: _Panel | None = None


@dataclass(kw_only=True)
class _Evaluation(_Judged):
    kind: Literal["evaluation"]
    round: str | None
    variant: Literal["plain", "confidence"]


@dataclass(kw_only=True)
class _TwoPasses:
    settings: list[str]
    samples: Count = 1


@dataclass(kw_only=True)
class _RefusalIndex(_Judged):
    kind: Literal["refusal-index"]
    ways: _TwoPasses


@dataclass
class _Elicited:
    elicitations: list[Literal["direct", "reflection", "top-k", "top-k-reflection"]]
    k: Count


@dataclass(kw_only=True)
class _Bas(_Judged):
    kind: Literal["bas"]
    ways: _Elicited


@dataclass
class _InstanceRow:
    content: BaseInstance


@dataclass
class _ItemRow:
    id: str
    content: dict[str, Any]


_HEADER: TypeAdapter[Any] = TypeAdapter(
    Annotated[_Build | _Evaluation | _RefusalIndex | _Bas, Field(discriminator="kind")]
)
_ROWS: Mapping[str, TypeAdapter[Any]] = {"instance": TypeAdapter(_InstanceRow), "item": TypeAdapter(_ItemRow)}


def check_header(header: Mapping[str, Any]) -> None:
    """Raises `ValueError` if a field is missing or of another type, or a model stands under another's name."""
    for name, model in _HEADER.validate_python(header).models.items():
        if model.name != name:
            raise ValueError(f"lists the model '{model.name}' as '{name}'")


def check_content(kind: str, row: Mapping[str, Any]) -> None:
    """The same for the line of a base instance or item; what an item holds is for its task to read."""
    _ROWS[kind].validate_python(row)
