"""The composition root: the one place that knows which adapter fulfils which port.

Settings are read here, once, and handed down.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from ai_smartness.adapters.clock import SystemClock
from ai_smartness.adapters.embedders.shelf import ModelShelf
from ai_smartness.adapters.git import GitWorktree, ProjectFolder, project_at
from ai_smartness.adapters.recall_log import RecallLog
from ai_smartness.adapters.storage.sqlite.store import SqliteStore
from ai_smartness.capture.placing import PlaceRules
from ai_smartness.inject.rules import InjectRules
from ai_smartness.memory import Memory, Parts, Rules
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.ports import Embedder, Progress
from ai_smartness.retrieve.fuse import Weights
from ai_smartness.settings import Places, Settings, load, places
from ai_smartness.threads.bridges import BridgeRules

__all__ = [
    "ProjectFolder",
    "SystemClock",
    "folder_of",
    "known_projects",
    "load_embedder",
    "model_shelf",
    "open_memory",
    "pull_model",
    "wired",
]


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

    With an embedder that others use too, what is not embedded yet is left to them.
    """
    if not project.strip():
        msg = "a project needs a name. Give one, or a folder, or none for the current folder's."
        raise RefusedError(msg)
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
    )
    # A folder's name may be any bytes; the store takes text.
    project = project.encode(errors="backslashreplace").decode()
    parts = Parts(
        store=store,
        embedder=embedder or (lambda: load_embedder(where, settings)),
        clock=SystemClock(),
        worktree=GitWorktree(where.project_file.parents[1]) if where.project_file else None,
        recall_log=RecallLog(where.database.parent / "recall.log").append,
        patient=embedder is None,
    )
    return Memory(parts, project, rules)


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


def known_projects(where: Places) -> list[str]:
    """Name the projects of the memory; one that does not exist is not made, and has none."""
    if not os.access(where.database, os.F_OK):
        return []
    store = SqliteStore.open(where.database)
    try:
        return [each.project for each in store.projects()]
    finally:
        store.close()


def folder_of(project: str | Path | None) -> ProjectFolder | None:
    """Find the folder of a project; one given by its name alone has none."""
    if project is None:
        return project_at(Path.cwd())
    return project_at(project) if isinstance(project, Path) else None


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
