"""Anthropic's memory tool with our memory behind it: a file is a document, which is a thread.

Each command is one change that `Memory.undo` takes back. What Claude writes to its files is found
by search and recall, in other sessions and by other agents too.
"""

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

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

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with line numbers, or list a folder."""
        path = _checked_path(command.path)
        names = self._names_in(path)
        if path == ROOT or names:
            listed = "\n".join(f"{size}\t{name}" for name, size in self._listed_sizes(path, names))
            return (
                f"Here're the files and directories up to {LISTED_LEVELS} levels deep in {path}, "
                f"excluding hidden items:\n{listed}"
            )
        lines = self._text(path).split("\n")
        first, last = command.view_range or (1, -1)
        shown = lines[max(first, 1) - 1 : None if last == -1 else last]
        return f"Here's the content of {path} with line numbers:\n{_numbered(shown, max(first, 1))}"

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        path = _checked_path(command.path)
        self._refuse_taken(path)
        self._memory.write_document(path, command.file_text)
        return f"File created successfully at: {path}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace text that stands once in a file."""
        path = _checked_path(command.path)
        text = self._text(path)
        parts = text.split(command.old_str) if command.old_str else [text]
        if len(parts) != 2:  # noqa: PLR2004 - the text before and after
            why = "did not appear verbatim" if len(parts) == 1 else "appears more than once"
            msg = f"No replacement was performed, old_str `{command.old_str}` {why} in {path}."
            raise ToolError(msg)
        self._memory.write_document(path, command.new_str.join(parts))
        start = parts[0].count("\n")
        changed = command.new_str.join(parts).split("\n")[max(start - 2, 0) : start + 3]
        return f"The memory file has been edited.\n{_numbered(changed, max(start - 2, 0) + 1)}"

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line of a file; 0 is its beginning."""
        path = _checked_path(command.path)
        lines = self._text(path).splitlines()
        if not 0 <= command.insert_line <= len(lines):
            msg = (
                f"Invalid `insert_line` parameter: {command.insert_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
            raise ToolError(msg)
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._memory.write_document(path, "\n".join(lines) + "\n")
        return f"The file {path} has been edited."

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Remove a file, or a folder with everything in it."""
        path = _checked_path(command.path)
        self._memory.remove_documents(self._named_files(path))
        return f"Successfully deleted {path}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file, or a folder with everything in it."""
        old, new = _checked_path(command.old_path), _checked_path(command.new_path)
        self._refuse_taken(new)
        files = self._named_files(old)
        if new.startswith(f"{old}/"):
            msg = f"Cannot move {old} into itself"
            raise ToolError(msg)
        self._memory.rename_documents({name: new + name.removeprefix(old) for name in files})
        return f"Successfully renamed {old} to {new}"

    def _text(self, path: str) -> str:
        try:
            return self._memory.document(path).text
        except NotFoundError as error:
            msg = f"The path {path} does not exist. Please provide a valid path."
            raise ToolError(msg) from error

    def _names_in(self, folder: str) -> list[str]:
        return [document.name for document in self._memory.documents(f"{folder}/")]

    def _refuse_taken(self, path: str) -> None:
        """Refuse a path that exists, or that lies below a file."""
        parts = path.split("/")
        above = {"/".join(parts[:depth]) for depth in range(2, len(parts))}
        taken = self._named_documents(path) or above & set(self._names_in(ROOT))
        if taken:
            msg = f"{path} already exists, or there is a file above it"
            raise ToolError(msg)

    def _named_documents(self, path: str) -> list[str]:
        names = [document.name for document in self._memory.documents(path)]
        return [name for name in names if name == path or name.startswith(f"{path}/")]

    def _named_files(self, path: str) -> list[str]:
        """Return the file of this name, or the files of the folder; refuse the root and nothing."""
        names = self._named_documents(path)
        if path == ROOT or not names:
            why = "is the root" if path == ROOT else "does not exist"
            msg = f"The path {path} {why}. Please provide a valid path."
            raise ToolError(msg)
        return names

    def _listed_sizes(self, folder: str, names: list[str]) -> list[tuple[str, str]]:
        """Return the folder and what is in it, each with its size in bytes."""
        sizes: dict[str, int] = {folder: 0}
        for name in names:
            size = len(self._memory.document(name).text.encode())
            parts = name.removeprefix(f"{folder}/").split("/")
            sizes[folder] += size
            for depth in range(1, min(len(parts), LISTED_LEVELS) + 1):
                place = "/".join([folder, *parts[:depth]])
                is_file = depth == len(parts)
                sizes[place if is_file else f"{place}/"] = sizes.get(f"{place}/", 0) + size
        return [(name, f"{size}B") for name, size in sizes.items()]


def _checked_path(path: str) -> str:
    """Return a path below /memories without a slash at its end; refuse any other."""
    parts = path.rstrip("/").split("/")
    if parts[:2] != ["", "memories"] or any(part in ("", ".", "..") for part in parts[1:]):
        msg = f"Path must start with {ROOT} and have no empty or dotted parts, got: {path}"
        raise ToolError(msg)
    return "/".join(parts)


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(
        f"{number:{LINE_NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first)
    )
