"""The tools of other clients under the names that are known here, with their input as it is there.

What only looks around or keeps the client's own books is named so too, and left out with them.
"""

import re

from ai_smartness.adapters.transcripts.fields import Fields, text_of

__all__ = ["Patched", "known_tool", "patched"]

_COMMANDS = frozenset(
    {
        "bash",
        "exec_command",
        "local_shell",
        "powershell",
        "run_shell_command",
        "shell",
        "shell_command",
    }
)
_READS = frozenset({"read_file", "read_many_files", "view", "view_image"})
_EDITS = frozenset({"edit", "replace", "str_replace", "str_replace_editor", "insert"})
_WRITES = frozenset({"create", "write_file", "write_new_file"})
_NOISE = frozenset(
    {
        "fetch_copilot_cli_documentation",
        "glob",
        "grep",
        "list_bash",
        "list_directory",
        "read_bash",
        "report_intent",
        "rg",
        "search_file_content",
        "stop_bash",
        "todo",
        "update_plan",
        "update_todo",
        "wait",
        "write_bash",
        "write_stdin",
        "write_todos",
    }
)
_PAGES = {"web_fetch": "WebFetch", "google_web_search": "WebSearch", "web_search": "WebSearch"}
_RECALL = re.compile(r"(?:^|[-_])(ai_[a-z_]+)$")
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$")


def known_tool(name: str, given: Fields) -> tuple[str, Fields]:
    """Return a tool's name here and its input; one that is unknown stays what it is."""
    path = text_of(given, "file_path", "path", "absolute_path", "filePath")
    if name in _COMMANDS:
        return "Bash", {"command": _command(given)}
    if name in _NOISE:
        return "Grep", given
    if name in _READS:
        return "Read", {"file_path": path}
    if name in _EDITS:
        old, new = text_of(given, "old_string", "old_str"), text_of(given, "new_string", "new_str")
        return "Edit", {"file_path": path, "old_string": old, "new_string": new}
    if name in _WRITES:
        return "Write", {"file_path": path, "content": text_of(given, "content", "file_text")}
    ours = _RECALL.search(name)
    return (f"mcp__ai__{ours[1]}" if ours else _PAGES.get(name, name)), given


def _command(given: Fields) -> str:
    command = given.get("command", given.get("cmd"))
    if isinstance(command, list):
        words = [each for each in command if isinstance(each, str)]
        # `bash -lc WORDS` says no more than WORDS.
        return words[-1] if words[1:2] in (["-lc"], ["-c"]) else " ".join(words)
    return command if isinstance(command, str) else ""


class Patched:
    """What a patch does to one file, line by line."""

    def __init__(self, path: str, *, made: bool) -> None:
        self.path = path
        self.made = made
        self.lines: list[str] = []

    @property
    def input(self) -> Fields:
        """Return it as the input of a tool that edits."""
        return {"file_path": self.path}

    @property
    def response(self) -> Fields:
        """Return it as what such a tool answers."""
        hunk = {"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 0, "lines": self.lines}
        counts = {f"{name}Lines": self._count(sign) for name, sign in (("old", "-"), ("new", "+"))}
        return {"type": "create" if self.made else "", "structuredPatch": [{**hunk, **counts}]}

    def _count(self, sign: str) -> int:
        return sum(line[:1] in (sign, " ") for line in self.lines)


def patched(patch: str) -> list[Patched]:
    """Read a patch in Codex's own form (`*** Update File: …`), file by file."""
    found: list[Patched] = []
    for line in patch.splitlines():
        file = _FILE.match(line)
        if file:
            found.append(Patched(file[2].strip(), made=file[1] == "Add"))
        elif found and line[:1] in ("+", "-", " "):
            found[-1].lines.append(line)
    return found
