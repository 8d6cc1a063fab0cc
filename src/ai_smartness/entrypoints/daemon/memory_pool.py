"""The memories that the daemon keeps open: of each project one for each kind of work.

Each has its own connection, so that a prompt waits neither behind what is being
drained nor behind a long read. One whose file was moved, whose settings changed or
whose model has come is opened anew; a memory that has gone is not made again.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TypeAlias

from ai_smartness.memory import Memory
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError, StoreError
from ai_smartness.model.journal import Actor
from ai_smartness.ports import Embedder
from ai_smartness.settings.load import load_settings
from ai_smartness.settings.paths import MemoryPaths, memory_paths
from ai_smartness.settings.schema import Settings
from ai_smartness.wiring import (
    ProjectFolder,
    build_memory,
    load_embedder,
    local_models,
    project_folder_of,
)

__all__ = ["MemoryPool", "Work"]

MAX_PROJECTS = 8
"""Open at once; a user works on few, and each holds its vectors in memory."""

MODEL_RETRY_SECONDS = 60.0
"""A model that cannot be loaded is tried again after this long: checking its files takes time."""

DEFAULT_CLIENT = "claude-code"


class Work(StrEnum):
    """What a memory is open for."""

    PROMPT = "prompt"
    READ = "read"
    DRAIN = "drain"
    EMBED = "embed"


MAX_BUSY_MS = {Work.PROMPT: 1_000, Work.READ: 5_000, Work.DRAIN: 5_000, Work.EMBED: 5_000}
"""How long each waits for another process that writes, at most; after it the inbox still has it."""

ANSWERING_WORK = frozenset({Work.PROMPT, Work.READ})
"""Somebody waits for these: they do not wait for a model to be loaded."""

_Stamp: TypeAlias = tuple[object, ...]
_ModelKey: TypeAlias = tuple[str, int, int]


@dataclass(slots=True)
class _PoolSlot:
    """A memory that is open, or is to be, and whose turn it is."""

    turn: threading.Lock
    memory: Memory | None = None
    stamp: _Stamp = ()

    def close(self) -> None:
        if self.memory is not None:
            memory, self.memory = self.memory, None
            memory.close()


class MemoryPool:
    """The memory of one home, seen from every project that is worked on."""

    def __init__(self, home: str) -> None:
        usual = memory_paths(None, None, os.environ)
        # The usual home has its settings elsewhere; another one has them inside.
        self._home = None if usual.home == Path(home) else Path(home)
        self._turn = threading.Lock()
        self._slots: dict[tuple[ProjectFolder, Work], _PoolSlot] = {}
        self._models: dict[_ModelKey, Embedder | None] = {}
        self._broken: dict[_ModelKey, tuple[float, AisError]] = {}
        self._model_turn = threading.Lock()
        self._loading = threading.Lock()
        self._was_there = False

    @contextmanager
    def memory_for(self, cwd: str, work: Work) -> Iterator[Memory]:
        """Return the memory of the project that a folder is in, for us alone while inside."""
        folder = project_folder(cwd)
        held = self._slot_for(folder, work)
        with held.turn:
            try:
                memory = self._current_memory(held, folder, work)
            except (RefusedError, NotFoundError) as error:
                # It is the settings that are refused, and not what is asked or captured.
                raise StoreError(str(error)) from error
            yield memory

    def close(self) -> None:
        """Close them all."""
        with self._turn:
            for held in self._slots.values():
                if held.turn.acquire(timeout=1):
                    held.close()
            self._slots.clear()

    def __len__(self) -> int:
        return len(self._slots)

    def _slot_for(self, folder: ProjectFolder, work: Work) -> _PoolSlot:
        """Return the place of a memory, the latest used last; let go of what is used least."""
        with self._turn:
            key = (folder, work)
            held = self._slots.pop(key, None) or _PoolSlot(threading.Lock())
            self._slots[key] = held
            if len(self._slots) > MAX_PROJECTS * len(Work):
                old = next(iter(self._slots))
                self._close_if_free(self._slots.pop(old))
        return held

    def _close_if_free(self, held: _PoolSlot) -> None:
        if held.turn.acquire(blocking=False):
            held.close()
            held.turn.release()

    def _current_memory(self, held: _PoolSlot, folder: ProjectFolder, work: Work) -> Memory:
        where = memory_paths(self._home, folder.root, os.environ)
        there = _file_identity(where.database)
        if there is None and self._was_there:
            held.close()
            raise StoreError(_missing_file_text(where.database))
        stamp: _Stamp = (there, _file_identity(where.user_file), _file_identity(where.project_file))
        if held.memory is None or held.stamp[:-1] != stamp or self._has_model_arrived(held, where):
            held.close()
            settings = load_settings(where, os.environ).settings
            held.memory = self._open_memory(where, settings, folder.name, work)
            self._was_there = True
            model = settings.embedder.model
            lacking = model if local_models(where).is_unpulled(model) else None
            held.stamp = (_file_identity(where.database), *stamp[1:], lacking)
        return held.memory

    def _has_model_arrived(self, held: _PoolSlot, where: MemoryPaths) -> bool:
        """Say whether a model that was missing when the memory was opened has been pulled."""
        lacking = held.stamp[-1]
        return isinstance(lacking, str) and not local_models(where).is_unpulled(lacking)

    def _open_memory(
        self,
        where: MemoryPaths,
        settings: Settings,
        project: str,
        work: Work,
    ) -> Memory:
        wait = min(settings.store.busy_timeout_ms, MAX_BUSY_MS[work])
        settings = replace(settings, store=replace(settings.store, busy_timeout_ms=wait))
        model = self._model_if_loaded if work in ANSWERING_WORK else self._shared_model
        memory = build_memory(where, settings, project, embedder=partial(model, where, settings))
        return memory.used_by(Actor("agent", DEFAULT_CLIENT))

    def _model_if_loaded(self, where: MemoryPaths, settings: Settings) -> Embedder | None:
        """Return the model if it is loaded; else have it loaded, and let words answer meanwhile."""
        chosen = settings.embedder
        if (chosen.model, chosen.threads, chosen.max_chunks) in self._models:
            return self._shared_model(where, settings)
        if self._loading.acquire(blocking=False):
            threading.Thread(target=self._load_model, args=(where, settings), daemon=True).start()
        msg = "the embedding model is being loaded. Until then words alone answer."
        raise StoreError(msg)

    def _load_model(self, where: MemoryPaths, settings: Settings) -> None:
        try:
            with suppress(AisError):
                self._shared_model(where, settings)
        finally:
            self._loading.release()

    def _shared_model(self, where: MemoryPaths, settings: Settings) -> Embedder | None:
        """Return the model that is set, loaded once for all memories."""
        chosen = settings.embedder
        key = (chosen.model, chosen.threads, chosen.max_chunks)
        with self._model_turn:
            if key in self._broken and monotonic() - self._broken[key][0] < MODEL_RETRY_SECONDS:
                raise self._broken[key][1]
            if self._models.get(key) is None:
                try:
                    self._models[key] = load_embedder(where, settings)
                except AisError as error:
                    self._broken[key] = (monotonic(), error)
                    raise
            return self._models[key]


def project_folder(cwd: str) -> ProjectFolder:
    """Find the project of a folder, which may be gone by now."""
    why = f"{cwd[:200]!r} is not a folder that a project can be in. Give an absolute path."
    if not cwd.startswith("/"):
        raise RefusedError(why)
    try:
        folder = project_folder_of(Path(cwd))
    except (OSError, ValueError) as error:
        raise RefusedError(why) from error
    if folder is None:
        raise RefusedError(why)
    return folder


def _file_identity(path: Path | None) -> tuple[int, ...] | None:
    """Tell a file from another in its place; of settings, also from what they were before."""
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return None
    if found is None:
        return None
    changed = () if path is not None and path.suffix == ".db" else (found.st_mtime_ns,)
    return (found.st_dev, found.st_ino, *changed)


def _missing_file_text(database: Path) -> str:
    return (
        f"the memory {database} is not there any more. What is captured waits in the inbox. "
        "Put it back, or run `ais daemon restart` to begin a new one."
    )
