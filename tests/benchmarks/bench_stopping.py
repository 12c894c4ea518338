"""Evaluations that stop early: coverage at any time in worlds with a known truth, and what four models save.

Run `python -m tests.benchmarks.bench_stopping [ROUNDS [PART OF A SETTING'S NAME]]` from the top of a checkout; 500
rounds of four models, 2,000 replicates a setting, take about half an hour. Ideal: 5 % or less missed, ever. Then four
models of the loopback provider are evaluated with a rule and without one, and their calls counted ("served").
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from perturb.evaluation.stop_rule import read_stop_rule
from perturb.files.resources import fraction_of
from perturb.records import Item
from tests.evaluation.rows import items_of, run, single, write_rows
from tests.loopback import LoopbackServer
from tests.loopback.responders import BEHAVIOURS, CODES, REFUSAL_IN_WORDS, Responders, never_refuse
from tests.simulated_stopping import MODELS, World, endings

WORLDS = {
    "1,602 items, 100 bases": World(),
    "the same, bases all but alike": World(alike=0.8),
    "the same, uneven cells": World(uneven=True),
    "414 items, 24 bases": World(per_cell=23, bases=24),
}
RULES = ("ci(crs) <= 0.03", "ci(crs) <= 0.05", "ci(frr) <= 0.05", "ci(refusal_accuracy) <= 0.03")


def planted(name: str, item: Item) -> str:
    """The reply of a model of `MODELS`."""
    if fraction_of(name, item.id) < MODELS[name][0 if item.answerable else 1]:
        return never_refuse(item) if item.answerable else CODES[item.cell.perturbation_class]
    return REFUSAL_IN_WORDS if item.answerable else never_refuse(item)


def serve() -> None:
    """Calls of whole evaluations through the loopback provider, models and judge, with a rule and without."""
    BEHAVIOURS.update({name: partial(planted, name) for name in MODELS})
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        source = write_rows(here / "rows.jsonl", [single(number) for number in range(1602)])
        calls = {}
        for rule in (None, "ci(crs) <= 0.03", "ci(crs) <= 0.05"):
            with LoopbackServer(Responders(items_of(source))) as server:
                until = None if rule is None else read_stop_rule(rule)
                report = run(here / str(rule), source, server.url, tuple(MODELS), until=until)
                calls[rule] = server.counters.total
            replies = {fact["model"]: fact["replies"] for fact in report.facts["models"]}
            share = calls[rule] / calls[None]
            print(f"{rule or 'all items':<20}{calls[rule]:6,} calls, {share:4.0%}; replies: {replies}")


def main(arguments: list[str]) -> None:
    """Print one line for each world and rule."""
    rounds = int(arguments[0]) if arguments else 10
    wanted = arguments[1] if len(arguments) > 1 else ""
    print(f"{rounds} rounds of four models: missed ever, missed at the stop, missed ever when peeking,")
    print("items asked, the usual interval over base instances from all items, and from those asked")
    for name, world in WORLDS.items():
        for rule in RULES:
            if wanted not in f"{name}: {rule}":
                continue
            ended = list(endings(world, rule, rounds))
            missed = [
                np.mean([getattr(one, which) for one in ended])
                for which in ("missed_ever", "missed_at_stop", "peeking_missed")
            ]
            usual = [
                f"{np.mean([value[0] for value in values]):.3f} ±{np.mean([value[1] for value in values]):.3f}"
                for values in ([one.usual_all for one in ended], [one.usual_asked for one in ended])
            ]
            asked = np.mean([one.asked for one in ended])
            shares = " ".join(f"{share:.3f}" for share in missed)
            print(f"{name:<32}{rule:<32}{shares}  {asked:5.1%}  {usual[0]}  {usual[1]}", flush=True)
    if wanted in "served":
        serve()


if __name__ == "__main__":
    main(sys.argv[1:])
