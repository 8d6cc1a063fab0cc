"""Have a tool called: by the daemon if one runs, else in this process.

The daemon has the memory open and its model loaded. Where there is none it is started for next
time, and this call is done here.
"""

import time
from contextlib import suppress

from ai_smartness.entrypoints.daemon import client
from ai_smartness.entrypoints.daemon.spawn import spawn_daemon
from ai_smartness.entrypoints.mcp.stdio import ServerOptions
from ai_smartness.entrypoints.tools.definitions import TOOLS, ToolCall, ToolReply
from ai_smartness.settings.paths import HomePaths

__all__ = ["ToolCaller"]

ANSWER_SECONDS = 120.0
"""For the whole of a call: a compaction of a large memory takes some, and a model waits."""

OLDER_DAEMON_ERRORS = ("there is no verb", "this daemon speaks version")
"""How a daemon answers that was started before it was given this verb."""

_LOOK_FIRST_HINT = "Look at what there is before you call this again."
_GONE_TEXT = (
    f"Not done, as far as is known: the memory's daemon ended during the call. {_LOOK_FIRST_HINT}"
)
_LATE_TEXT = (
    f"No answer within {ANSWER_SECONDS:g} seconds: the memory is busy, and may still do it. "
    f"{_LOOK_FIRST_HINT}"
)


class ToolCaller:
    """Whoever can do a call, from one place."""

    def __init__(self, setting: ServerOptions) -> None:
        self._options = setting
        self._paths = HomePaths(setting.home)

    def call_tool(self, call: ToolCall) -> ToolReply:
        """Return what came of a call."""
        until = time.monotonic() + ANSWER_SECONDS
        cwd = self._options.cwd
        try:
            return _parsed_reply(
                client.ask_daemon(self._paths, "tool", until, cwd=cwd, **call._asdict()),
            )
        except client.NoDaemonError as error:
            if str(error) == client.GONE and not _is_repeatable(call):
                return ToolReply(_GONE_TEXT, is_error=True)
            with suppress(OSError):
                spawn_daemon(self._paths)
        except client.NoAnswerError as error:
            if not str(error).startswith(OLDER_DAEMON_ERRORS):
                said = _LATE_TEXT if str(error) == client.LATE else f"Not done: {error}"
                return ToolReply(said, is_error=True)
        from ai_smartness.entrypoints.mcp.local_call import call_locally

        return call_locally(self._options, call)


def _parsed_reply(said: "dict[str, object]") -> ToolReply:
    structure = said.get("structure")
    return ToolReply(
        text=str(said.get("text", "")),
        structure=structure if isinstance(structure, dict) else None,
        is_error=said.get("is_error") is True,
    )


def _is_repeatable(call: ToolCall) -> bool:
    return call.name not in TOOLS or TOOLS[call.name].repeatable
