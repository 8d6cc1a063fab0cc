"""Documents as files in folders: a name such as /notes/a/b is a file in the folder /notes/a.

A folder exists as long as there is a file in it. Each method that changes something is one change,
which `Memory.undo` takes back.
"""

from pathlib import PurePosixPath

from ai_smartness.memory import Memory
from ai_smartness.model.document import Document
from ai_smartness.model.errors import NotFoundError, RefusedError

__all__ = ["DocumentFolder"]


class DocumentFolder:
    """The documents whose names begin with the path of this folder."""

    def __init__(self, memory: Memory, root: str) -> None:
        self._memory = memory
        self.root = root

    def files(self, path: str) -> list[Document]:
        """Return the file of this path, or all files in the folder."""
        path = self._checked_path(path)
        files = self._memory.documents(path)
        return [file for file in files if f"{file.name}/".startswith(f"{path}/")]

    def text(self, path: str) -> str:
        """Return the text of a file."""
        for file in self.files(path):
            if file.name == path.rstrip("/"):
                return file.text
        msg = f"The path {path} does not exist. Please provide a valid path."
        raise NotFoundError(msg)

    def create(self, path: str, text: str) -> None:
        """Write a new file."""
        self.write(self._free_path(path), text)

    def write(self, path: str, text: str) -> None:
        """Write a file, or replace its text."""
        self._memory.write_document(self._checked_path(path), text)

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with everything in it."""
        self._memory.remove_documents(self._changeable_names(path))

    def rename(self, old: str, new: str) -> None:
        """Rename a file, or a folder with everything in it."""
        old, new = self._checked_path(old), self._free_path(new)
        names = self._changeable_names(old)
        if new.startswith(f"{old}/"):
            msg = f"Cannot move {old} into itself"
            raise RefusedError(msg)
        self._memory.rename_documents({name: new + name.removeprefix(old) for name in names})

    def _changeable_names(self, path: str) -> list[str]:
        names = [file.name for file in self.files(path)]
        is_root = self._checked_path(path) == self.root
        if is_root or not names:
            why = "is the root" if is_root else "does not exist"
            msg = f"The path {path} {why}. Please provide a valid path."
            raise RefusedError(msg)
        return names

    def _free_path(self, path: str) -> str:
        """Return the path of a new file; refuse one that exists, or that lies below a file."""
        path = self._checked_path(path)
        above = {str(folder) for folder in PurePosixPath(path).parents}
        is_below_file = any(file.name in above for file in self.files(self.root))
        if path == self.root or self.files(path) or is_below_file:
            msg = f"{path} already exists, or there is a file above it"
            raise RefusedError(msg)
        return path

    def _checked_path(self, path: str) -> str:
        """Return a path in this folder without a slash at its end; refuse any other."""
        path = path.rstrip("/")
        is_inside = f"{path}/".startswith(f"{self.root}/")
        if not is_inside or {"", ".", ".."} & set(path.split("/")[1:]):
            msg = f"Path must start with {self.root} and have no empty or dotted parts, got: {path}"
            raise RefusedError(msg)
        return path
