"""Turn the items of a transcript into messages, with the ids that the hook would give them."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from ai_smartness.clients.event_records import event_records
from ai_smartness.clients.hook_event import Fields, HookEvent, object_field, text_field
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

__all__ = ["ProjectFinder"]

HOOK_CLIENT = "claude-code"
"""The client whose hooks we know: messages from its transcripts name no client either."""


class ProjectFinder:
    """Finds the messages of transcript items, and the project of each."""

    def __init__(self, here: str, known: list[str], home: str, only: str | None) -> None:
        """Take the current project, all known ones, the memory's home, and one project for all."""
        self._here = here
        self._known = known
        self._home = home
        self._only = only
        self._folder_projects: dict[str, str] = {}

    def history_messages(
        self, item: TranscriptItem, file: TranscriptFile
    ) -> Iterator[ImportedMessage]:
        """Yield the messages of an item, each with its project."""
        changed = datetime.fromtimestamp(file.changed_ns / 1e9, UTC)
        if isinstance(item, ImportedMessage):
            project = self._only or self._message_project(item)
            message = replace(item.message, at=item.message.at or changed, origin=Origin.IMPORT)
            yield replace(item, message=message, project=project)
        elif text_field(item.fields, "tool_name") not in IGNORED_TOOLS:
            cwd = text_field(item.fields, "cwd")
            event = HookEvent(item.fields if cwd else {**item.fields, "cwd": "/"})
            project = self._only or (
                self._folder_project(cwd) if cwd else self._project_by_path(file)
            )
            for record in event_records(event, self._home):
                if text_field(record, "text").strip():
                    message = _message_from_record(record, item, item.at or changed)
                    yield ImportedMessage(message, cwd, project)

    def _message_project(self, item: ImportedMessage) -> str:
        if item.project:
            # Other programs name a project by its folder's name alone.
            same = [name for name in self._known if name.rpartition("/")[2] == item.project]
            return same[0] if len(same) == 1 else item.project
        return self._folder_project(item.cwd) if item.cwd else self._here

    def _project_by_path(self, file: TranscriptFile) -> str:
        """Name the project of a session without a folder by where its transcript is.

        Older versions of Gemini CLI keep a project's transcripts under the hash of its path.
        """
        folder = next((part for part in file.path.parent.parts[::-1] if part != "chats"), "")
        for project in (*self._known, self._here):
            if hashlib.sha256(project.encode("utf-8", "surrogatepass")).hexdigest() == folder:
                return project
        return f"{file.format} {folder}"

    def _folder_project(self, cwd: str) -> str:
        if cwd not in self._folder_projects:
            is_absolute = cwd.startswith("/") and "\0" not in cwd
            self._folder_projects[cwd] = project_at(cwd, self._home).name if is_absolute else cwd
        return self._folder_projects[cwd]


def _message_from_record(record: Fields, event: RecordedHookEvent, at: datetime) -> Message:
    payload = object_field(record, "payload")
    if event.client != HOOK_CLIENT:
        payload = {**payload, "client": event.client}
    return Message(
        text=text_field(record, "text"),
        role=text_field(record, "role"),
        session=text_field(record, "session") or None,
        id=text_field(record, "id"),
        at=at,
        type=EventType(text_field(record, "type")),
        source=text_field(record, "source"),
        payload=payload,
        origin=Origin.IMPORT,
    )
