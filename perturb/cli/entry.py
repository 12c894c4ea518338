"""Where the console script starts. Slow imports come later, so that Ctrl-C during them also ends in one line."""

from __future__ import annotations

import gc

from perturb.runtime import exit_interrupted, mark_command_started


def main() -> None:
    """Load the command line and run it; Ctrl-C ends both in one line."""
    mark_command_started()
    # A call to a model makes hundreds of short-lived objects. With the default threshold of 700, garbage collection
    # takes a tenth of the time of a call.
    gc.set_threshold(50_000, 50, 50)
    try:
        from perturb.cli.main import main as run

        run()
    except KeyboardInterrupt:
        exit_interrupted()
