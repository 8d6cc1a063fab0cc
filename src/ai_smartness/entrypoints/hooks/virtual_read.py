"""The virtual read: a path under `.ai/` becomes a file that the client can read in the same turn.

There is one file for each call, written once and completely; the client may read it again after a
compaction. Errors are written to the file too.
"""

import os

from ai_smartness.clients.hook_event import HookEvent, text_field
from ai_smartness.clients.own_names import is_own_tool
from ai_smartness.settings.paths import make_private_folder

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["OWN_TOOL_REASON", "REASON", "is_our_tool", "redirected_input", "requested_path"]

MAX_NAME_CHARACTERS = 100
REASON = "an answer of the project's memory"
OWN_TOOL_REASON = "the project's own memory"

_OPERATORS = "|&;<>()\n"


def requested_path(event: HookEvent) -> str:
    """Return the virtual path that a tool is about to read; empty if it reads none."""
    match event.tool:
        case "Read":
            path = text_field(event.tool_input, "file_path")
        case "Bash" | "PowerShell":
            path = _path_of_cat(text_field(event.tool_input, "command"))
        case _:
            return ""
    if ".ai" not in path:
        return ""
    from ai_smartness.text.virtual_path import is_virtual

    return path if is_virtual(path) else ""


def is_our_tool(event: HookEvent) -> bool:
    """Say whether our own MCP server offers the tool."""
    return is_own_tool(event.tool)


def redirected_input(
    event: HookEvent, folder: str, read: "Callable[[], str]"
) -> "dict[str, object]":
    """Return the input that sends a virtual read to a file with the answer."""
    name = _file_name(event)
    path = f"{folder}/{name}"
    # The same call may be asked again: it gets the same answer.
    is_answered = event.call_id and os.path.exists(path)
    file = path if is_answered else _write_answer(folder, name, read())
    if event.tool == "Read":
        return {**event.tool_input, "file_path": file}
    rest = _output_filter(text_field(event.tool_input, "command"))
    return {**event.tool_input, "command": f"cat {_shell_quoted(file)}{rest}"}


def _write_answer(folder: str, name: str, text: str) -> str:
    """Write the file into the memory's folder, or into /tmp if that fails."""
    elsewhere = f"/tmp/ais-recalls-{os.getuid()}"  # noqa: S108 - 0700, and checked to be ours
    try:
        return _write_file(folder, name, text)
    except OSError:
        return _write_file(elsewhere, name, text)


def _write_file(folder: str, name: str, text: str) -> str:
    make_private_folder(folder)
    path = f"{folder}/{name}"
    draft = f"{path}.{os.getpid()}"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        # A newline at the end would show as an empty line.
        contents = text.rstrip("\n").encode("utf-8", "replace")
        while contents:
            contents = contents[os.write(handle, contents) :]
        # Never over another file: the answer to a call does not change.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.close(handle)
        os.unlink(draft)
    return path


def _file_name(event: HookEvent) -> str:
    """Name the file after the call; sessions and projects may have calls with the same id."""
    from _blake2 import blake2s

    call = event.call_id
    place = (event.session, event.cwd, event.tool_input)
    identity = repr((*place, call, "" if call else os.getpid()))
    digest = blake2s(identity.encode("utf-8", "replace"), digest_size=16).hexdigest()
    plain = call.replace("_", "").replace("-", "")
    is_plain = plain.isascii() and plain.isalnum() and len(call) <= MAX_NAME_CHARACTERS
    return f"{call}-{digest}.md" if is_plain else f"{digest}.md"


def _path_of_cat(command: str) -> str:
    """Return the path that a plain `cat` shows; unquoted words are one question."""
    if not command.lstrip().startswith("cat ") or ".ai" not in command:
        return ""
    command = command.strip().removesuffix(_output_filter(command).strip())
    try:
        words = _shell_words(command)[1:]
    except ValueError:
        # A question with an unclosed quote.
        words = command.split(" ")[1:]
    while words and words[0].startswith("-"):
        del words[0]
    return "" if any(not word.strip(_OPERATORS) for word in words if word) else " ".join(words)


def _shell_words(command: str) -> "list[str]":
    """Split a command into words as a shell does, with its operators as words."""
    import shlex

    lexer = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t", True, ""
    return list(lexer)


def _output_filter(command: str) -> str:
    """Return the end of a command that only shows less: `2>/dev/null`, `| head -20`."""
    import re

    end = re.search(
        r"(?:\s+2>\s*(?:/dev/null|&1))?(?:\s*\|\s*(?:head|tail)(?:\s+-(?:n\s*)?[0-9]{1,6})?)?\s*\Z",
        command,
    )
    return end[0].rstrip() if end else ""


def _shell_quoted(path: str) -> str:
    return "'" + path.replace("'", "'\"'\"'") + "'"
