"""Our entries in Codex's files: hooks in `hooks.json`, the MCP server in `config.toml`.

Codex runs a hook only once it is trusted, and keeps its silence otherwise. The user agrees to the
hooks when the client is connected; then the program itself is asked to trust exactly ours.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from ai_smartness.clients.client import InstallTarget
from ai_smartness.clients.client_files import read_file
from ai_smartness.clients.codex.hook_trust import trust_hooks
from ai_smartness.clients.connected_file import (
    ConnectedFile,
    note_text_as_ours,
)
from ai_smartness.clients.hook_groups import HookGroups, hook_group, is_our_hook
from ai_smartness.clients.installed_program import InstalledProgram, client_home
from ai_smartness.clients.json_entries import HooksPart, JsonEntries
from ai_smartness.clients.own_program import SERVER_NAME, is_our_server, our_program
from ai_smartness.model.errors import AisError, RefusedError

__all__ = ["UNTRUSTED_NOTE", "CodexServer", "codex_hooks", "connected_files", "trust_steps"]

HOOK_TIMEOUT_SECONDS = 10

SERVERS_KEY = "mcp_servers"

UNTRUSTED_NOTE = (
    "Codex does not run hooks that it does not trust: start `codex`, type /hooks and trust those "
    "of ai_smartness, or run `ais init --client codex` again."
)


def trust_steps(program: InstalledProgram, target: InstallTarget) -> Iterator[tuple[str, str]]:
    """Have the program trust our hooks; yield a label and a line for it."""
    if program.path is None:
        yield "note", UNTRUSTED_NOTE
        return
    hooks, config = (file.path for file in connected_files(target))
    try:
        count = trust_hooks(program.command, hooks, target)
    except AisError as error:
        yield "note", f"{error} {UNTRUSTED_NOTE}"
        return
    note_text_as_ours(target.home, config)
    yield "trust", f"Codex trusts our {count} hooks, by {config}"


def connected_files(target: InstallTarget) -> list[ConnectedFile]:
    """Name the files with our entries, for all projects of the user."""
    folder = config_folder(target.environ)
    hooks = folder / "hooks.json"
    program = our_program(target.home)
    command, *args = program.server_command
    return [
        ConnectedFile("hooks", hooks, JsonEntries(HooksPart(codex_hooks(target.home)))),
        ConnectedFile(
            "tools", folder / "config.toml", CodexServer({"command": command, "args": args}, hooks)
        ),
    ]


def config_folder(environ: Mapping[str, str]) -> Path:
    """Name the client's configuration folder."""
    folder = environ.get("CODEX_HOME")
    return Path(folder).absolute() if folder else client_home(environ) / ".codex"


def codex_hooks(home: Path) -> HookGroups:
    """Return our hooks. The command never changes with our version: Codex trusts its text."""
    command = shlex.join(our_program(home).hook_command("codex"))
    hook: dict[str, object] = {
        "type": "command",
        "command": command,
        "timeout": HOOK_TIMEOUT_SECONDS,
    }
    matchers = {"SessionStart": "startup|resume|clear|compact", "PreToolUse": "^Bash$"}
    events = (
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
    )
    return {event: [hook_group(hook, matchers.get(event))] for event in events}


class CodexServer:
    """Our server in `config.toml`, and the program's notes that our hooks are trusted."""

    def __init__(self, entry: dict[str, object], hooks: Path) -> None:
        self._entry = entry
        self._hooks = hooks

    def text_with_ours(self, text: str) -> str:
        """Return the text with our server."""
        config = _parsed_toml(text)
        servers = config.get(SERVERS_KEY, {})
        if not isinstance(servers, dict):
            msg = f"its `{SERVERS_KEY}` is no table"
            raise RefusedError(msg)
        entry = servers.get(SERVER_NAME)
        if entry is not None and not is_our_server(entry.unwrap()):
            msg = f"it has a server `{SERVER_NAME}` that is not ours; rename that one"
            raise RefusedError(msg)
        if entry is not None and entry.unwrap() == self._entry:
            return text
        table = tomlkit.table()
        table.update(self._entry)
        if SERVERS_KEY not in config:
            config[SERVERS_KEY] = tomlkit.table(is_super_table=True)
        config[SERVERS_KEY][SERVER_NAME] = table
        return tomlkit.dumps(config)

    def text_without_ours(self, text: str, before: str | None) -> str:
        """Return the text without our server and without the trust in our hooks."""
        config, old = _parsed_toml(text), _parsed_toml(before or "")
        servers = config.get(SERVERS_KEY)
        if isinstance(servers, dict) and is_our_server(_unwrapped(servers.get(SERVER_NAME))):
            del servers[SERVER_NAME]
            if not servers and SERVERS_KEY not in old:
                del config[SERVERS_KEY]
        self._remove_trust(config, old)
        left = tomlkit.dumps(config)
        return left if left.strip() or before is None else ""

    def _remove_trust(self, config: Any, old: Mapping[str, Any]) -> None:  # noqa: ANN401 - any TOML
        hooks = config.get("hooks")
        state = hooks.get("state") if isinstance(hooks, dict) else None
        if not isinstance(state, dict):
            return
        for key in [key for key in self._own_keys() if key in state]:
            del state[key]
        if not state and "state" not in old.get("hooks", {}):
            del hooks["state"]
            if not hooks and "hooks" not in old:
                del config["hooks"]

    def _own_keys(self) -> Iterator[str]:
        """Name our hooks as the program does: file, event, number of the group and of the hook."""
        settings = read_file(self._hooks).json_value
        events = settings.get("hooks") if isinstance(settings, dict) else None
        for event, groups in (events if isinstance(events, dict) else {}).items():
            for place, group in enumerate(groups if isinstance(groups, list) else ()):
                for number, hook in enumerate(group.get("hooks", ())):
                    if is_our_hook(hook):
                        yield f"{self._hooks}:{_snake_case(event)}:{place}:{number}"


def _parsed_toml(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        msg = f"it is not TOML: {error}"
        raise RefusedError(msg) from error


def _unwrapped(value: Any) -> object:  # noqa: ANN401 - any TOML
    return value.unwrap() if hasattr(value, "unwrap") else value


def _snake_case(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
