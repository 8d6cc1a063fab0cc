"""Which files a prompt, an answer, a merge and an `ai_recall` enter, by room, and on which way.

Real processes: the hook, the daemon, `ais` and `ais mcp` run under a profiler on a small made-up
memory. Of each verb it prints the files whose functions were called, the calls that go upwards
(from a lower layer to a higher one: callbacks), and the spine: the files on the direct way
from where it comes in to where its work is done.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, cast

from ai_smartness import Memory, Message
from ai_smartness.entrypoints.daemon.client import NoAnswerError, NoDaemonError, ask_daemon
from ai_smartness.entrypoints.hooks import main as hook
from ai_smartness.settings.paths import HomePaths
from kit import call_trace

ROOT = Path(__file__).parents[1]
PATIENCE_SECONDS = 60
WARM_UP_SECONDS = 8
CALL_ID = 2
GOALS = {"prompt": (50, 9), "answer": (None, 10), "merge": (None, 7), "ai_recall": (None, 11)}
"""Files entered and length of the spine that each is meant to stay under."""

SESSIONS = (
    (
        "The login page fails after the redirect: the session cache is empty.",
        "The session cache was written after the redirect. It is written before it now.",
        "We decided to keep the session cache in Redis, not in the process.",
    ),
    (
        "Invoices show the wrong tax rate for books.",
        "The tax table had one rate for all goods. Books have their own rate now.",
        "Never round a tax before the subtotal is summed up.",
    ),
    (
        "Move the nightly export to the queue, it blocks the web workers.",
        "The export runs on the queue, with `make export` for a run by hand.",
    ),
)
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PROMPT = "why does the login page fail, and what did we decide about the session cache?"
ANSWER = "The session cache is written before the redirect now, and the tests pass."
RECALL = {"name": "ai_recall", "arguments": {"query": "session cache of the login page"}}

JOURNAL_WRITE = "adapters/tables/journal_table.py:write"
EVENT_APPEND = "adapters/tables/event_tables.py:append"
KEYWORD_MATCH = "adapters/sqlite/full_text.py:match"
BLOCK_RENDERED = "inject/block.py:rendered_block"
ASK_DAEMON = "entrypoints/daemon/client.py:wait_for_answer"
APPEND_RECORD = "entrypoints/daemon/inbox.py:append_record"

DAEMON = "entrypoints/daemon/server.py"
DRAIN = "entrypoints/daemon/drain.py"


@dataclass(frozen=True, slots=True)
class Walk:
    """What was seen of one verb, over all its processes."""

    files: set[str]
    calls: Counter[tuple[str, str]]
    spine: list[str]


def main() -> None:
    """Trace every verb and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", action="store_true", help="name every file")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        walks = traced_walks(Path(folder))
    if options.json:
        print(json.dumps({name: as_json(walk) for name, walk in walks.items()}, indent=2))
        return
    for name, walk in walks.items():
        show(name, walk, name_files=options.files)


def traced_walks(folder: Path) -> dict[str, Walk]:
    """Return the walk of each verb."""
    home, project = folder / "home", folder / "project"
    (project / ".git").mkdir(parents=True)
    fill(home, project)
    return {
        "prompt": prompt_walk(folder, home, project),
        "answer": answer_walk(folder, home, project),
        "merge": merge_walk(folder, home, project),
        "ai_recall": recall_walk(folder, home, project),
    }


def prompt_walk(folder: Path, home: Path, project: Path) -> Walk:
    """Trace a prompt: the hook, and the daemon that answers it."""
    with traced_daemon(folder, home, project, DAEMON, BLOCK_RENDERED) as daemon:
        asked = run_hook(folder, home, project, "UserPromptSubmit", prompt=PROMPT)
        return joined(asked, daemon.walk())


def answer_walk(folder: Path, home: Path, project: Path) -> Walk:
    """Trace an agent's answer: the hook that keeps it, and the daemon that stores it."""
    with traced_daemon(folder, home, project, DRAIN, EVENT_APPEND) as daemon:
        kept = run_hook(folder, home, project, "Stop", last_assistant_message=ANSWER)
        daemon.ask("drain", seconds=PATIENCE_SECONDS)
        return joined(kept, daemon.walk())


