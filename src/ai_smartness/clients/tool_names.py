"""The tools of all clients, under the names and inputs that Claude Code gives them.

Standard library only: the hook imports this.
"""

import re

from ai_smartness.clients.hook_event import Fields, text_field
from ai_smartness.clients.own_names import OWN_TOOLS

__all__ = ["edit_response", "known_tool", "patched_files"]

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
_READS = frozenset({"read", "read_file", "read_many_files", "view", "view_image"})
_EDITS = frozenset({"edit", "replace", "str_replace", "str_replace_editor", "insert"})
_WRITES = frozenset({"create", "write", "write_file", "write_new_file"})
_IGNORED = frozenset(
    {
        "fetch_copilot_cli_documentation",
        "glob",
        "grep",
        "list",
        "list_bash",
        "list_directory",
        "read_bash",
        "report_intent",
        "rg",
        "search_file_content",
        "stop_bash",
        "todo",
        "todoread",
        "todowrite",
        "update_plan",
        "update_todo",
        "wait",
        "write_bash",
        "write_stdin",
        "write_todos",
    }
)
"""They search, or manage the client's own state, and are left out like Claude Code's Grep."""

_OTHER_TOOLS = {
    "google_web_search": "WebSearch",
    "task": "Task",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "webfetch": "WebFetch",
    "websearch": "WebSearch",
}
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$")


def known_tool(name: str, tool_input: Fields) -> tuple[str, Fields]:
    """Return a tool's name and input as Claude Code has them; an unknown tool stays as it is."""
    path = text_field(tool_input, "file_path", "path", "absolute_path", "filePath")
    if name in _COMMANDS:
        return "Bash", {"command": _command_text(tool_input)}
    if name in _IGNORED:
        return "Grep", tool_input
    if name in _READS:
        return "Read", {"file_path": path}
    if name in _EDITS:
        old = text_field(tool_input, "old_string", "old_str", "oldString")
        new = text_field(tool_input, "new_string", "new_str", "newString")
        return "Edit", {"file_path": path, "old_string": old, "new_string": new}
    if name in _WRITES:
        content = text_field(tool_input, "content", "file_text")
        return "Write", {"file_path": path, "content": content}
    own = next((tool for tool in OWN_TOOLS if name.endswith((f"_{tool}", f"-{tool}"))), "")
    return (f"mcp__ai__{own}" if own else _OTHER_TOOLS.get(name, name)), tool_input


def _command_text(tool_input: Fields) -> str:
    command = tool_input.get("command", tool_input.get("cmd"))
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        # `bash -lc WORDS` says no more than WORDS.
        return words[-1] if words[1:2] in (["-lc"], ["-c"]) else " ".join(words)
    return command if isinstance(command, str) else ""


def edit_response(lines: list[str], *, is_new: bool) -> Fields:
    """Return changed lines as the response of a tool that edits a file."""
    old, new = (sum(line[:1] in (sign, " ") for line in lines) for sign in "-+")
    hunk = {"oldStart": 1, "oldLines": old, "newStart": 1, "newLines": new, "lines": lines}
    return {"type": "create" if is_new else "", "structuredPatch": [hunk]}


def patched_files(patch: str) -> list[tuple[str, bool, list[str]]]:
    """Read a patch in Codex's form (`*** Update File: …`): each path, whether new, its lines."""
    files: list[tuple[str, bool, list[str]]] = []
    for line in patch.splitlines():
        file = _PATCH_FILE.match(line)
        if file:
            files.append((file[2].strip(), file[1] == "Add", []))
        elif files and line[:1] in ("+", "-", " "):
            files[-1][2].append(line)
    return files
