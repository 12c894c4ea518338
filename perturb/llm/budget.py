"""Keeps a run within `budget_usd`, and shows its progress: counts, speed, cost, and models in trouble.

A call is sent only if its highest possible cost fits into the budget.
"""

from __future__ import annotations

import asyncio
import dataclasses
import shutil
import sys
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from logging import INFO, WARNING
from typing import TYPE_CHECKING, Any, Self

from perturb.errors import BudgetSpent, ConfigError
from perturb.llm.client import ChatModel, ChatRequest, ModelSettings, schema_text
from perturb.llm.limits import LimitedModel, Trouble
from perturb.runtime import event

if TYPE_CHECKING:
    from tqdm import tqdm

DEFAULT_MAX_TOKENS = 4096
"""The `max_tokens` of a call under a budget, if the parameters of the model do not set it."""

# Tokens that a chat template may add to a message, such as role names and separators.
_TURN_TOKENS = 16


class Budget:
    """The budget of a run: its limit, the sum spent, and the bounds of calls in flight, all in USD."""

    def __init__(self, limit_usd: float | None = None, spent_usd: float = 0.0) -> None:
        """`limit_usd` None means no limit. `spent_usd` is the cost of the run so far."""
        self.limit = limit_usd
        self.spent = spent_usd
        self.reserved = 0.0
        self._in_flight = 0
        self._waiting: deque[tuple[float, asyncio.Future[None]]] = deque()

    async def reserve(self, bound: float) -> None:
        """Set `bound` aside for a call. If it does not fit now, wait until calls in flight have settled.

        Raises `BudgetSpent` if the bound does not fit although no call is in flight.
        """
        # Calls that wait go first, so that a large call is not overtaken by small ones for ever.
        if not self._waiting and self._fits(bound):
            self._set_aside(bound)
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((bound, granted))
        # If no call is in flight, nothing will be settled later, so the call is refused here.
        self._admit_waiting()
        try:
            await granted
        except asyncio.CancelledError:
            # The bound may have been set aside just before the cancellation. Then it must be given back here.
            was_granted = granted.done() and not granted.cancelled() and granted.exception() is None
            if was_granted:
                self.settle(bound, 0.0)
            raise

    def settle(self, bound: float, actual: float | None) -> None:
        """Replace a reserved bound by the actual cost. If the cost is unknown (None), the bound is charged."""
        self._in_flight -= 1
        # Differences of floats leave a tiny remainder. With no call in flight, it would never go away.
        self.reserved = self.reserved - bound if self._in_flight else 0.0
        self.spent += bound if actual is None else actual
        self._admit_waiting()

    def _set_aside(self, bound: float) -> None:
        """Count a call as in flight."""
        self._in_flight += 1
        self.reserved += bound

    def _fits(self, bound: float) -> bool:
        return self.limit is None or self.spent + self.reserved + bound <= self.limit

    def _admit_waiting(self) -> None:
        """Admit the calls that have waited longest, and refuse those that can never fit."""
        while self._waiting:
            bound, granted = self._waiting[0]
            if not granted.done():
                if self._fits(bound):
                    self._set_aside(bound)
                    granted.set_result(None)
                elif self._in_flight:
                    return
                else:
                    granted.set_exception(self._refusal(bound))
            self._waiting.popleft()

    def _refusal(self, bound: float) -> BudgetSpent:
        return BudgetSpent(
            f"budget_usd: {self.spent:.4f} of {self.limit:.4f} USD are spent and the next call may cost "
            f"{bound:.4f}: raise budget_usd and run the same command again"
        )


def bounded(settings: ModelSettings, budget: Budget) -> ModelSettings:
    """The settings with an upper bound on the tokens of a reply, which a budget needs.

    Raises `ConfigError` if the budget is limited and the model's price is unknown.
    """
    if budget.limit is None:
        return settings
    if settings.price is None:
        raise ConfigError(
            f"model '{settings.name}': its price is unknown, so budget_usd cannot be kept: "
            "add 'price: {input: …, output: …}' (USD per million tokens) to the model"
        )
    if _max_tokens(settings) is not None:
        return settings
    return dataclasses.replace(settings, params={**settings.params, "max_tokens": DEFAULT_MAX_TOKENS})


def upper_bound(settings: ModelSettings, request: ChatRequest) -> float:
    """The most that a call can cost, in USD. It counts a token for each byte of the prompt.

    It is 0 for a model without a price, which only an unlimited budget admits.

    >>> from perturb.llm.client import Message, Price
    >>> model = ModelSettings("m", "openai/m", params={"max_tokens": 100}, price=Price(10.0, 20.0))
    >>> upper_bound(model, ChatRequest((Message("user", "x" * 84),)))
    0.003
    """
    if settings.price is None:
        return 0.0
    prompt = sum(len(m.content.encode("utf-8", "surrogatepass")) + _TURN_TOKENS for m in request.messages)
    if request.schema is not None:
        prompt += len(schema_text(request.schema).encode("utf-8", "surrogatepass"))
    return settings.price.of(prompt, _max_tokens(settings) or DEFAULT_MAX_TOKENS)


def _max_tokens(settings: ModelSettings) -> int | None:
    """The limit of a reply's tokens in the parameters, under OpenAI's newer or older name; None if it is not set."""
    values = (settings.params.get(name) for name in ("max_completion_tokens", "max_tokens"))
    return next((value for value in values if isinstance(value, int)), None)


