"""`ais import`: import earlier sessions and notes of any client, or an exported memory."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import click

from ai_smartness.clients.registry import TRANSCRIPT_READERS
from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    print_json,
    print_table,
    print_text,
    progress_bar,
    safe_text,
)
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.transfer import EXPORT_KEY, ImportResult, LoadResult
from ai_smartness.ports.transfer import UnreadableFile

if TYPE_CHECKING:
    from ai_smartness.clients.transcript_files import Transcripts

__all__ = ["ImportableFiles", "import_", "importable_files", "is_export"]

EXPORTED_MESSAGES = "export"  # the reader for somebody else's export

SHOWN_FILES = 10
SHOWN_REASONS = 12
SHOWN_PROJECTS = 20

SHOWN_KINDS = ("thread", "event", "bridge", "change")
"""The kinds of records that people ask about; the JSON has the rest."""


class ImportableFiles(NamedTuple):
    """The files of one format that can be imported."""

    format: str
    files: int
    size: int


@click.command("import", epilog="Example: ais import --from codex --dry-run")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--from", "format_", type=click.Choice([*TRANSCRIPT_READERS]), help="Read only this format."
)
@click.option("--project", metavar="NAME_OR_PATH", help="Put everything into this project.")
@click.option(
    "--trust", is_flag=True, help="The files are yours: believe their speakers and projects."
)
@click.option("--dry-run", is_flag=True, help="Show what would be imported, and store nothing.")
@json_option
@pass_context
def import_(
    context: CliContext,
    paths: tuple[Path, ...],
    format_: str | None,
    project: str | None,
    *,
    trust: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Without PATHS, it looks in the usual places.

    These are the folders of Claude Code, Codex, Gemini CLI, Copilot CLI and claude-mem, and the
    notes, the SpecStory history and the team's shared statements of this project. Each session
    goes to the project it was about. Another import adds only what is new. You can search
    imported messages by keyword at once, and by meaning when the daemon has embedded them. A
    file that `ais export` wrote restores the whole memory; say with --trust that it is yours.

    A repository's own files (CLAUDE.md, AGENTS.md, .specstory) are stored as file content, not as
    your words. In a file that you name, lines for another project or with a system role are left
    out; with --trust they are not. --from export does the same with somebody else's export, and
    imports only its messages.
    """
    if format_ != EXPORTED_MESSAGES and any(is_export(path) for path in paths):
        _refuse_parts_of_export(paths, project)
        if not (trust or dry_run):
            _refuse_untrusted_export(paths[0])
        if _load_export(context, paths[0], dry_run=dry_run, as_json=as_json):
            _start_embedding(context)
        return
    sources = _transcript_sources(context)
    with progress_bar("importing", is_transfer=True) as progress, context.open_memory() as memory:
        imported = memory.import_history(
            sources,
            list(sources.find_files(paths, format_)),
            home=str(context.places.home),
            project=_target_project(context, project),
            dry_run=dry_run,
            trust=trust,
            progress=progress,
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
    """Count the files that clients keep in their usual places, without reading them."""
    sizes: dict[str, list[int]] = {}
    for file in _transcript_sources(context).find_files():
        if not isinstance(file, UnreadableFile):
            sizes.setdefault(file.format, []).append(file.size)
    return [ImportableFiles(name, len(values), sum(values)) for name, values in sizes.items()]


def _transcript_sources(context: CliContext) -> "Transcripts":
    from ai_smartness.clients.transcript_files import transcript_sources

    root = context.project_folder.root if context.project_folder else None
    return transcript_sources(context.environ, root)


def _target_project(context: CliContext, project: str | None) -> str | None:
    """Name the project that was given before or behind the command, if any."""
    from ai_smartness.wiring import project_folder_of

    if project is None:
        return context.project_name if context.project is not None else None
    if not Path(project).is_dir():
        return project
    folder = project_folder_of(Path(project), context.places.home)
    return folder.name if folder else project


def _start_embedding(context: CliContext) -> None:
    """Start the daemon, which embeds the new messages, if there is a model."""
    from ai_smartness.entrypoints.daemon.spawn import spawn_daemon
    from ai_smartness.settings.paths import HomePaths, make_private_folder

    if context.settings.embedder.model != "none" and context.missing_model is None:
        paths = HomePaths(str(context.places.home))
        make_private_folder(paths.home)
        spawn_daemon(paths)


def _print_imported(imported: ImportResult) -> None:
    if imported.dry_run:
        click.echo("dry run: nothing was stored.")
    formats = ", ".join(f"{count:,} {name}" for name, count in imported.formats.items())
    read = counted_noun(imported.read, "file") + (f" ({formats})" if formats else "")
    unchanged = f", {imported.unchanged:,} unchanged since last time" if imported.unchanged else ""
    click.echo(f"read      {read}{unchanged}")
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
    reasons = list(imported.skipped.items())
    text = ", ".join(f"{count:,} {safe_text(name)}" for name, count in reasons[:SHOWN_REASONS])
    more = sum(count for _, count in reasons[SHOWN_REASONS:])
    return f"{text}, {more:,} others" if more else text


def _print_projects(imported: ImportResult) -> None:
    projects = sorted(imported.projects.items(), key=lambda item: -item[1].added)
    if not projects:
        return
    rows = [
        (name, f"{counts.sessions:,}", f"{counts.added:,}", f"{counts.known:,}")
        for name, counts in projects[:SHOWN_PROJECTS]
    ]
    click.echo()
    print_table(("project", "sessions", "added", "known"), rows)
    if len(projects) > SHOWN_PROJECTS:
        click.echo(f"… and {len(projects) - SHOWN_PROJECTS:,} more projects")


def _print_unread(imported: ImportResult) -> None:
    count = len(imported.not_read)
    if not count:
        return
    for file in imported.not_read[:SHOWN_FILES]:
        print_text(f"warning: {file.path}: {file.why}", err=True)
    if count > SHOWN_FILES:
        print_text(f"warning: … and {count - SHOWN_FILES:,} more", err=True)
    click.echo(f"warnings  {count:,}: the rest was imported", err=True)


def is_export(path: Path) -> bool:
    """Say whether a file is an export of a memory."""
    start = f'{{"{EXPORT_KEY}":'.encode()
    try:
        with path.open("rb") as file:
            return file.read(len(start)) == start
    except OSError:
        return False


def _refuse_parts_of_export(paths: Sequence[Path], project: str | None) -> None:
    if len(paths) > 1:
        msg = (
            "an export is imported alone, completely or not at all. Give one file at a time: "
            f"ais import {safe_text(str(paths[0]))}"
        )
        raise RefusedError(msg)
    if project is not None:
        msg = "cannot put an export into one project: it names its own. Leave --project out."
        raise RefusedError(msg)


def _refuse_untrusted_export(path: Path) -> NoReturn:
    name = safe_text(str(path))
    msg = (
        f"cannot import {name}: it is a whole memory, and what stands in it would count as your "
        f"own words, pins and reviews, in all projects. If you exported it yourself, run `ais "
        f"import --trust {name}`. Of somebody else's, `ais import --from export {name}` imports "
        "the messages for this project, and `--project NAME` puts all of them into one."
    )
    raise RefusedError(msg)


def _load_export(context: CliContext, path: Path, *, dry_run: bool, as_json: bool) -> bool:
    """Load an export, and say whether events were added."""
    with (
        context.open_memory() as memory,
        path.open("rb") as file,
        progress_bar("importing") as progress,
    ):
        result = memory.take_in(file, dry_run=dry_run, progress=progress)
    if as_json:
        print_json({"path": path, "dry_run": dry_run, **asdict(result)})
    else:
        _print_loaded(result, dry_run=dry_run)
    return bool(result.added.get("event")) and not dry_run


def _print_loaded(result: LoadResult, *, dry_run: bool) -> None:
    if dry_run:
        click.echo("dry run: nothing was stored.")
    labels = {"added": result.added, "known": result.known, "left out": result.left_out}
    for label, counts in labels.items():
        parts = [counted_noun(counts[kind], kind) for kind in SHOWN_KINDS if counts.get(kind)]
        if parts or label == "added":
            click.echo(f"{label:<9} {', '.join(parts) or 'nothing'}")
    if result.left_out.get("change"):
        print_text("Changes of threads that were already here are left out: they stay as they are.")
    if result.left_out.get("event"):
        print_text("Events that were forgotten here stay forgotten.")
