"""The items that models are evaluated on: one question with its passages and what a good system does with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from perturb.export.controls import NO_INTENSITY
from perturb.records import Cell, Intensity, Passage, PerturbationClass, render_context


@dataclass(frozen=True, slots=True)
class EvaluationItem:
    """One row of a snapshot, as far as an evaluation needs it."""

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
    lever: str = ""
    generator: str = ""
    """Who made the item."""
    control: bool = False
    """An unperturbed original beside an item; its cell's class is the item's, and it must be answered."""

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
        """What the ledger keeps under the item's id."""
        content = asdict(self)
        del content["id"], content["cell"]
        return {
            "perturbation_class": str(self.cell.perturbation_class),
            "intensity": str(self.cell.intensity),
            **content,
        }


def item_from_payload(item_id: str, payload: Mapping[str, Any]) -> EvaluationItem:
    """Read back what `EvaluationItem.to_payload` gave."""
    content = dict(payload)
    cell = Cell(PerturbationClass(content.pop("perturbation_class")), Intensity(content.pop("intensity")))
    content["passages"] = tuple(Passage(**passage) for passage in content["passages"])
    content["answers"] = tuple(content["answers"])
    return EvaluationItem(id=item_id, cell=cell, **content)
