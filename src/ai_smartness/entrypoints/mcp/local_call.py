"""Call a tool without a daemon: the memory is opened for it, and let go of again.

What can be done by words alone is, and a recall says so: a model that is needed once is not
worth the seconds it takes to load, and the daemon that was just started has it next time.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from ai_smartness.entrypoints.mcp.stdio import ServerOptions
from ai_smartness.entrypoints.tools.call import reply_to_call
from ai_smartness.entrypoints.tools.definitions import ToolCall, ToolReply
from ai_smartness.memory import Memory
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.ports import Embedder
from ai_smartness.settings.load import load_settings
from ai_smartness.settings.paths import MemoryPaths, memory_paths
from ai_smartness.settings.schema import Settings
from ai_smartness.wiring import build_memory, load_embedder, local_models, project_folder_of

__all__ = ["call_locally"]

TOOLS_WITH_EMBEDDINGS = frozenset({"ai_split", "ai_suggestions", "ai_compact"})
"""What these do goes by meaning: for them the model is loaded."""

KEYWORD_ONLY_NOTE = (
    "(Found by words alone, while the memory's daemon starts: ask again to find more.)"
)


def call_locally(setting: ServerOptions, call: ToolCall) -> ToolReply:
    """Return what came of a call that is done in this process."""
    missed = list[str]()
    reply = reply_to_call(
        call,
        _open_memory(setting, missed, by_meaning=call.name in TOOLS_WITH_EMBEDDINGS),
    )
    if call.name == "ai_recall" and missed and not reply.is_error:
        return reply._replace(text=f"{reply.text}\n{KEYWORD_ONLY_NOTE}")
    return reply


@contextmanager
def _open_memory(
    setting: ServerOptions,
    missed: list[str],
    *,
    by_meaning: bool,
) -> Iterator[Memory]:
    folder = project_folder_of(Path(setting.cwd))
    if folder is None:
        msg = f"{setting.cwd} is not a folder that a project can be in. Start the server in one."
        raise RefusedError(msg)
    home = Path(setting.home)
    # The usual home has its settings elsewhere; another one has them inside.
    moved = None if memory_paths(None, None, os.environ).home == home else home
    where = memory_paths(moved, folder.root, os.environ)
    settings = load_settings(where, os.environ).settings
    loaded = partial(load_embedder, where, settings)
    is_left_out = not by_meaning and _is_model_present(where, settings)
    model = _unavailable_model(missed) if is_left_out else loaded
    with build_memory(where, settings, folder.name, embedder=model) as memory:
        yield memory


def _is_model_present(where: MemoryPaths, settings: Settings) -> bool:
    choice = settings.embedder.model
    return choice != "none" and not local_models(where).is_unpulled(choice)


def _unavailable_model(missed: list[str]) -> Callable[[], Embedder | None]:
    """Return a model that cannot be had, and is noted when somebody wanted it."""

    def model() -> Embedder | None:
        msg = "the embedding model is loaded by the daemon, which starts. Words answer until then."
        missed.append(msg)
        raise StoreError(msg)

    return model
