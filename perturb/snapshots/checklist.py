"""Which practices of BetterBench a snapshot meets, as far as its manifest says.

Source: A. Reuel and others, BetterBench: Assessing AI Benchmarks (NeurIPS 2024, arXiv 2411.12990). The practices are
named in our words. Those about one run of an evaluation or about the authors' work are listed as unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from perturb.records import Facts
from perturb.snapshots.facts import certificate_line, hub_licence

State = Literal["met", "not met", "unknown"]


@dataclass(frozen=True, slots=True)
class Practice:
    """A practice, and whether a snapshot meets it."""

    stage: str
    name: str
    state: State
    reason: str


Finding = tuple[State, str]


def check_practices(manifest: Facts) -> tuple[Practice, ...]:
    """The practices in the order of the life of a benchmark: design, implementation, documentation, maintenance."""
    return tuple(
        Practice(stage, name, *(found if isinstance(found, tuple) else found(manifest)))
        for stage, practices in _PRACTICES.items()
        for name, found in practices.items()
    )


def _when(met: bool, yes: str, no: str) -> Finding:
    return ("met", yes) if met else ("not met", no)


def _labels(manifest: Facts) -> Finding:
    certificate = manifest.get("certificate")
    told = certificate_line(certificate, len(manifest["verifiers"])) if certificate else ""
    return _when(bool(told), told, "nothing was planted: build with `panel: {planted: 24}`")


def _people(manifest: Facts) -> Finding:
    people = manifest.get("people") or {"n": 0}
    return _when(people["n"] > 0, f"people read {people['n']} items", "nobody read items: perturb review RUN")


def _agreement(manifest: Facts) -> Finding:
    agreement = manifest["agreement"]
    return _when(
        bool(agreement), "agreement of the verifiers with intervals", "the panel's agreement was not measured"
    )


def _shortcuts(manifest: Facts) -> Finding:
    shortcuts = manifest.get("shortcuts")
    return _when(
        bool(shortcuts),
        "baselines that see a part of an item, and chance",
        "not measured: select.shortcuts: true",
    )


def _licence(manifest: Facts) -> Finding:
    stated = [one["licence"] for one in manifest["licences"]]
    missing = [one or "none" for one in stated if one is None or hub_licence(one) is None]
    return _when(
        not missing, ", ".join(map(str, stated)), f"licences that the Hub does not know: {', '.join(missing)}"
    )


def _harness(manifest: Facts) -> Finding:
    return _when(
        bool(manifest["harness"]), "tasks for Inspect, lm-evaluation-harness and lighteval", "no task files"
    )


def _replies(manifest: Facts) -> Finding:
    return _when(
        bool(manifest.get("replies")),
        "the rows can be made again from the replies: verify-snapshot --replay",
        "the replies were not exported: perturb export RUN --replies FILE",
    )


def _unfinished(manifest: Facts) -> Finding:
    return _when(bool(manifest["created"]), f"created {manifest['created'] or ''}", "the date is missing")


_CODES = ("met", "the card lists every class, intensity and expected behaviour")

_PRACTICES: dict[str, dict[str, Finding | Callable[[Facts], Finding]]] = {
    "design": {
        "The tested capability is defined": _CODES,
        "How the capability becomes a task is described": (
            "met",
            "levers, classes and intensities are in the rows",
        ),
        "How scores are to be read is described": ("unknown", "a matter of what you publish beside it"),
        "Experts of the domain took part": _people,
        "Users and uses are described": ("met", "card and croissant.json: evaluation, not training"),
        "Metrics have floors and ceilings": ("met", "every metric is documented with its range"),
        "Human performance is known": (
            "unknown",
            "the manifest has people's verdicts on labels, not their answers",
        ),
        "Random performance is known": _shortcuts,
        "Automatic judgements are validated": _agreement,
        "Labels are validated": _labels,
        "Sensitivity to the wording of the prompt is addressed": (
            "unknown",
            "evaluate with two settings: --prompt",
        ),
    },
    "implementation": {
        "Code of the evaluation is available": _harness,
        "Data and the way they were made are available": (
            "met",
            "rows, build.yaml and digests of catalogue and templates",
        ),
        "Models behind an API and local ones can be evaluated": ("met", "any model that litellm reaches"),
        "A string identifies the data in training corpora": ("met", "canary in the manifest and on the card"),
        "Results can be replicated": _replies,
        "Uncertainty is reported": ("unknown", "perturb score gives intervals; quote them"),
    },
    "documentation": {
        "The construction is documented": ("met", "card, manifest and build.yaml"),
        "Limitations are documented": (
            "met",
            "card: known limits, wrong labels and shortcuts where measured",
        ),
        "The licence is stated": _licence,
        "A quick start is there": ("met", "card: how to load and evaluate"),
        "A reviewed paper accompanies it": ("unknown", "the manifest knows of no paper"),
    },
    "maintenance": {
        "The date of the last check is known": _unfinished,
        "A channel for feedback is there": ("unknown", "the Hub's discussions, if you publish there"),
        "A person can be reached": ("unknown", "name one on the card"),
    },
}
