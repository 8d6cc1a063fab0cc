"""`ais import`: bring in the sessions and notes of before, wherever clients keep them.

`ais import` of a file that `ais export` wrote: the whole memory comes back.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    print_json,
    print_table,
    progress_bar,
    rich_console,
    safe_text,
)
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.transfer import EXPORT_KEY, ImportResult, LoadResult
from ai_smartness.ports.transfer import TranscriptFile, UnreadableFile

if TYPE_CHECKING:
    from ai_smartness.ports import Progress


__all__ = ["ImportableFiles", "import_", "import_export_file", "importable_files", "is_export"]


FORMAT_NAMES = (
    "claude-code",
    "codex",
    "gemini",
    "copilot",
    "specstory",
    "claude-mem",
    "jsonl",
    "notes",
)
SHOWN_TROUBLES = 10
SHOWN_REASONS = 12
SHOWN_PROJECTS = 20


class ImportableFiles(NamedTuple):
    """What there is to import, in one format."""

    format: str
    files: int
    size: int


@click.command("import", epilog="Example: ais import --from codex --dry-run")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--from", "format_", type=click.Choice(FORMAT_NAMES), help="Read this format alone.")
@click.option("--project", metavar="NAME_OR_PATH", help="Put all of it into this project.")
@click.option("--dry-run", is_flag=True, help="Say what there is, and store nothing.")
@json_option
@pass_context
def import_(
    context: CliContext,
    paths: tuple[Path, ...],
    format_: str | None,
    project: str | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Bring in the sessions and notes of before.

    Without PATHS it finds them where Claude Code, Codex, Gemini and Copilot CLI and claude-mem
    keep theirs, with the notes and the SpecStory history of this project. Each session goes to
    the project it was about. Running it again adds only what is new. What it brings in is found
    by its words at once, and by its meaning when the daemon has embedded it. A file that
    `ais export` wrote gives the whole memory back.
    """
    from ai_smartness.wiring import transcript_sources

    if any(is_export(path) for path in paths):
        if import_export_file(context, paths, project, dry_run=dry_run, as_json=as_json):
            _start_embedding(context)
        return
    history = transcript_sources(
        context.environ,
        context.project_folder.root if context.project_folder else None,
    )
    with _transfer_bar() as told, context.open_memory() as memory:
        imported = memory.import_history(
            history,
            list(history.find_files(paths, format_)),
            home=str(context.places.home),
            project=_target_project(context, project),
            dry_run=dry_run,
            progress=told,
        )
    if imported.added and not dry_run:
        _start_embedding(context)
    if as_json:
        print_json(imported)
    else:
        _print_imported(imported)
    if imported.not_read and not imported.read and not imported.unchanged:
        click.get_current_context().exit(1)


def importable_files(context: CliContext) -> list[ImportableFiles]:
    """Return what there is to import where clients keep it, without reading it."""
    from ai_smartness.wiring import transcript_sources

    history = transcript_sources(
        context.environ,
        context.project_folder.root if context.project_folder else None,
    )
    by_format: dict[str, list[TranscriptFile]] = {}
    for each in history.find_files():
        if not isinstance(each, UnreadableFile):
            by_format.setdefault(each.format, []).append(each)
    return [
        ImportableFiles(name, len(files), sum(each.size for each in files))
        for name, files in by_format.items()
    ]


def _target_project(context: CliContext, project: str | None) -> str | None:
    """Name the project that all goes to, if one was given before or behind the command."""
    from ai_smartness.wiring import project_folder_of

    if project is None:
        return context.project_name if context.project is not None else None
    folder = project_folder_of(Path(project)) if Path(project).is_dir() else None
    return folder.name if folder else project


def _start_embedding(context: CliContext) -> None:
    """Start the daemon, which embeds what came in, if there is a model to do it with."""
    from ai_smartness.entrypoints.daemon.spawn import spawn_daemon
    from ai_smartness.settings.paths import HomePaths, make_private_folder

    if context.settings.embedder.model != "none" and context.missing_model is None:
        where = HomePaths(str(context.places.home))
        make_private_folder(where.home)
        spawn_daemon(where)


