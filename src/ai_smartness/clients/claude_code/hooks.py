"""Our hooks in Claude Code's settings: the events they handle, how they are added and removed.

Our hooks are appended as separate groups; existing entries keep their order. We recognise our
own by the path in the command. An old client only gets events that it knows: below 2.1.101 one
unknown event silently disables every hook of the file, other people's too.
"""

import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ai_smartness.model.errors import RefusedError

__all__ = [
    "CAPTURED_TOOLS",
    "NEWEST_TESTED",
    "PERMISSION_RULE",
    "SERVER_NAME",
    "VIRTUAL_READS_SINCE",
    "ClientVersion",
    "HookGroups",
    "HookProgram",
    "has_exactly_our_hooks",
    "has_our_hooks",
    "hook_groups",
    "is_our_hook",
    "is_permitted",
    "our_hooks",
    "our_program",
    "refuse_odd_settings",
    "settings_with_hooks",
    "settings_with_permission",
    "settings_without_hooks",
    "settings_without_permission",
]

HookGroups = dict[str, list[dict[str, object]]]
"""The groups of hooks by event, as the client's settings have them."""

HOOK_MAIN = Path(__file__).parents[2] / "entrypoints" / "hooks" / "main.py"
HOOK_MARK = "ai_smartness/entrypoints/hooks/main.py"
"""Identifies our entries, whichever version of ours wrote them."""

HOOK_TIMEOUT_SECONDS = 10
"""Never needed: a hook ends in a fraction of a second. The client's default is ten minutes."""
SESSION_END_TIMEOUT_SECONDS = 5  # a session that ends waits for its hooks in front of the user

CAPTURED_TOOLS = (
    "^(Agent|Bash|Edit|ExitPlanMode|MultiEdit|NotebookEdit|NotebookRead|PowerShell|Read|Task"
    "|WebFetch|WebSearch|Write|mcp__.*)$"
)
"""The tools whose use the hook captures; others, such as a search, start no hook."""
OUR_TOOLS = "mcp__.*ai_smartness.*"
"""The tools of our own MCP server, under whatever name it was registered."""

SERVER_NAME = "ai_smartness"
"""The name of our MCP server: the client calls its tools `mcp__ai_smartness__…`."""
PERMISSION_RULE = f"mcp__{SERVER_NAME}"
"""Allows every tool of our server. Our hooks allow them too, but hooks can be switched off."""


class ClientVersion(NamedTuple):
    """A version of the client."""

    major: int
    minor: int
    patch: int

    @classmethod
    def read(cls, output: str) -> "ClientVersion | None":
        """Find a version in the output of `claude --version`."""
        match = re.search(r"(\d+)\.(\d+)\.(\d+)", output)
        return cls(*(int(part) for part in match.groups())) if match else None

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


VIRTUAL_READS_SINCE = ClientVersion(2, 1, 41)
"""Earlier versions look for the file before they ask a hook, so `.ai/…` cannot be read."""
UNKNOWN_EVENTS_IGNORED_SINCE = ClientVersion(2, 1, 101)
EXEC_FORM_SINCE = ClientVersion(2, 1, 139)
CONDITIONS_SINCE = ClientVersion(2, 1, 176)  # `if` is older, but judged some paths wrongly before
NEWEST_TESTED = ClientVersion(2, 1, 325)  # also assumed where no client is found


@dataclass(frozen=True, slots=True)
class HookProgram:
    """The program of the hook: which Python runs which file for which memory."""

    python: str
    main: str
    home: str

    def __post_init__(self) -> None:
        for path in (self.python, self.main, self.home):
            if not path or not _is_text(path):
                msg = (
                    f"cannot write {path!r} into the client's settings: it is not valid text. "
                    "Choose a folder with another name, with --home."
                )
                raise RefusedError(msg)

    def start_command(self, version: ClientVersion) -> dict[str, object]:
        """Return the fields of a hook that start the program."""
        args = ["-S", "-E", "-I", self.main, "--home", self.home]
        if version >= EXEC_FORM_SINCE:
            return {"type": "command", "command": self.python, "args": args}
        # Before the exec form `args` was dropped, and a bare Python would run the event as code.
        return {"type": "command", "command": shlex.join([self.python, *args])}


