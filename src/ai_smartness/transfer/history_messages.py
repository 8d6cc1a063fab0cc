"""What a file tells becomes messages: the same that a hook would have kept, with the same ids."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from ai_smartness.clients.event_records import event_records
from ai_smartness.clients.hook_event import HookEvent, object_field, text_field
from ai_smartness.clients.project import project_at
from ai_smartness.clients.tool_use import IGNORED_TOOLS
from ai_smartness.model.event import EventType, Message
from ai_smartness.model.thread import Origin
from ai_smartness.ports.transfer import (
    ImportedMessage,
    RecordedHookEvent,
    TranscriptFile,
    TranscriptItem,
)

__all__ = ["HistoryMessage", "ProjectFinder"]

HOOK_CLIENT = "claude-code"
"""Whose events hooks tell of: they name no client, for it is always this one."""


class HistoryMessage(NamedTuple):
    """A message, and the project it is of."""

    project: str
    message: Message
    retold: bool


class ProjectFinder:
    """Finds the messages of what was told, and which project each is of."""

    def __init__(self, here: str, known: list[str], home: str, only: str | None) -> None:
        """Take the current project, those that are known, the memory's home, and one for all."""
        self._here = here
        self._known = known
        self._home = home
        self._only = only
        self._folder_projects: dict[str, str] = {}

    def history_messages(
        self, told: TranscriptItem, source: TranscriptFile
    ) -> Iterator[HistoryMessage]:
        """Return what is kept of it."""
        if isinstance(told, ImportedMessage):
            project = self._only or self._message_project(told)
            yield HistoryMessage(
                project, _with_import_origin(told.message, source), told.may_repeat
            )
        else:
            yield from self._event_messages(told, source)

    def _event_messages(
        self, told: RecordedHookEvent, source: TranscriptFile
    ) -> Iterator[HistoryMessage]:
        if text_field(told.fields, "tool_name") in IGNORED_TOOLS:
            return
        cwd = text_field(told.fields, "cwd")
        given = HookEvent(told.fields if cwd else {**told.fields, "cwd": "/"})
        project = self._only or (
            self._folder_project(cwd) if cwd else self._project_by_path(source)
        )
        for record in event_records(given, self._home):
            if text_field(record, "text").strip():
                yield HistoryMessage(
                    project, _message_from_record(record, told, source), retold=False
                )

    def _message_project(self, told: ImportedMessage) -> str:
        if told.project:
            # Others name a project by its folder's name alone.
            same = [each for each in self._known if each.rpartition("/")[2] == told.project]
            return same[0] if len(same) == 1 else told.project
        return self._folder_project(told.cwd) if told.cwd else self._here

    def _project_by_path(self, source: TranscriptFile) -> str:
        """Name the project of a session that names no folder, by where its transcript is.

        Older versions of Gemini CLI keep those of a project under the hash of its path.
        """
        folder = next((each for each in source.path.parent.parts[::-1] if each != "chats"), "")
        known = (each for each in (*self._known, self._here) if _path_hash(each) == folder)
        return next(known, f"{source.format} {folder}")

    def _folder_project(self, cwd: str) -> str:
        if cwd not in self._folder_projects:
            absolute = cwd.startswith("/") and "\0" not in cwd
            self._folder_projects[cwd] = project_at(cwd).name if absolute else cwd
        return self._folder_projects[cwd]


def _message_from_record(
    record: dict[str, object], told: RecordedHookEvent, source: TranscriptFile
) -> Message:
    payload = object_field(record, "payload")
    if told.client != HOOK_CLIENT:
        payload = {**payload, "client": told.client}
    return Message(
        text=text_field(record, "text"),
        role=text_field(record, "role"),
        session=text_field(record, "session") or None,
        id=text_field(record, "id"),
        at=told.at or _change_time(source),
        type=EventType(text_field(record, "type")),
        source=text_field(record, "source"),
        payload=payload,
        origin=Origin.IMPORT,
    )


def _path_hash(project: str) -> str:
    return hashlib.sha256(project.encode("utf-8", "surrogatepass")).hexdigest()


def _with_import_origin(message: Message, source: TranscriptFile) -> Message:
    return replace(message, at=message.at or _change_time(source), origin=Origin.IMPORT)


def _change_time(source: TranscriptFile) -> datetime:
    return datetime.fromtimestamp(source.changed_ns / 1e9, UTC)
