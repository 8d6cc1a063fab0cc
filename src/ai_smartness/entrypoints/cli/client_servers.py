"""Register our server of tools with the client, and take it out again.

The client writes the file of its servers by itself, whenever it runs. It is read again just
before it is changed, under the client's own lock, and only our entry changes. Nothing of what
else is in it is kept anywhere: it can hold a key.
"""

import dataclasses
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ai_smartness.entrypoints.cli import client_record, client_settings
from ai_smartness.entrypoints.cli.client import config_folder
from ai_smartness.entrypoints.cli.client_record import Installed
from ai_smartness.entrypoints.cli.client_settings import SettingsFile
from ai_smartness.entrypoints.installing import server
from ai_smartness.entrypoints.installing.json_text import edited
from ai_smartness.entrypoints.installing.json_text import read as read_json
from ai_smartness.entrypoints.installing.server import Place, Server
from ai_smartness.model.errors import RefusedError

__all__ = [
    "Leaving",
    "Registration",
    "leaving",
    "register",
    "registering",
    "servers_file",
    "unregister",
]

LEGACY = ".config.json"
"""Where the client keeps its servers if it finds such a file: very old ones made it."""
USER = ""
"""The place of all projects, as the record has it."""

LOCK_SECONDS = 2.0
PAUSE_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Registration:
    """An entry that is to be made in the client's file."""

    path: Path
    place: Place
    ours: Server

    @property
    def lines(self) -> Iterator[str]:
        """What is added, line by line."""
        yield f"+++ {self.path}: {_named(self.place)}"
        yield from (f"+{line}" for line in json.dumps(self.ours, indent=2).splitlines())


@dataclass(frozen=True, slots=True)
class Leaving:
    """The entries that are to be taken out of the client's file."""

    path: Path
    places: tuple[Place, ...]

    @property
    def lines(self) -> Iterator[str]:
        """What is taken out, line by line."""
        return (f"--- {self.path}: {_named(place)}" for place in self.places)


def servers_file(environ: Mapping[str, str]) -> Path:
    """Name the file in which the client keeps its servers."""
    folder = config_folder(environ)
    legacy = folder / LEGACY
    with suppress(OSError):
        if legacy.is_file() and legacy.stat().st_size:
            return legacy
    # Without a folder of its own for its settings, it is beside that folder.
    return (folder if environ.get("CLAUDE_CONFIG_DIR") else folder.parent) / ".claude.json"


def registering(path: Path, place: Place, ours: Server) -> Registration | None:
    """Work out whether there is anything to register; refuse a file that we could only break."""
    file = client_settings.read(path)
    config = _checked(file, place)
    if server.entry_at(config, place) == ours:
        return None
    client_settings.refuse_read_only(file)
    return Registration(path, place, ours)


def register(home: Path, wanted: Registration) -> None:
    """Put the entry in, and remember what had to be made for it."""
    key, at = str(wanted.path), wanted.place or USER
    with client_record.changing(home) as installed, _held(wanted.path):
        file = client_settings.read(wanted.path)
        config = _checked(file, wanted.place)
        steps = server.steps_in(config, wanted.place, wanted.ours)
        known = installed.get(key) or Installed(_blank(file), "", places={})
        made = {at: server.made_by(steps, wanted.place), **(known.places or {})}
        entry = dataclasses.replace(known, places=made)
        client_record.save(home, {**installed, key: entry})
        folders = client_settings.replace(file, edited(file.text or "", steps))
        installed[key] = dataclasses.replace(entry, made=(*known.made, *map(str, folders)))


def leaving(path: Path, wanted: Sequence[Place]) -> Leaving | None:
    """Work out which of the places have an entry of ours."""
    config = client_settings.read(path).value
    found = tuple(each for each in server.places_of_ours(config) if each in wanted)
    return Leaving(path, found) if found else None


def unregister(home: Path, wanted: Leaving) -> bool:
    """Take the entries out, and say whether the file, which was not there before, has gone too."""
    key = str(wanted.path)
    with client_record.changing(home) as installed, _held(wanted.path):
        file = client_settings.read(wanted.path)
        known = installed.get(key) or Installed("{}", "", places={})
        text = _without(file, wanted.places, known.places or {})
        # The last of ours: what is then empty goes back to what was there before us.
        is_empty = not read_json(text) and not (known.before or "").strip()
        left = known.before if is_empty else text
        if left is None:
            client_settings.delete(file, [])
        else:
            client_settings.replace(file, left)
        _forget(installed, key, wanted.places)
    # Only now: the lock was in the folder, too.
    client_settings.leave([Path(each) for each in known.made] if left is None else [])
    return left is None


def _without(file: SettingsFile, places: Sequence[Place], made: Mapping[str, int]) -> str:
    """Return the text without our entries; what was made last is taken out first."""
    order = [each or None for each in reversed([*made])]
    text = file.text or ""
    for place in sorted(places, key=lambda each: order.index(each) if each in order else 0):
        text = edited(text, server.steps_out(read_json(text), place, made.get(place or USER, 0)))
    return text


def _forget(installed: dict[str, Installed], key: str, places: Sequence[Place]) -> None:
    known = installed.get(key)
    if known is None:
        return
    gone = {each or USER for each in places}
    left = {at: made for at, made in (known.places or {}).items() if at not in gone}
    if left:
        installed[key] = dataclasses.replace(known, places=left)
    else:
        del installed[key]


def _checked(file: SettingsFile, place: Place) -> Any:  # noqa: ANN401 - any JSON
    config = file.value
    _refuse_nameless(place)
    try:
        server.refuse_odd(config, place)
    except RefusedError as odd:
        raise file.refusal(str(odd)) from odd
    return config


def _refuse_nameless(place: Place) -> None:
    """Refuse a folder that no JSON can name: the client itself could not find it there."""
    try:
        (place or "").encode()
    except UnicodeEncodeError as nameless:
        msg = (
            f"cannot register the tools for the project {place!r}: its name is no text. "
            "Connect all projects with `ais init --user`, or none with --no-hooks."
        )
        raise RefusedError(msg) from nameless


def _blank(file: SettingsFile) -> str | None:
    """Return what a file without any content said; of one with content nothing is kept."""
    if file.text is None or not file.text.strip("\ufeff \t\r\n"):
        return file.text
    return "{}"


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Hold the lock by which the client keeps its own sessions from writing at once."""
    lock = path.with_name(f"{path.name}.lock")
    is_ours = _locked(lock)
    try:
        yield
    finally:
        if is_ours:
            with suppress(OSError):
                lock.rmdir()


def _locked(lock: Path) -> bool:
    """Take the lock; one that stays taken was left behind, or is none of ours to wait for."""
    until = time.monotonic() + LOCK_SECONDS
    while time.monotonic() < until:
        try:
            os.mkdir(lock)  # noqa: PTH102 - as the client makes it, and no parents
        except FileExistsError:
            time.sleep(PAUSE_SECONDS)
        except OSError:
            return False
        else:
            return True
    return False


def _named(place: Place) -> str:
    where = "" if place is None else f"projects[{json.dumps(place, ensure_ascii=False)}]."
    return f"{where}mcpServers.{server.NAME}"
