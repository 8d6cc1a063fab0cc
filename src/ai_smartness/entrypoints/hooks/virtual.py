"""The virtual read: a path under `.ai/` becomes a file that the client can read in the same turn.

One file for each call, written once and whole; the client may read it again after a compaction.
Whatever goes wrong is said in the file.
"""

import os

from ai_smartness.entrypoints.daemon.whereabouts import private_folder
from ai_smartness.entrypoints.hooks.answer import allowed, redirected
from ai_smartness.watch.given import Given, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["asked_for", "is_our_tool", "our_tool_allowed", "served"]

LONGEST_NAME_CHARACTERS = 100
REASON = "an answer of the project's memory"


def asked_for(given: Given) -> str:
    """Return the path of the memory that a tool is about to read; empty if it reads none."""
    match given.tool:
        case "Read":
            path = text_of(given.tool_input, "file_path")
        case "Bash" | "PowerShell":
            path = _path_in(text_of(given.tool_input, "command"))
        case _:
            return ""
    if ".ai" not in path:
        return ""
    from ai_smartness.virtual.location import is_virtual  # noqa: PLC0415 - brings regular expressions

    return path if is_virtual(path) else ""


def is_our_tool(given: Given) -> bool:
    """Say whether a tool is one that our own server offers."""
    server, _, tool = given.tool.removeprefix("mcp__").rpartition("__")
    named = "ai_smartness" in server.replace("-", "_")
    return given.tool.startswith("mcp__") and named and tool.startswith("ai_")


def our_tool_allowed() -> "dict[str, object]":
    """Let our own tools run without asking."""
    return allowed("the project's own memory")


def served(given: Given, folder: str, read: "Callable[[], str]") -> "dict[str, object]":
    """Answer a virtual read by sending the client to a file with the text."""
    file = _existing(folder, given) or _written(folder, _name(given), read())
    if given.tool == "Read":
        return redirected({**given.tool_input, "file_path": file}, REASON)
    rest = _rest(text_of(given.tool_input, "command"))
    return redirected({**given.tool_input, "command": f"cat {_quoted(file)}{rest}"}, REASON)


def _existing(folder: str, given: Given) -> str:
    """Return the file that this very call was answered with before."""
    path = os.path.join(folder, _name(given))  # noqa: PTH118 - pathlib costs ten milliseconds
    return path if given.call and os.path.exists(path) else ""  # noqa: PTH110


def _written(folder: str, name: str, text: str) -> str:
    """Write the file where the memory is, or where there is room."""
    elsewhere = f"/tmp/ais-recalls-{os.getuid()}"  # noqa: S108 - 0700, and checked to be ours
    try:
        private_folder(folder)
        return _written_in(folder, name, text)
    except OSError:
        private_folder(elsewhere)
        return _written_in(elsewhere, name, text)


def _written_in(folder: str, name: str, text: str) -> str:
    path = os.path.join(folder, name)  # noqa: PTH118
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
        os.unlink(draft)  # noqa: PTH108
    return path


def _name(given: Given) -> str:
    call = given.call
    plain = call.replace("_", "").replace("-", "")
    if plain.isascii() and plain.isalnum() and len(call) <= LONGEST_NAME_CHARACTERS:
        return f"{call}.md"
    from _blake2 import blake2s  # noqa: PLC0415 - hashlib loads OpenSSL for it

    told = repr((given.session, call, given.tool_input, "" if call else os.getpid()))
    return f"{blake2s(told.encode('utf-8', 'replace'), digest_size=16).hexdigest()}.md"


def _path_in(command: str) -> str:
    """Return what a plain `cat` is told to show; words that nobody quoted are one question."""
    if not command.lstrip().startswith("cat ") or ".ai" not in command:
        return ""
    rest = _rest(command)
    told = command.strip().removesuffix(rest.strip()) if rest else command.strip()
    try:
        words = _words(told)[1:]
    except ValueError:
        # A quote in a question that nobody closed.
        words = told.split(" ")[1:]
    while words and words[0].startswith("-"):
        del words[0]
    return "" if any(not word.strip(_OPERATORS) for word in words if word) else " ".join(words)


def _words(command: str) -> "list[str]":
    """Return the words of a command as a shell parts them, its operators among them."""
    import shlex  # noqa: PLC0415 - brings regular expressions

    parts = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
    parts.whitespace, parts.whitespace_split, parts.commenters = " \t", True, ""
    return list(parts)


def _rest(command: str) -> str:
    """Return what follows in the command and does no more than show less of it."""
    import re  # noqa: PLC0415 - takes as long as Python itself

    found = re.search(
        r"(?:\s+2>\s*(?:/dev/null|&1))?(?:\s*\|\s*(?:head|tail)(?:\s+-(?:n\s*)?[0-9]{1,6})?)?\s*\Z",
        command,
    )
    return found[0].rstrip() if found else ""


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "'\"'\"'") + "'"


_OPERATORS = "|&;<>()\n"
