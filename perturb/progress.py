"""What a run says while it is at work: a bar with counts, speed and cost, and at once which model is in trouble."""

from __future__ import annotations

import asyncio
import shutil
import threading
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Self

from perturb.events import INFO, WARNING, event
from perturb.llm.budget import Budget
from perturb.llm.client import ChatModel
from perturb.llm.limits import LimitedModel
from perturb.notebook import in_notebook, progress_bar

_TICK = 0.5
"""Seconds between two looks at the models."""

_WINDOW = 10.0
"""Seconds over which the speed is measured."""


class Progress:
    """The lines of a run on stderr: a bar, what was counted, models in trouble; none where that is no terminal."""

    def __init__(
        self, total: int, unit: str, counts: Mapping[str, int] | None = None, *, shown: bool
    ) -> None:
        """`counts` is what earlier sessions did, by outcome."""
        self._counts = Counter(counts)
        self._done_before = done = self._counts.total()
        self._lock = threading.Lock()
        self._bar = progress_bar(shown, total=total, initial=done, unit=unit, dynamic_ncols=True)
        lines = 0 if in_notebook() else 2  # a notebook cannot go back to a line above
        self._lines = [progress_bar(shown, bar_format="{desc}", leave=False) for _ in range(lines)]
        self._told: dict[str, str] = {}
        self._batches = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._show(" · ".join(self._outcomes()))
        for line in (*reversed(self._lines), self._bar):
            line.close()

    def count(self, outcome: str = "") -> None:
        """One more item has come to this end; may be called from any thread."""
        with self._lock:
            self._counts[outcome] += 1
            self._bar.update()

    def expect(self, more: int) -> None:
        """So many more items are to be done."""
        with self._lock:
            self._bar.total = (self._bar.total or 0) + more
            self._bar.refresh()

    def tell_batches(self, words: str) -> None:
        """Say how the batches at the providers go."""
        self._batches = words

    @asynccontextmanager
    async def watching(self, models: Iterable[ChatModel], budget: Budget) -> AsyncIterator[None]:
        """Keep the lines up to date within the block."""
        limited = [model for model in models if isinstance(model, LimitedModel)]
        ticking = asyncio.create_task(self._tick(limited, budget))
        try:
            yield
        finally:
            ticking.cancel()
            await asyncio.gather(ticking, return_exceptions=True)

    async def _tick(self, models: list[LimitedModel], budget: Budget) -> None:
        began = budget.spent
        answered: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])
        while True:
            await asyncio.sleep(_TICK)
            answered.append((time.monotonic(), sum(model.answers for model in models)))
            while len(answered) > 2 and answered[-1][0] - answered[0][0] > _WINDOW:
                answered.popleft()
            (then, few), (now, many) = answered[0], answered[-1]
            parts = self._outcomes()
            parts += [f"{(many - few) / (now - then):.1f} calls/s"] * bool(models)
            failed = sum(model.failures for model in models)
            parts += [f"{failed:,} failed calls"] * bool(failed)
            if any(model.settings.price for model in models):
                parts.append(self._cost(began, budget.spent))
            work = " · ".join(filter(None, (*parts, self._batches)))
            self._show(work, "; ".join(filter(None, map(self._name_trouble, models))))

    def _outcomes(self) -> list[str]:
        return [f"{n:,} {name}" for name, n in sorted(self._counts.items()) if name]

    def _cost(self, before: float, spent: float) -> str:
        """What was spent, and what it will be if the rest costs as much as what this session did."""
        done = self._counts.total() - self._done_before
        left = max(0, (self._bar.total or 0) - self._counts.total())
        forecast = f" of about ${spent + (spent - before) / done * left:,.2f}" if done else ""
        return f"${spent:,.2f}{forecast}"

    def _name_trouble(self, model: LimitedModel) -> str:
        """What is wrong with a model now; said once for each cause, and when it is over."""
        name, trouble = model.settings.name, model.trouble()
        if trouble is None:
            if self._told.pop(name, None):
                event(INFO, "recovered", f"{name}: answers again", model=name)
            return ""
        if self._told.get(name) != trouble.cause:
            self._told[name] = trouble.cause
            event(
                WARNING, "trouble", f"{name}: {trouble}", model=name, state=trouble.state, cause=trouble.cause
            )
        return f"{name}: {trouble}"

    def _show(self, *said: str) -> None:
        if not self._lines:
            self._bar.set_postfix_str(" · ".join(filter(None, said)))
        width = shutil.get_terminal_size((80, 24)).columns - 1
        for line, words in zip(self._lines, said, strict=False):
            line.set_description_str(words if len(words) <= width else f"{words[: width - 1]}…")
