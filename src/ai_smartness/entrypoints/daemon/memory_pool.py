"""The memories that the daemon keeps open: one for each project and kind of work.

Each has its own connection, so that a prompt waits neither for the inbox nor for a long read. A
memory is reopened when its file was replaced, its settings changed or its model was pulled; one
whose file has gone is not created again.
"""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TypeAlias

from ai_smartness.clients.project import Project, project_at
from ai_smartness.clients.project_links import LINKS_FILE, BrokenLinksError
from ai_smartness.entrypoints.daemon.shared_reranker import SharedReranker
from ai_smartness.memory import Memory
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError, StoreError
from ai_smartness.model.journal import Actor
from ai_smartness.ports import Embedder
from ai_smartness.settings.load import load_settings
from ai_smartness.settings.paths import MemoryPaths, paths_of_home
from ai_smartness.settings.schema import EmbedderSettings, Settings
from ai_smartness.wiring import (
    build_memory,
    is_on_server,
    load_embedder,
    local_models,
    prepare_vector_search,
)

__all__ = ["BlockedProjectError", "MemoryPool", "Work", "project_of"]

MAX_PROJECTS = 8  # open at once: a user works on few, and each holds its vectors in memory
MODEL_RETRY_SECONDS = 60.0
"""Until a model that failed to load is tried again: checking its files takes time."""

DEFAULT_CLIENT = "claude-code"


class BlockedProjectError(StoreError):
    """A project's own settings are broken: it cannot be used, and the others can."""


class Work(StrEnum):
    """The kind of work that a memory is open for."""

    PROMPT = "prompt"
    READ = "read"
    DRAIN = "drain"
    EMBED = "embed"


MAX_BUSY_MS = {Work.PROMPT: 1_000, Work.READ: 5_000, Work.DRAIN: 5_000, Work.EMBED: 5_000}
"""How long each waits for another writer at most; the inbox keeps what could not be stored."""

ANSWERING_WORK = frozenset({Work.PROMPT, Work.READ})
"""Somebody waits for these, so they do not wait for a model to be loaded."""

_Stamp: TypeAlias = tuple[object, ...]
_ModelKey: TypeAlias = tuple[EmbedderSettings, tuple[str, ...]]
"""The settings of the models, and those of them that are not downloaded yet."""


@dataclass(slots=True)
class _PoolSlot:
    """A memory that is open or will be, with the lock of whoever uses it."""

    turn: threading.Lock
    memory: Memory | None = None
    stamp: _Stamp = ()
    missing_models: tuple[str, ...] = ()

    def close(self) -> None:
        if self.memory is not None:
            memory, self.memory = self.memory, None
            memory.close()


