"""A folder that pages are written to again and again, and that somebody else may write to too.

A list beside them says which files are ours and how we left them. What is not in it, and
what was changed since, is never touched.

`ais export`: take the memory out, complete as JSON lines or readable as markdown.
"""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.import_ import is_export
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import counted_noun, print_json, progress_bar, safe_text
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.transfer import ExportHeader

if TYPE_CHECKING:
    from ai_smartness.memory import Memory


__all__ = ["PageFolder", "WrittenPages", "export"]


LIST_FILE = ".ais-export.json"
PAGE_SUFFIX = ".md"


class WrittenPages(NamedTuple):
    """What became of the pages."""

    written: int
    unchanged: int
    removed: int
    edited: tuple[Path, ...]


class PageFolder:
    """A folder of pages, some of them ours."""

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_dir():
            msg = f"cannot write pages to {path}: it is a file. Name a folder."
            raise StoreError(msg)
        self._path = path
        self._before = _listed_pages(path / LIST_FILE)
        self._now: dict[str, str] = {}
        self._written = self._unchanged = 0
        self._edited: list[Path] = []

    @property
    def taken_names(self) -> list[str]:
        """The names of pages that are not ours."""
        ours = {self._path / each for each in self._before}
        return [each.stem for each in self._path.glob(f"**/*{PAGE_SUFFIX}") if each not in ours]

    def write(self, folder: str, name: str, text: str) -> None:
        """Write a page, unless it is as it was, or somebody changed it."""
        place = f"{folder}/{name}{PAGE_SUFFIX}" if folder else f"{name}{PAGE_SUFFIX}"
        path, content = self._path / place, text.encode(errors="replace")
        there, wanted = _file_digest(path), _content_digest(content)
        self._now[place] = wanted
        if there == wanted:
            self._unchanged += 1
        elif there is not None and there != self._before.get(place):
            self._now[place] = self._before.get(place, "")
            self._edited.append(path)
        else:
            _write_page(path, content)
            self._written += 1

    def finish_export(self) -> WrittenPages:
        """Remove the pages that are no more, and keep the list of those that are."""
        removed = 0
        for place in self._before.keys() - self._now.keys():
            path = self._path / place
            there = _file_digest(path)
            if there is not None and there != self._before[place]:
                self._edited.append(path)
            elif there is not None:
                path.unlink()
                removed += 1
                with suppress(OSError):
                    # Only where nothing is left in it.
                    path.parent.rmdir()
        _write_page(
            self._path / LIST_FILE,
            json.dumps(self._now, ensure_ascii=False, indent=1).encode(),
        )
        return WrittenPages(self._written, self._unchanged, removed, tuple(sorted(self._edited)))


def _listed_pages(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    inside = found.items() if isinstance(found, dict) else ()
    # Somebody may have changed it: no file outside the folder is ours.
    return {
        str(place): str(digest)
        for place, digest in inside
        if not Path(place).is_absolute() and ".." not in Path(place).parts
    }


def _write_page(path: Path, content: bytes) -> None:
    partial = path.with_name(f".ais-{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        msg = f"cannot write {path}: {error.strerror}. What was written before it is there."
        raise StoreError(msg) from error


def _file_digest(path: Path) -> str | None:
    try:
        return _content_digest(path.read_bytes())
    except FileNotFoundError:
        return None


def _content_digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


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
@json_option
@pass_context
def export(
    context: CliContext,
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
    name = None if all_ else _chosen_project(context, project)
    with context.open_memory() as memory:
        if format_ == "markdown":
            _write_pages(memory, name, str(path), as_json=as_json)
        else:
            _write_lines(memory, name, path or STDOUT, as_json=as_json)


def _chosen_project(context: CliContext, project: str | None) -> str | None:
    """Name the project that is meant, if one was given before or behind the command."""
    if project is None:
        return context.project_name if context.project is not None else None
    return replace(context, project=project).project_name


def _write_lines(memory: "Memory", name: str | None, path: str, *, as_json: bool) -> None:
    if path == STDOUT:
        out = sys.stdout.buffer
        with progress_bar("exporting") as told:
            memory.export(_line_writer(out), project=name, progress=told)
        return
    with _replaced_file(Path(path).expanduser()) as file, progress_bar("exporting") as told:
        header = memory.export(_line_writer(file), project=name, progress=told)
    if as_json:
        print_json({"path": path, "projects": header.projects, "counts": header.counts})
    else:
        click.echo(f"Exported {_exported_text(header)} to {safe_text(path)}.")
        click.echo(f"`ais import {safe_text(path)}` gives them back, in this memory or another.")


def _line_writer(file: IO[bytes]) -> Callable[[str], object]:
    return lambda line: file.write(line.encode())


@contextmanager
def _replaced_file(path: Path) -> Iterator[IO[bytes]]:
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
    folder = PageFolder(Path(path).expanduser())
    with progress_bar("exporting") as told:
        for page in memory.pages(project=name, taken=folder.taken_names):
            folder.write(page.folder, page.name, page.text)
            told(page.number, page.total)
    done = folder.finish_export()
    if as_json:
        print_json({"path": path, **done._asdict()})
    else:
        _print_pages(done, path)


def _print_pages(done: WrittenPages, path: str) -> None:
    click.echo(
        f"{counted_noun(done.written, 'page')} written to {safe_text(path)}, {done.unchanged:,} are as "
        f"they were, {done.removed:,} removed.",
    )
    for each in done.edited:
        click.echo(f"left as it is, for you changed it: {safe_text(str(each))}", err=True)


def _exported_text(header: ExportHeader) -> str:
    counts = header.counts
    threads = counted_noun(counts.get("thread", 0), "thread")
    return f"{threads} with {counted_noun(counts.get('event', 0), 'event')}"
