"""Anthropic's memory tool with our memory behind it: a file is a document, which is a thread.

Each command is one change that `Memory.undo` takes back. Search finds what Claude writes.
"""

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.types import beta

from ai_smartness.memory import Memory
from ai_smartness.memory.document_folder import DocumentFolder
from ai_smartness.model.errors import AisError
from ai_smartness.model.journal import Actor

__all__ = ["AnthropicMemoryTool"]


class AnthropicMemoryTool(BetaAbstractMemoryTool):
    """The tool `memory`, for the `tools` of `client.beta.messages.run_tools`."""

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        actor = Actor("agent", "anthropic-memory-tool")
        self._folder = DocumentFolder(memory.used_by(actor), "/memories")

    def execute(self, command: beta.BetaMemoryTool20250818Command) -> str:
        """Carry out a command; a mistake is told to Claude."""
        try:
            return str(super().execute(command))
        except AisError as error:
            raise ToolError(str(error)) from error

    def view(self, command: beta.BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with line numbers, or list the files in a folder."""
        path, files = command.path.rstrip("/"), self._folder.files(command.path)
        if path == self._folder.root or (files and files[0].name != path):
            sizes = "\n".join(f"{len(file.text.encode())}B\t{file.name}" for file in files)
            return f"Here're the files in {path}:\n{sizes}"
        shown = _numbered(self._folder.text(path), *(command.view_range or (1, -1)))
        return f"Here's the content of {path} with line numbers:\n{shown}"

    def create(self, command: beta.BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        self._folder.create(command.path, command.file_text)
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: beta.BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace text that stands once in a file."""
        text, old = self._folder.text(command.path), command.old_str
        if (times := text.count(old)) != 1:
            msg = f"No replacement was performed: old_str `{old}` occurs {times} times in the file."
            raise ToolError(msg)
        text, line = text.replace(old, command.new_str), text[: text.find(old)].count("\n") + 1
        self._folder.write(command.path, text)
        return f"The memory file has been edited.\n{_numbered(text, line - 2, line + 2)}"

    def insert(self, command: beta.BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line of a file; 0 is its beginning."""
        *lines, tail = self._folder.text(command.path).split("\n")
        lines += [tail] if tail else []
        if not 0 <= command.insert_line <= len(lines):
            msg = f"Invalid `insert_line` {command.insert_line}: it must be in [0, {len(lines)}]."
            raise ToolError(msg)
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._folder.write(command.path, "\n".join(lines).removesuffix("\n") + "\n")
        return f"The file {command.path} has been edited."

    def delete(self, command: beta.BetaMemoryTool20250818DeleteCommand) -> str:
        """Remove a file, or a folder with everything in it."""
        self._folder.remove(command.path)
        return f"Successfully deleted {command.path}"

    def rename(self, command: beta.BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file, or a folder with everything in it."""
        self._folder.rename(command.old_path, command.new_path)
        return f"Successfully renamed {command.old_path} to {command.new_path}"


def _numbered(text: str, first: int, last: int) -> str:
    lines = [*enumerate(text.split("\n"), 1)][max(first, 1) - 1 : None if last == -1 else last]
    return "\n".join(f"{number:6}\t{line}" for number, line in lines)
