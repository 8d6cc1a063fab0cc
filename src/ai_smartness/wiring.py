"""The composition root: the one place that knows which adapter fulfils which port.

Settings are read here, once, and handed down.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ai_smartness.adapters.clock import SystemClock
from ai_smartness.adapters.embedders.shelf import ModelShelf
from ai_smartness.adapters.git import GitWorktree, ProjectFolder, project_at
from ai_smartness.adapters.own_files import SystemFiles
from ai_smartness.adapters.recall_log import RecallLog
from ai_smartness.adapters.storage.sqlite.backup import SqliteBackups
from ai_smartness.adapters.storage.sqlite.opening import IN_MEMORY
from ai_smartness.adapters.storage.sqlite.restoring import Restoring
from ai_smartness.adapters.storage.sqlite.store import SqliteStore
from ai_smartness.adapters.transcripts import Transcripts
from ai_smartness.adapters.transcripts.formats import FORMATS
from ai_smartness.adapters.transcripts.usage import last_usage
from ai_smartness.capture.placing import PlaceRules
from ai_smartness.compact.condensers import Condensers, plugged_in
from ai_smartness.compact.rules import CondenseRules
from ai_smartness.inject.rules import InjectRules
from ai_smartness.memory import Memory, Parts, Rules
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.ports import Embedder, Progress
from ai_smartness.retrieve.fuse import Weights
from ai_smartness.settings import Places, Settings, load, places
from ai_smartness.threads.bridges import BridgeRules

if TYPE_CHECKING:
    from ai_smartness.adapters.llm.choice import ChosenModel

__all__ = [
    "FORMATS",
    "ProjectFolder",
    "Restoring",
    "SystemClock",
    "Transcripts",
    "backups",
    "folder_of",
    "known_projects",
    "language_model",
    "last_usage",
    "load_embedder",
    "model_shelf",
    "open_memory",
    "past_sessions",
    "pull_model",
    "restoring",
    "wired",
]

BEING_MADE_SECONDS = 10.0


def open_memory(
    path: Path | str | None = None,
    *,
    project: str | Path | None = None,
    home: Path | str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Memory:
    """Open a memory with the settings of this user and this project."""
    folder = folder_of(project)
    where = places(Path(home) if home else None, folder.root if folder else None, environ)
    settings = load(where, environ).settings
    name = folder.name if folder else str(project)
    return wired(where, settings, name, path)


def wired(
    where: Places,
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
        _refuse_emptied(where, settings)
    store = SqliteStore.open(
        where.database if path is None else path,
        busy_timeout_ms=settings.store.busy_timeout_ms,
        exact_limit=settings.vectors.exact_limit,
    )
    rules = Rules(
        weights=Weights(
            words=settings.search.words_weight,
            meaning=settings.search.meaning_weight,
            candidates=settings.search.candidates,
        ),
        place=PlaceRules(**asdict(settings.place)),
        bridges=BridgeRules(**asdict(settings.bridges)),
        inject=InjectRules(**asdict(settings.inject)),
        recall_floor=settings.recall.floor,
        half_life_days=settings.decay.half_life_days,
        condense=CondenseRules(**asdict(settings.condense)),
        daily_tokens=settings.llm.daily_tokens,
    )
    # A folder's name may be any bytes; the store takes text.
    project = project.encode(errors="backslashreplace").decode()
    worktree = GitWorktree(where.project_file.parents[1]) if where.project_file else None
    parts = Parts(
        store=store,
        embedder=embedder or (lambda: load_embedder(where, settings)),
        clock=SystemClock(),
        worktree=worktree,
        read_file=worktree.text if worktree else None,
        condensers=Condensers(plugged_in),
        recall_log=RecallLog(where.database.parent / "recall.log").append,
        patient=embedder is None,
        language_model=(lambda: language_model(settings)) if embedder is None else None,
        files=_files(where, settings, path),
        open_copy=SqliteStore.open,
    )
    return Memory(parts, project, rules)


def _files(where: Places, settings: Settings, path: Path | str | None) -> SystemFiles | None:
    """Return the files beside the memory; one at a path of its own has few, one in memory none."""
    if path is None:
        return SystemFiles(where.database, where.home, backups(where, settings).folder)
    return None if str(path) == IN_MEMORY else SystemFiles(Path(path), None, None)


def model_shelf(where: Places) -> ModelShelf:
    """Return the shelf of embedding models in the user's cache."""
    return ModelShelf(where.cache / "models")


