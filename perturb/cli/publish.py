"""`perturb publish`: push a snapshot to the Hugging Face Hub, or write the leaderboard of a round.

`perturb verify-snapshot`: is a snapshot as it was written, and true to the taxonomy.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from perturb.cli.output import given_by_options, note, print_json, reject_given, reject_option
from perturb.cli.run_options import PrintJsonOption


def publish_command(
    folder: Annotated[
        Path,
        Argument(
            metavar="DIR",
            help="A snapshot folder, such as outputs/demo/snapshot; with --leaderboard, its folder.",
            show_default=False,
        ),
    ],
    repo: Annotated[
        str | None,
        Argument(
            help="The data set on the Hub, OWNER/NAME; with --leaderboard, the Space to push to, if any.",
            show_default=False,
        ),
    ] = None,
    public: Annotated[bool, Option("--public", help="Make it public; a new data set is private.")] = False,
    replies: Annotated[
        Path | None,
        Option(help="Also push this file of `perturb export RUN --replies`, beside the data."),
    ] = None,
    scores: Annotated[
        Path | None,
        Option(metavar="RUN", help="Put the scores of this run of `perturb evaluate` on the card."),
    ] = None,
    leaderboard: Annotated[
        bool,
        Option("--leaderboard", help="Write the leaderboard of a round: a static page, and a Space."),
    ] = False,
    add: Annotated[
        list[Path] | None,
        Option(
            metavar="RUN|FILE", help="Add rows: an evaluation, or somebody's file of replies; repeatable."
        ),
    ] = None,
    replay: Annotated[
        Path | None, Option(help="Compute rows again from this file of replies, and compare.")
    ] = None,
    json_output: PrintJsonOption = False,
) -> None:
    """Push a snapshot to the Hugging Face Hub: one commit, and one tag for its round.

    Needs HF_TOKEN or a login (`hf auth login`). Publishing again changes nothing; after a broken upload it resumes.

    With --leaderboard: write the page that ranks models, add rows to it, or check them; push it if a Space is named.

    Example: perturb publish outputs/demo/snapshot my-name/refusal-demo
    """
    if leaderboard:
        reject_given({"--replies": replies, "--scores": scores}, "cannot be used with --leaderboard")
        _publish_leaderboard(folder, repo, tuple(add or ()), replay, public=public, json_output=json_output)
        return
    reject_given({"--add": add, "--replay": replay}, "needs --leaderboard")
    if repo is None:
        reject_option("repo", "is missing: name the data set on the Hub, OWNER/NAME")
    from perturb.reports.scores_page import scores_for_card
    from perturb.snapshots.hub import check_repo_name
    from perturb.snapshots.publish import publish

    with given_by_options():
        check_repo_name(repo)
    shown = scores_for_card(scores, folder) if scores else ""
    done = publish(folder, repo, public=public, replies=replies, scores=shown, progress=sys.stderr.isatty())
    if json_output:
        print_json(asdict(done))
        return
    if not done.uploaded:
        note(f"the content was there already (commit {done.commit[:12]}); nothing was uploaded")
    typer.echo(f"{done.repo}, tag {done.tag}: {done.url}")


def _publish_leaderboard(
    folder: Path,
    repo: str | None,
    add: tuple[Path, ...],
    replay: Path | None,
    *,
    public: bool,
    json_output: bool,
) -> None:
    """Write it and push it, or check the rows that a file of replies is about."""
    from perturb.text.wording import counted

    if replay is not None and (add or repo):
        reject_option("--replay", "only compares: leave out --add and the Space")
    if public and repo is None:
        reject_option("--public", "needs the Space to push to: name OWNER/NAME")
    if replay is not None:
        from perturb.reports.leaderboard_page import check_rows

        rows, problems = check_rows(folder, replay)
        if json_output:
            print_json(
                {"leaderboard": str(folder), "rows": rows, "sound": not problems, "problems": problems}
            )
        else:
            for problem in problems:
                typer.echo(problem)
            typer.echo(f"{folder}: {counted(rows, 'row')} computed again, {len(problems)} not as stated")
        if problems:
            raise typer.Exit(1)
        return
    from perturb.reports.leaderboard_page import files_of, write_leaderboard
    from perturb.snapshots.hub import check_repo_name
    from perturb.snapshots.publish import push_space

    if repo is not None:
        with given_by_options():
            check_repo_name(repo)
    board = write_leaderboard(folder, add)
    done = repo and push_space(folder, repo, files_of(board), public=public, progress=sys.stderr.isatty())
    rows = sum(len(table.rows) for table in board.standings)
    if json_output:
        print_json(
            {
                "leaderboard": str(folder),
                "rows": rows,
                "round": board.round,
                "space": asdict(done) if done else None,
            }
        )
        return
    typer.echo(f"{folder / 'index.html'}: {counted(rows, 'row')}")
    if done:
        typer.echo(f"{done.repo}: {done.url}")


SHOWN = 20
"""Problems printed before the rest is only counted."""


def verify_snapshot_command(
    folder: Annotated[Path, Argument(metavar="DIR", help="A snapshot folder.", show_default=False)],
    levers: Annotated[
        list[Path] | None, Option(help="Folder with levers of your own; may be repeated.")
    ] = None,
    replay: Annotated[
        Path | None, Option(help="Also make the rows again from this file of replies, and compare.")
    ] = None,
    json_output: Annotated[bool, Option("--json", help="Print every problem as JSON.")] = False,
) -> None:
    """Check digests, counts and schema, and every row's lever, target and label.

    Exits with 1 if anything is wrong.

    Example: perturb verify-snapshot outputs/demo/snapshot
    """
    from perturb.snapshots.replies import verify_snapshot
    from perturb.text.wording import counted

    done = verify_snapshot(folder, levers or ())
    if replay is not None:
        from perturb.building.replay import check_replay

        done = replace(done, problems=(*done.problems, *check_replay(folder, replay, levers or ())))
    if json_output:
        print_json({"snapshot": str(folder), "sound": not done.problems, **asdict(done)})
    else:
        for line in done.notes:
            note(f"note: {line}")
        for problem in done.problems[:SHOWN]:
            typer.echo(problem)
        if len(done.problems) > SHOWN:
            typer.echo(f"… and {len(done.problems) - SHOWN} more (--json lists all)")
        typer.echo(f"{folder}: {counted(done.rows, 'row')}, {counted(len(done.problems), 'problem')}")
    if done.problems:
        raise typer.Exit(1)
