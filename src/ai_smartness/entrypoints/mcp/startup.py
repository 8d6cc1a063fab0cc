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

from ai_smartness.entrypoints.mcp.first_answers import FirstAnswers, read_prepared_answers
from ai_smartness.entrypoints.mcp.stdio import END_OF_INPUT, ServerOptions, StdioPipe, exit_process

__all__ = ["run_server"]

SDK_LOADED = b"loaded"
"""Stands among the lines that are heard where the SDK was loaded; a line has its end."""


def run_server(setting: ServerOptions) -> NoReturn:
    """Serve until the client leaves, or somebody ends us."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: exit_process())
    wire = StdioPipe.from_standard_streams()
    heard: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=wire.forward_lines, args=(heard.put,), daemon=True).start()
    kept = [] if "mcp.server" in sys.modules else _answer_until_loaded(setting, wire, heard)
    from ai_smartness.entrypoints.mcp.server import serve_session

    serve_session(setting, wire, kept, heard)
    exit_process()


def _answer_until_loaded(
    setting: ServerOptions,
    wire: StdioPipe,
    heard: "SimpleQueue[bytes]",
) -> list[bytes]:
    """Answer what can be answered until the SDK is loaded; return what it has to hear."""
    greeting = FirstAnswers(read_prepared_answers(setting.profile))
    kept: list[bytes] = []
    loading = threading.Thread(target=_load_sdk, args=(heard.put,), daemon=True)
    while (line := heard.get()) != SDK_LOADED:
        if line == END_OF_INPUT:
            exit_process()
        if (answer := greeting.answer_line(line)) is None:
            kept.append(line)
        else:
            wire.send_line(answer)
        if loading.ident is None:
            # Not before the first answer: the two would share one interpreter.
            loading.start()
    return [*greeting.replayed_lines, *kept]


def _load_sdk(tell: Callable[[bytes], None]) -> None:
    try:
        import ai_smartness.entrypoints.mcp.server  # noqa: F401
    finally:
        # What went wrong is raised again where it is imported next, and ends us.
        tell(SDK_LOADED)
