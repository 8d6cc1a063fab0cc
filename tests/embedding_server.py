"""A real server on loopback that speaks `/v1/embeddings`, or says what a test tells it to."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ai_smartness.testing import HashEmbedder

__all__ = ["Asked", "Said", "embedding_server"]


@dataclass(frozen=True, slots=True)
class Said:
    """An answer to give in the place of embeddings."""

    status: int
    body: bytes = b""
    location: str = ""


@dataclass(slots=True)
class Asked:
    """Where the server is and what it has been asked so far."""

    url: str = ""
    authorizations: list[str | None] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)


@contextmanager
def embedding_server(said: Said | None = None) -> Iterator[Asked]:
    """Run the server while the test does."""
    asked = Asked()

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            asked.authorizations.append(self.headers["Authorization"])
            asked.sizes.append(len(texts))
            self._give(said or Said(200, _embeddings(texts)))

        def _give(self, answer: Said) -> None:
            self.send_response(answer.status)
            if answer.location:
                self.send_header("Location", answer.location)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - their name
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        asked.url = f"http://127.0.0.1:{server.server_port}/v1#hashes"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield asked
        server.shutdown()
        thread.join()


def _embeddings(texts: list[str]) -> bytes:
    """Answer like the real ones: vectors of any length, each with its place."""
    entries = [
        {"index": number, "embedding": [3.0 * float(value) for value in vector]}
        for number, vector in enumerate(HashEmbedder(dimension=96).query(text) for text in texts)
    ]
    return json.dumps({"data": entries[::-1]}).encode()