@contextmanager
def _transfer_bar() -> Iterator["Progress"]:
    """Draw a bar with the rate and the time that is left; on anything but a terminal, none."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("importing"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=rich_console(stderr=True), transient=True) as bar:
        task = bar.add_task("importing", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print_imported(imported: ImportResult) -> None:
    if imported.dry_run:
        click.echo("dry run: nothing was stored.")
    formats = ", ".join(f"{count:,} {name}" for name, count in imported.formats.items())
    read = counted_noun(imported.read, "file") + (f" ({formats})" if formats else "")
    again = f", {imported.unchanged:,} unchanged since last time" if imported.unchanged else ""
    click.echo(f"read      {read}{again}")
    click.echo(f"sessions  {imported.sessions:,}")
    verb = "would be added" if imported.dry_run else "added"
    click.echo(f"messages  {imported.added:,} {verb}, {imported.known:,} known already")
    if imported.skipped:
        click.echo(f"left out  {_skip_reasons(imported)}")
    _print_projects(imported)
    _print_unread(imported)
    if not (imported.read or imported.unchanged or imported.not_read):
        click.echo("There is nothing to import. Name a file or a folder: ais import PATH")


def _skip_reasons(imported: ImportResult) -> str:
    named = list(imported.skipped.items())
    shown = ", ".join(f"{count:,} {safe_text(name)}" for name, count in named[:SHOWN_REASONS])
    more = sum(count for _, count in named[SHOWN_REASONS:])
    return f"{shown}, {more:,} others" if more else shown


def _print_projects(imported: ImportResult) -> None:
    given = sorted(imported.projects.items(), key=lambda each: -each[1].added)
    if not given:
        return
    rows = [
        (name, f"{each.sessions:,}", f"{each.added:,}", f"{each.known:,}")
        for name, each in given[:SHOWN_PROJECTS]
    ]
    click.echo()
    print_table(("project", "sessions", "added", "known"), rows)
    if len(given) > SHOWN_PROJECTS:
        click.echo(f"… and {len(given) - SHOWN_PROJECTS:,} more projects")


def _print_unread(imported: ImportResult) -> None:
    troubles: Sequence[object] = imported.not_read
    if not troubles:
        return
    for each in imported.not_read[:SHOWN_TROUBLES]:
        click.echo(f"warning: {safe_text(str(each.path))}: {safe_text(each.why)}", err=True)
    if len(troubles) > SHOWN_TROUBLES:
        click.echo(f"warning: … and {len(troubles) - SHOWN_TROUBLES:,} more", err=True)
    click.echo(f"warnings  {len(troubles):,}: the rest was imported", err=True)


SHOWN_KINDS = {"thread": "thread", "event": "event", "bridge": "bridge", "change": "change"}
"""What people ask about; the rest is in the JSON."""


def is_export(path: Path) -> bool:
    """Say whether a file is a memory that was taken out whole."""
    start = f'{{"{EXPORT_KEY}":'.encode()
    try:
        with path.open("rb") as file:
            return file.read(len(start)) == start
    except OSError:
        return False


def import_export_file(
    context: CliContext,
    paths: Sequence[Path],
    project: str | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> bool:
    """Take a memory in, and say whether something is to be embedded now."""
    if len(paths) > 1:
        msg = (
            "an export is imported alone: it is all of it or nothing. Give one file at a time: "
            f"ais import {safe_text(str(paths[0]))}"
        )
        raise RefusedError(msg)
    if project is not None:
        msg = (
            "cannot put an export into one project: it says itself what is of which. Leave it out."
        )
        raise RefusedError(msg)
    path = paths[0]
    with (
        context.open_memory() as memory,
        path.open("rb") as file,
        progress_bar("importing") as told,
    ):
        try:
            done = memory.take_in(file, dry_run=dry_run, progress=told)
        except RefusedError as refused:
            msg = str(refused).replace("cannot import it", f"cannot import {path}", 1)
            raise RefusedError(msg.replace("import FILE", f"import {path}")) from refused
    if as_json:
        print_json({"path": path, "dry_run": dry_run, **_taken_in_json(done)})
    else:
        _print_taken_in(done, dry_run=dry_run)
    return bool(done.added.get("event")) and not dry_run


def _print_taken_in(done: LoadResult, *, dry_run: bool) -> None:
    if dry_run:
        click.echo("dry run: nothing was stored.")
    for word, counts in (
        ("added", done.added),
        ("known", done.known),
        ("left out", done.left_out),
    ):
        said = [
            counted_noun(counts[kind], noun)
            for kind, noun in SHOWN_KINDS.items()
            if counts.get(kind)
        ]
        if said or word == "added":
            click.echo(f"{word:<9} {', '.join(said) or 'nothing'}")
    if done.left_out.get("change"):
        click.echo("Changes of threads that were here before are left out: these stay as they are.")
    if done.left_out.get("event"):
        click.echo("Events that were forgotten here stay so.")


def _taken_in_json(done: LoadResult) -> dict[str, object]:
    return {
        "added": done.added,
        "known": done.known,
        "left_out": done.left_out,
        "projects": done.projects,
    }
