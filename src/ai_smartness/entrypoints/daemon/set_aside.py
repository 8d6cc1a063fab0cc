"""What the inbox held and no memory takes, kept for a person to look at."""

import json
import os
from pathlib import Path

from ai_smartness.redact import redacted_within

__all__ = ["Marks", "set_aside"]

KEPT_MARKS = 500


def set_aside(folder: str, day: str, what: object, why: str) -> None:
    """Keep something that cannot be captured, with the reason, in the file of the day."""
    line = json.dumps(redacted_within({"why": why, "record": what}), default=repr) + "\n"
    path = Path(folder) / f"bad-{day}.jsonl"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "ab") as file:
        file.write(line.encode(errors="backslashreplace"))
        file.flush()
        os.fsync(handle)


class Marks:
    """The marks that were acted upon, by their ids: drained a second time they do nothing."""

    def __init__(self, folder: str) -> None:
        self._path = Path(folder) / "marks.json"

    def __contains__(self, id_: str) -> bool:
        return id_ in self._read()

    def add(self, id_: str) -> None:
        """Remember a mark."""
        known = [*self._read(), id_][-KEPT_MARKS:]
        new = self._path.with_suffix(".new")
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(known).encode())
            file.flush()
            os.fsync(handle)
        new.replace(self._path)

    def _read(self) -> list[str]:
        try:
            known = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return []
        return [each for each in known if isinstance(each, str)] if isinstance(known, list) else []
