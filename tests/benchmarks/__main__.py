"""All benchmarks, one after the other: `make bench`. Each prints ratios to a peer or to the ideal of the same run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run each benchmark in a process of its own, with its defaults; the worst exit code is returned."""
    codes = []
    for script in sorted(Path(__file__).parent.glob("bench_*.py")):
        print(f"== {script.stem}", flush=True)
        codes.append(subprocess.run([sys.executable, "-m", f"tests.benchmarks.{script.stem}"]).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
