"""Intervals and p-values: coverage and level in worlds with a known truth, with Monte Carlo errors.

Run `python -m tests.benchmarks.bench_intervals [REPLICATES [PART OF A SETTING'S NAME]]` from the top of a checkout that
has perturb installed; 2,000 replicates of all settings take about an hour. Ideal: .95 for intervals, .05 or less for
p ≤ .05 where there is nothing to find.
"""

from __future__ import annotations

import sys

from tests.simulated_intervals import STUDIES, shares


def main(arguments: list[str]) -> None:
    runs = int(arguments[0]) if arguments else 200
    wanted = arguments[1] if len(arguments) > 1 else ""
    print(f"{runs} replicates")
    for setting, study in STUDIES.items():
        if wanted not in setting:
            continue
        for figure, (share, error, n) in shares(study(runs)).items():
            without = f", none in {1 - n / runs:.0%}" if n < runs else ""
            print(f"{setting:<52}{figure:<30}{share:6.3f} ± {error:.3f}{without}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
