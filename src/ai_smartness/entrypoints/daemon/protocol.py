"""What is said on the daemon's socket: one line of JSON each way.

A request names its verb; the answer is `{"v": 1, "ok": true, …}` or `{"v": 1, "ok": false,
"error": "…"}`. Standard library only: a hook imports this before each prompt.

| verb | request | answer |
|---|---|---|
| `ping` | | `version`, `pid` |
| `inject` | `cwd`, `session`, `text`, `source` | `text` |
| `read` | `cwd`, `session`, `path` | `text` |
| `greet` | `cwd`, `session`, `source` | `text` |
| `tool` | `cwd`, `session`, `client`, `name`, `arguments`, … | `text`, `structure`, `is_error` |
| `drain` | | `left` |
| `status` | | `version`, `pid`, `since`, `drained`, `last_error`, … |
| `stop` | | |
"""

from ai_smartness.clients.fast_json import dumps, loads

__all__ = ["MAX_LINE_BYTES", "PROTOCOL_VERSION", "answer_line", "read_line", "request_line"]

PROTOCOL_VERSION = 1

MAX_LINE_BYTES = 32_000_000
"""A prompt can be a pasted log; more than this is an accident."""


def request_line(verb: str, **fields: object) -> bytes:
    """Write a request."""
    return _encoded_line({"v": PROTOCOL_VERSION, "verb": verb, **fields})


def answer_line(*, ok: bool = True, **fields: object) -> bytes:
    """Write an answer."""
    return _encoded_line({"v": PROTOCOL_VERSION, "ok": ok, **fields})


def read_line(line: bytes) -> "dict[str, object]":
    """Read a request or an answer; raise ValueError for what is neither."""
    said = loads(line.decode())
    if not isinstance(said, dict):
        msg = "a line on the socket is a JSON object"
        raise ValueError(msg)  # noqa: TRY004 - whoever reads catches one kind
    return said


def _encoded_line(said: "dict[str, object]") -> bytes:
    # Halves of characters are written as JSON writes them, so that every line is UTF-8.
    return dumps(said).encode() + b"\n"
