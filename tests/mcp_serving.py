"""`ais mcp` as a client starts it: spoken to by the official SDK's client, or line by line."""

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

import anyio
from mcp import Client, StdioServerParameters, types

from ai_smartness import Memory, Message
from hooking import keep_alone

__all__ = ["PATIENCE_SECONDS", "Line", "Site", "text_of"]

PATIENCE_SECONDS = 60.0

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Site:
    """A project with a home of its own, on which servers are started."""

    home: Path
    project: Path
    extra: dict[str, str] = field(default_factory=dict)

    @classmethod
    def under(cls, folder: Path) -> "Site":
        """Make an empty project, for which no daemon is started."""
        site = cls(folder / "home", folder / "code" / "demo")
        (site.project / ".git").mkdir(parents=True)
        keep_alone(site.home)
        site.go_without_model()
        return site

    def go_without_model(self) -> None:
        """Set it in the user's file: server and daemon take no setting from the environment."""
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.home / "config.toml").write_text('[embedder]\nmodel = "none"\n')

    def told(self, **messages: str) -> None:
        """Keep messages, each on a thread of its own, by their ids."""
        with self.opened() as memory:
            for id_, text in messages.items():
                memory.capture(Message(id=id_, text=text, session=f"of-{id_}"))

    def opened(self) -> Memory:
        """Open the memory."""
        return Memory.open(project=self.project, home=self.home)

    def thread_of(self, message_id: str) -> str:
        """Name the thread of a message."""
        with self.opened() as memory:
            return memory.message(message_id).thread_id

    @property
    def environment(self) -> dict[str, str]:
        """The variables a server is started with: a session's."""
        plain = {name: each for name, each in os.environ.items() if not name.startswith("AIS_")}
        return {**plain, "CLAUDE_CODE_SESSION_ID": "s9", **self.extra}

    def command(self, *options: str) -> list[str]:
        """Return the command that starts a server."""
        ais = [sys.executable, "-m", "ai_smartness", "--home", str(self.home)]
        return [*ais, "mcp", *options]

    def asked(
        self,
        speak: Callable[[Client], Awaitable[Result]],
        *options: str,
        mode: str = "legacy",
    ) -> Result:
        """Start a server and speak to it with the SDK's client."""

        async def conversation() -> Result:
            program, *arguments = self.command(*options)
            server = StdioServerParameters(
                command=program,
                args=arguments,
                env=self.environment,
                cwd=self.project,
            )
            with anyio.fail_after(PATIENCE_SECONDS):
                async with Client(server, mode=mode) as client:
                    return await speak(client)

        return anyio.run(conversation)

    def called(self, name: str, /, **arguments: object) -> types.CallToolResult:
        """Call one tool."""
        return self.asked(lambda client: client.call_tool(name, arguments))

    def line(self, *options: str) -> "Line":
        """Start a server that is spoken to line by line."""
        return Line(self.command(*options), self.environment, self.project)


class Line:
    """A server's standard streams; it is ended when the test is done with it."""

    def __init__(self, command: list[str], environment: Mapping[str, str], cwd: Path) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=cwd,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=PATIENCE_SECONDS)

    def write(self, line: bytes) -> None:
        """Say anything."""
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def say(self, method: str, id_: int | str | None = None, **params: Any) -> None:  # noqa: ANN401 - JSON
        """Say a request, or without an id a notification."""
        said = {"jsonrpc": "2.0", "method": method, "params": params}
        whole = said if id_ is None else {**said, "id": id_}
        self.write(json.dumps(whole).encode() + b"\n")

    def hear(self) -> dict[str, Any]:
        """Return the next thing that is said."""
        assert self.process.stdout
        heard: dict[str, Any] = json.loads(self.process.stdout.readline())
        return heard

    def begin(self, version: str = "2025-11-25") -> dict[str, Any]:
        """Begin a session, and return the answer."""
        client = {"name": "raw", "version": "1"}
        self.say("initialize", 0, protocolVersion=version, capabilities={}, clientInfo=client)
        answer = self.hear()
        self.say("notifications/initialized")
        return answer

    def ended(self) -> tuple[int, bytes]:
        """Wait for its end, and return its exit code and what it said on the standard error."""
        _, errors = self.process.communicate(timeout=PATIENCE_SECONDS)
        return self.process.returncode, errors

    def hang_up(self) -> tuple[int, bytes]:
        """Close our end, and wait for its end."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.stdin = None
        return self.ended()


def text_of(result: types.CallToolResult) -> str:
    """Return the text of a result."""
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text
