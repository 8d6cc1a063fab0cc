"""Our entries in the settings of Gemini CLI and its relatives: hooks and the MCP server."""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from ai_smartness.clients.client import InstallTarget
from ai_smartness.clients.connected_file import ConnectedFile
from ai_smartness.clients.gemini import EVENTS
from ai_smartness.clients.hook_groups import HookGroups, hook_group
from ai_smartness.clients.installed_program import client_home
from ai_smartness.clients.json_entries import HooksPart, JsonEntries, ServerPart
from ai_smartness.clients.own_program import our_program

__all__ = ["connected_files", "settings_file"]

HOOK_TIMEOUT_MS = 10_000

_MATCHERS = {"BeforeTool": "read_file", "PreCompress": "manual"}


def connected_files(target: InstallTarget) -> list[ConnectedFile]:
    """Name the file with our entries, for all projects of the user."""
    named = target.environ.get("GEMINI_CLI_HOME")
    home = Path(named).absolute() if named else client_home(target.environ)
    path = home / ".gemini" / "settings.json"
    return [settings_file(path, "gemini", EVENTS, _MATCHERS, target)]


def settings_file(
    path: Path,
    client: str,
    events: Iterable[str],
    matchers: Mapping[str, str],
    target: InstallTarget,
) -> ConnectedFile:
    """Return the settings with a hook for each event and with our server."""
    program = our_program(target.home)
    command, *args = program.server_command
    hook: dict[str, object] = {
        "type": "command",
        "name": "ai_smartness",
        "command": shlex.join(program.hook_command(client)),
        "timeout": HOOK_TIMEOUT_MS,
    }
    hooks: HookGroups = {event: [hook_group(hook, matchers.get(event))] for event in events}
    server: dict[str, object] = {"command": command, "args": args, "trust": True}
    entries = JsonEntries(HooksPart(hooks), ServerPart("mcpServers", server))
    return ConnectedFile("entries", path, entries)