def our_program(home: Path) -> HookProgram:
    """Return the program of this installation for a memory."""
    return HookProgram(sys.executable, str(HOOK_MAIN), str(home))


def our_hooks(home: Path, version: ClientVersion) -> HookGroups:
    """Return the hooks of this installation for a memory and a client version."""
    return hook_groups(our_program(home), version)


def hook_groups(program: HookProgram, version: ClientVersion) -> HookGroups:
    """Return every hook that a client of this version gets."""
    hook = {**program.start_command(version), "timeout": HOOK_TIMEOUT_SECONDS}
    groups: HookGroups = {
        "SessionStart": [_hook_group(hook, "startup|resume|clear|compact")],
        "UserPromptSubmit": [_hook_group(hook)],
        "PreToolUse": _pre_tool_groups(hook, version),
        "PostToolUse": [_hook_group(hook, CAPTURED_TOOLS)],
        "Stop": [_hook_group(hook)],
        "SubagentStop": [_hook_group(hook)],
        "PreCompact": [_hook_group(hook)],
        "SessionEnd": [_hook_group({**hook, "timeout": SESSION_END_TIMEOUT_SECONDS})],
    }
    if version >= UNKNOWN_EVENTS_IGNORED_SINCE:
        groups["PostToolUseFailure"] = [_hook_group(hook, CAPTURED_TOOLS)]
        groups["PostCompact"] = [_hook_group(hook)]
        groups["SubagentStart"] = [_hook_group(hook)]
    return groups


def is_our_hook(hook: object) -> bool:
    """Tell a hook that we registered from everybody else's."""
    if not isinstance(hook, dict):
        return False
    args = hook.get("args")
    command = hook.get("command")
    words = [*_shell_words(command), *(args if isinstance(args, list) else [])]
    return any(isinstance(word, str) and word.endswith(f"/{HOOK_MARK}") for word in words)


def has_our_hooks(settings: Mapping[str, Any]) -> bool:
    """Say whether the settings contain any hook of ours."""
    return bool(_our_groups(settings))


def has_exactly_our_hooks(settings: Mapping[str, Any], ours: HookGroups) -> bool:
    """Say whether the settings contain all of these hooks and no others of ours."""
    return _our_groups(settings) == ours


def settings_with_hooks(settings: Mapping[str, Any], ours: HookGroups) -> dict[str, Any]:
    """Return the settings with our hooks behind everybody else's."""
    events = settings.get("hooks", {})
    added = {event: [*events.get(event, []), *groups] for event, groups in ours.items()}
    return {**settings, "hooks": {**events, **added}}


