"""`ais export`: take the memory out, complete as JSON lines or readable as markdown."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.export_folder import Folder, Written
from ai_smartness.entrypoints.cli.import_export import is_export
from ai_smartness.entrypoints.cli.output import print_json, progress, visible
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.exported import Header

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["export"]

STDOUT = "-"


@click.command(epilog="Example: ais export memory.jsonl; ais export notes --format markdown")
@click.argument("path", required=False)
@click.option(
    "--format",
    "format_",
    type=click.Choice(("jsonl", "markdown")),
    default="jsonl",
    help="JSON lines, complete; or a folder of markdown, to read.",
)
@click.option("--project", metavar="NAME_OR_PATH", help="This project alone.")
@click.option("--all", "all_", is_flag=True, help="Every project: so it is without --project.")
@as_json
@pass_context
def export(
    context: Context,
    path: str | None,
    format_: str,
    project: str | None,
    *,
    all_: bool,
    as_json: bool,
) -> None:
    """Take the memory out, to PATH or, without one, to what reads our output.

    As JSON lines it is complete: `ais import PATH` gives the same memory back, in an empty one
    or beside what is there. As markdown it is a folder with a page for each thread and links
    between them, for Obsidian or any editor; done again, it brings the pages up to date and
    leaves alone what is not ours, and what you changed.
    """
    if all_ and project is not None:
        msg = "--all is every project, and --project one: choose one of them."
        raise click.UsageError(msg)
    if path is None and (format_ == "markdown" or sys.stdout.isatty()):
        what = "folder to write the pages" if format_ == "markdown" else "file to export"
        msg = f"Name a {what} to; or - for JSON lines to what reads our output."
        raise click.UsageError(msg)
    name = None if all_ else _named(context, project)
    with context.memory() as memory:
        if format_ == "markdown":
            _write_pages(memory, name, str(path), as_json=as_json)
        else:
            _write_lines(memory, name, path or STDOUT, as_json=as_json)


def _named(context: Context, project: str | None) -> str | None:
    """Name the project that is meant, if one was given before or behind the command."""
    if project is None:
        return context.name if context.project is not None else None
    return replace(context, project=project).name


def _write_lines(memory: "Memory", name: str | None, path: str, *, as_json: bool) -> None:
    if path == STDOUT:
        out = sys.stdout.buffer
        with progress("exporting") as told:
            memory.export(_into(out), project=name, progress=told)
        return
    with _replaced(Path(path).expanduser()) as file, progress("exporting") as told:
        header = memory.export(_into(file), project=name, progress=told)
    if as_json:
        print_json({"path": path, "projects": header.projects, "counts": header.counts})
    else:
        click.echo(f"Exported {_said(header)} to {visible(path)}.")
        click.echo(f"`ais import {visible(path)}` gives them back, in this memory or another.")


def _into(file: IO[bytes]) -> Callable[[str], object]:
    return lambda line: file.write(line.encode())


@contextmanager
def _replaced(path: Path) -> Iterator[IO[bytes]]:
    """Write a file for its owner alone, which takes its name when all of it is there."""
    if path.exists() and not is_export(path):
        msg = f"cannot export to {path}: something else is there. Name another file."
        raise RefusedError(msg)
    partial = path.with_name(f".{path.name}.partial-{os.getpid()}")
    try:
        handle = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        msg = f"cannot export to {path}: {error.strerror}. Name another place."
        raise StoreError(msg) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _write_pages(memory: "Memory", name: str | None, path: str, *, as_json: bool) -> None:
    folder = Folder(Path(path).expanduser())
    with progress("exporting") as told:
        for page in memory.pages(project=name, taken=folder.taken):
            folder.write(page.folder, page.name, page.text)
            told(page.of, page.total)
    done = folder.finish()
    if as_json:
        print_json({"path": path, **done._asdict()})
    else:
        _print(done, path)


def _print(done: Written, path: str) -> None:
    click.echo(
        f"{counted(done.written, 'page')} written to {visible(path)}, {done.unchanged:,} are as "
        f"they were, {done.removed:,} removed."
    )
    for each in done.edited:
        click.echo(f"left as it is, for you changed it: {visible(str(each))}", err=True)


def _said(header: Header) -> str:
    counts = header.counts
    threads = counted(counts.get("thread", 0), "thread")
    return f"{threads} with {counted(counts.get('event', 0), 'event')}"
