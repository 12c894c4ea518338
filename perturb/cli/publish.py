"""Commands that make results public: `perturb report`, `verify-snapshot` and `publish`."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from perturb.cli.output import (
    check_page_name,
    given_by_options,
    note,
    print_json,
    reject_given,
    reject_option,
    with_covariates,
)
from perturb.cli.run_options import AtLeastTwoResamplesOption, CovariatesOption, JsonOption, SeedOption
from perturb.records import JsonObject
from perturb.text.wording import counted

if TYPE_CHECKING:
    from perturb.metrics.inputs import Estimate
    from perturb.reports.model import Report
    from perturb.snapshots.publish import Practice


# The default file of the page on several runs.
SIDE_BY_SIDE = Path("report.html")


def report_command(
    runs: Annotated[
        list[Path],
        Argument(
            metavar="RUN",
            help="A run folder, such as outputs/demo, or a table of results. Several: one table of their models.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        Option(
            help="The HTML file.  [default: RUN/report.html; of several runs: report.html]",
            callback=check_page_name,
        ),
    ] = None,
    items: Annotated[int, Option(min=0, help="Items in the browser at most; 0 leaves it out.")] = 1000,
    seed: SeedOption = 0,
    resamples: AtLeastTwoResamplesOption = 1000,
    shortcuts: Annotated[
        bool,
        Option("--shortcuts", help="Of a build: add how far a part of each item gives its label away."),
    ] = False,
    models: CovariatesOption = None,
    json_output: JsonOption = False,
) -> None:
    """Write the report page, its figures (PNG, SVG) and its tables (CSV). Asks no model.

    Example: perturb report outputs/demo
    """
    from perturb.reports.any_page import figures_folder, make_any_page
    from perturb.reports.rendering import write_page

    html = out or _default_page(runs)
    compared = _side_by_side(runs, resamples, seed) if len(runs) > 1 or models else None
    if compared and len(runs) > 1:
        page, folder = compared[0], html.with_suffix("")
    else:
        page = make_any_page(runs[0], items=items, resamples=resamples, seed=seed, shortcuts=shortcuts)
        folder = figures_folder(runs[0], html)
    page, covariates = with_covariates(page, models, compared[1] if compared else ())
    paths = write_page(page, html, folder)
    if json_output:
        run_names = str(runs[0]) if len(runs) == 1 else [str(run) for run in runs]
        files = [str(path) for path in paths[1:]]
        print_json({"run": run_names, "page": str(paths[0]), "files": files, **covariates})
        return
    typer.echo(str(paths[0]))
    typer.echo(f"{counted(len(paths) - 1, 'file')} of figures and tables: {folder}")


def _side_by_side(
    runs: list[Path], resamples: int, seed: int
) -> tuple[Report, list[tuple[str, dict[str, Estimate]]]]:
    from perturb.reports.any_page import gather, make_side_by_side_page, scores_by_model

    side_by_side = gather(runs, resamples=resamples, seed=seed)
    return make_side_by_side_page(side_by_side), scores_by_model(side_by_side)


def _default_page(runs: list[Path]) -> Path:
    if len(runs) > 1:
        return SIDE_BY_SIDE
    return runs[0] / "report.html" if runs[0].is_dir() else runs[0].with_suffix(".html")


# Number of problems that are printed; further ones are only counted.
MAX_PROBLEMS = 20


def verify_snapshot_command(
    folder: Annotated[Path, Argument(metavar="DIR", help="A snapshot folder.", show_default=False)],
    levers: Annotated[list[Path] | None, Option(help="Folder with levers of your own; repeatable.")] = None,
    replay: Annotated[
        Path | None, Option(help="Also make the rows again from this file of replies, and compare.")
    ] = None,
    checklist: Annotated[
        bool, Option("--checklist", help="Also list which practices of BetterBench the snapshot meets.")
    ] = False,
    json_output: JsonOption = False,
) -> None:
    """Check digests, counts and schema, and every row's lever, target and label.

    Exits with 1 if anything is wrong.

    Example: perturb verify-snapshot outputs/demo/snapshot
    """
    from perturb.snapshots.replies import verify_snapshot

    check = verify_snapshot(folder, levers or ())
    if replay is not None:
        from perturb.building.run import check_replay

        check = replace(check, problems=(*check.problems, *check_replay(folder, replay, levers or ())))
    practices = _practices(folder) if checklist else ()
    if json_output:
        extra = {"checklist": [asdict(practice) for practice in practices]} if checklist else {}
        print_json({"snapshot": str(folder), "sound": not check.problems, **asdict(check), **extra})
    else:
        for practice in practices:
            typer.echo(f"{practice.state:8} {practice.name} ({practice.reason})")
        for line in check.notes:
            note(f"note: {line}")
        for problem in check.problems[:MAX_PROBLEMS]:
            typer.echo(problem)
        if len(check.problems) > MAX_PROBLEMS:
            typer.echo(f"… and {len(check.problems) - MAX_PROBLEMS} more (--json lists all)")
        typer.echo(f"{folder}: {counted(check.rows, 'row')}, {counted(len(check.problems), 'problem')}")
    if check.problems:
        raise typer.Exit(1)


def _practices(folder: Path) -> tuple[Practice, ...]:
    from perturb.snapshots.publish import check_practices
    from perturb.snapshots.snapshot import read_snapshot

    return check_practices(read_snapshot(folder).manifest)


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
    dry_run: Annotated[
        Path | None,
        Option(
            "--dry-run",
            metavar="OUT",
            help="Only write the merged card and the list of files to this folder.",
        ),
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Push a snapshot to the Hugging Face Hub: one commit, and one tag for its round.

    Needs HF_TOKEN or a login (`hf auth login`). Publishing again changes nothing; after a broken upload it resumes.

    With --leaderboard: write the page that ranks models, add rows to it, or check them; push it if a Space is named.

    Example: perturb publish outputs/demo/snapshot my-name/refusal-demo
    """
    if leaderboard:
        other_options = {"--replies": replies, "--scores": scores, "--dry-run": dry_run}
        reject_given(other_options, "cannot be used with --leaderboard")
        _publish_leaderboard(folder, repo, tuple(add or ()), replay, public=public, json_output=json_output)
        return
    reject_given({"--add": add, "--replay": replay}, "needs --leaderboard")
    if dry_run is None and repo is None:
        reject_option("repo", "is missing: name the data set on the Hub, OWNER/NAME")
    from perturb.reports.scores_page import scores_for_card
    from perturb.snapshots.publish import publish, write_publication

    _check_repo(repo)
    score_section = scores_for_card(scores, folder) if scores else ""
    if dry_run is not None:
        plan = write_publication(folder, repo, dry_run, replies=replies, scores=score_section)
        _print_planned(plan, dry_run, json_output)
        return
    publication = publish(
        folder, repo or "", public=public, replies=replies, scores=score_section, progress=sys.stderr.isatty()
    )
    if json_output:
        print_json(asdict(publication))
        return
    if not publication.uploaded:
        note(f"the content was there already (commit {publication.commit[:12]}); nothing was uploaded")
    typer.echo(f"{publication.repo}, tag {publication.tag}: {publication.url}")


