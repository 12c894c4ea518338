"""What models under test are asked and reply, and what judges say of the replies; imports nothing but `records`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter

from perturb.records import NO_INTENSITY, Cell, Intensity, Passage, render_context


@dataclass(frozen=True, slots=True)
class Item:
    """One item that models are evaluated on: a question with its passages, and what a good system does with it."""

    id: str
    base_id: str
    """The base instance; items that share it are not independent."""
    cell: Cell
    expected_behavior: str
    """`ANSWER_CORRECTLY` or a refusal code."""
    query: str
    passages: tuple[Passage, ...]
    """As a model is shown them, in order; `signal` ones bear on the question."""
    answers: tuple[str, ...]
    """Accepted answers to the question before it was perturbed, the preferred one first."""
    reference_answer: str | None = None
    domain: str | None = None
    language: str = "en"
    lever: str = ""
    generator: str = ""
    """Who made the item."""
    control: bool = False
    """An unperturbed original beside an item; its cell's class is the item's, and it must be answered."""
    original_query: str | None = None
    """The question before it was perturbed, where the source says; no model is shown this or the next."""
    original_passages: tuple[str, ...] = ()
    """The texts of the passages before; empty where the source does not say, or passages cannot be told apart."""

    @property
    def several(self) -> bool:
        """Whether the context has several passages, which decides prompt and judge."""
        return len(self.passages) > 1

    @property
    def intensity(self) -> str:
        """The intensity of the item; NONE for a control."""
        return NO_INTENSITY if self.control else str(self.cell.intensity)

    @property
    def answerable(self) -> bool:
        """Whether the question must be answered: LOW items, and controls, whose cell says LOW."""
        return self.cell.intensity is Intensity.LOW

    @property
    def context(self) -> str:
        """The passage alone, or numbered passages."""
        return render_context(self.passages)

    @property
    def signal_numbers(self) -> tuple[int, ...]:
        """Numbers, from 1, of the passages that bear on the question."""
        return tuple(number for number, one in enumerate(self.passages, start=1) if one.role == "signal")

    def to_payload(self) -> dict[str, Any]:
        """What the ledger keeps under the item's id; originals that are not known, and English, are left out."""
        content = asdict(self)
        del content["id"], content["cell"]
        for name in ("original_query", "original_passages"):
            if not content[name]:
                del content[name]
        if self.language == "en":
            del content["language"]
        return {
            "perturbation_class": str(self.cell.perturbation_class),
            "intensity": str(self.cell.intensity),
            **content,
        }

    @classmethod
    def from_payload(cls, item_id: str, payload: Mapping[str, Any]) -> Item:
        """Read back what `to_payload` gave; raises `ValueError` for anything else."""
        return _ITEM.validate_python({"id": item_id, "cell": payload, **payload})


_ITEM = TypeAdapter(Item)


class ResponseStatus(StrEnum):
    """Whether a model under test answered at all."""

    ANSWERED = "answered"
    """There is a reply, be it empty."""
    ERROR = "error"
    """The call failed for good; asked again when the run is resumed."""


@dataclass(frozen=True, slots=True)
class Response:
    """What a model under test replied to one item."""

    item_id: str
    model: str
    variant: str
    """How it was asked: the name of the prompt or the elicitation."""
    status: ResponseStatus
    text: str
    """The reply as it came."""
    error: str = ""
    fingerprint: str = ""
    """Digest of the model, its settings and the prompt: a response with another one is out of date."""


class JudgementStatus(StrEnum):
    """Whether a judgement could be read; unreadable is unscored, never right or wrong."""

    READ = "read"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge, or an exact rule, says of one response in one respect."""

    item_id: str
    model: str
    variant: str
    kind: str
    """What is judged: `classification`, `quality`, `eligibility`, `factuality`, `grade`, …"""
    judge: str
    """The name of the judge, or `rule` where no call was needed."""
    status: JudgementStatus
    value: Mapping[str, Any] = field(default_factory=dict)
    """The judgement, by the names of its kind; empty when unscored."""
    raw: str = ""
    """The judge's reply as it came, or the error that stood in its place."""
    fingerprint: str = ""
    """Digest of the judge, its prompt and the response judged."""
