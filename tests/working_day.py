"""A working day with the memory, as one program: run it and watch from outside what it touches.

`python working_day.py PROJECT` uses the hook, the daemon, the commands, the MCP server and the
library, with the HOME that it is given. It fails if any of them does.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from ai_smartness.entrypoints.daemon.client import NoDaemonError, ask_daemon
from ai_smartness.entrypoints.hooks import main
from ai_smartness.settings.paths import HomePaths

PATIENCE_SECONDS = 240.0
HOOK = [sys.executable, "-S", "-E", "-I", str(main.__file__)]

LIBRARY = """
from ai_smartness import Memory, Message
with Memory.open() as memory:
    memory.capture(Message(text="We decided to bill in cents.", session="s7"))
    assert memory.search("billing in cents")
    memory.inject("how do we bill?", session="s8")
"""


def main_program(project: Path) -> None:
    """Live through the day."""
    home = Path(os.environ["HOME"]) / ".local" / "share" / "ai_smartness"
    _ais(project, "init", "--yes", "--import")
    _hook(project, home, "SessionStart", source="startup")
    _hook(project, home, "UserPromptSubmit", prompt="Always rotate the JWT keys on Monday.")
    bash = {"tool_name": "Bash", "tool_input": {"command": "pytest"}, "tool_use_id": "t1"}
    _hook(project, home, "PostToolUse", **bash, tool_response={"stdout": "4 passed"})
    _hook(project, home, "Stop", last_assistant_message="The keys are rotated on Mondays now.")
    _ais(project, "daemon", "start")
    _wait_until_embedded(project, home)
    _hook(project, home, "UserPromptSubmit", prompt="When are the JWT keys rotated?")
    for command in (
        ["search", "rotated keys"],
        ["recall", "when are the keys rotated?"],
        ["statements"],
        ["suggestions"],
        ["backup"],
        ["export", str(home / "exported.jsonl")],
        ["doctor", "--json"],
        ["reindex"],
    ):
        _ais(project, *command)
    _mcp(project)
    _ais(project, "daemon", "stop")
    _mcp(project)
    subprocess.run([sys.executable, "-c", LIBRARY], cwd=project, check=True)


def _ais(project: Path, *words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ai_smartness", *words],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_SECONDS,
    )
    # `doctor` may complain about the machine that the test runs on.
    assert done.returncode == 0 or words[0] == "doctor", (words, done.stdout, done.stderr)


def _hook(project: Path, home: Path, event: str, **fields: object) -> None:
    about = {"session_id": "s1", "cwd": str(project), "prompt_id": "p1", "hook_event_name": event}
    subprocess.run(
        [*HOOK, "--home", str(home)],
        input=json.dumps({**about, **fields}).encode(),
        cwd=project,
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=PATIENCE_SECONDS,
    )


def _wait_until_embedded(project: Path, home: Path) -> None:
    """Wait until the daemon has stored and embedded everything."""
    paths, until = HomePaths(str(home)), time.monotonic() + PATIENCE_SECONDS
    status = [sys.executable, "-m", "ai_smartness", "status", "--json"]
    while time.monotonic() < until:
        ask_daemon(paths, "drain", until, seconds=30)
        done = subprocess.run(status, cwd=project, capture_output=True, check=True)
        if json.loads(done.stdout)["waiting"] == 0:
            return
    msg = "the daemon has not embedded the messages"
    raise NoDaemonError(msg)


def _mcp(project: Path) -> None:
    """Ask the MCP server two things, as a client does."""
    client = {"name": "raw", "version": "1"}
    start = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    calls: list[tuple[str, dict[str, object]]] = [
        ("ai_recall", {"query": "JWT keys"}),
        ("ai_status", {}),
    ]
    server = subprocess.Popen(
        [sys.executable, "-m", "ai_smartness", "mcp"],
        cwd=project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdin
    assert server.stdout
    with server:
        for number, (method, params) in enumerate(
            [
                ("initialize", start),
                *(("tools/call", {"name": name, "arguments": given}) for name, given in calls),
            ]
        ):
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(request).encode() + b"\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            assert answer["id"] == number, answer
            if not number:
                server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        server.stdin.close()


if __name__ == "__main__":
    try:
        main_program(Path(sys.argv[1]))
    finally:
        # Whoever watches us waits for the last process.
        _ais(Path(sys.argv[1]), "daemon", "stop")
