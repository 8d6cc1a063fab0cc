"""`ais plugin`: write a plugin for Claude Code that connects it to this memory.

For those who load plugins rather than change settings: `claude --plugin-dir DIR`.
"""

import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from ai_smartness.clients.claude_code.install import find_client, our_hooks, our_server
from ai_smartness.clients.claude_code.register import SERVER_NAME
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

Its hooks keep what is said and done in a session, show before a prompt what earlier sessions
know of it, and answer reads of `.ai/recall/…` from the memory. Its server gives the agent the
tools to recall, steer and tidy.

Written by `ais plugin` for one machine: both name the folders of this installation and of
its memory. After moving either, or updating the client, write it anew with `ais plugin DIR`.
Load it with `claude --plugin-dir DIR`.
"""


@click.command(epilog="Example: ais plugin ~/ais-plugin && claude --plugin-dir ~/ais-plugin")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@pass_context
def plugin(context: CliContext, folder: Path) -> None:
    """Write a plugin into DIR that connects Claude Code to this memory.

    Load it with `claude --plugin-dir DIR`. It holds for this machine, and takes the place of
    the hooks and tools that `ais init` puts into the client's settings.
    """
    found = find_client(context.environ)
    ours = our_hooks(context.places.home, found.assumed_version)
    files = {
        MANIFEST_FILE: _json_text(_plugin_manifest()),
        HOOKS_FILE: _json_text({"description": "Keep and show what was said.", "hooks": ours}),
        SERVERS_FILE: _json_text({"mcpServers": {SERVER_NAME: our_server(context.places.home)}}),
        Path("README.md"): README_TEXT,
    }
    folder = folder.expanduser().absolute()
    _refuse_foreign(folder)
    try:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as refused:
        msg = f"cannot write the plugin in {folder}: {refused.strerror}. Choose another folder."
        raise StoreError(msg) from refused
    click.echo(f"client  {safe_text(str(found))}")
    click.echo(f"plugin  {safe_text(str(folder))}")


def _plugin_manifest() -> dict[str, object]:
    try:
        ours = version(PLUGIN_NAME)
    except PackageNotFoundError:
        ours = "0.0.0"
    return {
        "name": PLUGIN_NAME,
        "version": ours,
        "description": DESCRIPTION,
        "author": {"name": PLUGIN_NAME},
        "license": "Apache-2.0",
    }


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder that holds something else than an earlier plugin of ours."""
    try:
        if not folder.exists() or not any(folder.iterdir()):
            return
        if json.loads((folder / MANIFEST_FILE).read_bytes()).get("name") == PLUGIN_NAME:
            return
    except (OSError, ValueError, AttributeError):
        pass
    msg = f"cannot write the plugin in {folder}: something else is there. Name an empty folder."
    raise RefusedError(msg)


def _json_text(said: object) -> str:
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"
