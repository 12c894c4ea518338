"""All benchmarks, one after the other: `make bench`. Each prints ratios to a peer or to the ideal of the same run.

`PERTURB_PEER_PYTHON` names the interpreter of an environment with bespoke-curator, for the peer's line.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MORE = {
    # The second run is that of a provider: 2 s a reply and 256 connections over eight models.
    "bench_build": [[], ["--once", "--latency", "2", "--connections", "32", "--faults", "0"]],
    "bench_rules": [[], ["--alone"]],
}


def main() -> int:
    """Run each benchmark in a process of its own, with its defaults; the worst exit code is returned."""
    codes = []
    for script in sorted(Path(__file__).parent.glob("bench_*.py")):
        for options in MORE.get(script.stem, [[]]):
            print("==", script.stem, *options, flush=True)
            command = [sys.executable, "-m", f"tests.benchmarks.{script.stem}", *options]
            codes.append(subprocess.run(command).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
