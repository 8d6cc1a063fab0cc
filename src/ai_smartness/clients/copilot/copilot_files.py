"""Our entries for Copilot CLI: a file of hooks that is ours alone, and its list of MCP servers."""

import json
import shlex
from pathlib import Path

from ai_smartness.clients.client import InstallTarget
from ai_smartness.clients.connected_file import ConnectedFile
from ai_smartness.clients.copilot import EVENTS
from ai_smartness.clients.installed_program import client_home
from ai_smartness.clients.json_entries import JsonEntries, ServerPart
from ai_smartness.clients.own_file import OwnFile
from ai_smartness.clients.own_program import our_program

__all__ = ["connected_files"]

HOOK_TIMEOUT_SECONDS = 10


def connected_files(target: InstallTarget) -> list[ConnectedFile]:
    """Name the files with our entries, for all projects of the user."""
    named = target.environ.get("COPILOT_HOME")
    folder = Path(named).absolute() if named else client_home(target.environ) / ".copilot"
    program = our_program(target.home)
    command, *args = program.server_command
    server: dict[str, object] = {"type": "local", "command": command, "args": args, "tools": ["*"]}
    hooks = {
        event: [
            {
                "type": "command",
                "bash": shlex.join(program.hook_command("copilot", event)),
                "timeoutSec": HOOK_TIMEOUT_SECONDS,
            }
        ]
        for event in EVENTS
    }
    text = json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"
    return [
        ConnectedFile("hooks", folder / "hooks" / "ai_smartness.json", OwnFile(text)),
        ConnectedFile(
            "tools", folder / "mcp-config.json", JsonEntries(ServerPart("mcpServers", server))
        ),
    ]
