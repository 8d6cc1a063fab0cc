"""Have a tool called: by the daemon if one runs, else in this process.

The daemon has the memory open and its model loaded. Where there is none it is started for next
time, and this call is done here.
"""

import time
from contextlib import suppress

from ai_smartness.entrypoints.daemon import client
from ai_smartness.entrypoints.daemon.whereabouts import Whereabouts
from ai_smartness.entrypoints.mcp.setting import Setting
from ai_smartness.entrypoints.tools.asked import Call, Reply
from ai_smartness.entrypoints.tools.catalogue import TOOLS

__all__ = ["Asking"]

ANSWER_SECONDS = 120.0
"""For the whole of a call: a compaction of a large memory takes some, and a model waits."""

OLDER = ("there is no verb", "this daemon speaks version")
"""How a daemon answers that was started before it was given this verb."""

_AGAIN = "Look at what there is before you call this again."
_GONE = f"Not done, as far as is known: the memory's daemon ended during the call. {_AGAIN}"
_LATE = (
    f"No answer within {ANSWER_SECONDS:g} seconds: the memory is busy, and may still do it. "
    f"{_AGAIN}"
)


class Asking:
    """Whoever can do a call, from one place."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._where = Whereabouts(setting.home)

    def reply(self, call: Call) -> Reply:
        """Return what came of a call."""
        until = time.monotonic() + ANSWER_SECONDS
        cwd = self._setting.cwd
        try:
            return _read(client.ask(self._where, "tool", until, cwd=cwd, **call._asdict()))
        except client.NoDaemonError as error:
            if str(error) == client.GONE and not _is_repeatable(call):
                return Reply(_GONE, is_error=True)
            with suppress(OSError):
                client.start(self._where)
        except client.NoAnswerError as error:
            if not str(error).startswith(OLDER):
                said = _LATE if str(error) == client.LATE else f"Not done: {error}"
                return Reply(said, is_error=True)
        from ai_smartness.entrypoints.mcp.alone import done_here  # noqa: PLC0415 - brings the memory

        return done_here(self._setting, call)


def _read(said: "dict[str, object]") -> Reply:
    structure = said.get("structure")
    return Reply(
        text=str(said.get("text", "")),
        structure=structure if isinstance(structure, dict) else None,
        is_error=said.get("is_error") is True,
    )


def _is_repeatable(call: Call) -> bool:
    return call.name not in TOOLS or TOOLS[call.name].repeatable
