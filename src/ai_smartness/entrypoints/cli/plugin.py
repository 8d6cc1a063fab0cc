"""`ais plugin`: write a plugin for Claude Code that connects it to this memory.

For those who load plugins rather than change settings: `claude --plugin-dir DIR`.
"""

import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.client import client, our_hooks, our_server
from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.output import visible
from ai_smartness.entrypoints.installing.server import NAME as SERVER_NAME
from ai_smartness.model.errors import RefusedError, StoreError

__all__ = ["plugin"]

NAME = "ai-smartness"
MANIFEST = Path(".claude-plugin") / "plugin.json"
HOOKS = Path("hooks") / "hooks.json"
SERVERS = Path(".mcp.json")
DESCRIPTION = "The memory that coding agents lack: local, threaded, undoable."
README = f"""\
# {NAME}

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
def plugin(context: Context, folder: Path) -> None:
    """Write a plugin into DIR that connects Claude Code to this memory.

    Load it with `claude --plugin-dir DIR`. It holds for this machine, and takes the place of
    the hooks and tools that `ais init` puts into the client's settings.
    """
    found = client(context.environ)
    ours = our_hooks(context.places.home, found.taken_for)
    files = {
        MANIFEST: _json(_manifest()),
        HOOKS: _json({"description": "Keep and show what was said.", "hooks": ours}),
        SERVERS: _json({"mcpServers": {SERVER_NAME: our_server(context.places.home)}}),
        Path("README.md"): README,
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
    click.echo(f"client  {visible(str(found))}")
    click.echo(f"plugin  {visible(str(folder))}")


def _manifest() -> dict[str, object]:
    try:
        ours = version(NAME)
    except PackageNotFoundError:
        ours = "0.0.0"
    return {
        "name": NAME,
        "version": ours,
        "description": DESCRIPTION,
        "author": {"name": NAME},
        "license": "Apache-2.0",
    }


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder that holds something else than an earlier plugin of ours."""
    try:
        if not folder.exists() or not any(folder.iterdir()):
            return
        if json.loads((folder / MANIFEST).read_bytes()).get("name") == NAME:
            return
    except (OSError, ValueError, AttributeError):
        pass
    msg = f"cannot write the plugin in {folder}: something else is there. Name an empty folder."
    raise RefusedError(msg)


def _json(said: object) -> str:
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"
