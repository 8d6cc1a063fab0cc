"""Anthropic's memory tool with our memory behind it: a file is a document, which is a thread.

Each command is one change that `Memory.undo` takes back. What Claude writes to its files is found
by search and recall, in other sessions and by other agents too.
"""

from collections import Counter
from pathlib import PurePosixPath
from typing import NoReturn

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.types import beta

from ai_smartness.memory import Memory
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.journal import Actor

__all__ = ["AnthropicMemoryTool"]

ROOT = "/memories"
LISTED_LEVELS = 2  # of folders, below the one that is viewed
LINE_NUMBER_WIDTH = 6


class AnthropicMemoryTool(BetaAbstractMemoryTool):
    """The tool `memory`, for the `tools` of `client.beta.messages.run_tools`."""

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self._memory = memory.used_by(Actor("agent", "anthropic-memory-tool"))

    def view(self, command: beta.BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with line numbers, or list a folder."""
        path = _checked_path(command.path)
        names = self._names(path)
        if path == ROOT or (names and path not in names):
            return (
                f"Here're the files and directories up to {LISTED_LEVELS} levels deep in {path}, "
                f"excluding hidden items:\n{self._listing(path, names)}"
            )
        first, last = command.view_range or (1, -1)
        shown = self._text(path).split("\n")[max(first, 1) - 1 : None if last == -1 else last]
        return f"Here's the content of {path} with line numbers:\n{_numbered(shown, max(first, 1))}"

    def create(self, command: beta.BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        path = self._free_path(command.path)
        self._memory.write_document(path, command.file_text)
        return f"File created successfully at: {path}"

    def str_replace(self, command: beta.BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace text that stands once in a file."""
        path = _checked_path(command.path)
        text = self._text(path)
        before, found, after = text.partition(command.old_str or "\0")
        if not found or command.old_str in after:
            why = "appears more than once" if found else "did not appear verbatim"
            _refuse(f"No replacement was performed, old_str `{command.old_str}` {why} in {path}.")
        text = before + command.new_str + after
        self._memory.write_document(path, text)
        start = max(before.count("\n") - 2, 0)
        shown = text.split("\n")[start : before.count("\n") + 3]
        return f"The memory file has been edited.\n{_numbered(shown, start + 1)}"

    def insert(self, command: beta.BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line of a file; 0 is its beginning."""
        path = _checked_path(command.path)
        lines = self._text(path).splitlines()
        if not 0 <= command.insert_line <= len(lines):
            wrong = f"Invalid `insert_line` parameter: {command.insert_line}."
            _refuse(f"{wrong} It should be within the range [0, {len(lines)}].")
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._memory.write_document(path, "\n".join(lines) + "\n")
        return f"The file {path} has been edited."

    def delete(self, command: beta.BetaMemoryTool20250818DeleteCommand) -> str:
        """Remove a file, or a folder with everything in it."""
        path = _checked_path(command.path)
        self._memory.remove_documents(self._changeable_names(path))
        return f"Successfully deleted {path}"

    def rename(self, command: beta.BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file, or a folder with everything in it."""
        old, new = _checked_path(command.old_path), self._free_path(command.new_path)
        names = self._changeable_names(old)
        if new.startswith(f"{old}/"):
            _refuse(f"Cannot move {old} into itself")
        self._memory.rename_documents({name: new + name.removeprefix(old) for name in names})
        return f"Successfully renamed {old} to {new}"

    def _text(self, path: str) -> str:
        try:
            return self._memory.document(path).text
        except NotFoundError:
            _refuse(f"The path {path} does not exist. Please provide a valid path.")

    def _names(self, path: str) -> list[str]:
        """Return the file of this name, or the files in the folder."""
        names = [document.name for document in self._memory.documents(path)]
        return [name for name in names if f"{name}/".startswith(f"{path}/")]

    def _changeable_names(self, path: str) -> list[str]:
        names = self._names(path)
        if path == ROOT or not names:
            why = "is the root" if path == ROOT else "does not exist"
            _refuse(f"The path {path} {why}. Please provide a valid path.")
        return names

    def _free_path(self, path: str) -> str:
        """Return the path of a new file; refuse one that exists, or that lies below a file."""
        path = _checked_path(path)
        above = {str(folder) for folder in PurePosixPath(path).parents}
        if path == ROOT or self._names(path) or above & set(self._names(ROOT)):
            _refuse(f"{path} already exists, or there is a file above it")
        return path

    def _listing(self, folder: str, names: list[str]) -> str:
        """Return the folder and what is in it, each with its size in bytes."""
        sizes = Counter({folder: 0})
        for name in names:
            parts = name.removeprefix(f"{folder}/").split("/")
            folders = ["/".join([folder, *parts[:depth]]) + "/" for depth in range(1, len(parts))]
            for place in [folder, *[*folders, name][:LISTED_LEVELS]]:
                sizes[place] += len(self._memory.document(name).text.encode())
        return "\n".join(f"{size}B\t{place}" for place, size in sizes.items())


def _checked_path(path: str) -> str:
    """Return a path below /memories without a slash at its end; refuse any other."""
    parts = path.rstrip("/").split("/")
    if parts[:2] != ["", "memories"] or any(part in ("", ".", "..") for part in parts[1:]):
        _refuse(f"Path must start with {ROOT} and have no empty or dotted parts, got: {path}")
    return "/".join(parts)


def _numbered(lines: list[str], first: int) -> str:
    numbered = enumerate(lines, first)
    return "\n".join(f"{number:{LINE_NUMBER_WIDTH}}\t{line}" for number, line in numbered)


def _refuse(message: str) -> NoReturn:
    raise ToolError(message)
