"""A model that reads from a script: the Messages API of Anthropic on loopback.

It speaks as much of it as the client needs, streamed, and keeps each request: what the model is
asked is what a memory is for. A step of the script is taken by a request that brings tools;
what the client asks besides (a title, a summary) does not use up the script.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, TypeAlias

from e2e.loopback import Loopback
from e2e.model_protocols import PROTOCOLS
from e2e.model_request import ModelRequest

__all__ = ["Block", "ScriptedModel", "Step", "filling", "says", "scripted_model", "uses"]

PATIENCE_SECONDS = 60

Block: TypeAlias = dict[str, Any]
Step: TypeAlias = list[Block] | Callable[[ModelRequest], list[Block]]
"""What the model says next, or how it finds that out from what it was asked."""

USUAL_TOKENS = 1_000

SUMMARY = "<summary>We spoke about the work so far.</summary>"

_SUMMARY_ASKED = re.compile("summary of (the|this|our) conversation|Respond with TEXT ONLY")
_numbers = count(1)


def says(text: str) -> list[Block]:
    """Let the model say something."""
    return [{"type": "text", "text": text}]


def uses(tool: str, **given: object) -> list[Block]:
    """Let the model use a tool; several are used at once when added together."""
    return [
        {
            "type": "tool_use",
            "id": f"toolu_{next(_numbers):020}",
            "name": tool,
            "input": given,
        },
    ]


class Filling(list[Block]):
    """What the model says, and of how many tokens it says that it was asked with them."""

    def __init__(self, tokens: int, blocks: list[Block]) -> None:
        super().__init__(blocks)
        self.tokens = tokens


def filling(tokens: int, blocks: list[Block]) -> list[Block]:
    """Let the model say something, and that its window holds so many tokens by now."""
    return Filling(tokens, blocks)


class ScriptedModel:
    """The script, and the requests so far."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = list(steps)
        self._heard: list[ModelRequest] = []
        self._news = threading.Condition()
        self.url = ""

    @property
    def requests(self) -> list[ModelRequest]:
        """What the model was asked in the conversation, and not on the side."""
        with self._news:
            return [each for each in self._heard if each.brings_tools and not _is_aside(each)]

    @property
    def is_done(self) -> bool:
        """Say whether the script was used up."""
        return not self._steps

    def was_asked(self, requests: int, seconds: float) -> bool:
        """Say whether the model is asked so many times within a time."""
        with self._news:
            return self._news.wait_for(lambda: len(self.requests) >= requests, seconds)

    def until(self, requests: int) -> ModelRequest:
        """Wait until the model has been asked so many times, and return the last request."""
        with self._news:
            came = self._news.wait_for(lambda: len(self.requests) >= requests, PATIENCE_SECONDS)
        assert came, f"the model was asked {len(self.requests)} times, not {requests}"
        return self.requests[requests - 1]

    def answer(self, request: ModelRequest) -> list[Block]:
        """Say what comes next."""
        with self._news:
            self._heard.append(request)
            self._news.notify_all()
            if _is_aside(request):
                return says(SUMMARY)
            if not request.brings_tools:
                return says("ok")
            step = self._steps.pop(0) if self._steps else says("done")
        return step(request) if callable(step) else step


@contextmanager
def scripted_model(network: Loopback, *steps: Step) -> Iterator[ScriptedModel]:
    """Serve a script while inside."""
    model = ScriptedModel(steps)
    server = network.run(_Server, model)
    model.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _is_aside(request: ModelRequest) -> bool:
    """Say whether the client asks for a summary of the conversation."""
    return bool(_SUMMARY_ASKED.search(request.last_text))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.model = model


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_HEAD(self) -> None:
        self._give(200, b"", "application/json")

    def do_GET(self) -> None:
        self._give(404, b"{}", "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "count_tokens" in self.path:
            self._give(200, b'{"input_tokens": 100}', "application/json")
        elif self.path.partition("?")[0].endswith("/messages"):
            self._say(body, self.server.model.answer(ModelRequest(body)))
        else:
            self._say_otherwise(body)

    def _say_otherwise(self, body: dict[str, Any]) -> None:
        """Answer in the protocol that the path names."""
        path = self.path.partition("?")[0]
        for protocol in PROTOCOLS:
            if path.endswith(protocol.ending):
                blocks = self.server.model.answer(ModelRequest(protocol.request_body(body)))
                stream = protocol.answer_stream(f"{next(_numbers):020}", blocks)
                self._give(200, stream.encode(), "text/event-stream")
                return
        self._give(404, b"{}", "application/json")

    def _say(self, asked: dict[str, Any], blocks: list[Block]) -> None:
        message = _message(asked, blocks)
        if asked.get("stream"):
            events = "".join(_streamed(message)).encode()
            self._give(200, events, "text/event-stream")
        else:
            self._give(200, json.dumps(message).encode(), "application/json")

    def _give(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - their name
        """Say nothing."""


def _message(asked: dict[str, Any], blocks: list[Block]) -> dict[str, Any]:
    uses_tool = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_{next(_numbers):020}",
        "type": "message",
        "role": "assistant",
        "model": asked.get("model"),
        "content": blocks,
        "stop_reason": "tool_use" if uses_tool else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": blocks.tokens if isinstance(blocks, Filling) else USUAL_TOKENS,
            "output_tokens": 20,
        },
    }


def _streamed(message: dict[str, Any]) -> Iterator[str]:
    """Say a message as a stream does: begun, block by block, ended."""
    begun = {**message, "content": [], "stop_reason": None}
    yield _event("message_start", message=begun)
    for index, block in enumerate(message["content"]):
        empty, delta = _opened(block)
        yield _event("content_block_start", index=index, content_block=empty)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage=message["usage"])
    yield _event("message_stop")


def _opened(block: Block) -> tuple[Block, Block]:
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    written = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": written}


def _event(kind: str, **fields: object) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"
