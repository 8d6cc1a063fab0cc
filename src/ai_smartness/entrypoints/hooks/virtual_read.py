"""The virtual read: a path under `.ai/` becomes a file that the client can read in the same turn.

One file for each call, written once and whole; the client may read it again after a compaction.
Whatever goes wrong is said in the file.
"""

import os

from ai_smartness.clients.hook_event import HookEvent, text_field
from ai_smartness.settings.paths import make_private_folder

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["OWN_TOOL_REASON", "REASON", "is_our_tool", "redirected_input", "requested_path"]


MAX_NAME_CHARACTERS = 100
REASON = "an answer of the project's memory"
OWN_TOOL_REASON = "the project's own memory"


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


def redirected_input(
    event: HookEvent, folder: str, read: "Callable[[], str]"
) -> "dict[str, object]":
    """Return the input that sends a virtual read to a file with the answer."""
    file = _earlier_file(folder, event) or _write_answer(folder, _file_name(event), read())
    if event.tool == "Read":
        return {**event.tool_input, "file_path": file}
    rest = _output_filter(text_field(event.tool_input, "command"))
    return {**event.tool_input, "command": f"cat {_shell_quoted(file)}{rest}"}


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
