"""Our hooks in Claude Code's settings: the events they handle, and the permission for our tools.

An old client only gets events that it knows: below 2.1.101 one
unknown event silently disables every hook of the file, other people's too.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ai_smartness.clients.hook_groups import (
    HookGroups,
    hook_group,
    refuse_odd_hooks,
    with_member,
)
from ai_smartness.clients.installed_program import ClientVersion
from ai_smartness.clients.own_program import SERVER_NAME, OwnProgram, our_program
from ai_smartness.model.errors import RefusedError

__all__ = [
    "CAPTURED_TOOLS",
    "NEWEST_TESTED",
    "PERMISSION_RULE",
    "VIRTUAL_READS_SINCE",
    "hook_groups",
    "is_permitted",
    "our_hooks",
    "refuse_odd_settings",
    "settings_with_permission",
    "settings_without_permission",
]

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

PERMISSION_RULE = f"mcp__{SERVER_NAME}"
"""Allows every tool of our server. Our hooks allow them too, but hooks can be switched off."""


VIRTUAL_READS_SINCE = ClientVersion(2, 1, 41)
"""Earlier versions look for the file before they ask a hook, so `.ai/…` cannot be read."""
UNKNOWN_EVENTS_IGNORED_SINCE = ClientVersion(2, 1, 101)
EXEC_FORM_SINCE = ClientVersion(2, 1, 139)
CONDITIONS_SINCE = ClientVersion(2, 1, 176)  # `if` is older, but judged some paths wrongly before
NEWEST_TESTED = ClientVersion(2, 1, 325)  # also assumed where no client is found


def our_hooks(home: Path, version: ClientVersion) -> HookGroups:
    """Return the hooks of this installation for a memory and a client version."""
    return hook_groups(our_program(home), version)


def hook_groups(program: OwnProgram, version: ClientVersion) -> HookGroups:
    """Return every hook that a client of this version gets."""
    hook = {**_start_fields(program, version), "timeout": HOOK_TIMEOUT_SECONDS}
    groups: HookGroups = {
        "SessionStart": [hook_group(hook, "startup|resume|clear|compact")],
        "UserPromptSubmit": [hook_group(hook)],
        "PreToolUse": _pre_tool_groups(hook, version),
        "PostToolUse": [hook_group(hook, CAPTURED_TOOLS)],
        "Stop": [hook_group(hook)],
        "SubagentStop": [hook_group(hook)],
        "PreCompact": [hook_group(hook)],
        "SessionEnd": [hook_group({**hook, "timeout": SESSION_END_TIMEOUT_SECONDS})],
    }
    if version >= UNKNOWN_EVENTS_IGNORED_SINCE:
        groups["PostToolUseFailure"] = [hook_group(hook, CAPTURED_TOOLS)]
        groups["PostCompact"] = [hook_group(hook)]
        groups["SubagentStart"] = [hook_group(hook)]
    return groups


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
    kept = with_member(permissions, "allow", allowed, keep="allow" in _permissions(before))
    return with_member(settings, "permissions", kept, keep="permissions" in before)


def is_permitted(settings: Mapping[str, Any]) -> bool:
    """Say whether the settings allow our tools."""
    allowed = _permissions(settings).get("allow")
    return isinstance(allowed, list) and PERMISSION_RULE in allowed


def refuse_odd_settings(settings: object, ours: HookGroups) -> None:
    """Refuse settings of an unexpected shape, which we could only break further."""
    refuse_odd_hooks(settings, ours)
    permissions = settings.get("permissions", {}) if isinstance(settings, dict) else {}
    if not isinstance(permissions, dict):
        msg = "its `permissions` is no object"
        raise RefusedError(msg)
    if not isinstance(permissions.get("allow", []), list):
        msg = "its `permissions.allow` is no list"
        raise RefusedError(msg)


def _start_fields(program: OwnProgram, version: ClientVersion) -> dict[str, object]:
    """Return the fields of a hook that start the program."""
    command = program.hook_command()
    if version >= EXEC_FORM_SINCE:
        return {"type": "command", "command": command[0], "args": command[1:]}
    # Before the exec form `args` was dropped, and a bare Python would run the event as code.
    return {"type": "command", "command": shlex.join(command)}


def _pre_tool_groups(hook: dict[str, object], version: ClientVersion) -> list[dict[str, object]]:
    if version < CONDITIONS_SINCE:
        # Other characters make the matcher a pattern, which would find `Read` in `NotebookRead`.
        return [hook_group(hook, f"^(Read|Bash|{OUR_TOOLS})$")]
    # With a condition the client starts no process for a read or a command outside .ai/.
    return [
        hook_group({**hook, "if": "Read(**/.ai/**)"}, "Read"),
        hook_group({**hook, "if": "Bash(*.ai/*)"}, "Bash"),
        hook_group(hook, OUR_TOOLS),
    ]


def _permissions(settings: Mapping[str, Any]) -> dict[str, Any]:
    permissions = settings.get("permissions")
    return permissions if isinstance(permissions, dict) else {}
