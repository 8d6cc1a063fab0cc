"""The virtual read: a path under `.ai/` becomes a file that the client can read in the same turn.

One file for each call, written once and whole; the client may read it again after a compaction.
Whatever goes wrong is said in the file.

What a hook prints: one JSON object in the shape the client asks for.
"""

import os

from ai_smartness.clients.hook_event import HookEvent, text_field
from ai_smartness.entrypoints.daemon.home_paths import make_private_folder
from ai_smartness.text.markers import MEMORY_CLOSE, MEMORY_OPEN

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = [
    "allow_answer",
    "allow_our_tool",
    "context_answer",
    "is_our_tool",
    "redirect_answer",
    "redirect_to_file",
    "requested_path",
]


MAX_NAME_CHARACTERS = 100
REASON = "an answer of the project's memory"


def requested_path(given: HookEvent) -> str:
    """Return the path of the memory that a tool is about to read; empty if it reads none."""
    match given.tool:
        case "Read":
            path = text_field(given.tool_input, "file_path")
        case "Bash" | "PowerShell":
            path = _path_of_cat(text_field(given.tool_input, "command"))
        case _:
            return ""
    if ".ai" not in path:
        return ""
    from ai_smartness.text.virtual_path import is_virtual

    return path if is_virtual(path) else ""


def is_our_tool(given: HookEvent) -> bool:
    """Say whether a tool is one that our own server offers."""
    server, _, tool = given.tool.removeprefix("mcp__").rpartition("__")
    named = "ai_smartness" in server.replace("-", "_")
    return given.tool.startswith("mcp__") and named and tool.startswith("ai_")


def allow_our_tool() -> "dict[str, object]":
    """Let our own tools run without asking."""
    return allow_answer("the project's own memory")


def redirect_to_file(
    given: HookEvent,
    folder: str,
    read: "Callable[[], str]",
) -> "dict[str, object]":
    """Answer a virtual read by sending the client to a file with the text."""
    file = _earlier_file(folder, given) or _write_answer(folder, _file_name(given), read())
    if given.tool == "Read":
        return redirect_answer({**given.tool_input, "file_path": file}, REASON)
    rest = _output_filter(text_field(given.tool_input, "command"))
    return redirect_answer(
        {**given.tool_input, "command": f"cat {_shell_quoted(file)}{rest}"},
        REASON,
    )


def _earlier_file(folder: str, given: HookEvent) -> str:
    """Return the file that this very call was answered with before."""
    path = os.path.join(folder, _file_name(given))
    return path if given.call_id and os.path.exists(path) else ""


def _write_answer(folder: str, name: str, text: str) -> str:
    """Write the file where the memory is, or where there is room."""
    elsewhere = f"/tmp/ais-recalls-{os.getuid()}"  # noqa: S108 - 0700, and checked to be ours
    try:
        make_private_folder(folder)
        return _write_file(folder, name, text)
    except OSError:
        make_private_folder(elsewhere)
        return _write_file(elsewhere, name, text)


def _write_file(folder: str, name: str, text: str) -> str:
    path = os.path.join(folder, name)
    draft = f"{path}.{os.getpid()}"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        # A newline at the end would show as an empty line.
        whole = text.rstrip("\n").encode("utf-8", "replace")
        while whole:
            whole = whole[os.write(handle, whole) :]
        # Never over another: what a call was answered with stays.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.close(handle)
        os.unlink(draft)
    return path


def _file_name(given: HookEvent) -> str:
    call = given.call_id
    plain = call.replace("_", "").replace("-", "")
    if plain.isascii() and plain.isalnum() and len(call) <= MAX_NAME_CHARACTERS:
        return f"{call}.md"
    from _blake2 import blake2s

    told = repr((given.session, call, given.tool_input, "" if call else os.getpid()))
    return f"{blake2s(told.encode('utf-8', 'replace'), digest_size=16).hexdigest()}.md"


def _path_of_cat(command: str) -> str:
    """Return what a plain `cat` is told to show; words that nobody quoted are one question."""
    if not command.lstrip().startswith("cat ") or ".ai" not in command:
        return ""
    rest = _output_filter(command)
    told = command.strip().removesuffix(rest.strip()) if rest else command.strip()
    try:
        words = _shell_words(told)[1:]
    except ValueError:
        # A quote in a question that nobody closed.
        words = told.split(" ")[1:]
    while words and words[0].startswith("-"):
        del words[0]
    return "" if any(not word.strip(_OPERATORS) for word in words if word) else " ".join(words)


def _shell_words(command: str) -> "list[str]":
    """Return the words of a command as a shell parts them, its operators among them."""
    import shlex

    parts = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
    parts.whitespace, parts.whitespace_split, parts.commenters = " \t", True, ""
    return list(parts)


def _output_filter(command: str) -> str:
    """Return what follows in the command and does no more than show less of it."""
    import re

    found = re.search(
        r"(?:\s+2>\s*(?:/dev/null|&1))?(?:\s*\|\s*(?:head|tail)(?:\s+-(?:n\s*)?[0-9]{1,6})?)?\s*\Z",
        command,
    )
    return found[0].rstrip() if found else ""


def _shell_quoted(path: str) -> str:
    return "'" + path.replace("'", "'\"'\"'") + "'"


_OPERATORS = "|&;<>()\n"


MAX_CONTEXT_CHARACTERS = 9_500
"""From 10,000 on the client writes the text to a file and shows a preview instead."""


def context_answer(event: str, text: str) -> "dict[str, object] | None":
    """Put a text before the agent; nothing at all for an empty one."""
    if not text.strip():
        return None
    if len(text) > MAX_CONTEXT_CHARACTERS:
        text = text[:MAX_CONTEXT_CHARACTERS].rpartition("\n")[0] + "\n[…]"
        if text.startswith(MEMORY_OPEN):
            text += f"\n{MEMORY_CLOSE}"
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def allow_answer(reason: str) -> "dict[str, object]":
    """Let a tool run without asking."""
    return {"hookSpecificOutput": {**_PRE_TOOL_USE, "permissionDecisionReason": reason}}


def redirect_answer(tool_input: "dict[str, object]", reason: str) -> "dict[str, object]":
    """Let a tool run on another input, which replaces the whole of what it was given."""
    return {
        "hookSpecificOutput": {
            **_PRE_TOOL_USE,
            "permissionDecisionReason": reason,
            "updatedInput": tool_input,
        },
    }


_PRE_TOOL_USE = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
