"""Which hooks a client is given, by its version.

An old client is given what it understands and no more: below 2.1.101 one event it does not
know silently disables every hook of the file, other people's too.
"""

import re
import shlex
from dataclasses import dataclass
from typing import NamedTuple

from ai_smartness.model.errors import RefusedError

__all__ = [
    "KEPT_TOOLS",
    "NEWEST",
    "VIRTUAL_READS",
    "Groups",
    "Program",
    "Version",
    "hooks",
    "is_ours",
]

Groups = dict[str, list[dict[str, object]]]
"""Per event the groups of hooks, as the client's settings have them."""

MARK = "ai_smartness/entrypoints/hooks/main.py"
"""How an entry of ours is recognised, whichever version of ours wrote it."""

TIMEOUT_SECONDS = 10
"""Never needed: a hook ends by itself in a fraction of a second. Without one it is ten minutes."""
LEAVING_TIMEOUT_SECONDS = 5
"""A session that ends waits for its hooks in front of the user."""

KEPT_TOOLS = (
    "^(Agent|Bash|Edit|ExitPlanMode|MultiEdit|NotebookEdit|NotebookRead|PowerShell|Read|Task"
    "|WebFetch|WebSearch|Write|mcp__.*)$"
)
"""The tools whose use the hook keeps; for others, such as a search, none is started."""
OUR_TOOLS = "mcp__.*ai_smartness.*"
"""The tools of our own MCP server, under whatever name it was registered."""


class Version(NamedTuple):
    """A version of the client."""

    major: int
    minor: int
    patch: int

    @classmethod
    def read(cls, said: str) -> "Version | None":
        """Find a version in what the client says of itself."""
        found = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
        return cls(*(int(part) for part in found.groups())) if found else None

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


VIRTUAL_READS = Version(2, 1, 41)
"""Before it, the client looks for the file before it asks a hook: `.ai/…` cannot be read."""
UNKNOWN_EVENTS_IGNORED = Version(2, 1, 101)
EXEC_FORM = Version(2, 1, 139)
CONDITIONS = Version(2, 1, 176)
"""`if` is older, but judged some paths wrongly before."""
NEWEST = Version(2, 1, 325)
"""The newest that was tried, and what a client that is not found is taken for."""


@dataclass(frozen=True, slots=True)
class Program:
    """The hook's program: which Python runs which file for which memory."""

    python: str
    main: str
    home: str

    def __post_init__(self) -> None:
        for path in (self.python, self.main, self.home):
            if not path or not _is_text(path):
                msg = (
                    f"cannot name {path!r} in the client's settings: it is no text. "
                    "Choose a folder with another name, with --home."
                )
                raise RefusedError(msg)

    def started(self, version: Version) -> dict[str, object]:
        """Write how the client starts it."""
        args = ["-S", "-E", "-I", self.main, "--home", self.home]
        if version >= EXEC_FORM:
            return {"type": "command", "command": self.python, "args": args}
        # Before the exec form `args` was dropped, and a bare Python would run the event as code.
        return {"type": "command", "command": shlex.join([self.python, *args])}


def hooks(program: Program, version: Version) -> Groups:
    """Return every hook of ours for a client of this version."""
    hook = {**program.started(version), "timeout": TIMEOUT_SECONDS}
    leaving = {**hook, "timeout": LEAVING_TIMEOUT_SECONDS}
    every: Groups = {
        "SessionStart": [_group(hook, "startup|resume|clear|compact")],
        "UserPromptSubmit": [_group(hook)],
        "PreToolUse": _before_tools(hook, version),
        "PostToolUse": [_group(hook, KEPT_TOOLS)],
        "Stop": [_group(hook)],
        "SubagentStop": [_group(hook)],
        "PreCompact": [_group(hook)],
        "SessionEnd": [_group(leaving)],
    }
    if version >= UNKNOWN_EVENTS_IGNORED:
        every["PostToolUseFailure"] = [_group(hook, KEPT_TOOLS)]
        every["PostCompact"] = [_group(hook)]
        every["SubagentStart"] = [_group(hook)]
    return every


def is_ours(hook: object) -> bool:
    """Tell a hook that we registered from everybody else's."""
    if not isinstance(hook, dict):
        return False
    args = hook.get("args")
    words = [hook.get("command"), *(args if isinstance(args, list) else [])]
    return any(isinstance(word, str) and MARK in word for word in words)


def _before_tools(hook: dict[str, object], version: Version) -> list[dict[str, object]]:
    if version < CONDITIONS:
        # Other signs make the matcher a pattern, which would find `Read` in `NotebookRead`.
        return [_group(hook, f"^(Read|Bash|{OUR_TOOLS})$")]
    # With a condition the client starts no process for a read or a command outside .ai/.
    return [
        _group({**hook, "if": "Read(**/.ai/**)"}, "Read"),
        _group({**hook, "if": "Bash(*.ai/*)"}, "Bash"),
        _group(hook, OUR_TOOLS),
    ]


def _group(hook: dict[str, object], matcher: str | None = None) -> dict[str, object]:
    return {"hooks": [hook]} if matcher is None else {"matcher": matcher, "hooks": [hook]}


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
