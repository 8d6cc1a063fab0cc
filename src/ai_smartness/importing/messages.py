"""What a file tells becomes messages: the same that a hook would have kept, with the same ids."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from ai_smartness.model.event import EventType, Message
from ai_smartness.model.thread import Origin
from ai_smartness.ports.history import Happened, Said, Source, Told
from ai_smartness.watch.given import Given, inner, text_of
from ai_smartness.watch.kept import kept
from ai_smartness.watch.project import project_at
from ai_smartness.watch.tools import NOISE

__all__ = ["Kept", "Placing"]

HOOKED = "claude-code"
"""Whose events hooks tell of: they name no client, for it is always this one."""


class Kept(NamedTuple):
    """A message, and the project it is of."""

    project: str
    message: Message
    retold: bool


class Placing:
    """Finds the messages of what was told, and which project each is of."""

    def __init__(self, here: str, known: list[str], home: str, only: str | None) -> None:
        """Take the current project, those that are known, the memory's home, and one for all."""
        self._here = here
        self._known = known
        self._home = home
        self._only = only
        self._of_folders: dict[str, str] = {}

    def messages(self, told: Told, source: Source) -> Iterator[Kept]:
        """Return what is kept of it."""
        if isinstance(told, Said):
            project = self._only or self._project(told)
            yield Kept(project, _brought_in(told.message, source), told.retold)
        else:
            yield from self._happened(told, source)

    def _happened(self, told: Happened, source: Source) -> Iterator[Kept]:
        if text_of(told.fields, "tool_name") in NOISE:
            return
        cwd = text_of(told.fields, "cwd")
        given = Given(told.fields if cwd else {**told.fields, "cwd": "/"})
        project = self._only or (self._of_folder(cwd) if cwd else self._unnamed(source))
        for record in kept(given, self._home):
            if text_of(record, "text").strip():
                yield Kept(project, _message(record, told, source), retold=False)

    def _project(self, told: Said) -> str:
        if told.project:
            # Others name a project by its folder's name alone.
            same = [each for each in self._known if each.rpartition("/")[2] == told.project]
            return same[0] if len(same) == 1 else told.project
        return self._of_folder(told.cwd) if told.cwd else self._here

    def _unnamed(self, source: Source) -> str:
        """Name the project of a session that names no folder, by where its transcript is.

        Older versions of Gemini CLI keep those of a project under the hash of its path.
        """
        folder = next((each for each in source.path.parent.parts[::-1] if each != "chats"), "")
        known = (each for each in (*self._known, self._here) if _hashed(each) == folder)
        return next(known, f"{source.format} {folder}")

    def _of_folder(self, cwd: str) -> str:
        if cwd not in self._of_folders:
            absolute = cwd.startswith("/") and "\0" not in cwd
            self._of_folders[cwd] = project_at(cwd).name if absolute else cwd
        return self._of_folders[cwd]


def _message(record: dict[str, object], told: Happened, source: Source) -> Message:
    payload = inner(record, "payload")
    if told.client != HOOKED:
        payload = {**payload, "client": told.client}
    return Message(
        text=text_of(record, "text"),
        role=text_of(record, "role"),
        session=text_of(record, "session") or None,
        id=text_of(record, "id"),
        at=told.at or _changed(source),
        type=EventType(text_of(record, "type")),
        source=text_of(record, "source"),
        payload=payload,
        origin=Origin.IMPORT,
    )


def _hashed(project: str) -> str:
    return hashlib.sha256(project.encode("utf-8", "surrogatepass")).hexdigest()


def _brought_in(message: Message, source: Source) -> Message:
    return replace(message, at=message.at or _changed(source), origin=Origin.IMPORT)


def _changed(source: Source) -> datetime:
    return datetime.fromtimestamp(source.changed_ns / 1e9, UTC)
