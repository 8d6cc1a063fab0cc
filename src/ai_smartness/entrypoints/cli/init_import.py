"""`ais init` offers to bring in the sessions of before; whatever comes of it, init goes on."""

import sys

import click

from ai_smartness.entrypoints.cli.context import Context
from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.import_ import found, import_
from ai_smartness.entrypoints.cli.output import visible
from ai_smartness.model.errors import AisError

__all__ = ["offer_import"]

COMMAND = "ais import"


def offer_import(context: Context, *, wanted: bool | None, yes: bool) -> None:
    """Import what there is if it is wanted, or if whoever is asked agrees; say how otherwise.

    `yes` answers the question; where nobody can be asked, there is none.
    """
    if wanted is False:
        return
    try:
        there_is = _told(context)
        if not there_is:
            return
        if wanted or _agreed(there_is, yes=yes):
            _bring_in()
        else:
            click.echo(f"past    {there_is}: `{COMMAND}` brings them in")
    except (AisError, OSError) as trouble:
        click.echo(f"past    not brought in; `{COMMAND}` tries it again")
        click.echo(f"note: {visible(str(trouble))}", err=True)


def _told(context: Context) -> str:
    """Say what there is, in one line; nothing where there is nothing."""
    there = found(context)
    files = sum(each.files for each in there)
    if not files:
        return ""
    names = ", ".join(each.format for each in there)
    size = sum(each.size for each in there) / 1e6
    return f"{counted(files, 'file')} of {names}, {size:,.1f} MB"


def _agreed(there_is: str, *, yes: bool) -> bool:
    """Ask, if there is anybody to ask."""
    if not sys.stdin.isatty():
        return False
    return yes or click.confirm(f"Bring in what was said before ({there_is})?", default=True)


def _bring_in() -> None:
    try:
        click.get_current_context().invoke(import_)
    except click.exceptions.Exit:
        # It has said itself what could not be read.
        return
