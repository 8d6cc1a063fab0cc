"""Which hooks a client is given, by its version.

An old client is given what it understands and no more: below 2.1.101 one event it does not
know silently disables every hook of the file, other people's too.

What has to be changed in a client's settings for our hooks to be in them, or out of them.

Everybody else's entries are left alone: ours stand in groups of their own, behind theirs.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, assert_never

from ai_smartness.model.errors import RefusedError

__all__ = [
    "CAPTURED_TOOLS",
    "NEWEST_TESTED",
    "VIRTUAL_READS_SINCE",
    "Append",
    "ClientVersion",
    "HookGroups",
    "HookProgram",
    "Put",
    "Remove",
    "Step",
    "applied_steps",
    "config_folder",
    "has_exactly_our_hooks",
    "has_our_hooks",
    "hook_groups",
    "hook_removal_steps",
    "hook_steps",
    "is_our_hook",
    "refuse_odd_hooks",
]


HookGroups = dict[str, list[dict[str, object]]]
"""Per event the groups of hooks, as the client's settings have them."""

HOOK_MARK = "ai_smartness/entrypoints/hooks/main.py"
"""How an entry of ours is recognised, whichever version of ours wrote it."""

HOOK_TIMEOUT_SECONDS = 10
"""Never needed: a hook ends by itself in a fraction of a second. Without one it is ten minutes."""
SESSION_END_TIMEOUT_SECONDS = 5
"""A session that ends waits for its hooks in front of the user."""

CAPTURED_TOOLS = (
    "^(Agent|Bash|Edit|ExitPlanMode|MultiEdit|NotebookEdit|NotebookRead|PowerShell|Read|Task"
    "|WebFetch|WebSearch|Write|mcp__.*)$"
)
"""The tools whose use the hook keeps; for others, such as a search, none is started."""
OUR_TOOLS = "mcp__.*ai_smartness.*"
"""The tools of our own MCP server, under whatever name it was registered."""


class ClientVersion(NamedTuple):
    """A version of the client."""

    major: int
    minor: int
    patch: int

    @classmethod
    def read(cls, said: str) -> "ClientVersion | None":
        """Find a version in what the client says of itself."""
        found = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
        return cls(*(int(part) for part in found.groups())) if found else None

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


VIRTUAL_READS_SINCE = ClientVersion(2, 1, 41)
"""Before it, the client looks for the file before it asks a hook: `.ai/…` cannot be read."""
UNKNOWN_EVENTS_IGNORED_SINCE = ClientVersion(2, 1, 101)
EXEC_FORM_SINCE = ClientVersion(2, 1, 139)
CONDITIONS_SINCE = ClientVersion(2, 1, 176)
"""`if` is older, but judged some paths wrongly before."""
NEWEST_TESTED = ClientVersion(2, 1, 325)
"""The newest that was tried, and what a client that is not found is taken for."""


@dataclass(frozen=True, slots=True)
class HookProgram:
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

    def start_command(self, version: ClientVersion) -> dict[str, object]:
        """Write how the client starts it."""
        args = ["-S", "-E", "-I", self.main, "--home", self.home]
        if version >= EXEC_FORM_SINCE:
            return {"type": "command", "command": self.python, "args": args}
        # Before the exec form `args` was dropped, and a bare Python would run the event as code.
        return {"type": "command", "command": shlex.join([self.python, *args])}


def hook_groups(program: HookProgram, version: ClientVersion) -> HookGroups:
    """Return every hook of ours for a client of this version."""
    hook = {**program.start_command(version), "timeout": HOOK_TIMEOUT_SECONDS}
    leaving = {**hook, "timeout": SESSION_END_TIMEOUT_SECONDS}
    every: HookGroups = {
        "SessionStart": [_hook_group(hook, "startup|resume|clear|compact")],
        "UserPromptSubmit": [_hook_group(hook)],
        "PreToolUse": _pre_tool_groups(hook, version),
        "PostToolUse": [_hook_group(hook, CAPTURED_TOOLS)],
        "Stop": [_hook_group(hook)],
        "SubagentStop": [_hook_group(hook)],
        "PreCompact": [_hook_group(hook)],
        "SessionEnd": [_hook_group(leaving)],
    }
    if version >= UNKNOWN_EVENTS_IGNORED_SINCE:
        every["PostToolUseFailure"] = [_hook_group(hook, CAPTURED_TOOLS)]
        every["PostCompact"] = [_hook_group(hook)]
        every["SubagentStart"] = [_hook_group(hook)]
    return every


def is_our_hook(hook: object) -> bool:
    """Tell a hook that we registered from everybody else's."""
    if not isinstance(hook, dict):
        return False
    args = hook.get("args")
    words = [hook.get("command"), *(args if isinstance(args, list) else [])]
    return any(isinstance(word, str) and HOOK_MARK in word for word in words)


def _pre_tool_groups(hook: dict[str, object], version: ClientVersion) -> list[dict[str, object]]:
    if version < CONDITIONS_SINCE:
        # Other signs make the matcher a pattern, which would find `Read` in `NotebookRead`.
        return [_hook_group(hook, f"^(Read|Bash|{OUR_TOOLS})$")]
    # With a condition the client starts no process for a read or a command outside .ai/.
    return [
        _hook_group({**hook, "if": "Read(**/.ai/**)"}, "Read"),
        _hook_group({**hook, "if": "Bash(*.ai/*)"}, "Bash"),
        _hook_group(hook, OUR_TOOLS),
    ]


