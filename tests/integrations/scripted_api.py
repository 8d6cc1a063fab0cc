"""A model's API on loopback that answers from a script, and keeps what it was asked."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

__all__ = ["anthropic_answer", "openai_answer", "scripted_api"]

_numbers = count(1)


@contextmanager
def scripted_api(answers: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the address of a server that gives these answers in turn, and its requests so far."""
    left, requests = list(answers), list[dict[str, Any]]()

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = json.dumps(left.pop(0) if left else {"error": "the script is over"}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()
            thread.join()


def anthropic_answer(text: str = "", **tool: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Return a message of Claude: a text, or the use of the tool `memory`."""
    use = {"type": "tool_use", "id": f"toolu_{next(_numbers)}", "name": "memory", "input": tool}
    return {
        "id": f"msg_{next(_numbers)}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [use] if tool else [{"type": "text", "text": text}],
        "stop_reason": "tool_use" if tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def openai_answer(text: str | None = None, tool: str = "", **arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Return a chat completion of OpenAI: a text, or the call of a tool."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if tool:
        function = {"name": tool, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{next(_numbers)}", "type": "function", "function": function}
        message["tool_calls"] = [call]
    return {
        "id": f"chatcmpl-{next(_numbers)}",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if tool else "stop"}
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
