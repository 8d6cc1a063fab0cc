"""The reranker of a daemon: loaded in the background, once for all memories.

A prompt never waits for it. A reranker that cannot be loaded is absent until its files change.
"""

import os
import threading
from functools import partial
from typing import TypeAlias

from ai_smartness.model.errors import AisError
from ai_smartness.ports import Reranker
from ai_smartness.settings.schema import Settings
from ai_smartness.wiring import load_reranker

__all__ = ["SharedReranker"]

_Version: TypeAlias = tuple[object, ...]
"""The setting, and when the files were last changed."""

FILES = ("model.onnx", "onnx/model.onnx", "tokenizer.json", "ais-model.toml")


class SharedReranker:
    """Loads the configured reranker when it is first needed."""

    def __init__(self) -> None:
        self._loaded: dict[_Version, Reranker | None] = {}
        self._loading = threading.Lock()

    def if_loaded(self, settings: Settings) -> Reranker | None:
        """Return the reranker; nothing while it is loaded, or if it cannot be."""
        if settings.search.reranker == "none":
            return None
        folder = os.path.expanduser(settings.search.reranker)
        version = (folder, *(_changed_at(os.path.join(folder, name)) for name in FILES))
        if version not in self._loaded and self._loading.acquire(blocking=False):
            load = partial(self._load, version, settings)
            threading.Thread(target=load, daemon=True, name="reranker").start()
        return self._loaded.get(version)

    def _load(self, version: _Version, settings: Settings) -> None:
        loaded = None
        try:
            loaded = load_reranker(settings)
        except AisError:
            pass  # `ais doctor` says what is wrong with it
        finally:
            self._loaded = {version: loaded}
            self._loading.release()


def _changed_at(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
