"""Run a tool call: in the daemon if one runs, else in this process.

The daemon has the memory open and its model loaded. If none runs, one is started for the next
call. This call then opens the memory itself and does without the model where it can: loading
it takes seconds, and the daemon will have it.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ai_smartness.entrypoints.daemon import client
from ai_smartness.entrypoints.daemon.spawn import spawn_daemon
from ai_smartness.entrypoints.mcp.stdio import ServerOptions
from ai_smartness.entrypoints.tools.definitions import TOOLS, ToolCall, ToolReply
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.settings.paths import HomePaths

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.ports import Embedder

__all__ = ["ToolCaller", "call_locally"]

ANSWER_SECONDS = 120.0
"""For a whole call: compacting a large memory takes a while, and a model waits."""

OLDER_DAEMON_ERRORS = ("there is no verb", "this daemon speaks version")
"""Errors of a daemon that is older than this verb."""

TOOLS_WITH_EMBEDDINGS = frozenset({"ai_split", "ai_suggestions", "ai_compact"})
"""Tools that need the model, so that it is loaded for them."""

KEYWORD_ONLY_NOTE = (
    "(Found by keyword only, while the memory's daemon starts: ask again to find more.)"
)

_LOOK_FIRST = "Look at what there is before you call this again."
_GONE_TEXT = (
    f"Not done, as far as is known: the memory's daemon ended during the call. {_LOOK_FIRST}"
)
_LATE_TEXT = (
    f"No answer within {ANSWER_SECONDS:g} seconds: the memory is busy, and may still do it. "
    f"{_LOOK_FIRST}"
)


class ToolCaller:
    """Runs the tool calls of one server."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._paths = HomePaths(options.home)

    def call_tool(self, call: ToolCall) -> ToolReply:
        """Run a call and return its reply."""
        until = time.monotonic() + ANSWER_SECONDS
        request = {"cwd": self._options.cwd, **call._asdict()}
        try:
            return _parsed_reply(client.ask_daemon(self._paths, "tool", until, **request))
        except client.NoDaemonError as error:
            if str(error) == client.GONE and not _is_repeatable(call):
                return ToolReply(_GONE_TEXT, is_error=True)
            with suppress(OSError):
                spawn_daemon(self._paths)
        except client.NoAnswerError as error:
            if not str(error).startswith(OLDER_DAEMON_ERRORS):
                text = _LATE_TEXT if str(error) == client.LATE else f"Not done: {error}"
                return ToolReply(text, is_error=True)
        return call_locally(self._options, call)


def call_locally(options: ServerOptions, call: ToolCall) -> ToolReply:
    """Run a call in this process."""
    from ai_smartness.entrypoints.tools.call import reply_to_call

    missed = list[str]()
    opened = _open_memory(options, missed, with_model=call.name in TOOLS_WITH_EMBEDDINGS)
    reply = reply_to_call(call, opened)
    if call.name == "ai_recall" and missed and not reply.is_error:
        return reply._replace(text=f"{reply.text}\n{KEYWORD_ONLY_NOTE}")
    return reply


def _parsed_reply(answer: "dict[str, object]") -> ToolReply:
    structure = answer.get("structure")
    return ToolReply(
        text=str(answer.get("text", "")),
        structure=structure if isinstance(structure, dict) else None,
        is_error=answer.get("is_error") is True,
    )


def _is_repeatable(call: ToolCall) -> bool:
    return call.name not in TOOLS or TOOLS[call.name].repeatable


@contextmanager
def _open_memory(
    options: ServerOptions, missed: list[str], *, with_model: bool
) -> "Iterator[Memory]":
    """Open the memory; without the model, note in `missed` that it would have been used."""
    from ai_smartness.settings.load import load_settings
    from ai_smartness.settings.paths import memory_paths
    from ai_smartness.wiring import build_memory, load_embedder, local_models, project_folder_of

    folder = project_folder_of(Path(options.cwd), Path(options.home))
    if folder is None:
        msg = f"{options.cwd} is not a folder that a project can be in. Start the server in one."
        raise RefusedError(msg)
    home = Path(options.home)
    # The default home has its settings elsewhere, any other has them inside.
    moved = None if memory_paths(None, None, os.environ).home == home else home
    paths = memory_paths(moved, folder.root, os.environ)
    settings = load_settings(paths, os.environ).settings
    choice = settings.embedder.model
    is_here = choice != "none" and not local_models(paths).is_unpulled(choice)
    embedder = partial(load_embedder, paths, settings)
    if is_here and not with_model:
        embedder = partial(_refuse_model, missed)
    with build_memory(paths, settings, folder.name, embedder=embedder) as memory:
        yield memory


def _refuse_model(missed: list[str]) -> "Embedder | None":
    msg = "the embedding model is loaded by the daemon, which starts. Words answer until then."
    missed.append(msg)
    raise StoreError(msg)
