"""Our programs as clients start them, the hook and the MCP server, and how we recognise them."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from ai_smartness.model.errors import RefusedError

__all__ = [
    "HOOK_MARK",
    "SERVER_NAME",
    "OwnProgram",
    "is_our_command",
    "is_our_server",
    "our_program",
]

HOOK_MAIN = Path(__file__).parents[1] / "entrypoints" / "hooks" / "main.py"
HOOK_MARK = "ai_smartness/entrypoints/hooks/main.py"
"""Identifies our entries, whichever version of ours wrote them."""

OUR_MODULE = "ai_smartness"

SERVER_NAME = "ai_smartness"
"""The name of our MCP server: Claude Code calls its tools `mcp__ai_smartness__…`."""


@dataclass(frozen=True, slots=True)
class OwnProgram:
    """Our program: which Python runs which hook for which memory."""

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

    def hook_command(self, client: str = "", event_name: str = "") -> list[str]:
        """Return the command of the hook, for a client and, if it has to be told, an event."""
        command = [self.python, "-S", "-E", "-I", self.main, "--home", self.home]
        command += ["--client", client] if client else []
        return [*command, "--event", event_name] if event_name else command

    @property
    def server_command(self) -> list[str]:
        """The command of our MCP server."""
        # Neither the project's folder nor its PYTHONPATH may stand in for a module of ours.
        return [self.python, "-E", "-P", "-m", OUR_MODULE, "--home", self.home, "mcp"]


def our_program(home: Path) -> OwnProgram:
    """Return the program of this installation for a memory."""
    return OwnProgram(sys.executable, str(HOOK_MAIN), str(home))


def is_our_command(words: object) -> bool:
    """Say whether a command, as one text or as a list of words, starts our hook."""
    listed = words if isinstance(words, list) else _shell_words(words)
    return any(isinstance(word, str) and word.endswith(f"/{HOOK_MARK}") for word in listed)


def is_our_server(entry: object) -> bool:
    """Tell an entry that starts our MCP server from one that only has its name."""
    if not isinstance(entry, dict):
        return False
    command, args = entry.get("command"), entry.get("args")
    words = command if isinstance(command, list) else [command]
    words = [*words, *(args if isinstance(args, list) else [])]
    return "mcp" in words and any(isinstance(word, str) and _names_us(word) for word in words)


def _shell_words(command: object) -> list[str]:
    if not isinstance(command, str):
        return []
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


def _names_us(word: str) -> bool:
    return word == OUR_MODULE or word.rpartition("/")[2] in {"ais", "ai"}


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
