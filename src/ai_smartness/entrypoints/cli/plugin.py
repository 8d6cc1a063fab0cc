"""`ais plugin`: write a plugin for Claude Code that connects it to this memory.

For people who load plugins rather than change settings: `claude --plugin-dir DIR`.
"""

import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from ai_smartness.clients.claude_code.detect import find_client
from ai_smartness.clients.claude_code.hooks import our_hooks
from ai_smartness.clients.claude_code.register import our_server
from ai_smartness.clients.own_program import SERVER_NAME
from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.output import safe_text
from ai_smartness.model.errors import RefusedError, StoreError

__all__ = ["plugin"]

PLUGIN_NAME = "ai-smartness"
MANIFEST_FILE = Path(".claude-plugin") / "plugin.json"
HOOKS_FILE = Path("hooks") / "hooks.json"
SERVERS_FILE = Path(".mcp.json")
DESCRIPTION = "The memory that coding agents lack: local, threaded, undoable."
README_TEXT = f"""\
# {PLUGIN_NAME}

{DESCRIPTION}

Its hooks capture each session, add the most relevant lines of earlier sessions to each prompt,
and answer reads of `.ai/recall/…` from the memory. Its MCP server gives the agent the tools to
recall, steer and tidy.

Written by `ais plugin` for one machine: hooks and server name the folders of this installation
and of its memory. After moving either, or updating the client, run `ais plugin DIR` again.
Load it with `claude --plugin-dir DIR`.
"""


@click.command(epilog="Example: ais plugin ~/ais-plugin && claude --plugin-dir ~/ais-plugin")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@pass_context
def plugin(context: CliContext, folder: Path) -> None:
    """The plugin in DIR connects Claude Code to this memory.

    Load it with `claude --plugin-dir DIR`. It works on this machine only, and replaces the
    hooks and tools that `ais init` adds to the client's settings.
    """
    client, home = find_client(context.environ), context.places.home
    hooks = our_hooks(home, client.assumed_version)
    files = {
        MANIFEST_FILE: _json_text(_plugin_manifest()),
        HOOKS_FILE: _json_text({"description": "Keep and show what was said.", "hooks": hooks}),
        SERVERS_FILE: _json_text({"mcpServers": {SERVER_NAME: our_server(home)}}),
        Path("README.md"): README_TEXT,
    }
    folder = folder.expanduser().absolute()
    _refuse_foreign(folder)
    try:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        msg = f"cannot write the plugin in {folder}: {error.strerror}. Choose another folder."
        raise StoreError(msg) from error
    context.record_environment()
    click.echo(f"client  {safe_text(str(client))}")
    click.echo(f"plugin  {safe_text(str(folder))}")


def _plugin_manifest() -> dict[str, object]:
    try:
        our_version = version(PLUGIN_NAME)
    except PackageNotFoundError:
        our_version = "0.0.0"
    return {
        "name": PLUGIN_NAME,
        "version": our_version,
        "description": DESCRIPTION,
        "author": {"name": PLUGIN_NAME},
        "license": "Apache-2.0",
    }


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder that holds anything but an earlier plugin of ours."""
    try:
        if not folder.exists() or not any(folder.iterdir()):
            return
        if json.loads((folder / MANIFEST_FILE).read_bytes()).get("name") == PLUGIN_NAME:
            return
    except (OSError, ValueError, AttributeError):
        pass
    msg = f"cannot write the plugin in {folder}: it has other files. Name an empty folder."
    raise RefusedError(msg)


def _json_text(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