def pull_model(where: Places, name: str, progress: Progress) -> None:
    """Get a model of the catalogue onto the shelf."""
    try:
        model_shelf(where).pull(name, progress)
    except OSError as error:
        msg = (
            f"cannot keep the model {name} in {where.cache}: {error.strerror}. "
            "Make it a folder with room that you may write to, or name another with AIS_CACHE."
        )
        raise StoreError(msg) from error


def backups(where: Places, settings: Settings, to: Path | None = None) -> SqliteBackups:
    """Return the backups of the memory: where they are kept, or in a folder that is named."""
    folder = where.home / Path(settings.backup.folder).expanduser()
    return SqliteBackups(where.database, to or folder)


def restoring(where: Places) -> Restoring:
    """Return the memory's file, to be put in the place of by a backup."""
    return Restoring(where.database, SystemClock().now())


def _refuse_emptied(where: Places, settings: Settings) -> None:
    """Refuse to begin a new memory in the file of one that was lost."""
    try:
        about = where.database.stat()
    except OSError:
        return
    # One that is just being made is empty too, for a moment.
    if about.st_size or SystemClock().now().timestamp() - about.st_mtime < BEING_MADE_SECONDS:
        return
    kept = backups(where, settings).all()
    if kept:
        msg = (
            f"the memory {where.database} is damaged: its file is empty, and there are backups of "
            f"it, the newest of {kept[0].at:%Y-%m-%d %H:%M} UTC. `ais restore latest` puts the "
            "newest good one back; then `ais import` brings in what was said since. What is "
            "captured meanwhile waits in the inbox. To begin anew, remove the empty file."
        )
        raise StoreError(msg)


def known_projects(where: Places) -> list[str]:
    """Name the projects of the memory; one that does not exist is not made, and has none."""
    if not os.access(where.database, os.F_OK):
        return []
    store = SqliteStore.open(where.database)
    try:
        return [each.project for each in store.projects()]
    finally:
        store.close()


def past_sessions(environ: Mapping[str, str], folder: Path | None = None) -> Transcripts:
    """Return where the past sessions of this user are, and the notes of a project's folder."""
    home = environ.get("HOME")
    return Transcripts(Path(home) if home else Path.home(), environ, folder)


def folder_of(project: str | Path | None) -> ProjectFolder | None:
    """Find the folder of a project; one given by its name alone has none."""
    if project is None:
        return project_at(Path.cwd())
    return project_at(project) if isinstance(project, Path) else None


def language_model(
    settings: Settings, environ: Mapping[str, str] = os.environ
) -> "ChosenModel | None":
    """Return the language model that is configured, if one is."""
    from ai_smartness.adapters.llm.choice import Choice, chosen  # noqa: PLC0415 - few have one

    given = asdict(settings.llm)
    del given["daily_tokens"]
    return chosen(Choice(**given), environ)


def load_embedder(where: Places, settings: Settings) -> Embedder | None:
    """Load the model that is set; a catalogue model that was not pulled yet is simply absent."""
    shelf = model_shelf(where)
    choice = settings.embedder.model
    if shelf.lacks(choice):
        return None
    return shelf.load(
        choice,
        threads=settings.embedder.threads or max(1, (os.cpu_count() or 1) - 1),
        max_chunks=settings.embedder.max_chunks,
    )
