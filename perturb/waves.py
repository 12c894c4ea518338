"""A build in waves: which of a plan's jobs are entered in the ledger next, until every cell has its quota."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from perturb.build_plan import BuildPlan
from perturb.config import read_quota
from perturb.quota import JobEnd, Place, missing_items, plan_wave
from perturb.records import Cell, Job
from perturb.store import Ledger
from perturb.store.quotas import begun_jobs, job_ends


class Waves:
    """The waves of one plan. A wave is in the ledger before its first call, so that a killed one is finished first."""

    def __init__(self, build_plan: BuildPlan, ledger: Ledger, plan: int, rule: str) -> None:
        self.quota = read_quota(rule)
        self._build_plan = build_plan
        self._ledger = ledger
        self._plan = plan
        self._begun = set(begun_jobs(ledger.db, plan))

    @cached_property
    def _jobs(self) -> list[Job]:
        return list(self._build_plan.jobs())

    def begun(self) -> Iterator[Job]:
        """The jobs of earlier sessions, whatever their plan."""
        return (job for job in self._jobs if job.id in self._begun)

    def enter_next(self) -> int:
        """Enter the next wave in the ledger; return how many jobs it has."""
        waiting = (job for job in self._jobs if job.id not in self._begun)
        wave = plan_wave(waiting, self._ends(), self.quota)
        if wave:
            self._ledger.add_jobs(
                self._plan, wave, {one.id: one for _, one in self._build_plan.instances}, retry=False
            )
            self._begun.update(job.id for job in wave)
        return len(wave)

    def unfilled(self) -> tuple[str, ...]:
        """Places whose jobs are used up although items are missing, one line for each cell."""
        left = {(job.generator, job.cell) for job in self._jobs if job.id not in self._begun}
        left |= {one.place for one in self._ends() if one.end == "open"}
        short: dict[Cell, list[str]] = defaultdict(list)
        for (generator, cell), n in missing_items(self._places, self._ends(), self.quota).items():
            if (generator, cell) not in left:
                short[cell].append(f"{generator} {self.quota - n} of {self.quota}")
        return tuple(
            f"{cell} cannot be filled ({', '.join(names)}): every instance was tried: add instances, or raise"
            " 'replicates'"
            for cell, names in short.items()
        )

    @property
    def _places(self) -> list[Place]:
        config = self._build_plan.config
        return [(one.name, cell) for cell in config.chosen_cells for one in config.generators]

    def _ends(self) -> list[JobEnd]:
        self._ledger.flush()
        panel = self._build_plan.panel
        return job_ends(self._ledger.db, self._plan, panel.digest, panel.judges)
