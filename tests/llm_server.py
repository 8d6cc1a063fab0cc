"""A real server on loopback that plays the APIs of language models, and all that can go wrong."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["SUMMARY", "Heard", "Reply", "Request", "llm_server"]

SUMMARY = "The goal: rotate the keys. Decided: every 30 days. Ran: make rotate."


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server does in the place of answering."""

    status: int = 200
    body: bytes | None = None
    location: str = ""
    hangs: bool = False
    drips: bool = False
    breaks_off: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What the server was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """The words it was asked with."""
        return str(self.body["messages"][0]["content"])


@dataclass(slots=True)
class Heard:
    """Where the server is, and what it has been asked so far."""

    url: str = ""
    requests: list[Request] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def llm_server(
    reply: Reply | None = None,
    *,
    says: str = SUMMARY,
    usage: bool = True,
) -> Iterator[Heard]:
    """Run the server while the test does."""
    heard = Heard()

    def answered(request: Request) -> Reply:
        heard.requests.append(request)
        known = _played(request.path, says, usage=usage)
        if reply is None:
            return Reply(200 if known else 404, known or b"")
        return reply if reply.body is not None else replace(reply, body=known)

    with _Server(answered, heard.over) as server:
        heard.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield heard
        finally:
            heard.over.set()
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answered: Callable[[Request], Reply], over: threading.Event) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.answered = answered
        self.over = over

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing when somebody hangs up on us: that is what the tests are about."""


class _Answers(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.answered(Request(self.path, names, body))
        if reply.hangs:
            self.server.over.wait()
        else:
            self._give(reply, reply.body or b"")

    def _give(self, reply: Reply, body: bytes) -> None:
        self.send_response(reply.status)
        if reply.location:
            self.send_header("Location", reply.location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if reply.drips:
            self._drip(body)
        else:
            self.wfile.write(body[: len(body) // 2] if reply.breaks_off else body)

    def _drip(self, body: bytes) -> None:
        """Send so slowly that each piece comes in time, and the whole does not."""
        for byte in body:
            if self.server.over.wait(0.05):
                return
            self.wfile.write(bytes([byte]))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - their name
        """Say nothing."""


def _played(path: str, says: str, *, usage: bool) -> bytes | None:
    """Write an answer as each API does."""
    answers: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "/v1/messages": (
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "content": [{"type": "text", "text": says}],
                "stop_reason": "end_turn",
            },
            {"usage": {"input_tokens": 1_000, "output_tokens": 50}},
        ),
        "/v1/chat/completions": (
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": says},
                        "finish_reason": "stop",
                    },
                ],
            },
            {"usage": {"prompt_tokens": 1_000, "completion_tokens": 50, "total_tokens": 1_050}},
        ),
        "/api/chat": (
            {"model": "m", "message": {"role": "assistant", "content": says}, "done": True},
            {"prompt_eval_count": 1_000, "eval_count": 50},
        ),
    }
    if path not in answers:
        return None
    answer, counted = answers[path]
    return json.dumps({**answer, **(counted if usage else {})}).encode()
