"""Call a tool without a daemon: the memory is opened for it, and let go of again.

What can be done by words alone is, and a recall says so: a model that is needed once is not
worth the seconds it takes to load, and the daemon that was just started has it next time.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from ai_smartness.entrypoints.mcp.setting import Setting
from ai_smartness.entrypoints.tools.asked import Call, Reply
from ai_smartness.entrypoints.tools.reply import replied
from ai_smartness.memory import Memory
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.ports import Embedder
from ai_smartness.settings import Places, Settings, load, places
from ai_smartness.wiring import folder_of, load_embedder, model_shelf, wired

__all__ = ["done_here"]

BY_MEANING = frozenset({"ai_split", "ai_suggestions", "ai_compact"})
"""What these do goes by meaning: for them the model is loaded."""

BY_WORDS = "(Found by words alone, while the memory's daemon starts: ask again to find more.)"


def done_here(setting: Setting, call: Call) -> Reply:
    """Return what came of a call that is done in this process."""
    missed = list[str]()
    reply = replied(call, _opened(setting, missed, by_meaning=call.name in BY_MEANING))
    if call.name == "ai_recall" and missed and not reply.is_error:
        return reply._replace(text=f"{reply.text}\n{BY_WORDS}")
    return reply


@contextmanager
def _opened(setting: Setting, missed: list[str], *, by_meaning: bool) -> Iterator[Memory]:
    folder = folder_of(Path(setting.cwd))
    if folder is None:
        msg = f"{setting.cwd} is not a folder that a project can be in. Start the server in one."
        raise RefusedError(msg)
    home = Path(setting.home)
    # The usual home has its settings elsewhere; another one has them inside.
    moved = None if places(None, None, os.environ).home == home else home
    where = places(moved, folder.root, os.environ)
    settings = load(where, os.environ).settings
    loaded = partial(load_embedder, where, settings)
    is_left_out = not by_meaning and _is_here(where, settings)
    model = _left_out(missed) if is_left_out else loaded
    with wired(where, settings, folder.name, embedder=model) as memory:
        yield memory


def _is_here(where: Places, settings: Settings) -> bool:
    choice = settings.embedder.model
    return choice != "none" and not model_shelf(where).lacks(choice)


def _left_out(missed: list[str]) -> Callable[[], Embedder | None]:
    """Return a model that cannot be had, and is noted when somebody wanted it."""

    def model() -> Embedder | None:
        msg = "the embedding model is loaded by the daemon, which starts. Words answer until then."
        missed.append(msg)
        raise StoreError(msg)

    return model
