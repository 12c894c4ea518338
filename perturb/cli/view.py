"""`perturb view`: the live page of a run."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from perturb.cli.output import note


def view_command(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run folder, such as outputs/demo.", show_default=False)
    ],
    bundle: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write the page as a static site into this folder instead of serving it."
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
) -> None:
    """Serve a page on this machine that follows a run, finished or not: figures, and items with all that was said.

    Example: perturb view outputs/demo
    """
    from perturb.local_server import LocalServer
    from perturb.view.bundle import write_bundle
    from perturb.view.site import ViewSite, open_view

    with closing(open_view(run, published=bundle is not None)) as view:
        if bundle is not None:
            items = write_bundle(view, bundle)
            typer.echo(f"{items} items: {bundle / 'index.html'}")
            return
        with LocalServer({"view": ViewSite(view)}, port) as server:
            typer.echo(server.links["view"])
            note("Ctrl-C ends the page; the run goes on")
            server.wait()
