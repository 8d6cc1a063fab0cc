"""The files of a SQLite store: the database with its log, and the copies of it."""

import os
import shutil
from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatch
from pathlib import Path

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.model.transfer import DUMP_NAMES

__all__ = ["SqliteStoreFiles"]

_SQLITE_HEADER = b"SQLite format 3\0"
_SQLITE_SUFFIXES = ("-wal", "-shm", "-journal")


class SqliteStoreFiles:
    """Fulfils the port `StoreFiles`."""

    def __init__(
        self,
        database: Path,
        owned_files: Callable[[], Collection[Path]],
        *,
        is_on_server: bool = False,
    ) -> None:
        """Take the database, and what returns all files of the memory.

        A store on a server has no file: one that is there is a copy from before.
        """
        self._database = database
        self._is_on_server = is_on_server
        self._owned_files = owned_files

    def store_files(self) -> Sequence[Path]:
        return [] if self._is_on_server else [self._database, *_log_files(self._database)]

    def store_copies(self) -> Sequence[Path]:
        ours = self.store_files()
        return [path for path in self._owned_files() if path not in ours and _is_store(path)]

    def dumps(self) -> Sequence[Path]:
        return [path for path in self._owned_files() if fnmatch(path.name, DUMP_NAMES)]

    def rewrite_copy(self, copy: Path, rewritten: Callable[[Path], bool]) -> str:
        draft = copy.with_name(f".{copy.name}.forgetting-{os.getpid()}")
        try:
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            shutil.copyfile(copy, draft)
            if not rewritten(draft):
                return ""
            when = copy.stat()
            draft.replace(copy)
            os.utime(copy, ns=(when.st_atime_ns, when.st_mtime_ns))
            for log in _log_files(copy):
                log.unlink(missing_ok=True)
            return "rewritten"
        finally:
            for left in copy.parent.glob(f"{draft.name}*"):
                shutil.rmtree(left) if left.is_dir() else left.unlink()

    def remove_copy(self, copy: Path) -> str:
        for file in (copy, *_log_files(copy)):
            file.unlink(missing_ok=True)
        return "removed"

    def open_copy(self, copy: Path) -> SqliteStore:
        return SqliteStore.open(copy)


def _log_files(store: Path) -> list[Path]:
    return [store.with_name(store.name + ending) for ending in _SQLITE_SUFFIXES]


def _is_store(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_SQLITE_HEADER)) == _SQLITE_HEADER