def merge_walk(folder: Path, home: Path, project: Path) -> Walk:
    """Trace `ais threads merge`."""
    with Memory.open(project=project, home=home) as memory:
        one, other = (thread.id for thread in memory.threads()[:2])
    command = ["--home", str(home), "--project", str(project), "threads", "merge", one, other]
    return run_traced(folder, "*", JOURNAL_WRITE, "-m", "ai_smartness", *command)


def recall_walk(folder: Path, home: Path, project: Path) -> Walk:
    """Trace `ai_recall`: the MCP server, and the daemon that answers it."""
    initialize = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "walk", "version": "1"},
    }
    requests: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": initialize},
        {"method": "notifications/initialized"},
        {"id": CALL_ID, "method": "tools/call", "params": RECALL},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in requests)
    with traced_daemon(folder, home, project, DAEMON, KEYWORD_MATCH) as daemon:
        command = traced_command(
            folder,
            "entrypoints/mcp/server.py",
            ASK_DAEMON,
            *("-m", "ai_smartness", "--home", str(home), "mcp"),
        )
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project, text=True
        ) as server:
            sent, received = cast("IO[str]", server.stdin), cast("IO[str]", server.stdout)
            sent.write(lines)
            sent.flush()
            for line in received:
                if json.loads(line).get("id") == CALL_ID:
                    break
            called = saved_walk(folder / "trace.json", server)
            sent.close()
        return joined(called, daemon.walk())


def fill(home: Path, project: Path) -> None:
    """Put a few made-up sessions into a new memory."""
    with Memory.open(project=project, home=home) as memory:
        memory.capture(
            Message(
                id=f"m{number}-{turn}",
                session=f"s{number}",
                role="assistant" if turn == 1 else "user",
                text=text,
                at=START + timedelta(days=number, minutes=turn),
            )
            for number, texts in enumerate(SESSIONS)
            for turn, text in enumerate(texts)
        )
        memory.embed()


class TracedDaemon:
    """A daemon under the profiler."""

    def __init__(self, folder: Path, home: Path, process: "subprocess.Popen[bytes]") -> None:
        self._output = folder / "daemon.json"
        self._paths = HomePaths(str(home))
        self._process = process

    def ask(self, verb: str, **fields: object) -> None:
        """Ask it something and wait for the answer."""
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                ask_daemon(self._paths, verb, until=until, **fields)
            except (NoDaemonError, NoAnswerError):
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
            else:
                return

    def begin(self) -> None:
        """Forget what was seen so far."""
        self._process.send_signal(signal.SIGUSR1)

    def walk(self) -> Walk:
        """Return what was seen since."""
        return saved_walk(self._output, self._process)


