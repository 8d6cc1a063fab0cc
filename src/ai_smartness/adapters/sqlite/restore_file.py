"""Put a backup in the place of a memory's file, which is kept.

The backup is copied beside the memory and read through first; only a whole one takes
its place, in one step. Whatever stood there is still there afterwards under another
name, with its log and its index.
"""

import os
import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ai_smartness.adapters.sqlite.backup_files import (
    find_damage,
    fold_log,
    open_existing,
    read_contents,
    refuse_foreign_backup,
)
from ai_smartness.model.errors import AisError, NotFoundError, StoreError
from ai_smartness.model.transfer import MemoryContents, RestoreResult
from ai_smartness.ports import Progress

__all__ = ["DatabaseRestore"]

COPY_BYTES = 8_000_000
_GRAPHS_SUFFIX = ".vectors"
_LOG_SUFFIXES = ("-wal", "-shm")
"""What belongs to a file by its name: its log, and the index of that."""


class DatabaseRestore:
    """A memory's file, to be put in the place of by another."""

    def __init__(self, database: Path, now: datetime) -> None:
        # Where it really is: a link to it stays one, and its log is there.
        self._database = database.resolve()
        self._graphs = Path(f"{database}{_GRAPHS_SUFFIX}")
        self._stamp = f"{now:%Y%m%d-%H%M%S}"
        self._staged = Path(f"{self._database}.restoring-{self._stamp}")
        self._contents: MemoryContents | None = None
        self._backup: Path | None = None

    def stage_backup(self, backup: Path, progress: Progress) -> MemoryContents:
        """Copy a backup beside the memory, check it, and say what is in it."""
        self.discard_staged()
        try:
            self._database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _copy_file(backup, self._staged, progress)
            # A file that was set aside with its log is only whole with it.
            log = Path(f"{backup}-wal")
            if log.exists():
                _copy_file(log, Path(f"{self._staged}-wal"), progress)
            self._contents = self._check_staged(backup, progress)
        except OSError as error:
            self.discard_staged()
            if isinstance(error, FileNotFoundError):
                msg = f"there is no backup {backup}. `ais backup list` shows those there are."
                raise NotFoundError(msg) from error
            msg = f"cannot copy {backup} to {self._staged}: {error.strerror}. Nothing was changed."
            raise StoreError(msg) from error
        except BaseException:
            self.discard_staged()
            raise
        self._backup = backup
        return self._contents

    def discard_staged(self) -> None:
        """Remove the copy that was made, and what a run before this one left of its own."""
        for left in self._database.parent.glob(f"{self._database.name}.restoring-*"):
            with suppress(OSError):
                left.unlink()

    def current_contents(self) -> tuple[MemoryContents | None, str]:
        """Say what the memory's own file holds, and what is damaged in it."""
        if not self._database.exists():
            return None, ""
        if not self._database.stat().st_size:
            return None, "the file is empty"
        try:
            with open_existing(self._database) as connection:
                wrong = find_damage(connection, "quick_check", lambda _done, _total: None)
                return (None, wrong) if wrong else (read_contents(connection), "")
        except AisError as error:
            return None, str(error.__cause__ or error)

    def swap_files(self) -> RestoreResult:
        """Put the copy that was checked in the place of the memory; without one, leave it empty.

        The caller sees to it that no daemon runs meanwhile.
        """
        _, wrong = self.current_contents()
        kept_as = self._keep_current(wrong) if self._database.exists() else None
        if self._contents is not None:
            self._staged.replace(self._database)
        elif kept_as is not None:
            self._database.unlink()
        _sync_folder(self._database.parent)
        return RestoreResult(
            backup=self._backup, contents=self._contents, kept_as=kept_as, damage=wrong
        )

    def _check_staged(self, backup: Path, progress: Progress) -> MemoryContents:
        with open_existing(self._staged) as copy:
            wrong = find_damage(copy, "integrity_check", progress)
            if wrong:
                msg = (
                    f"cannot restore {backup}: it is damaged ({wrong}). Nothing was changed. "
                    "`ais backup list` shows what others there are."
                )
                raise StoreError(msg)
            refuse_foreign_backup(copy, backup)
            copy.execute("PRAGMA journal_mode = DELETE")
            return read_contents(copy)

    def _keep_current(self, wrong: str) -> Path:
        """Give the file a second name, under which it stays, and take what belongs to it along."""
        if not wrong and not fold_log(self._database):
            msg = (
                f"cannot restore now: another program has {self._database} open. Nothing was "
                "changed. End it (an agent's session, a program that uses the library), and try "
                "again."
            )
            raise StoreError(msg)
        kept = Path(f"{self._database}.{'damaged' if wrong else 'replaced'}-{self._stamp}")
        for ending in _LOG_SUFFIXES:
            beside = Path(f"{self._database}{ending}")
            if os.path.lexists(beside):
                beside.rename(f"{kept}{ending}")
        if os.path.lexists(self._graphs):
            # They follow from the vectors, and are of no use to others.
            self._graphs.rename(self._graphs.with_name(f"{kept.name}{_GRAPHS_SUFFIX}"))
        try:
            # Until the new one takes its name the old one has both: there is always a memory.
            os.link(self._database, kept)
        except OSError:
            shutil.copy2(self._database, kept)
        kept.chmod(0o600)
        return kept


def _copy_file(source: Path, target: Path, progress: Progress) -> None:
    total, done = source.stat().st_size, 0
    handle = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with source.open("rb") as given, os.fdopen(handle, "wb") as taken:
        while block := given.read(COPY_BYTES):
            taken.write(block)
            done += len(block)
            progress(done, total)
        taken.flush()
        os.fsync(taken.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
