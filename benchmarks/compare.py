"""How we find what answers a question, beside other memories run with their own code.

Each peer is installed from the package index into an environment of its own, in the cache folder,
and gets the same messages and questions as we do: `--peer NAME` chooses some. None asks a language
model. Those that embed over an API get one on loopback, with all-minilm-l6-v2, which two of them
use by default. Without files, made-up conversations are asked.
"""

import argparse
import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from ai_smartness.ports import Embedder
from ai_smartness.settings.paths import memory_paths
from ai_smartness.wiring import open_memory
from kit.conversations import Conversation, Query, conversations
from kit.made_up_questions import made_up_conversations
from kit.plain_search import PlainFts5
from kit.remembered import PROJECT, model
from kit.scores import MEASURES, interval, quality

SQLITE = "pysqlite3-binary"  # with loadable extensions, which not every Python has

PEERS = {
    "mem0": ["mem0ai==2.2.1"],
    "mcp-memory-service": ["mcp-memory-service==12.4.0", SQLITE],
    "MemPalace": ["mempalace==3.11.0"],
    "memor-cli": ["memor-cli==0.16.0", SQLITE],
}
"""What is installed for a peer. Its program is the file of that name in `peers/`."""

ANY_VERSION = {"mcp-memory-service": "certifi"}
"""A requirement of a peer that the index cannot meet: here any version of it is installed."""

PEER_MODEL = "all-minilm-l6-v2"
OURS, OURS_ALIKE = "ai_smartness", f"ai_smartness with {PEER_MODEL}"
NOBODY = "none"
DEPTH = 30  # results that are asked for; of a question with a cutoff, later messages are left out
SHOWN = ("R@5", "NDCG@10", "MRR")
SESSION_SETS = frozenset({"coding_sessions"})  # labelled by session and not by message


@dataclass
class Row:
    """The results of one memory on one set."""

    qualities: list[list[float]] = field(default_factory=list)
    store_seconds: float = 0.0
    query_seconds: list[float] = field(default_factory=list)
    bytes_on_disk: int = 0