def _check_repo(repo: str | None) -> None:
    """End the command as wrong use if the repository on the Hub is not named OWNER/NAME."""
    from perturb.snapshots.hub import check_repo_name

    if repo is not None:
        with given_by_options():
            check_repo_name(repo)


def _print_planned(plan: JsonObject, out: Path, json_output: bool) -> None:
    """Print what a push would do to each file."""
    if json_output:
        print_json(plan)
        return
    for file in plan["files"]:
        size = f" ({file['bytes']:,} bytes)" if file["bytes"] else ""
        typer.echo(f"{file['change']} {file['path']}{size}")
    typer.echo(f"{out / 'README.md'}: the card as it would be published; nothing was pushed")


def _check_leaderboard(folder: Path, replay: Path, json_output: bool) -> None:
    """Compute the rows of one file of replies again and compare them; exit with 1 if a row is not as stated."""
    from perturb.reports.leaderboard_page import check_rows

    rows, problems = check_rows(folder, replay)
    if json_output:
        print_json({"leaderboard": str(folder), "rows": rows, "sound": not problems, "problems": problems})
    else:
        for problem in problems:
            typer.echo(problem)
        typer.echo(f"{folder}: {counted(rows, 'row')} computed again, {len(problems)} not as stated")
    if problems:
        raise typer.Exit(1)


def _publish_leaderboard(
    folder: Path,
    repo: str | None,
    add: tuple[Path, ...],
    replay: Path | None,
    *,
    public: bool,
    json_output: bool,
) -> None:
    """Write the leaderboard and push it if a Space is named; with `replay`, only check its rows."""
    if replay is not None and (add or repo):
        reject_option("--replay", "only compares: leave out --add and the Space")
    if public and repo is None:
        reject_option("--public", "needs the Space to push to: name OWNER/NAME")
    if replay is not None:
        _check_leaderboard(folder, replay, json_output)
        return
    from perturb.reports.leaderboard_page import files_of, write_leaderboard
    from perturb.snapshots.hub import push_space

    _check_repo(repo)
    board = write_leaderboard(folder, add)
    pushed = repo and push_space(folder, repo, files_of(board), public=public, progress=sys.stderr.isatty())
    rows = sum(len(table.rows) for table in board.standings)
    if json_output:
        print_json(
            {
                "leaderboard": str(folder),
                "rows": rows,
                "round": board.round,
                "space": asdict(pushed) if pushed else None,
            }
        )
        return
    typer.echo(f"{folder / 'index.html'}: {counted(rows, 'row')}")
    if pushed:
        typer.echo(f"{pushed.repo}: {pushed.url}")
