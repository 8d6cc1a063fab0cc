"""Leave nothing behind of rows that were deleted from an SQLite file."""

from collections.abc import Sequence

from ai_smartness.adapters.storage.sqlite.database import Database
from ai_smartness.model.errors import StoreError
from ai_smartness.ports import Progress

__all__ = ["purge"]


def purge(database: Database, indexes: Sequence[tuple[int, str]], progress: Progress) -> None:
    """Rewrite the indexes and the whole file, and empty its log."""
    steps = len(indexes) + 3
    with database.unit():
        # What was common then may be forgotten now; large projects are surveyed anew.
        database.run("DELETE FROM common_words")
        database.run("UPDATE projects SET surveyed = 0")
    for number, (_, index) in enumerate(indexes):
        # Words of deleted events stay in the index's pieces until these are made one.
        database.run(f"INSERT INTO {index} ({index}) VALUES ('optimize')")  # noqa: S608 # ours
        progress(number + 1, steps)
    _emptied(database)
    progress(steps - 2, steps)
    database.run("VACUUM")
    progress(steps - 1, steps)
    _emptied(database)
    progress(steps, steps)


def _emptied(database: Database) -> None:
    """Bring the log into the file, and cut it to nothing."""
    row = database.one("PRAGMA wal_checkpoint(TRUNCATE)")
    if row is not None and row[0]:
        msg = (
            f"the log of the memory {database.name} could not be emptied: another process is "
            "reading. What was forgotten is gone from the memory and may still be in the log; "
            "end what uses the memory and run the same command again."
        )
        raise StoreError(msg)