def main() -> None:
    """Run everybody on every file, and print a table for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument(
        "--peer", action="append", choices=[*PEERS, NOBODY], help="only this peer, or none"
    )
    parser.add_argument("--first", type=int, help="only the first conversations of each file")
    parser.add_argument("--every", type=int, default=1, help="ask every k-th question")
    parser.add_argument("--write", type=Path, help="write the tables between the marks of a page")
    given = parser.parse_args()
    sets = {path.name.split(".")[0]: list(conversations(path)) for path in given.files}
    if not sets:
        sets = {"made_up": made_up_conversations()}
    programs = {name: _installed(name) for name in given.peer or PEERS if name != NOBODY}
    tables = []
    for name, talks in sets.items():
        asked = [_with_questions(talk, given.every) for talk in talks[: given.first]]
        rows = {who: Row() for who in (OURS, OURS_ALIKE, "plain FTS5", *programs)}
        for talk in asked:
            _run_ours(talk, rows[OURS], name, os.environ)
            _run_ours(
                talk, rows[OURS_ALIKE], name, {**os.environ, "AIS_EMBEDDER_MODEL": PEER_MODEL}
            )
            _run_fts5(talk, rows["plain FTS5"], name)
            for peer, program in programs.items():
                _run_peer(program, talk, rows[peer], name)
        tables.append("\n".join(_table(name, asked, rows)))
        print(tables[-1], flush=True)
    if given.write:
        _write_tables(given.write, "\n\n".join(tables))


def _with_questions(talk: Conversation, every: int) -> Conversation:
    labelled = [query for query in talk.queries if query.gold or query.gold_sessions]
    return Conversation(talk.name, talk.messages, labelled[::every], [])


def _run_ours(talk: Conversation, row: Row, set_name: str, environ: Mapping[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        memory = open_memory(path, project=PROJECT, home=folder, environ=environ)
        started = time.perf_counter()
        memory.capture(talk.messages)
        memory.embed()
        row.store_seconds += time.perf_counter() - started
        for query in talk.queries:
            started = time.perf_counter()
            hits = memory.search(query.text, DEPTH, talk.before(query))
            row.query_seconds.append(time.perf_counter() - started)
            _score(row, talk, query, [hit.id for hit in hits], set_name)
        memory.close()
        row.bytes_on_disk += _folder_bytes(Path(folder))


def _run_fts5(talk: Conversation, row: Row, set_name: str) -> None:
    started = time.perf_counter()
    search = PlainFts5([str(one.id) for one in talk.messages], _texts(talk))
    row.store_seconds += time.perf_counter() - started
    for query in talk.queries:
        started = time.perf_counter()
        found = search.search(query.text, query.cutoff)
        row.query_seconds.append(time.perf_counter() - started)
        _score(row, talk, query, found, set_name)


def _run_peer(program: list[str], talk: Conversation, row: Row, set_name: str) -> None:
    ids = [str(message.id) for message in talk.messages]
    with tempfile.TemporaryDirectory() as folder, _embedding_server() as url:
        task = {
            "url": url,
            "model": PEER_MODEL,
            "folder": f"{folder}/memory",
            "depth": DEPTH,
            "messages": [
                {"id": id_, "text": text} for id_, text in zip(ids, _texts(talk), strict=True)
            ],
            "queries": [query.text for query in talk.queries],
        }
        Path(folder, "memory").mkdir()
        Path(folder, "task.json").write_text(json.dumps(task))
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8"}
        subprocess.run(
            [*program, f"{folder}/task.json", f"{folder}/answer.json"],
            env=environment,
            cwd=folder,
            check=True,
            stdout=sys.stderr,
        )
        answer = json.loads(Path(folder, "answer.json").read_text())
        row.bytes_on_disk += _folder_bytes(Path(folder, "memory"))
    row.store_seconds += answer["store_seconds"]
    row.query_seconds += answer["query_seconds"]
    for query, ranking in zip(talk.queries, answer["rankings"], strict=True):
        allowed = set(ids[: query.cutoff])
        _score(row, talk, query, [id_ for id_ in ranking if id_ in allowed], set_name)


def _texts(talk: Conversation) -> list[str]:
    """Return what a peer stores: who speaks is part of a line, as it is for us."""
    return [f"{message.role}: {message.text}" for message in talk.messages]


def _score(
    row: Row, talk: Conversation, query: Query, ranking: Sequence[str], set_name: str
) -> None:
    gold = query.gold
    if set_name in SESSION_SETS:
        sessions = {str(message.id): message.session or "" for message in talk.messages}
        ranking = list(dict.fromkeys(sessions[id_] for id_ in ranking))
        gold = query.gold_sessions
    row.qualities.append(quality(ranking, gold))


def _table(name: str, talks: Sequence[Conversation], rows: dict[str, Row]) -> Iterator[str]:
    messages = sum(len(talk.messages) for talk in talks)
    questions = sum(len(talk.queries) for talk in talks)
    level = "sessions" if name in SESSION_SETS else "messages"
    yield f"**{name}**: {messages:,} messages, {questions} questions, ranked {level}\n"
    yield f"| memory | {' | '.join(SHOWN)} | s to store 1,000 | ms a question | MB |"
    yield "|---|" + "--:|" * (len(SHOWN) + 3)
    ranked = sorted(rows.items(), key=lambda item: -_mean(item[1], "NDCG@10"))
    for who, row in ranked:
        values = np.array(row.qualities)
        cells = [_interval_text(values[:, MEASURES.index(measure)]) for measure in SHOWN]
        store = row.store_seconds / messages * 1_000
        query = float(np.median(row.query_seconds)) * 1_000
        size = f"{row.bytes_on_disk / 1e6:.1f}" if row.bytes_on_disk else "in memory"
        title = f"**{who}**" if who == OURS else who
        yield f"| {title} | {' | '.join(cells)} | {store:.1f} | {query:.0f} | {size} |"


def _mean(row: Row, measure: str) -> float:
    return float(np.nanmean(np.array(row.qualities)[:, MEASURES.index(measure)]))


def _interval_text(values: Any) -> str:  # noqa: ANN401 - a column of numbers
    found = interval(values)
    if found is None:
        return "–"
    mean, low, high = (f"{number:.3f}".lstrip("0") for number in found)
    return f"{mean} ({low}–{high})"


def _installed(peer: str) -> list[str]:
    """Return the command that runs a peer's program, installed if it is not here yet."""
    cache = Path(memory_paths(None, None, os.environ).cache) / "bench-peers"
    folder = cache / PEERS[peer][0].replace("==", "-")
    if not (folder / "installed").exists():
        print(f"installing {' '.join(PEERS[peer])} …", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        _install(peer, str(folder / "bin/python"))
        (folder / "installed").touch()
    program = Path(__file__).parent / "peers" / f"{peer.lower().replace('-', '_')}_peer.py"
    return [str(folder / "bin/python"), str(program)]


def _install(peer: str, python: str) -> None:
    install = [python, "-m", "pip", "install", "--quiet"]
    loose = ANY_VERSION.get(peer)
    if loose is None:
        subprocess.run([*install, *PEERS[peer]], check=True)
        return
    package = PEERS[peer][0]
    subprocess.run([*install, "--no-deps", package], check=True)
    read = f"from importlib.metadata import requires; print(*requires({peer!r}), sep='\\n')"
    listed = subprocess.run([python, "-c", read], check=True, capture_output=True, text=True)
    needed = [line for line in listed.stdout.splitlines() if "extra ==" not in line]
    met = [loose if re.match(rf"{loose}\b", line) else line for line in needed]
    subprocess.run([*install, *met, *PEERS[peer][1:]], check=True)


@contextmanager
def _embedding_server() -> Iterator[str]:
    """Serve the embeddings of the peers' model in the shape of OpenAI's API."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _embeddings_handler()) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@cache
def _peer_embedder() -> Embedder:
    embedder = model(PEER_MODEL)
    if embedder is None:
        sys.exit(f"`ais model pull {PEER_MODEL}` first: the peers embed with it.")
    return embedder


def _embeddings_handler() -> type[BaseHTTPRequestHandler]:
    turn = threading.Lock()

    class Embeddings(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            with turn:
                # A longer text is embedded by its beginning, as the model itself would do it.
                chunks = _peer_embedder().documents([text or " " for text in texts])
                vectors = [rows[0] for rows in chunks]
            data = [
                {"object": "embedding", "index": number, "embedding": _written(vector, asked)}
                for number, vector in enumerate(vectors)
            ]
            usage = {"prompt_tokens": 0, "total_tokens": 0}
            answer = {"object": "list", "data": data, "model": PEER_MODEL, "usage": usage}
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    return Embeddings


def _written(vector: Any, asked: dict[str, Any]) -> object:  # noqa: ANN401 - an array
    if asked.get("encoding_format") == "base64":
        return base64.b64encode(np.asarray(vector, np.float32).tobytes()).decode()
    return [float(number) for number in vector]


def _folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _write_tables(page: Path, tables: str) -> None:
    begin, end = "<!-- tables: written by `scripts/bench compare` -->", "<!-- end of tables -->"
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    page.write_text(f"{before}{begin}\n\n{tables}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
