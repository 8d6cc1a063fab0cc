"""`ais import` of a file that `ais export` wrote: the whole memory comes back."""

from collections.abc import Sequence
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.context import Context
from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.output import print_json, progress, visible
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.exported import EXPORT, TakenIn

__all__ = ["is_export", "take_in"]

SHOWN = {"thread": "thread", "event": "event", "bridge": "bridge", "change": "change"}
"""What people ask about; the rest is in the JSON."""


def is_export(path: Path) -> bool:
    """Say whether a file is a memory that was taken out whole."""
    start = f'{{"{EXPORT}":'.encode()
    try:
        with path.open("rb") as file:
            return file.read(len(start)) == start
    except OSError:
        return False


def take_in(
    context: Context, paths: Sequence[Path], project: str | None, *, dry_run: bool, as_json: bool
) -> bool:
    """Take a memory in, and say whether something is to be embedded now."""
    if len(paths) > 1:
        msg = (
            "an export is imported alone: it is all of it or nothing. Give one file at a time: "
            f"ais import {visible(str(paths[0]))}"
        )
        raise RefusedError(msg)
    if project is not None:
        msg = (
            "cannot put an export into one project: it says itself what is of which. Leave it out."
        )
        raise RefusedError(msg)
    path = paths[0]
    with context.memory() as memory, path.open("rb") as file, progress("importing") as told:
        try:
            done = memory.take_in(file, dry_run=dry_run, progress=told)
        except RefusedError as refused:
            msg = str(refused).replace("cannot import it", f"cannot import {path}", 1)
            raise RefusedError(msg.replace("import FILE", f"import {path}")) from refused
    if as_json:
        print_json({"path": path, "dry_run": dry_run, **_shape(done)})
    else:
        _print(done, dry_run=dry_run)
    return bool(done.added.get("event")) and not dry_run


def _print(done: TakenIn, *, dry_run: bool) -> None:
    if dry_run:
        click.echo("dry run: nothing was stored.")
    for word, counts in (
        ("added", done.added),
        ("known", done.known),
        ("left out", done.left_out),
    ):
        said = [counted(counts[kind], noun) for kind, noun in SHOWN.items() if counts.get(kind)]
        if said or word == "added":
            click.echo(f"{word:<9} {', '.join(said) or 'nothing'}")
    if done.left_out.get("change"):
        click.echo("Changes of threads that were here before are left out: these stay as they are.")
    if done.left_out.get("event"):
        click.echo("Events that were forgotten here stay so.")


def _shape(done: TakenIn) -> dict[str, object]:
    return {
        "added": done.added,
        "known": done.known,
        "left_out": done.left_out,
        "projects": done.projects,
    }
