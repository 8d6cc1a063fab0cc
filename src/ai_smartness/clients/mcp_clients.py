"""Clients that have our tools alone: our MCP server is registered in a file of theirs.

They run no hooks of ours, so nothing is captured and nothing is added to a prompt. The agent asks
by itself; the instructions of our server tell it when.
"""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ai_smartness.clients.connected_file import ConnectedFile, FileConnectPlan
from ai_smartness.clients.file_client import FileClient
from ai_smartness.clients.installed_program import InstalledProgram, client_home
from ai_smartness.clients.json_entries import JsonEntries, ServerPart
from ai_smartness.clients.own_program import SERVER_NAME, our_program

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ai_smartness.clients.client import InstallTarget

__all__ = ["MCP_CLIENTS", "McpClient", "McpFile"]


@dataclass(frozen=True, slots=True)
class McpFile:
    """Where a client lists its servers: a path below the home folder, a key, more fields."""

    path: str
    key: str = "mcpServers"
    fields: tuple[tuple[str, object], ...] = ()


class McpClient(FileClient):
    """One such client, as `Client` describes it; without a file, the entry is only printed."""

    def __init__(self, name: str, title: str, file: McpFile | None) -> None:
        self.name = name
        self.title = title
        self._file = file

    def find_program(self, environ: "Mapping[str, str]") -> InstalledProgram:
        """Find the client by its folder: most are no programs of a terminal."""
        path = self._path(environ)
        is_here = path is not None and path.parent.is_dir()
        return InstalledProgram(str(path) if is_here else None, None)

    def connected_files(self, target: "InstallTarget") -> list[ConnectedFile]:
        """Name the file that holds our entry, or will."""
        path = self._path(target.environ)
        if self._file is None or path is None:
            return []
        entries = JsonEntries(ServerPart(self._file.key, self._server(target)))
        return [ConnectedFile("tools", path, entries)]

    def plan_install(self, target: "InstallTarget") -> FileConnectPlan:
        """Plan to register our server, or to print how that is done."""
        plan = super().plan_install(target)
        if self._file is not None:
            return plan
        entry = json.dumps({"mcpServers": {SERVER_NAME: self._server(target)}}, indent=2)
        return replace(plan, title=self.title, note=f"add this to your client's settings:\n{entry}")

    def installed_title(self, environ: "Mapping[str, str]") -> str:
        """Name the client, and say if it is not here."""
        is_here = self.find_program(environ).path is not None
        return self.title if is_here else f"{self.title}, not found on this machine"

    def _path(self, environ: "Mapping[str, str]") -> Path | None:
        if self._file is None:
            return None
        return client_home(environ) / self._file.path

    def _server(self, target: "InstallTarget") -> dict[str, object]:
        command, *args = our_program(target.home).server_command
        more = self._file.fields if self._file else ()
        return {"command": command, "args": args, **dict(more)}


_APPLICATIONS = "Library/Application Support" if sys.platform == "darwin" else ".config"
"""Where editors and desktop programs keep their settings, below the home folder."""

_CODE = f"{_APPLICATIONS}/Code/User"

MCP_CLIENTS = {
    client.name: client
    for client in (
        McpClient("cursor", "Cursor", McpFile(".cursor/mcp.json")),
        McpClient("windsurf", "Windsurf", McpFile(".codeium/windsurf/mcp_config.json")),
        McpClient(
            "vscode",
            "VS Code",
            McpFile(
                f"{_CODE}/mcp.json",
                "servers",
                (("type", "stdio"), ("cwd", "${workspaceFolder}")),
            ),
        ),
        McpClient(
            "cline",
            "Cline",
            McpFile(
                f"{_CODE}/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
            ),
        ),
        McpClient("zed", "Zed", McpFile(".config/zed/settings.json", "context_servers")),
        McpClient(
            "claude-desktop",
            "Claude Desktop",
            McpFile(f"{_APPLICATIONS}/Claude/claude_desktop_config.json"),
        ),
        McpClient("mcp", "any MCP client", None),
    )
}