# Seconds between two looks at the models.
_TICK = 0.5

# Seconds over which the speed is measured.
_WINDOW = 10.0


class Progress:
    """The lines of a run on stderr: a bar, counts, and models in trouble. Without a terminal, nothing is shown."""

    def __init__(
        self, total: int, unit: str, counts: Mapping[str, int] | None = None, *, shown: bool
    ) -> None:
        """`counts` are the items that are done already, by outcome."""
        self._counts = Counter(counts)
        done = self._counts.total()
        self._done_before = done
        self._lock = threading.Lock()
        self._bar = progress_bar(shown, total=total, initial=done, unit=unit, dynamic_ncols=True)
        lines = 0 if in_notebook() else 2  # a notebook cannot go back to a line above
        self._lines = [progress_bar(shown, bar_format="{desc}", leave=False) for _ in range(lines)]
        self._reported_causes: dict[str, set[str]] = {}
        """Name of a model in trouble → the causes that were reported."""
        self._batches = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._show(" · ".join(self._outcomes()))
        for line in (*reversed(self._lines), self._bar):
            line.close()

    def count(self, outcome: str = "") -> None:
        """Count an item that ended with this outcome. Any thread may call this."""
        with self._lock:
            self._counts[outcome] += 1
            self._bar.update()

    def expect(self, number: int) -> None:
        """Add this number of items to the total."""
        with self._lock:
            self._bar.total = (self._bar.total or 0) + number
            self._bar.refresh()

    def tell_batches(self, words: str) -> None:
        """Show a message about the batches at the providers."""
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
        """Show counts, speed, cost and troubles again and again, until the task is cancelled."""
        spent_before = budget.spent
        # Time and number of answers, from up to `_WINDOW` seconds ago until now.
        answered: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])
        while True:
            await asyncio.sleep(_TICK)
            now = time.monotonic()
            answers = sum(model.answers for model in models)
            answered.append((now, answers))
            # Two entries stay, so that a speed can always be computed.
            while len(answered) > 2 and now - answered[0][0] > _WINDOW:
                answered.popleft()
            earlier, earlier_answers = answered[0]
            figures = self._outcomes()
            if models:
                figures.append(f"{(answers - earlier_answers) / (now - earlier):.1f} calls/s")
            failed = sum(model.failures for model in models)
            if failed:
                figures.append(f"{failed:,} failed calls")
            if any(model.settings.price for model in models):
                figures.append(self._cost(spent_before, budget.spent))
            work = " · ".join(filter(None, (*figures, self._batches)))
            self._show(work, "; ".join(self._tell_troubles(models)))

    def _outcomes(self) -> list[str]:
        """The counts by outcome, in words. Items that were counted without an outcome are only in the bar."""
        return [f"{n:,} {name}" for name, n in self._counts.items() if name and n]

    def _cost(self, before: float, spent: float) -> str:
        """The cost so far, and the projected cost of the whole run at the cost per item since the start."""
        n_done = self._counts.total() - self._done_before
        n_left = max(0, (self._bar.total or 0) - self._counts.total())
        if not n_done:
            return f"${spent:,.2f}"
        cost_per_item = (spent - before) / n_done
        return f"${spent:,.2f} of about ${spent + cost_per_item * n_left:,.2f}"

    def _tell_troubles(self, models: Sequence[LimitedModel]) -> list[str]:
        """One line for each model in trouble. Each cause is logged once, and so is the end of all trouble of a name."""
        # A generator and a verifier may share a name and have different settings, and so both have trouble. A name
        # without trouble stays with an empty list.
        by_name: dict[str, list[Trouble]] = {model.settings.name: [] for model in models}
        for model in models:
            trouble = model.trouble()
            if trouble is not None:
                by_name[model.settings.name].append(trouble)
        for name, troubles in by_name.items():
            if not troubles and self._reported_causes.pop(name, set()):
                event(INFO, "recovered", f"{name}: answers again", model=name)
            for trouble in troubles:
                reported_causes = self._reported_causes.setdefault(name, set())
                if trouble.cause not in reported_causes:
                    reported_causes.add(trouble.cause)
                    words = f"{name}: {trouble}"
                    event(WARNING, "trouble", words, model=name, state=trouble.state, cause=trouble.cause)
        return [f"{name}: {trouble}" for name, troubles in by_name.items() for trouble in troubles]

    def _show(self, *message: str) -> None:
        """Write each text of the message on its line below the bar; in a notebook, all of them behind the bar."""
        if not self._lines:
            self._bar.set_postfix_str(" · ".join(filter(None, message)))
            return
        # A line longer than the terminal would wrap and break the display.
        width = shutil.get_terminal_size((80, 24)).columns - 1
        for line, words in zip(self._lines, message, strict=False):
            line.set_description_str(words if len(words) <= width else f"{words[: width - 1]}…")


def progress_bar(is_wanted: bool, **options: Any) -> tqdm[Any]:
    """A tqdm bar on a terminal or in a notebook; a silent one elsewhere, and if it is not wanted."""
    disable: bool | None = True
    if is_wanted:
        disable = False if in_notebook() else None  # with None, tqdm shows a bar only on a terminal
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without ipywidgets the bar is text
        from tqdm.auto import tqdm

        return tqdm(disable=disable, **options)


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in shell.config
