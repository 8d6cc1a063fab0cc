"""`ais web`: look at the memory in a browser on this machine."""

import os
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.output import counted_noun, safe_text

__all__ = ["web"]


@click.command(epilog="Example: ais web --port 8765 --no-open")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on (a free one)."
)
@click.option("--no-open", is_flag=True, help="Print the address and open no browser.")
@click.option(
    "--export",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write a static site into DIR instead, to be opened from disk.",
)
@pass_context
def web(context: CliContext, port: int, folder: Path | None, *, no_open: bool) -> None:
    """See what your agents were shown and why, what holds, what changed, and put it in order.

    The page is served on this machine alone, and to your browser alone: the address works once.
    It loads nothing from elsewhere. End it with Ctrl-C.
    """
    if folder is not None:
        _export(context, folder)
        return
    from ai_smartness.entrypoints.web.memories import OpenMemories
    from ai_smartness.entrypoints.web.serve_page import serve

    with context.open_memory():
        # The memory exists, opens and can be read before a browser asks.
        pass
    project = context.project_folder
    root = str(project.root) if project else str(Path.cwd())
    memories = OpenMemories(os.fspath(context.places.home), root, context.project_name)
    serve(memories, port=port, opens=not no_open, announce=_print_address)


def _export(context: CliContext, folder: Path) -> None:
    from ai_smartness.entrypoints.web.memories import project_address
    from ai_smartness.entrypoints.web.static_site import export_site

    with context.open_described_memory() as memory:
        site = export_site(memory, folder, project_address(memory.project).label)
    click.echo(
        f"{counted_noun(site.threads, 'thread')} and {counted_noun(site.statements, 'statement')} "
        f"in {counted_noun(site.files, 'file')}. Open {safe_text(str(site.first_page))}"
    )


def _print_address(address: str) -> None:
    click.echo(f"The memory is at {address}\nThe address opens once. End with Ctrl-C.")
