"""Where the console script starts: nothing heavy is imported before an interrupt can be answered in one line."""

from __future__ import annotations

from perturb.runtime.asyncs import exit_interrupted, mark_command_started


def main() -> None:
    """Load the command line and run it; Ctrl-C ends both in one line."""
    mark_command_started()
    try:
        from perturb.cli.main import main as run

        run()
    except KeyboardInterrupt:
        exit_interrupted()
