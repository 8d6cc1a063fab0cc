"""The seam to a coding agent: what a client has to provide so that it gets a memory.

To add a client, write a package beside `claude_code/` with an object that has these members and
name it `CLIENT`, then add it to `registry.py`. The rest of the program never asks which client
it serves.

The hook starts anew for every event. The members for events and answers therefore use the
standard library only; the others import what they need when they are called.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from ai_smartness.clients.hook_event import HookEvent
    from ai_smartness.clients.installed_program import InstalledProgram
    from ai_smartness.clients.transcript_reader import TranscriptFormat

__all__ = [
    "CAPABILITIES",
    "Answer",
    "Client",
    "ClientPlan",
    "Diagnosis",
    "HookClient",
    "InstallTarget",
    "PlannedFile",
    "TrialRun",
]

Answer: TypeAlias = dict[str, object]  # the JSON object that the hook prints

CAPABILITIES = {
    "inject": "adds notes before a prompt",
    "capture": "records what is said and done",
    "start": "gives a brief when a session begins",
    "compaction": "notes where a session stood before its context is compacted",
    "tools": "has our MCP tools",
}
"""What a client can do with a memory."""


class HookClient(Protocol):
    """How a client's hook events are read and answered."""

    @property
    def name(self) -> str:
        """Name the client as records and settings spell it, such as `claude-code`."""
        ...

    @property
    def read_call(self) -> str:
        """Write the call with which the client's agent reads a file, `{}` for its path."""
        ...

    def read_event(self, text: str, event_name: str = "") -> "HookEvent":
        """Read an event; its name and its tools get the names that Claude Code gives them.

        `event_name` is its name where the client does not send one. Raise ValueError for text
        that is no event.
        """
        ...

    def context_answer(self, event_name: str, text: str) -> Answer | None:
        """Add a text to the agent's context, before a prompt or at the start of a session."""
        ...

    def notice_answer(self, answer: "Answer | None", notice: str) -> "Answer":
        """Show the person a notice, beside the answer."""
        ...

    def allow_answer(self, reason: str) -> Answer | None:
        """Let a tool run without asking the user; None if the client has no such answer."""
        ...

    def answer_folder(self, event: "HookEvent") -> str:
        """Name the folder for the answers to virtual reads; empty if the client reads anywhere."""
        ...

    def redirect_answer(self, tool_input: dict[str, object], reason: str) -> Answer:
        """Let a tool run on another input: a virtual read is answered by a file."""
        ...


@dataclass(frozen=True, slots=True)
class InstallTarget:
    """Which memory is connected to which project; without a project, to all of the user's."""

    home: Path
    environ: Mapping[str, str]
    project_name: str = ""
    project_root: Path | None = None


class PlannedFile(NamedTuple):
    """A file of the client: what of ours it holds, `hooks` or `tools`, and whether it changes."""

    label: str
    path: Path
    is_changed: bool


class ClientPlan(Protocol):
    """A change to a client's own files: shown first, then made as shown or not at all."""

    @property
    def title(self) -> str:
        """Name the client, with its version if it is installed."""
        ...

    @property
    def start_command(self) -> str:
        """Name the command that starts the connected client; empty if it is disconnected."""
        ...

    @property
    def files(self) -> Sequence[PlannedFile]:
        """Name the files that hold our entries, or will."""
        ...

    @property
    def refusals(self) -> Sequence[str]:
        """Say which files cannot be changed, and why."""
        ...

    @property
    def committable(self) -> str:
        """Name the file of this machine that git would commit; empty if there is none."""
        ...

    def exclude_from_git(self) -> Path | None:
        """Keep that file out of git in this clone; return the file that says so."""
        ...

    def diff_lines(self) -> Iterator[str]:
        """Yield the change as a diff."""
        ...

    def apply(self) -> Iterator[tuple[str, str]]:
        """Make the change; yield a label and a line for each step, as a command prints them."""
        ...


class Diagnosis(NamedTuple):
    """One check of a connection: its name, whether it passed, and the finding with its remedy."""

    name: str
    is_good: bool
    text: str


class TrialRun(NamedTuple):
    """How a client is started for one prompt without an account: what follows its program."""

    arguments: Sequence[str]
    environ: Mapping[str, str]


class Client(HookClient, Protocol):
    """One coding agent's client."""

    @property
    def title(self) -> str:
        """Name the client as people do, such as `Claude Code`."""
        ...

    @property
    def capabilities(self) -> tuple[str, ...]:
        """Name what the client can do with a memory, of `CAPABILITIES`."""
        ...

    @property
    def tested_version(self) -> str:
        """Name the version that `tests/e2e` ran; empty if it was not run."""
        ...

    @property
    def transcripts(self) -> "TranscriptFormat | None":
        """Tell where the client keeps its transcripts, and how they are read."""
        ...

    def find_program(self, environ: Mapping[str, str]) -> "InstalledProgram":
        """Find the client on this machine."""
        ...

    def plan_install(self, target: InstallTarget) -> ClientPlan:
        """Plan to put our hooks and tools into the client's settings."""
        ...

    def plan_uninstall(self, target: InstallTarget, *, everywhere: bool) -> ClientPlan:
        """Plan to remove them from the project's files, or from all that we changed.

        A file that nobody changed since gets its old bytes back.
        """
        ...

    def diagnose(self, target: InstallTarget, *, start_server: bool = False) -> Iterator[Diagnosis]:
        """Check the connection, from the client's program to the last runs of the hook.

        With `start_server`, also start our MCP server as the client does.
        """
        ...

    def trial_run(self, address: str) -> TrialRun | None:
        """Say how to start the client for one prompt with its model at an address of this machine.

        None if that cannot be done, or needs an account.
        """
        ...
