"""Run the MCP server of one client, from its first message to its last.

Loading the SDK takes about a second, and the client waits. So the first requests are answered
without it while a thread loads it; then the SDK takes over the session, with every message
that was not answered yet, in order.
"""

import signal
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import NoReturn

from ai_smartness.entrypoints.mcp.first_answers import FirstAnswers
from ai_smartness.entrypoints.mcp.stdio import END_OF_INPUT, ServerOptions, StdioPipe, exit_process
from ai_smartness.entrypoints.tools.definitions import Profile

__all__ = ["run_server"]

SDK_LOADED = b"loaded"
"""Put among the input lines when the SDK is loaded; a real line ends with a newline."""


def run_server(options: ServerOptions) -> NoReturn:
    """Serve until the client leaves or the process is ended."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: exit_process())
    pipe = StdioPipe.from_standard_streams()
    lines: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=pipe.forward_lines, args=(lines.put,), daemon=True).start()
    unanswered = [] if "mcp.server" in sys.modules else _answer_until_loaded(options, pipe, lines)
    from ai_smartness.entrypoints.mcp.server import serve_session

    serve_session(options, pipe, unanswered, lines)
    exit_process()


def _answer_until_loaded(
    options: ServerOptions, pipe: StdioPipe, lines: "SimpleQueue[bytes]"
) -> list[bytes]:
    """Answer what can be answered until the SDK is loaded; return the lines that it must read."""
    answers = FirstAnswers(Profile(options.profile))
    unanswered: list[bytes] = []
    loading = threading.Thread(target=_load_sdk, args=(lines.put,), daemon=True)
    while (line := lines.get()) != SDK_LOADED:
        if line == END_OF_INPUT:
            exit_process()
        if (answer := answers.answer_line(line)) is None:
            unanswered.append(line)
        else:
            pipe.send_line(answer)
        if loading.ident is None:
            # Not before the first answer: the two would share one interpreter.
            loading.start()
    return [*answers.replayed_lines, *unanswered]


def _load_sdk(put_line: Callable[[bytes], None]) -> None:
    try:
        import ai_smartness.entrypoints.mcp.server  # noqa: F401 - loaded for `run_server`
    finally:
        # A failed import is raised again by the import in `run_server`, and ends the process.
        put_line(SDK_LOADED)