class MemoryPool:
    """The memory of one home, seen from every project that is worked on."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._turn = threading.Lock()
        self._slots: dict[tuple[str, str, Work], _PoolSlot] = {}
        self._models: dict[_ModelKey, Embedder | None] = {}
        self._broken: dict[_ModelKey, tuple[float, AisError]] = {}
        self._reranker = SharedReranker()
        self._model_turn = threading.Lock()
        self._loading = threading.Lock()
        # Started here: the threads of a model have the low priority of the thread that loads it,
        # and prompts would then wait for every other program.
        self._loader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model")
        self._loader.submit(int)
        self._existed = False

    @contextmanager
    def memory_for(self, cwd: str, work: Work) -> Iterator[Memory]:
        """Yield the memory of the project that a folder belongs to, for the caller alone."""
        project = project_of(cwd, self._home)
        slot = self._slot_for(project, work)
        with slot.turn:
            try:
                memory = self._current_memory(slot, project, work)
            except (RefusedError, NotFoundError) as error:
                # The settings are refused, and not the request or the record.
                raise StoreError(str(error)) from error
            yield memory

    def start_loading_model(self) -> None:
        """Start loading the user's model, which the first prompt will need."""
        with suppress(AisError):
            paths = paths_of_home(self._home, None, os.environ)
            self._model_if_loaded(paths, load_settings(paths, os.environ).settings)

    def close(self) -> None:
        """Close them all."""
        with self._turn:
            for slot in self._slots.values():
                if slot.turn.acquire(timeout=1):
                    slot.close()
            self._slots.clear()
        self._loader.shutdown(wait=False)

    def __len__(self) -> int:
        return len(self._slots)

    def _slot_for(self, project: Project, work: Work) -> _PoolSlot:
        """Return the slot of a memory; close the least recently used one if there are too many."""
        with self._turn:
            key = (project.name, project.root, work)
            slot = self._slots.pop(key, None) or _PoolSlot(threading.Lock())
            self._slots[key] = slot
            if len(self._slots) > MAX_PROJECTS * len(Work):
                old = next(iter(self._slots))
                self._close_if_free(self._slots.pop(old))
        return slot

    def _close_if_free(self, slot: _PoolSlot) -> None:
        if slot.turn.acquire(blocking=False):
            slot.close()
            slot.turn.release()

    def _current_memory(self, slot: _PoolSlot, project: Project, work: Work) -> Memory:
        paths = paths_of_home(self._home, Path(project.root), os.environ)
        # A memory on a server has no file that could be lost.
        is_file = not paths.server_mark.exists()
        present = _file_identity(paths.database) if is_file else None
        if is_file and present is None and self._existed:
            slot.close()
            raise StoreError(_missing_file_text(paths.database))
        stamp: _Stamp = (
            present,
            _file_identity(paths.user_file),
            _file_identity(paths.project_file),
            _file_identity(paths.home / LINKS_FILE),
        )
        if slot.memory is None or slot.stamp != stamp or self._has_model_arrived(slot, paths):
            slot.close()
            settings = _settings_of(paths)
            slot.memory = self._open_memory(paths, settings, project.name, work)
            self._existed = not is_on_server(settings)
            slot.missing_models = _missing_models(paths, settings)
            is_file = not paths.server_mark.exists()
            slot.stamp = (_file_identity(paths.database) if is_file else None, *stamp[1:])
        return slot.memory

    def _has_model_arrived(self, slot: _PoolSlot, paths: MemoryPaths) -> bool:
        """Say whether a model that was missing when the memory was opened has been pulled."""
        missing = slot.missing_models
        return local_models(paths).unpulled_models(missing) != missing

    def _open_memory(
        self, paths: MemoryPaths, settings: Settings, project: str, work: Work
    ) -> Memory:
        wait = min(settings.store.busy_timeout_ms, MAX_BUSY_MS[work])
        settings = replace(settings, store=replace(settings.store, busy_timeout_ms=wait))
        model = self._model_if_loaded if work in ANSWERING_WORK else self._shared_model
        memory = build_memory(
            paths,
            settings,
            project,
            embedder=partial(model, paths, settings),
            reranker=partial(self._reranker.if_loaded, settings),
        )
        return memory.used_by(Actor("agent", DEFAULT_CLIENT))

    def _model_if_loaded(self, paths: MemoryPaths, settings: Settings) -> Embedder | None:
        """Return the model if it is loaded; otherwise start loading it and raise."""
        if (settings.embedder, _missing_models(paths, settings)) in self._models:
            return self._shared_model(paths, settings)
        if self._loading.acquire(blocking=False):
            loading = partial(self._start_loading, paths, settings)
            threading.Thread(target=loading, daemon=True).start()
        msg = "the embedding model is being loaded. Until then, search is by keyword only."
        raise StoreError(msg)

    def _start_loading(self, paths: MemoryPaths, settings: Settings) -> None:
        try:
            # The pool may be closed before the loading has begun, which is a RuntimeError.
            with suppress(AisError, RuntimeError):
                self._shared_model(paths, settings)
        finally:
            self._loading.release()

    def _shared_model(self, paths: MemoryPaths, settings: Settings) -> Embedder | None:
        """Return the configured model, loaded once for all memories."""
        key = settings.embedder, _missing_models(paths, settings)
        with self._model_turn:
            if key in self._broken and monotonic() - self._broken[key][0] < MODEL_RETRY_SECONDS:
                raise self._broken[key][1]
            if self._models.get(key) is None:
                try:
                    self._models[key] = self._loader.submit(_load_model, paths, settings).result()
                except AisError as error:
                    self._broken[key] = (monotonic(), error)
                    raise
            return self._models[key]


def _load_model(paths: MemoryPaths, settings: Settings) -> Embedder | None:
    """Load the model, and what a search by it imports."""
    model = load_embedder(paths, settings)
    if model is not None:
        prepare_vector_search()
    return model


def _missing_models(paths: MemoryPaths, settings: Settings) -> tuple[str, ...]:
    chosen = settings.embedder
    return local_models(paths).unpulled_models((chosen.model, chosen.languages))


def _settings_of(paths: MemoryPaths) -> Settings:
    """Load the settings, and tell the project's mistakes from the user's."""
    try:
        return load_settings(paths, os.environ).settings
    except AisError as error:
        user_paths = MemoryPaths(
            home=paths.home, cache=paths.cache, user_file=paths.user_file, project_file=None
        )
        load_settings(user_paths, os.environ)
        raise BlockedProjectError(str(error)) from error


def project_of(cwd: str, home: str) -> Project:
    """Find the project of a folder, which may not exist any more."""
    try:
        if cwd.startswith("/"):
            return project_at(cwd, home)
    except BrokenLinksError as error:
        raise StoreError(str(error)) from error
    except (OSError, ValueError):
        pass
    msg = f"{cwd[:200]!r} is not a folder that a project can be in. Give an absolute path."
    raise RefusedError(msg)


def _file_identity(path: Path | None) -> tuple[int, ...] | None:
    """Return what changes when a file is replaced or, for settings, edited."""
    if path is None:
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    changed = () if path.suffix == ".db" else (status.st_mtime_ns,)
    return (status.st_dev, status.st_ino, *changed)


def _missing_file_text(database: Path) -> str:
    return (
        f"the memory {database} is not there any more. What is captured waits in the inbox. "
        "Put it back, or run `ais daemon restart` to begin a new one."
    )