@contextmanager
def traced_daemon(
    folder: Path, home: Path, project: Path, root: str, goal: str
) -> Iterator[TracedDaemon]:
    """Run a daemon under the profiler, warm, while inside."""
    command = [sys.executable, call_trace.__file__, str(folder / "daemon.json"), root, goal]
    program = ["-m", "ai_smartness", "daemon", "run", "--home", str(home)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen([*command, *program], stdin=quiet, stdout=quiet, stderr=quiet)
    daemon = TracedDaemon(folder, home, process)
    try:
        about = {"cwd": str(project), "session": "warm"}
        daemon.ask("inject", text="a first question", source="", **about)
        daemon.ask("drain", seconds=PATIENCE_SECONDS)
        # The model is loaded on a thread beside; until then prompts are answered by words.
        time.sleep(WARM_UP_SECONDS)
        daemon.ask("inject", text="a second question", source="", **about)
        daemon.begin()
        yield daemon
    finally:
        process.terminate()
        process.wait()


def run_hook(folder: Path, home: Path, project: Path, event: str, **fields: object) -> Walk:
    """Trace the hook on an event."""
    given = {"session_id": "walk", "cwd": str(project), "hook_event_name": event, **fields}
    goal = ASK_DAEMON if event == "UserPromptSubmit" else APPEND_RECORD
    program = (str(hook.__file__), "--home", str(home))
    patient = {**os.environ, "AIS_HOOK_DEADLINE_MS": "20000"}
    return run_traced(folder, "*", goal, *program, given=json.dumps(given), environ=patient)


def traced_command(folder: Path, root: str, goal: str, *program: str) -> list[str]:
    """Return the command that runs a program under the profiler."""
    return [sys.executable, call_trace.__file__, str(folder / "trace.json"), root, goal, *program]


def run_traced(
    folder: Path,
    root: str,
    goal: str,
    *program: str,
    given: str = "",
    environ: dict[str, str] | None = None,
) -> Walk:
    """Run a program under the profiler to its end."""
    command = traced_command(folder, root, goal, *program)
    subprocess.run(
        command, input=given.encode(), stdout=subprocess.DEVNULL, check=True, env=environ
    )
    return read_walk(folder / "trace.json")


def saved_walk(output: Path, process: "subprocess.Popen[bytes] | subprocess.Popen[str]") -> Walk:
    """Have a process write what was seen of it, and read that."""
    output.unlink(missing_ok=True)
    process.send_signal(signal.SIGUSR2)
    until = time.monotonic() + PATIENCE_SECONDS
    while not output.exists() and time.monotonic() < until:
        time.sleep(0.01)
    return read_walk(output)


def read_walk(path: Path) -> Walk:
    """Read what a trace wrote."""
    seen = json.loads(path.read_text())
    calls = Counter({(source, target): count for source, target, count in seen["calls"]})
    return Walk(set(seen["files"]), calls, seen["spine"])


def joined(first: Walk, second: Walk) -> Walk:
    """Return two walks, one after the other, as one."""
    spine = list(dict.fromkeys([*first.spine, *second.spine]))
    return Walk(first.files | second.files, first.calls + second.calls, spine)


def upward_calls(walk: Walk) -> Counter[tuple[str, str]]:
    """Return the calls from a lower layer to a higher one, by room; adapters answer for ports."""
    found: Counter[tuple[str, str]] = Counter()
    for (source, target), count in walk.calls.items():
        if room(target) != "adapters" and LAYERS[room(source)] > LAYERS[room(target)]:
            found[room(source), room(target)] += count
    return found


def room(file: str) -> str:
    """Return the top folder of a file."""
    return file.partition("/")[0].removesuffix(".py")


def layers() -> dict[str, int]:
    """Return the number of each room's layer, the highest first, as import-linter knows them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (contract,) = (
        each for each in project["tool"]["importlinter"]["contracts"] if each["type"] == "layers"
    )
    return {
        name.strip(): number
        for number, layer in enumerate(contract["layers"])
        for name in layer.split("|")
    }


LAYERS = layers()


def show(name: str, walk: Walk, *, name_files: bool) -> None:
    """Print one walk."""
    rooms = Counter(room(file) for file in walk.files)
    files, length = GOALS[name]
    upward = upward_calls(walk)
    print(f"{name}: {len(walk.files)} files" + (f" (goal: under {files})" if files else ""))
    print("  " + ", ".join(f"{each} {rooms[each]}" for each in LAYERS if rooms[each]))
    pairs = ", ".join(f"{low} -> {high} {count}" for (low, high), count in upward.most_common())
    print(f"  calls upwards: {upward.total()}" + (f" ({pairs})" if pairs else ""))
    print(f"  spine: {len(walk.spine)} files (goal: at most {length})")
    print("".join(f"    {file}\n" for file in walk.spine), end="")
    if name_files:
        print("  all files:\n" + "".join(f"    {file}\n" for file in sorted(walk.files)), end="")


def as_json(walk: Walk) -> dict[str, object]:
    """Return one walk for a program."""
    return {
        "files": sorted(walk.files),
        "upward": {f"{low} -> {high}": count for (low, high), count in upward_calls(walk).items()},
        "spine": walk.spine,
    }


if __name__ == "__main__":
    main()
