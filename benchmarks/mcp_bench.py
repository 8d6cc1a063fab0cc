"""The MCP server as a client starts it: tokens of its tools, first answers, a call's round trip.

Starts take turns with a bare `python -c pass`, so that what slows the machine slows both.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from ai_smartness import Memory, Message
from ai_smartness.entrypoints.mcp.first_answers import tool_list
from ai_smartness.entrypoints.tools.definitions import Profile
from ai_smartness.text.token_count import estimate_tokens
from hook import daemon, keep_alone
from kit.timing import Times, print_table, took

STARTS = 20
CALLS = 100
UNCOUNTED = 3
MESSAGES = 200

MOST_TOKENS = {Profile.ALL: 1_800, Profile.CORE: 500}
GOALS = {"start to the first answer": "300 ms", "start to the list of tools": "300 ms"}


def main() -> None:
    """Count, then start servers and call them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=STARTS)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--vocabulary", type=Path, help="a tokenizer.json to count tokens with")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    counted = {profile.value: count(profile, given.vocabulary) for profile in Profile}
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder) / "home", Path(folder) / "home" / "project"
        (project / ".git").mkdir(parents=True)
        fill(home, project)
        started = starts(home, project, given.starts + UNCOUNTED)
        called = {"without a daemon": calls(home, project, given.calls)}
        with daemon(home) as there:
            if there:
                called["with a daemon"] = calls(home, project, given.calls)
            else:
                print("skipped: `with a daemon`: none answered", file=sys.stderr)
    if given.json:
        print(json.dumps({"tokens": counted, "starts": started, "calls": called}, indent=2))
        return
    show(counted, started, called, given.vocabulary)


def count(profile: Profile, vocabulary: Path | None) -> dict[str, int]:
    """Count the tokens of what a client is told of the tools, and of what a model is shown."""
    listed = tool_list(profile)
    shown = [{name: tool[name] for name in tool if name != "annotations"} for tool in listed]
    return {
        "tools": len(listed),
        "listed": _tokens(listed, vocabulary),
        "shown to a model": _tokens(shown, vocabulary),
    }


def _tokens(value: object, vocabulary: Path | None) -> int:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if vocabulary is None:
        return estimate_tokens(text)
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(vocabulary))
    tokenizer.no_truncation()
    return len(tokenizer.encode(text, add_special_tokens=False).ids)


def fill(home: Path, project: Path) -> None:
    """Keep some messages, so that a recall has something to find."""
    with Memory.open(project=project, home=home) as memory:
        memory.capture(
            Message(text=f"service {number} listens on port {8000 + number}", session=f"s{number}")
            for number in range(MESSAGES)
        )


class Server:
    """A server that is spoken to line by line."""

    def __init__(self, home: Path, project: Path) -> None:
        command = [sys.executable, "-P", "-m", "ai_smartness", "--home", str(home), "mcp"]
        self._process = subprocess.Popen(  # ours
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=project,
        )
        self._number = 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 # JSON
        """Ask, and wait for the answer."""
        self._number += 1
        self._say({"id": self._number, "method": method, "params": params})
        if self._process.stdout is None:
            raise BrokenPipeError
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def begin(self) -> None:
        """Begin a session."""
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        self._say({"method": "notifications/initialized"})

    def close(self) -> None:
        """Hang up."""
        self._process.communicate()

    def _say(self, message: dict[str, Any]) -> None:
        if self._process.stdin is None:
            raise BrokenPipeError
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()


@contextmanager
def serving(home: Path, project: Path) -> Iterator[Server]:
    """Have a server while inside."""
    server = Server(home, project)
    try:
        yield server
    finally:
        server.close()


def starts(home: Path, project: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Time a server's first answers, from before it was started."""
    seconds: dict[str, list[float]] = {}
    for number in range(rounds):
        keep_alone(home)
        bare = [sys.executable, "-c", "pass"]
        times = {"bare python": took(lambda: subprocess.run(bare, check=True))}  # noqa: B023 # at once
        begun = perf_counter()
        with serving(home, project) as server:
            server.begin()
            times["start to the first answer"] = perf_counter() - begun
            server.ask("tools/list")
            times["start to the list of tools"] = perf_counter() - begun
            server.ask("tools/call", name="ai_status", arguments={})
            times["start to a tool's answer"] = perf_counter() - begun
        if number >= UNCOUNTED:
            for name, each in times.items():
                seconds.setdefault(name, []).append(each)
    return {name: _row(each) for name, each in seconds.items()}


def calls(home: Path, project: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Time calls of a server that runs, one after the other."""
    keep_alone(home)
    asked: dict[str, dict[str, object]] = {
        "ai_status": {},
        "ai_recall": {"query": "which port does service 7 listen on?"},
    }
    seconds: dict[str, list[float]] = {name: [] for name in asked}
    with serving(home, project) as server:
        server.begin()
        for number in range(rounds + UNCOUNTED):
            keep_alone(home)
            for name, arguments in asked.items():
                begun = perf_counter()
                answer = server.ask("tools/call", name=name, arguments=arguments)
                if answer["result"].get("isError"):
                    raise RuntimeError(answer)
                if number >= UNCOUNTED:
                    seconds[name].append(perf_counter() - begun)
    return {name: _row(each) for name, each in seconds.items()}


def _row(seconds: list[float]) -> dict[str, float]:
    times = Times(seconds)
    return {f"p{at}": times.at(at) for at in (50, 95)}


def show(
    counted: dict[str, dict[str, int]],
    started: dict[str, dict[str, float]],
    called: dict[str, dict[str, dict[str, float]]],
    vocabulary: Path | None,
) -> None:
    """Print three tables."""
    how = f"counted with {vocabulary}" if vocabulary else "estimated, rather too many than too few"
    print_table(
        f"tokens ({how})",
        ["profile", "tools", "listed", "shown to a model", "goal"],
        [
            [name, *(f"{each:,}" for each in row.values()), _goal(Profile(name))]
            for name, row in counted.items()
        ],
    )
    bare = started["bare python"]["p50"]
    print_table(
        "starts",
        ["", "p50 ms", "p95 ms", "p50 / bare", "goal"],
        [
            [
                name,
                *(f"{row[each]:.1f}" for each in ("p50", "p95")),
                f"{row['p50'] / bare:.1f} x",
                GOALS.get(name, ""),
            ]
            for name, row in started.items()
        ],
    )
    for title, rows in called.items():
        print_table(
            f"calls {title}",
            ["", "p50 ms", "p95 ms"],
            [[name, f"{row['p50']:.1f}", f"{row['p95']:.1f}"] for name, row in rows.items()],
        )


def _goal(profile: Profile) -> str:
    return f"under {MOST_TOKENS[profile]:,}" if profile in MOST_TOKENS else ""


if __name__ == "__main__":
    main()