def _hook_group(hook: dict[str, object], matcher: str | None = None) -> dict[str, object]:
    return {"hooks": [hook]} if matcher is None else {"matcher": matcher, "hooks": [hook]}


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


JsonPath: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Remove:
    """Take out what is at a path."""

    path: JsonPath


@dataclass(frozen=True, slots=True)
class Put:
    """Give the object at a path a member that it lacks."""

    path: JsonPath
    name: str
    value: object


@dataclass(frozen=True, slots=True)
class Append:
    """Add to the end of the list at a path."""

    path: JsonPath
    value: object


Step: TypeAlias = Remove | Put | Append


def hook_steps(settings: Mapping[str, Any], ours: HookGroups) -> list[Step]:
    """Return the steps that put our hooks into settings which have none of them."""
    if "hooks" not in settings:
        return [Put((), "hooks", ours)]
    steps: list[Step] = []
    for event, groups in ours.items():
        if event in settings["hooks"]:
            steps += [Append(("hooks", event), group) for group in groups]
        else:
            steps.append(Put(("hooks",), event, groups))
    return steps


def hook_removal_steps(settings: Mapping[str, Any], before: Mapping[str, Any]) -> list[Step]:
    """Return the steps that take every hook of ours out, each to be taken after the one before.

    What is empty then goes too, unless it was so before we came.
    """
    events = _hook_events(settings)
    kept = _hook_events(before)
    steps: list[Step] = []
    emptied = set()
    for event, groups in events.items():
        removed = list(_our_hook_paths(event, groups))
        whole = sum(len(path) == len(("hooks", event, 0)) for path in removed)
        if removed and whole == len(groups) and event not in kept:
            emptied.add(event)
            removed = [("hooks", event)]
        steps += [Remove(path) for path in removed]
    if emptied and emptied == set(events) and "hooks" not in before:
        return [Remove(("hooks",))]
    return steps


def has_exactly_our_hooks(settings: Mapping[str, Any], ours: HookGroups) -> bool:
    """Say whether our hooks are there, all of them and no others of ours."""
    found = {
        event: [group for group in groups if any(is_our_hook(hook) for hook in _group_hooks(group))]
        for event, groups in _hook_events(settings).items()
    }
    return {event: groups for event, groups in found.items() if groups} == ours


def has_our_hooks(settings: Mapping[str, Any]) -> bool:
    """Say whether any hook of ours is there."""
    groups = [group for groups in _hook_events(settings).values() for group in groups]
    return any(is_our_hook(hook) for group in groups for hook in _group_hooks(group))


def applied_steps(settings: Any, steps: Sequence[Step]) -> Any:  # noqa: ANN401 - any JSON
    """Return the settings as they are after the steps."""
    for step in steps:
        match step:
            case Remove(path):
                settings = _changed_value(
                    settings,
                    path[:-1],
                    lambda held, at=path[-1]: _value_without(held, at),
                )
            case Put(path, name, value):
                settings = _changed_value(
                    settings,
                    path,
                    lambda held, name=name, value=value: {**held, name: value},
                )
            case Append(path, value):
                settings = _changed_value(settings, path, lambda held, value=value: [*held, value])
            case _:
                assert_never(step)
    return settings


def refuse_odd_hooks(settings: object, ours: HookGroups) -> None:
    """Refuse settings of another shape than the client's, which we could only break further."""
    if not isinstance(settings, dict):
        msg = "it holds no object"
        raise RefusedError(msg)
    events = settings.get("hooks", {})
    if not isinstance(events, dict):
        msg = "its `hooks` is no object"
        raise RefusedError(msg)
    for event in ours:
        if not isinstance(events.get(event, []), list):
            msg = f"its `hooks.{event}` is no list"
            raise RefusedError(msg)


def _our_hook_paths(event: str, groups: Sequence[object]) -> Iterator[JsonPath]:
    """Name what is ours, the last first, so that no removal moves what is still to be removed."""
    for place in reversed(range(len(groups))):
        ours = [
            number for number, hook in enumerate(_group_hooks(groups[place])) if is_our_hook(hook)
        ]
        if ours and len(ours) == len(_group_hooks(groups[place])):
            yield "hooks", event, place
        else:
            yield from (("hooks", event, place, "hooks", number) for number in reversed(ours))


def _hook_events(settings: Mapping[str, Any]) -> dict[str, list[Any]]:
    events = settings.get("hooks")
    if not isinstance(events, dict):
        return {}
    return {event: groups for event, groups in events.items() if isinstance(groups, list)}


def _group_hooks(group: object) -> list[Any]:
    found = group.get("hooks") if isinstance(group, dict) else None
    return found if isinstance(found, list) else []


def _changed_value(value: Any, path: JsonPath, change: Any) -> Any:  # noqa: ANN401 - any JSON
    if not path:
        return change(value)
    at, *rest = path
    inner = _changed_value(value[at], tuple(rest), change)
    if isinstance(value, dict):
        return {**value, at: inner}
    return [inner if place == at else each for place, each in enumerate(value)]


def _value_without(held: Any, at: str | int) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(held, dict):
        return {name: each for name, each in held.items() if name != at}
    return [each for place, each in enumerate(held) if place != at]


def config_folder(environ: Mapping[str, str]) -> Path:
    """Name the folder in which the client keeps what is its user's."""
    folder = environ.get("CLAUDE_CONFIG_DIR")
    try:
        return (Path(folder) if folder else Path("~/.claude")).expanduser().absolute()
    except RuntimeError as homeless:
        msg = "cannot find your ~/.claude: you have no home here. Name it with CLAUDE_CONFIG_DIR."
        raise RefusedError(msg) from homeless
