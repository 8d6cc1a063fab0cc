"""The surfaces that snapshots go through. Inner modules are imported here and nowhere else."""

import os
import re
import shutil
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio
import click
import pytest
from click.testing import CliRunner, Result
from mcp import Client

from ai_smartness import EventType, Memory
from ai_smartness.clients.project_links import change_links, read_links
from ai_smartness.entrypoints.cli.main import ais as command
from ai_smartness.entrypoints.mcp.server import build_server
from ai_smartness.entrypoints.mcp.stdio import ServerOptions
from ai_smartness.entrypoints.mcp.tool_caller import call_locally
from frozen import Clock, frozen
from snapshot_corpus import Session, messages

__all__ = ["NOW", "World", "build", "commands", "lay_out", "link_project", "opened_world", "settle"]

NOW = datetime(2026, 3, 20, 9, 30, tzinfo=UTC)
"""When the snapshots are taken: four days after the last session."""

COMMIT = "4be1c02d9e5f5e3b7c7c0f0a1b2c3d4e5f607182"
FILES = {
    "src/auth/token.py": "REFRESH_SECONDS = 1800\n",
    "src/auth/middleware.py": "def renew(request): ...\n",
    "billing/rates.yaml": "NO: 0.25\n",
}
_THREAD_OF = re.compile(r"@([a-z][0-9]+-[0-9]{2})")
_NAMED = re.compile(r"%(bridge|compaction)")

Spoken = TypeVar("Spoken")


@dataclass(frozen=True, slots=True)
class World:
    """A home, a project's folder, and the clock of the product that runs in them."""

    folder: Path
    name: str
    clock: Clock

    @property
    def home(self) -> Path:
        """The memory's home."""
        return self.folder / "home"

    @property
    def project(self) -> Path:
        """The project's folder, which is linked to a project with a fixed name."""
        return self.folder / "code" / self.name

    def memory(self) -> Memory:
        """Open the memory of the project."""
        return Memory.open(project=self.project, home=self.home)

    def ais(self, *args: str) -> Result:
        """Run a command; `spelled` says which ids can be given by other names."""
        return CliRunner().invoke(command, [self.spelled(each) for each in args])

    def spelled(self, text: str) -> str:
        """Return a text with ids in the place of what stands for them.

        `@s1-01` is the thread of that message, `%bridge` the first bridge, `%compaction` the
        latest compaction.
        """
        if not (_THREAD_OF.search(text) or _NAMED.search(text)):
            return text
        with self.memory() as memory:
            text = _THREAD_OF.sub(lambda found: memory.message(found[1]).thread_id, text)
            return _NAMED.sub(lambda found: _named(memory, found[1]), text)

    def served(self, speak: Callable[[Client], Awaitable[Spoken]], profile: str = "all") -> Spoken:
        """Speak with the MCP server of the project, in this process."""
        setting = ServerOptions(str(self.home), str(self.project), "s9", profile)
        server = build_server(setting, partial(call_locally, setting))

        async def conversation() -> Spoken:
            async with Client(server) as client:
                return await speak(client)

        return anyio.run(conversation)


def _named(memory: Memory, what: str) -> str:
    if what == "bridge":
        return memory.bridges()[0].id
    events = (event for thread in memory.threads() for event in memory.all_events(thread.id))
    return max(event.id for event in events if event.type is EventType.COMPACTION)


def build(folder: Path, name: str, sessions: tuple[Session, ...]) -> None:
    """Make a home with a project whose sessions were captured as they happened."""
    lay_out(folder, name)
    with frozen(NOW) as clock, pytest.MonkeyPatch.context() as patch:
        settle(World(folder, name, clock), patch)
        link_project(folder, name)
        with Memory.open(project=folder / "code" / name, home=folder / "home") as memory:
            for session in sessions:
                for message in messages(session):
                    clock.moment = (message.at or NOW) + timedelta(seconds=1)
                    memory.capture(message)
            memory.embed()


def lay_out(folder: Path, name: str) -> None:
    """Make a project's folder."""
    project, git = folder / "code" / name, folder / "git" / name
    git.mkdir(parents=True)
    (git / "HEAD").write_text(f"{COMMIT}\n")
    project.mkdir(parents=True)
    (project / ".git").write_text(f"gitdir: {git}\n")
    for path, content in FILES.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(content)


@contextmanager
def opened_world(built: Path, folder: Path, name: str) -> Iterator[World]:
    """Copy a home that was built, and stand in its project."""
    lay_out(folder, name)
    shutil.copytree(built / "home", folder / "home")
    with frozen(NOW) as clock, pytest.MonkeyPatch.context() as patch:
        world = World(folder, name, clock)
        settle(world, patch)
        link_project(folder, name)
        yield world


def link_project(folder: Path, name: str) -> None:
    """Have the user say that the folder is a project with a name of its own."""
    (folder / "home").mkdir(mode=0o700, exist_ok=True)
    home = str(folder / "home")
    change_links(home, read_links(home), {str(folder / "code" / name): f"/projects/{name}"})


def settle(world: World, patch: pytest.MonkeyPatch) -> None:
    """Stand in the project, with the variables of nobody."""
    for variable in [name for name in os.environ if name.startswith(("AIS_", "CLAUDE"))]:
        patch.delenv(variable)
    variables: Mapping[str, str] = {
        "AIS_HOME": str(world.home),
        "AIS_CACHE": str(world.folder / "cache"),
        "AIS_EMBEDDER_MODEL": "none",
        "AIS_CLAUDE": "",
        "CLAUDE_CONFIG_DIR": str(world.folder / "claude"),
        "HOME": str(world.folder / "user"),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "SHELL": "/bin/bash",
        "TZ": "UTC",
    }
    for variable, value in variables.items():
        patch.setenv(variable, value)
    (world.folder / "user").mkdir(exist_ok=True)
    patch.chdir(world.project)


def commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Walk the commands of `ais`, itself first, groups before what is in them."""
    yield from _walked(command, (), None)


def _walked(
    found: click.Command, path: tuple[str, ...], parent: click.Context | None
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, found
    if isinstance(found, click.Group):
        context = click.Context(found, info_name=path[-1] if path else "ais", parent=parent)
        for name in found.list_commands(context):
            inner = found.get_command(context, name)
            assert inner is not None
            yield from _walked(inner, (*path, name), context)
