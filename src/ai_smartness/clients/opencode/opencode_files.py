"""Our files for opencode: a plugin that is ours alone, and its list of MCP servers."""

import json
from pathlib import Path

from ai_smartness.clients.client import InstallTarget
from ai_smartness.clients.connected_file import ConnectedFile
from ai_smartness.clients.installed_program import client_home
from ai_smartness.clients.json_entries import JsonEntries, ServerPart
from ai_smartness.clients.own_file import OwnFile
from ai_smartness.clients.own_program import our_program

__all__ = ["connected_files", "plugin_text"]

PLUGIN = Path(__file__).with_name("plugin.js")
COMMAND_PLACE = "[/* the hook's command */]"


def connected_files(target: InstallTarget) -> list[ConnectedFile]:
    """Name the files with our entries, for all projects of the user."""
    named = target.environ.get("XDG_CONFIG_HOME")
    config = Path(named).absolute() if named else client_home(target.environ) / ".config"
    folder = config / "opencode"
    server: dict[str, object] = {
        "type": "local",
        "command": our_program(target.home).server_command,
        "enabled": True,
    }
    entries = JsonEntries(ServerPart("mcp", server))
    plugin = OwnFile(plugin_text(target.home))
    return [
        ConnectedFile("hooks", folder / "plugins" / "ai_smartness.js", plugin),
        ConnectedFile("tools", folder / "opencode.json", entries),
    ]


def plugin_text(home: Path) -> str:
    """Return the plugin with the command of our hook in it."""
    command = json.dumps(our_program(home).hook_command("opencode"))
    return PLUGIN.read_text(encoding="utf-8").replace(COMMAND_PLACE, command)
