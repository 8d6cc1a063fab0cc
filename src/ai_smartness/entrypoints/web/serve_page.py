"""Start the page on a free port of this machine, and end it with Ctrl-C."""

import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress

from ai_smartness.entrypoints.web.guard import GuardSecrets
from ai_smartness.entrypoints.web.memories import OpenMemories
from ai_smartness.model.errors import RefusedError

__all__ = ["serve"]

LOOPBACK = "127.0.0.1"
GRACE_SECONDS = 1  # for requests that are under way, such as a live page


def serve(
    memories: OpenMemories, *, port: int, opens: bool, announce: Callable[[str], object]
) -> None:
    """Serve the page until Ctrl-C; `announce` is told the address that opens it."""
    import uvicorn

    from ai_smartness.entrypoints.web.app import create_app

    listener = _listening_socket(port)
    own = GuardSecrets(listener.getsockname()[1])
    app = create_app(memories, own)
    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    try:
        with suppress(KeyboardInterrupt):
            announce(own.address)
            if opens:
                # A browser in the terminal would not return before it is closed.
                threading.Thread(target=webbrowser.open, args=(own.address,), daemon=True).start()
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        memories.close()


def _listening_socket(port: int) -> socket.socket:
    """Listen on loopback alone; the browser may connect before the server runs."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as error:
        listener.close()
        msg = f"cannot use port {port}: {error.strerror}. Leave --port out for a free one."
        raise RefusedError(msg) from error
    listener.listen()
    return listener
