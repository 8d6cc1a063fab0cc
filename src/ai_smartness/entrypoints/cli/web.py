"""`ais web`: look at the memory in a browser on this machine."""

import os
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context

__all__ = ["web"]


@click.command(epilog="Example: ais web --port 8765 --no-open")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on (a free one)."
)
@click.option("--no-open", is_flag=True, help="Print the address and open no browser.")
@pass_context
def web(context: CliContext, port: int, *, no_open: bool) -> None:
    """See what your agents were shown and why, what holds, what changed, and put it in order.

    The page is served on this machine alone, and to your browser alone: the address works once.
    It loads nothing from elsewhere. End it with Ctrl-C.
    """
    from ai_smartness.entrypoints.web.memories import OpenMemories
    from ai_smartness.entrypoints.web.server import serve

    with context.open_memory():
        # The memory exists, opens and can be read before a browser asks.
        pass
    folder = context.project_folder
    root = str(folder.root) if folder else str(Path.cwd())
    memories = OpenMemories(os.fspath(context.places.home), root, context.project_name)
    serve(memories, port=port, opens=not no_open, announce=_print_address)


def _print_address(address: str) -> None:
    click.echo(f"The memory is at {address}\nThe address opens once. End with Ctrl-C.")
