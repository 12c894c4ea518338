"""Renders the prompts of generators and verifiers.

A prompt is two messages. The system message comes from a template and speaks of the cell alone, so it is the same
for every instance of the cell and providers can cache it. The user message is one JSON object with the texts: they
are data, are never rendered as a template, and cannot break out of their strings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import jinja2

from perturb.catalogue import Catalogue
from perturb.digests import digest
from perturb.llm.client import ChatRequest, Message
from perturb.records import (
    ANSWER_CORRECTLY,
    CHECK_NAMES,
    REFUSE_OTHER,
    BaseInstance,
    Candidate,
    Cell,
    Lever,
    PerturbationClass,
)
from perturb.resources import data_folder

GENERATION_KEYS: tuple[str, ...] = (
    "perturbed_query",
    "perturbed_context",
    "lever_selected",
    "implementation_reasoning",
    "intensity_achieved",
    "answer_constraint_satisfied",
    "expected_rag_behavior",
)
"""The fields of a generator's reply (spec, section 3)."""


class Prompts:
    """The prompts over one catalogue; templates may come from a folder of the user's own."""

    def __init__(self, catalogue: Catalogue, folder: Path | None = None) -> None:
        self.catalogue = catalogue
        self.folder = folder or data_folder("templates")
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(self.folder),
            undefined=jinja2.StrictUndefined,
            autoescape=False,  # noqa: S701 - plain text for models, not HTML
            keep_trailing_newline=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._system = lru_cache(maxsize=None)(self._render_system)

    def version(self, name: str) -> str:
        """Digest of a template's source: a changed template makes new jobs or new votes."""
        return digest((self.folder / name / "single.j2").read_text(encoding="utf-8"))

    def generation(self, cell: Cell, instance: BaseInstance, lever: Lever | None) -> ChatRequest:
        """Ask a generator to perturb `instance`; `lever` names the lever in advance."""
        data = {
            "perturbation_class": str(cell.perturbation_class),
            "intensity": str(cell.intensity),
            "query": instance.query,
            "context": instance.context,
            "answers": list(instance.answers),
        }
        return _request(self._system("generate", cell, lever), data, generation_schema(cell))

    def verification(self, instance: BaseInstance, candidate: Candidate) -> ChatRequest:
        """Ask a verifier about `candidate`; the generator's own claims are left out, so that they sway nobody."""
        cell = candidate.cell
        data = {
            "perturbation_class": str(cell.perturbation_class),
            "intensity": str(cell.intensity),
            "original": {
                "query": instance.query,
                "context": instance.context,
                "answers": list(instance.answers),
            },
            "candidate": {
                "lever": candidate.lever,
                "query": candidate.query,
                "context": candidate.context,
            },
        }
        return _request(self._system("verify", cell, None), data, verification_schema())

    def _render_system(self, name: str, cell: Cell, lever: Lever | None) -> str:
        entry = self.catalogue.classes[cell.perturbation_class]
        return self._environment.get_template(f"{name}/single.j2").render(
            entry=entry,
            cell=cell,
            criterion=entry.criteria[cell.intensity],
            target_words=" and ".join(f"the {part}" for part in sorted(entry.target, reverse=True)),
            expected=self.catalogue.expected_behavior(cell),
            levers=(lever,) if lever else self.catalogue.levers_of(cell),
            assigned=lever is not None,
            check_names=CHECK_NAMES,
            codes=self._codes(),
        )

    def _codes(self) -> list[str]:
        """Every code a reply may give, in the order of the taxonomy."""
        refusals = [self.catalogue.classes[name].refusal_code for name in PerturbationClass]
        return [ANSWER_CORRECTLY, *refusals, REFUSE_OTHER]


def _request(system: str, data: Mapping[str, Any], schema: Mapping[str, Any]) -> ChatRequest:
    text = json.dumps(data, ensure_ascii=False, indent=1)
    return ChatRequest((Message("system", system), Message("user", text)), schema)


@cache
def generation_schema(cell: Cell) -> Mapping[str, Any]:
    """JSON schema of a generator's reply."""
    fields = {name: {"type": "string"} for name in GENERATION_KEYS}
    fields["intensity_achieved"] = {"type": "string", "enum": [str(cell.intensity)]}  # type: ignore[dict-item]
    return _object(fields)


@lru_cache(maxsize=1)
def verification_schema() -> Mapping[str, Any]:
    """JSON schema of a verifier's reply."""
    return _object(
        {
            "verdict": {"type": "string", "enum": ["PASS", "FAIL"]},
            "checks": _object({name: {"type": "boolean"} for name in CHECK_NAMES}),
            "predicted_rag_behavior": {"type": "string"},
            "issues": {"type": "array", "items": {"type": "string"}},
        }
    )


def _object(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }
