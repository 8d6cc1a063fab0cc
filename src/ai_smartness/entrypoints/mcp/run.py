"""Be the MCP server of one client, from its first word to its last.

Loading the SDK takes about a second, and a client waits for its answer. So what every client
asks first is answered from what was prepared, while the SDK is loaded on a thread beside; then
it takes the session over, with everything that was not answered yet, in the order it came.
"""

import signal
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import NoReturn

from ai_smartness.entrypoints.mcp.greeting import Greeting, prepared
from ai_smartness.entrypoints.mcp.setting import Setting
from ai_smartness.entrypoints.mcp.wire import GONE, Wire, leave

__all__ = ["run"]

LOADED = b"loaded"
"""Stands among the lines that are heard where the SDK was loaded; a line has its end."""


def run(setting: Setting) -> NoReturn:
    """Serve until the client leaves, or somebody ends us."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: leave())
    wire = Wire.taken()
    heard: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=wire.listen, args=(heard.put,), daemon=True).start()
    kept = [] if "mcp.server" in sys.modules else _greet(setting, wire, heard)
    from ai_smartness.entrypoints.mcp.serve import serve  # noqa: PLC0415 - loads the SDK

    serve(setting, wire, kept, heard)
    leave()


def _greet(setting: Setting, wire: Wire, heard: "SimpleQueue[bytes]") -> list[bytes]:
    """Answer what can be answered until the SDK is loaded; return what it has to hear."""
    greeting = Greeting(prepared(setting.profile))
    kept: list[bytes] = []
    loading = threading.Thread(target=_load, args=(heard.put,), daemon=True)
    while (line := heard.get()) != LOADED:
        if line == GONE:
            leave()
        if (answer := greeting.answer(line)) is None:
            kept.append(line)
        else:
            wire.send(answer)
        if loading.ident is None:
            # Not before the first answer: the two would share one interpreter.
            loading.start()
    return [*greeting.replayed, *kept]


def _load(tell: Callable[[bytes], None]) -> None:
    try:
        import ai_smartness.entrypoints.mcp.serve  # noqa: F401, PLC0415
    finally:
        # What went wrong is raised again where it is imported next, and ends us.
        tell(LOADED)
