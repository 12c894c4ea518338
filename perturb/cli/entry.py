"""Where the console script starts: nothing heavy is imported before an interrupt can be answered in one line."""

from __future__ import annotations

import gc

from perturb.runtime.asyncs import exit_interrupted, mark_command_started


def main() -> None:
    """Load the command line and run it; Ctrl-C ends both in one line."""
    mark_command_started()
    # A call makes hundreds of objects that live for moments: looking through them after every 700 costs a tenth of it.
    gc.set_threshold(50_000, 50, 50)
    try:
        from perturb.cli.main import main as run

        run()
    except KeyboardInterrupt:
        exit_interrupted()
