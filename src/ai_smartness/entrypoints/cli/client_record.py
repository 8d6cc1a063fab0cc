"""What was put into which file of settings, so that it can be taken out without a trace.

Kept in the memory's home, for its owner alone: settings can hold secrets.
"""

import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ai_smartness.model.errors import StoreError

__all__ = ["Installed", "changing", "digest", "load", "save"]

FILE = "installed.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Installed:
    """A file of settings: what it said before us (None: there was none), and what we wrote.

    Of the file of servers it is only known where our server is registered, and how much was
    made for it: `places`, of which a file of settings has none.
    """

    before: str | None
    written: str
    made: tuple[str, ...] = ()
    backup: str | None = None
    places: Mapping[str, int] | None = None


def digest(text: str) -> str:
    """Return the checksum by which a text of ours is known again."""
    return hashlib.sha256(text.encode()).hexdigest()


def load(home: Path) -> dict[str, Installed]:
    """Read what was installed, by the path of the settings."""
    try:
        said = json.loads((home / FILE).read_text(encoding="utf-8"))
        return {path: _installed(entry) for path, entry in said["files"].items()}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        msg = (
            f"{home / FILE} cannot be read ({wrong}). Move it away: our hooks are then found by "
            "their names, and the rest of each file is left as it is."
        )
        raise StoreError(msg) from wrong


@contextmanager
def changing(home: Path) -> Iterator[dict[str, Installed]]:
    """Read what is installed and save what was made of it, while nobody else does the same."""
    if not home.is_dir():
        yield {}
        return
    handle = os.open(home, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        installed = load(home)
        before = dict(installed)
        yield installed
        if installed != before:
            save(home, installed)
    finally:
        os.close(handle)


def save(home: Path, installed: Mapping[str, Installed]) -> None:
    """Write what is installed; where nothing is, no file is left."""
    path = home / FILE
    if not installed:
        path.unlink(missing_ok=True)
        return
    said = {"v": FORMAT, "files": {name: asdict(each) for name, each in installed.items()}}
    handle, name = tempfile.mkstemp(dir=home, prefix=f".{FILE}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(said, file, indent=2)
            file.flush()
            os.fsync(handle)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _installed(entry: Mapping[str, Any]) -> Installed:
    return Installed(
        before=entry["before"],
        written=entry["written"],
        made=tuple(entry["made"]),
        backup=entry["backup"],
        places=entry.get("places"),
    )
