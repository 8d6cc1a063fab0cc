"""`ais import`: bring in the sessions and notes of before, wherever clients keep them."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.import_export import is_export, take_in
from ai_smartness.entrypoints.cli.output import console, print_json, print_table, visible
from ai_smartness.model.imported import Imported
from ai_smartness.ports.history import Source, Unread

if TYPE_CHECKING:
    from ai_smartness.ports import Progress

__all__ = ["Found", "found", "import_"]

NAMES = ("claude-code", "codex", "gemini", "copilot", "specstory", "claude-mem", "jsonl", "notes")
SHOWN_TROUBLES = 10
SHOWN_REASONS = 12
SHOWN_PROJECTS = 20


class Found(NamedTuple):
    """What there is to import, in one format."""

    format: str
    files: int
    size: int


@click.command("import", epilog="Example: ais import --from codex --dry-run")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--from", "format_", type=click.Choice(NAMES), help="Read this format alone.")
@click.option("--project", metavar="NAME_OR_PATH", help="Put all of it into this project.")
@click.option("--dry-run", is_flag=True, help="Say what there is, and store nothing.")
@as_json
@pass_context
def import_(
    context: Context,
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
    from ai_smartness.wiring import past_sessions  # noqa: PLC0415 - not for --help

    if any(is_export(path) for path in paths):
        if take_in(context, paths, project, dry_run=dry_run, as_json=as_json):
            _have_embedded(context)
        return
    history = past_sessions(context.environ, context.folder.root if context.folder else None)
    with _bar() as told, context.memory() as memory:
        imported = memory.import_history(
            history,
            list(history.sources(paths, format_)),
            home=str(context.places.home),
            project=_named(context, project),
            dry_run=dry_run,
            progress=told,
        )
    if imported.added and not dry_run:
        _have_embedded(context)
    if as_json:
        print_json(imported)
    else:
        _print(imported)
    if imported.not_read and not imported.read and not imported.unchanged:
        click.get_current_context().exit(1)


def found(context: Context) -> list[Found]:
    """Return what there is to import where clients keep it, without reading it."""
    from ai_smartness.wiring import past_sessions  # noqa: PLC0415 - not for --help

    history = past_sessions(context.environ, context.folder.root if context.folder else None)
    by_format: dict[str, list[Source]] = {}
    for each in history.sources():
        if not isinstance(each, Unread):
            by_format.setdefault(each.format, []).append(each)
    return [
        Found(name, len(files), sum(each.size for each in files))
        for name, files in by_format.items()
    ]


def _named(context: Context, project: str | None) -> str | None:
    """Name the project that all goes to, if one was given before or behind the command."""
    from ai_smartness.wiring import folder_of  # noqa: PLC0415 - not for --help

    if project is None:
        return context.name if context.project is not None else None
    folder = folder_of(Path(project)) if Path(project).is_dir() else None
    return folder.name if folder else project


def _have_embedded(context: Context) -> None:
    """Start the daemon, which embeds what came in, if there is a model to do it with."""
    from ai_smartness.entrypoints.daemon.client import start  # noqa: PLC0415 - not for --help
    from ai_smartness.entrypoints.daemon.whereabouts import (  # noqa: PLC0415
        Whereabouts,
        private_folder,
    )

    if context.settings.embedder.model != "none" and context.lacking_model is None:
        where = Whereabouts(str(context.places.home))
        private_folder(where.home)
        start(where)


@contextmanager
def _bar() -> Iterator["Progress"]:
    """Draw a bar with the rate and the time that is left; on anything but a terminal, none."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import (  # noqa: PLC0415 - a quarter of a command's time
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
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("importing", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print(imported: Imported) -> None:
    if imported.dry_run:
        click.echo("dry run: nothing was stored.")
    formats = ", ".join(f"{count:,} {name}" for name, count in imported.formats.items())
    read = counted(imported.read, "file") + (f" ({formats})" if formats else "")
    again = f", {imported.unchanged:,} unchanged since last time" if imported.unchanged else ""
    click.echo(f"read      {read}{again}")
    click.echo(f"sessions  {imported.sessions:,}")
    verb = "would be added" if imported.dry_run else "added"
    click.echo(f"messages  {imported.added:,} {verb}, {imported.known:,} known already")
    if imported.skipped:
        click.echo(f"left out  {_reasons(imported)}")
    _print_projects(imported)
    _print_troubles(imported)
    if not (imported.read or imported.unchanged or imported.not_read):
        click.echo("There is nothing to import. Name a file or a folder: ais import PATH")


def _reasons(imported: Imported) -> str:
    named = list(imported.skipped.items())
    shown = ", ".join(f"{count:,} {visible(name)}" for name, count in named[:SHOWN_REASONS])
    more = sum(count for _, count in named[SHOWN_REASONS:])
    return f"{shown}, {more:,} others" if more else shown


def _print_projects(imported: Imported) -> None:
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


def _print_troubles(imported: Imported) -> None:
    troubles: Sequence[object] = imported.not_read
    if not troubles:
        return
    for each in imported.not_read[:SHOWN_TROUBLES]:
        click.echo(f"warning: {visible(str(each.path))}: {visible(each.why)}", err=True)
    if len(troubles) > SHOWN_TROUBLES:
        click.echo(f"warning: … and {len(troubles) - SHOWN_TROUBLES:,} more", err=True)
    click.echo(f"warnings  {len(troubles):,}: the rest was imported", err=True)
