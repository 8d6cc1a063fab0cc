"""A site to work at: a user's home, a project, a memory, and a client that talks to a script.

Nothing of the user who runs the tests is in reach of the client, except the models in the
cache, which are large and the same for everybody.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGKILL
from typing import Any

from ai_smartness.entrypoints.daemon.client import read_line, request_line
from ai_smartness.settings.paths import HomePaths
from e2e.claude_code import ClaudeCode
from e2e.loopback import Loopback
from e2e.processes import at_work, ended
from e2e.scripted_model import ScriptedModel, Step, scripted_model

__all__ = ["Site", "Talk"]

PATIENCE_SECONDS = 90
END_SECONDS = 15

KEY = "no-key-at-all-but-as-long-as-one"

ALONE = {
    "ANTHROPIC_API_KEY": KEY,
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_BUG_COMMAND": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}
"""What keeps the client to itself, also where its network is not taken from it."""

UNHURRIED_MS = "8000"
"""A busy machine must not change what a test sees; how fast a hook is, `scripts/bench` says."""


class Site:
    """One user's machine, made for one test."""

    def __init__(
        self,
        folder: Path,
        client: ClaudeCode,
        network: Loopback,
        cache: Path,
        project: str,
    ) -> None:
        self.folder = folder
        self.client = client
        self.network = network
        self.home = folder / "home"
        self.project = folder / project
        self.memory = folder / "memory"
        self.config = self.home / ".claude"
        for each in (self.config, self.project / ".git"):
            each.mkdir(parents=True)
        self.env = {
            "PATH": f"{client.program.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "AIS_CACHE": str(cache),
            "AIS_HOOK_DEADLINE_MS": UNHURRIED_MS,
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "TERM": "dumb",
            **ALONE,
        }

    @property
    def user_settings(self) -> Path:
        """Name the file in which the client keeps the hooks of all projects."""
        return self.config / "settings.json"

    @property
    def project_settings(self) -> Path:
        """Name the file in which the client keeps a user's own hooks of the project."""
        return self.project / ".claude" / "settings.local.json"

    def ais(self, *args: str) -> str:
        """Run `ais` in the project, as its user does."""
        return self._run(sys.executable, "-m", "ai_smartness", *args)

    def claude(self, *args: str) -> str:
        """Run a command of the client that asks no model."""
        return self._run(str(self.client.program), *args)

    def _run(self, *command: str) -> str:
        done = self.network.run(
            subprocess.run,
            command,
            cwd=self.project,
            env={**self.env, "AIS_HOME": str(self.memory)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
        assert not done.returncode, f"{' '.join(command)}\n{done.stdout}"
        return str(done.stdout)

    def says(self, prompt: str, *steps: Step, args: tuple[str, ...] = ()) -> ScriptedModel:
        """Say one thing to the client, wait for the end of its turn, and see what it asked."""
        with self.talk(*steps, args=args) as talk:
            talk.says(prompt)
        assert talk.model.is_done, "the client ended before the script did"
        return talk.model

    @contextmanager
    def talk(self, *steps: Step, args: tuple[str, ...] = ()) -> Iterator["Talk"]:
        """Talk to one client for as long as it takes."""
        with scripted_model(self.network, *steps) as model:
            streams = ("--input-format", "stream-json", "--output-format", "stream-json")
            process = self.network.run(
                subprocess.Popen,
                [str(self.client.program), "-p", *streams, "--verbose", *args],
                cwd=self.project,
                env={**self.env, "ANTHROPIC_BASE_URL": model.url},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            with process, _ended(process):
                talk = Talk(model, process)
                yield talk
                talk.end()

    def ask(self, verb: str, **fields: object) -> dict[str, Any]:
        """Ask the daemon something, by its socket."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE_SECONDS)
            line.connect(HomePaths(str(self.memory)).socket)
            line.sendall(request_line(verb, **fields))
            with line.makefile("rb") as answers:
                return read_line(answers.readline())

    def settle(self) -> None:
        """Wait until all that was captured is in the memory."""
        self.ais("daemon", "start")
        while self.ask("drain", seconds=PATIENCE_SECONDS).get("left"):
            pass

    def leave(self) -> None:
        """End the daemon, and find that nobody is left."""
        patience = time.monotonic() + END_SECONDS
        self._stop()
        while left := self.at_work():
            # One that a hook has just started does not listen yet: it is asked again.
            self._stop()
            ended(left[0], 0.1)
            if time.monotonic() > patience:
                for pid in left:
                    os.kill(pid, SIGKILL)
                msg = f"still running when the test was over: {left}"
                raise AssertionError(msg)

    def _stop(self) -> None:
        with suppress(OSError, ValueError):
            self.ask("stop")

    def at_work(self) -> list[int]:
        """Return the processes that were started for this site."""
        return at_work(self.folder)


class Talk:
    """One run of the client, and the model it asks."""

    def __init__(self, model: ScriptedModel, process: subprocess.Popen[bytes]) -> None:
        self.model = model
        self.heard: list[dict[str, Any]] = []
        self._process = process

    @property
    def session(self) -> str:
        """Return the id of the session."""
        return str(next(each["session_id"] for each in self.heard if "session_id" in each))

    def says(self, prompt: str) -> None:
        """Say something, and wait for the end of the turn."""
        self.begins(prompt)
        for line in self._lines():
            if line["type"] == "result":
                return
        msg = f"the client ended in the middle of a turn: {self.heard[-3:]}"
        raise AssertionError(msg)

    def begins(self, prompt: str) -> None:
        """Say something, and wait for nothing."""
        said = {"type": "user", "message": {"role": "user", "content": prompt}}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(said).encode() + b"\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """End the client in the middle of whatever it says."""
        assert self._process.stdout is not None
        self._process.kill()
        self._process.stdout.read()

    def end(self) -> None:
        """Say nothing more, and wait for the client to end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        for _ in self._lines():
            pass
        self._process.wait(PATIENCE_SECONDS)

    def _lines(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.heard.append(json.loads(line))
            yield self.heard[-1]


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a client that hangs, or that a failed test has left behind."""
    patience = threading.Timer(PATIENCE_SECONDS, process.kill)
    patience.start()
    try:
        yield
    finally:
        patience.cancel()
        if process.poll() is None:
            process.kill()
