"""Where the console script starts: nothing heavy is imported before an interrupt can be answered in one line."""

from __future__ import annotations

import sys
from typing import NoReturn

INTERRUPTED = 130
"""The exit code of an interrupt (Ctrl-C), as shells give it."""


def main() -> None:
    """Load the command line and run it; Ctrl-C ends both in one line."""
    try:
        from perturb.cli.main import main as run

        run()
    except KeyboardInterrupt:
        stop()


def stop() -> NoReturn:
    """Say that the command was interrupted, and exit."""
    sys.stderr.write("perturb: stopped: run the same command again to go on\n")
    sys.exit(INTERRUPTED)
