"""`python -m ai_smartness reference`: write the pages of docs/reference/ from the code itself.

A test regenerates them and compares: what they say is what there is.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.reference_cli import cli_page
from ai_smartness.entrypoints.cli.reference_tools import tools_page
from ai_smartness.model.errors import StoreError

__all__ = ["pages", "reference"]

PAGES: dict[str, Callable[[click.Context], str]] = {
    "cli.md": cli_page,
    "tools.md": lambda _root: tools_page(),
}


@click.command(epilog="Example: python -m ai_smartness reference docs/reference")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER")
@click.pass_context
def reference(ctx: click.Context, folder: Path) -> None:
    """Write the pages of the reference into FOLDER."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in pages(ctx.find_root().command):
            (folder / name).write_text(text, encoding="utf-8")
            click.echo(folder / name)
    except OSError as barred:
        msg = f"cannot write {folder}: {barred.strerror}. Name another folder."
        raise StoreError(msg) from barred


def pages(command: click.Command) -> Iterator[tuple[str, str]]:
    """Write every page, by its name."""
    # Not the context that was called: how wide its terminal is must not be seen.
    root = click.Context(command, info_name="ais")
    for name, page in PAGES.items():
        yield name, page(root)
