"""`ais export`: export the memory, complete as JSON lines or readable as Markdown.

A Markdown export is a folder that you may edit. A list beside the pages records which files are
ours and how we left them. Other files, and pages that you changed, are never touched.
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

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["export"]

STDOUT = "-"
LIST_FILE = ".ais-export.json"
PAGE_SUFFIX = ".md"


@click.command(epilog="Example: ais export memory.jsonl; ais export notes --format markdown")
@click.argument("path", required=False)
@click.option(
    "--format",
    "format_",
    type=click.Choice(("jsonl", "markdown")),
    default="jsonl",
    help="JSON lines, complete; or a folder of Markdown, to read.",
)
@click.option("--project", metavar="NAME_OR_PATH", help="Only this project.")
@click.option("--all", "all_", is_flag=True, help="Every project, as without --project.")
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
    """The target is PATH; without a PATH it is standard output.

    JSON lines are complete: `ais import --trust PATH` restores the same memory, into an empty one
    or beside other messages. Markdown is a folder with a page for each thread and links between
    them, for Obsidian or any editor. Another export to it updates the pages; it leaves your own
    files, and pages that you changed, alone.
    """
    if all_ and project is not None:
        msg = "--all is every project, and --project one: choose one of them."
        raise click.UsageError(msg)
    if path is None and (format_ == "markdown" or sys.stdout.isatty()):
        target = "folder for the pages" if format_ == "markdown" else "file to export to"
        msg = f"Name a {target}; or - for JSON lines on standard output."
        raise click.UsageError(msg)
    name = None if all_ else _chosen_project(context, project)
    with context.open_memory() as memory:
        if format_ == "markdown":
            _write_pages(memory, name, str(path), as_json=as_json)
        else:
            _write_lines(memory, name, path or STDOUT, as_json=as_json)


def _chosen_project(context: CliContext, project: str | None) -> str | None:
    """Name the project that was given before or behind the command, if any."""
    if project is None:
        return context.project_name if context.project is not None else None
    return replace(context, project=project).project_name


def _write_lines(memory: "Memory", name: str | None, path: str, *, as_json: bool) -> None:
    if path == STDOUT:
        with progress_bar("exporting") as progress:
            memory.export(_line_writer(sys.stdout.buffer), project=name, progress=progress)
        return
    with _replaced_file(Path(path).expanduser()) as file, progress_bar("exporting") as progress:
        header = memory.export(_line_writer(file), project=name, progress=progress)
    if as_json:
        print_json({"path": path, "projects": header.projects, "counts": header.counts})
        return
    threads = counted_noun(header.counts.get("thread", 0), "thread")
    events = counted_noun(header.counts.get("event", 0), "event")
    click.echo(f"Exported {threads} with {events} to {safe_text(path)}.")
    click.echo(f"`ais import --trust {safe_text(path)}` restores them, in this memory or another.")


def _line_writer(file: IO[bytes]) -> Callable[[str], object]:
    return lambda line: file.write(line.encode())


@contextmanager
def _replaced_file(path: Path) -> Iterator[IO[bytes]]:
    """Write a private file that takes its name when all of it is there."""
    if path.exists() and not is_export(path):
        msg = f"cannot export to {path}: it is not an export. Name another file."
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
    with progress_bar("exporting") as progress:
        for page in memory.pages(project=name, taken=folder.taken_names):
            folder.write(page.folder, page.name, page.text)
            progress(page.number, page.total)
    result = folder.finish_export()
    if as_json:
        print_json({"path": path, **result._asdict()})
        return
    click.echo(
        f"{counted_noun(result.written, 'page')} written to {safe_text(path)}, "
        f"{result.unchanged:,} unchanged, {result.removed:,} removed."
    )
    for page_path in result.edited:
        click.echo(f"left alone, as you changed it: {safe_text(str(page_path))}", err=True)


class WrittenPages(NamedTuple):
    """The numbers of pages by what happened to them, and the pages that somebody had edited."""

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
        ours = {self._path / name for name in self._before}
        return [page.stem for page in self._path.glob(f"**/*{PAGE_SUFFIX}") if page not in ours]

    def write(self, folder: str, name: str, text: str) -> None:
        """Write a page, unless it is up to date or somebody edited it."""
        place = f"{folder}/{name}{PAGE_SUFFIX}" if folder else f"{name}{PAGE_SUFFIX}"
        path, content = self._path / place, text.encode(errors="replace")
        current, wanted = _file_digest(path), _content_digest(content)
        self._now[place] = wanted
        if current == wanted:
            self._unchanged += 1
        elif current is not None and current != self._before.get(place):
            self._now[place] = self._before.get(place, "")
            self._edited.append(path)
        else:
            _write_page(path, content)
            self._written += 1

    def finish_export(self) -> WrittenPages:
        """Remove the pages of threads that are gone, and save the list of ours."""
        removed = 0
        for place in self._before.keys() - self._now.keys():
            path = self._path / place
            current = _file_digest(path)
            if current is not None and current != self._before[place]:
                self._edited.append(path)
            elif current is not None:
                path.unlink()
                removed += 1
                with suppress(OSError):
                    # Only if the folder is empty.
                    path.parent.rmdir()
        listed = json.dumps(self._now, ensure_ascii=False, indent=1)
        _write_page(self._path / LIST_FILE, listed.encode())
        return WrittenPages(self._written, self._unchanged, removed, tuple(sorted(self._edited)))


def _listed_pages(path: Path) -> dict[str, str]:
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    pages = listed.items() if isinstance(listed, dict) else ()
    # Somebody may have edited the list: no file outside the folder is ours.
    return {
        str(place): str(digest)
        for place, digest in pages
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
        msg = f"cannot write {path}: {error.strerror}. Earlier pages are written."
        raise StoreError(msg) from error


def _file_digest(path: Path) -> str | None:
    try:
        return _content_digest(path.read_bytes())
    except FileNotFoundError:
        return None


def _content_digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
