"""Replace a memory's file by a backup, and keep the old file.

The backup is first copied beside the memory and verified; only an intact copy replaces
the memory, in one step and under a lock: nobody can have the file open meanwhile. The old file
stays under another name, with its log and graphs. If the process is killed, the memory is either
the old one or the new one, and nothing that was stored is lost.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ai_smartness.adapters.sqlite.backup_files import (
    find_damage,
    fold_log,
    open_existing,
    read_contents,
    refuse_foreign_backup,
    sync_to_disk,
)
from ai_smartness.adapters.sqlite.file_lock import locked_for_replacing, open_elsewhere_error
from ai_smartness.model.errors import AisError, NotFoundError, StoreError
from ai_smartness.model.transfer import MemoryContents, RestoreResult
from ai_smartness.ports import Progress

__all__ = ["DatabaseRestore"]

COPY_BYTES = 8_000_000
WAIT_SECONDS = 2.0  # for commands that have the memory open; an agent's session would not end
_GRAPHS_SUFFIX = ".vectors"
_LOG_SUFFIXES = ("-wal", "-shm")
"""The files that belong to a database by name: its log, and the index of that."""


class DatabaseRestore:
    """Replaces a memory's file by a backup."""

    def __init__(self, database: Path, now: datetime) -> None:
        # Resolved: a link to it stays a link, and the log is beside the real file.
        self._database = database.resolve()
        self._graphs = Path(f"{database}{_GRAPHS_SUFFIX}")
        self._stamp = f"{now:%Y%m%d-%H%M%S}"
        self._staged = Path(f"{self._database}.restoring-{self._stamp}")
        self._contents: MemoryContents | None = None
        self._backup: Path | None = None

    def stage_backup(self, backup: Path, progress: Progress) -> MemoryContents:
        """Copy a backup beside the memory, verify it, and return its contents."""
        self.discard_staged()
        try:
            self._database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _copy_file(backup, self._staged, progress)
            # A file that was kept with its log is incomplete without it.
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
        """Delete the staged copy, and what earlier runs left that were killed."""
        for left in self._beside("restoring"):
            with suppress(OSError):
                left.unlink()
        for kept in (*self._beside("replaced"), *self._beside("damaged")):
            with suppress(OSError):
                # A second name of the memory itself: it was not replaced after all.
                if kept.samefile(self._database):
                    kept.unlink()

    def _beside(self, word: str) -> Iterator[Path]:
        return self._database.parent.glob(f"{self._database.name}.{word}-*")

    def current_contents(self) -> tuple[MemoryContents | None, str]:
        """Return the contents of the current file, and its damage."""
        if not self._database.exists():
            return None, ""
        if not self._database.stat().st_size:
            return None, "the file is empty"
        try:
            with open_existing(self._database) as connection:
                damage = find_damage(connection, "quick_check", lambda _done, _total: None)
                return (None, damage) if damage else (read_contents(connection), "")
        except AisError as error:
            return None, str(error.__cause__ or error)

    def swap_files(self) -> RestoreResult:
        """Replace the memory by the staged copy; without one, leave no memory.

        Whoever opens the memory meanwhile waits. A daemon would keep it open: the caller ends it.
        """
        with locked_for_replacing(self._database, WAIT_SECONDS):
            _, damage = self.current_contents()
            kept_as = self._keep_current(damage) if self._database.exists() else None
            if self._contents is not None:
                self._staged.replace(self._database)
            elif kept_as is not None:
                self._database.unlink()
            sync_to_disk(self._database.parent)
        return RestoreResult(
            backup=self._backup, contents=self._contents, kept_as=kept_as, damage=damage
        )

    def _check_staged(self, backup: Path, progress: Progress) -> MemoryContents:
        with open_existing(self._staged) as copy:
            damage = find_damage(copy, "integrity_check", progress)
            if damage:
                msg = (
                    f"cannot restore {backup}: it is damaged ({damage}). Nothing was changed. "
                    "`ais backup list` shows what others there are."
                )
                raise StoreError(msg)
            refuse_foreign_backup(copy, backup)
            copy.execute("PRAGMA journal_mode = DELETE")
            return read_contents(copy)

    def _keep_current(self, damage: str) -> Path:
        """Give the file a second name that it keeps, and rename its log and graphs."""
        if not damage and not fold_log(self._database):
            raise open_elsewhere_error(self._database)
        old = Path(f"{self._database}.{'damaged' if damage else 'replaced'}-{self._stamp}")
        try:
            # It has both names until the new file replaces it: there is always a memory.
            os.link(self._database, old)
        except OSError:
            shutil.copy2(self._database, old)
        old.chmod(0o600)
        # Only a damaged file still has a log. It is beside the second name before it leaves the
        # first one, so that a killed restore loses nothing of it.
        for ending in _LOG_SUFFIXES:
            beside = Path(f"{self._database}{ending}")
            if os.path.lexists(beside):
                beside.rename(f"{old}{ending}")
        if os.path.lexists(self._graphs):
            # They belong to the vectors of this file only.
            self._graphs.rename(self._graphs.with_name(f"{old.name}{_GRAPHS_SUFFIX}"))
        return old


def _copy_file(source: Path, target: Path, progress: Progress) -> None:
    total, done = source.stat().st_size, 0
    handle = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with source.open("rb") as original, os.fdopen(handle, "wb") as copy:
        while block := original.read(COPY_BYTES):
            copy.write(block)
            done += len(block)
            progress(done, total)
        copy.flush()
        os.fsync(copy.fileno())
