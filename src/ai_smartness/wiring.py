"""The composition root: the one place that knows which adapter fulfils which port.

Settings are read here, once, and handed down.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ai_smartness.adapters.clock import SystemClock
from ai_smartness.adapters.embedders.model_cache import ModelCache
from ai_smartness.adapters.git import GitWorktree
from ai_smartness.adapters.local_files import LocalMemoryFiles, RecallLog
from ai_smartness.adapters.sqlite.backup_files import SqliteBackups
from ai_smartness.adapters.sqlite.open_database import IN_MEMORY
from ai_smartness.adapters.sqlite.restore_file import DatabaseRestore
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.clients.claude_code.usage import last_usage
from ai_smartness.clients.project import project_at
from ai_smartness.clients.transcript_files import FORMATS, Transcripts
from ai_smartness.condense import CondenserRegistry, plugin_condensers
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.ports import Embedder, Progress
from ai_smartness.settings.load import load_settings
from ai_smartness.settings.paths import MemoryPaths, memory_paths
from ai_smartness.settings.schema import Settings

if TYPE_CHECKING:
    from ai_smartness.adapters.llm import ChosenModel

__all__ = [
    "FORMATS",
    "DatabaseRestore",
    "ProjectFolder",
    "SystemClock",
    "Transcripts",
    "backup_store",
    "build_memory",
    "known_projects",
    "language_model",
    "last_usage",
    "load_embedder",
    "local_models",
    "open_memory",
    "project_folder_of",
    "pull_model",
    "restore_target",
    "transcript_sources",
]

CREATION_SECONDS = 10.0


def open_memory(
    path: Path | str | None = None,
    *,
    project: str | Path | None = None,
    home: Path | str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Memory:
    """Open a memory with the settings of this user and this project."""
    folder = project_folder_of(project)
    where = memory_paths(Path(home) if home else None, folder.root if folder else None, environ)
    settings = load_settings(where, environ).settings
    name = folder.name if folder else str(project)
    return build_memory(where, settings, name, path)


def build_memory(
    where: MemoryPaths,
    settings: Settings,
    project: str,
    path: Path | str | None = None,
    *,
    embedder: Callable[[], Embedder | None] | None = None,
) -> Memory:
    """Put the parts together.

    With an embedder that others use too, what is not embedded yet is left to them, and
    there is no language model: hooks and jobs are served there, and none of them may ask one.
    """
    if not project.strip():
        msg = "a project needs a name. Give one, or a folder, or none for the current folder's."
        raise RefusedError(msg)
    if path is None:
        _refuse_emptied_file(where, settings)
    store = SqliteStore.open(
        where.database if path is None else path,
        busy_timeout_ms=settings.store.busy_timeout_ms,
        exact_limit=settings.vectors.exact_limit,
    )
    # A folder's name may be any bytes; the store takes text.
    project = project.encode(errors="backslashreplace").decode()
    worktree = GitWorktree(where.project_file.parents[1]) if where.project_file else None
    parts = MemoryParts(
        store=store,
        embedder=embedder or (lambda: load_embedder(where, settings)),
        clock=SystemClock(),
        worktree=worktree,
        read_file=worktree.file_text if worktree else None,
        condensers=CondenserRegistry(plugin_condensers),
        recall_log=RecallLog(where.database.parent / "recall.log").append_line,
        patient=embedder is None,
        language_model=(lambda: language_model(settings)) if embedder is None else None,
        files=_memory_files(where, settings, path),
        open_copy=SqliteStore.open,
    )
    return Memory(parts, project, settings)


def _memory_files(
    where: MemoryPaths,
    settings: Settings,
    path: Path | str | None,
) -> LocalMemoryFiles | None:
    """Return the files beside the memory; one at a path of its own has few, one in memory none."""
    if path is None:
        return LocalMemoryFiles(where.database, where.home, backup_store(where, settings).folder)
    return None if str(path) == IN_MEMORY else LocalMemoryFiles(Path(path), None, None)


def local_models(where: MemoryPaths) -> ModelCache:
    """Return the shelf of embedding models in the user's cache."""
    return ModelCache(where.cache / "models")


def pull_model(where: MemoryPaths, name: str, progress: Progress) -> None:
    """Get a model of the catalogue onto the shelf."""
    try:
        local_models(where).pull_model(name, progress)
    except OSError as error:
        msg = (
            f"cannot keep the model {name} in {where.cache}: {error.strerror}. "
            "Make it a folder with room that you may write to, or name another with AIS_CACHE."
        )
        raise StoreError(msg) from error


def backup_store(where: MemoryPaths, settings: Settings, to: Path | None = None) -> SqliteBackups:
    """Return the backups of the memory: where they are kept, or in a folder that is named."""
    folder = where.home / Path(settings.backup.folder).expanduser()
    return SqliteBackups(where.database, to or folder)


def restore_target(where: MemoryPaths) -> DatabaseRestore:
    """Return the memory's file, to be put in the place of by a backup."""
    return DatabaseRestore(where.database, SystemClock().now())


def _refuse_emptied_file(where: MemoryPaths, settings: Settings) -> None:
    """Refuse to begin a new memory in the file of one that was lost."""
    try:
        about = where.database.stat()
    except OSError:
        return
    # One that is just being made is empty too, for a moment.
    if about.st_size or SystemClock().now().timestamp() - about.st_mtime < CREATION_SECONDS:
        return
    kept = backup_store(where, settings).all()
    if kept:
        msg = (
            f"the memory {where.database} is damaged: its file is empty, and there are backups of "
            f"it, the newest of {kept[0].at:%Y-%m-%d %H:%M} UTC. `ais restore latest` puts the "
            "newest good one back; then `ais import` brings in what was said since. What is "
            "captured meanwhile waits in the inbox. To begin anew, remove the empty file."
        )
        raise StoreError(msg)


def known_projects(where: MemoryPaths) -> list[str]:
    """Name the projects of the memory; one that does not exist is not made, and has none."""
    if not os.access(where.database, os.F_OK):
        return []
    store = SqliteStore.open(where.database)
    try:
        return [each.project for each in store.project_counts()]
    finally:
        store.close()


def transcript_sources(environ: Mapping[str, str], folder: Path | None = None) -> Transcripts:
    """Return where the past sessions of this user are, and the notes of a project's folder."""
    home = environ.get("HOME")
    return Transcripts(Path(home) if home else Path.home(), environ, folder)


class ProjectFolder(NamedTuple):
    """A project's name, the same from all its worktrees, and the root of this one."""

    name: str
    root: Path


def project_folder_of(project: str | Path | None) -> ProjectFolder | None:
    """Find the folder of a project; one given by its name alone has none."""
    if isinstance(project, str):
        return None
    place = project_at(str(project or Path.cwd()))
    return ProjectFolder(place.name, Path(place.root))


def language_model(
    settings: Settings,
    environ: Mapping[str, str] = os.environ,
) -> "ChosenModel | None":
    """Return the language model that is configured, if one is."""
    from ai_smartness.adapters.llm import ModelChoice, chosen_model

    given = asdict(settings.llm)
    del given["daily_tokens"]
    return chosen_model(ModelChoice(**given), environ)


def load_embedder(where: MemoryPaths, settings: Settings) -> Embedder | None:
    """Load the model that is set; a catalogue model that was not pulled yet is simply absent."""
    shelf = local_models(where)
    choice = settings.embedder.model
    if shelf.is_unpulled(choice):
        return None
    return shelf.load_embedder(
        choice,
        threads=settings.embedder.threads or max(1, (os.cpu_count() or 1) - 1),
        max_chunks=settings.embedder.max_chunks,
    )
