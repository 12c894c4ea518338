"""Cuts a context to a set number of passages, so that all instances of a set are alike (spec, section 2)."""

from __future__ import annotations

from dataclasses import replace

from perturb.curate.garage import CITED, LABELS, RELATED
from perturb.curate.recipes import PassageBudget
from perturb.records import BaseInstance

NO_SIGNAL = "no passage answers the question"
TOO_FEW = "fewer than {} passages"


def cut_context(instance: BaseInstance, budget: PassageBudget) -> BaseInstance | str:
    """The instance with exactly `budget.count` passages in their old order, or why it cannot have them.

    Signal passages come first, those that the reference answer cites before the others, `max_signal` at most. Noise
    fills the rest, passages on the topic first. Signal beyond the maximum is never used as noise.
    """
    passages = instance.passages
    signal = [i for i, passage in enumerate(passages) if passage.role == "signal"]
    noise = [i for i, passage in enumerate(passages) if passage.role == "noise"]
    if not signal:
        return NO_SIGNAL
    if len(passages) < budget.count:
        return TOO_FEW.format(budget.count)
    cited, labels = _marks(instance, CITED), _marks(instance, LABELS)
    signal.sort(key=lambda i: cited[i] is not True)
    noise.sort(key=lambda i: labels[i] != RELATED)
    chosen = signal[: min(budget.max_signal, budget.count)]
    chosen += noise[: budget.count - len(chosen)]
    if len(chosen) < budget.count:
        return f"too few noise passages for {budget.count} with at most {budget.max_signal} of signal"
    chosen.sort()
    marks = {CITED: [cited[i] for i in chosen], LABELS: [labels[i] for i in chosen]}
    return replace(
        instance,
        passages=tuple(passages[i] for i in chosen),
        metadata={
            **instance.metadata,
            **{key: kept for key, kept in marks.items() if key in instance.metadata},
        },
    )


def _marks(instance: BaseInstance, key: str) -> list[object]:
    """The metadata's mark of each passage; None for each where the source has no such marks."""
    marks = instance.metadata.get(key)
    if isinstance(marks, list) and len(marks) == len(instance.passages):
        return marks
    return [None] * len(instance.passages)