def settings_without_hooks(
    settings: Mapping[str, Any], before: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings without our hooks.

    Containers that are then empty go too, unless the settings before us had them.
    """
    events, events_before = settings.get("hooks"), before.get("hooks")
    if not isinstance(events, dict):
        return dict(settings)
    old_events = events_before if isinstance(events_before, dict) else {}
    left = {event: list(_foreign_groups(groups)) for event, groups in _listed(events).items()}
    remaining = {
        event: left.get(event, groups)
        for event, groups in events.items()
        if left.get(event, True) or not groups or event in old_events
    }
    return _with_member(settings, "hooks", remaining, keep=not events or "hooks" in before)


def settings_with_permission(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with the rule that allows our tools."""
    if is_permitted(settings):
        return dict(settings)
    permissions = settings.get("permissions", {})
    allowed = [*permissions.get("allow", []), PERMISSION_RULE]
    return {**settings, "permissions": {**permissions, "allow": allowed}}


def settings_without_permission(
    settings: Mapping[str, Any], before: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings without our rule, unless it was there before us.

    Containers that are then empty go too, unless the settings before us had them.
    """
    if not is_permitted(settings) or is_permitted(before):
        return dict(settings)
    permissions = settings["permissions"]
    allowed = [rule for rule in permissions["allow"] if rule != PERMISSION_RULE]
    kept = _with_member(permissions, "allow", allowed, keep="allow" in _permissions(before))
    return _with_member(settings, "permissions", kept, keep="permissions" in before)


def is_permitted(settings: Mapping[str, Any]) -> bool:
    """Say whether the settings allow our tools."""
    allowed = _permissions(settings).get("allow")
    return isinstance(allowed, list) and PERMISSION_RULE in allowed


def refuse_odd_settings(settings: object, ours: HookGroups) -> None:
    """Refuse settings of an unexpected shape, which we could only break further."""
    if not isinstance(settings, dict):
        msg = "it holds no object"
        raise RefusedError(msg)
    for name in ("hooks", "permissions"):
        if not isinstance(settings.get(name, {}), dict):
            msg = f"its `{name}` is no object"
            raise RefusedError(msg)
    lists = [*(("hooks", event) for event in ours), ("permissions", "allow")]
    for name, member in lists:
        if not isinstance(settings.get(name, {}).get(member, []), list):
            msg = f"its `{name}.{member}` is no list"
            raise RefusedError(msg)


def _pre_tool_groups(hook: dict[str, object], version: ClientVersion) -> list[dict[str, object]]:
    if version < CONDITIONS_SINCE:
        # Other characters make the matcher a pattern, which would find `Read` in `NotebookRead`.
        return [_hook_group(hook, f"^(Read|Bash|{OUR_TOOLS})$")]
    # With a condition the client starts no process for a read or a command outside .ai/.
    return [
        _hook_group({**hook, "if": "Read(**/.ai/**)"}, "Read"),
        _hook_group({**hook, "if": "Bash(*.ai/*)"}, "Bash"),
        _hook_group(hook, OUR_TOOLS),
    ]


def _hook_group(hook: dict[str, object], matcher: str | None = None) -> dict[str, object]:
    return {"hooks": [hook]} if matcher is None else {"matcher": matcher, "hooks": [hook]}


def _our_groups(settings: Mapping[str, Any]) -> HookGroups:
    """Return the groups with a hook of ours, by event."""
    groups = {
        event: [group for group in groups if any(map(is_our_hook, _hooks_of(group)))]
        for event, groups in _listed(settings.get("hooks")).items()
    }
    return {event: ours for event, ours in groups.items() if ours}


def _foreign_groups(groups: list[Any]) -> Iterator[Any]:
    """Yield the groups without our hooks; a group of ours alone is left out."""
    for group in groups:
        hooks = _hooks_of(group)
        foreign = [hook for hook in hooks if not is_our_hook(hook)]
        if len(foreign) == len(hooks):
            yield group
        elif foreign:
            yield {**group, "hooks": foreign}


def _listed(events: object) -> dict[str, list[Any]]:
    """Return the events whose groups are a list, as they should be."""
    members = events.items() if isinstance(events, dict) else ()
    return {event: groups for event, groups in members if isinstance(groups, list)}


def _hooks_of(group: object) -> list[Any]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else []


def _permissions(settings: Mapping[str, Any]) -> dict[str, Any]:
    permissions = settings.get("permissions")
    return permissions if isinstance(permissions, dict) else {}


def _with_member(
    outer: Mapping[str, Any], name: str, value: object, *, keep: bool
) -> dict[str, Any]:
    """Return an object with a new value for a member, or without it if empty and not kept."""
    if value or keep:
        return {**outer, name: value}
    return {member: inner for member, inner in outer.items() if member != name}


def _shell_words(command: object) -> list[str]:
    if not isinstance(command, str):
        return []
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
