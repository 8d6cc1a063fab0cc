"""Turn the items of a transcript into messages, with the ids that the hook would give them."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from ai_smartness.clients.event_records import event_records
from ai_smartness.clients.hook_event import Fields, HookEvent, object_field, text_field
from ai_smartness.clients.off_switch import read_off_periods
from ai_smartness.clients.project import project_at
from ai_smartness.clients.tool_use import IGNORED_TOOLS
from ai_smartness.model.event import EventType, Message
from ai_smartness.model.search import USER_PROJECT
from ai_smartness.model.thread import Origin
from ai_smartness.ports.transfer import (
    ImportedMessage,
    TranscriptFile,
    TranscriptItem,
)
from ai_smartness.text.trust import FILE_SOURCE, IMPORT_SOURCE, SHARED_SOURCE, TOOL

__all__ = ["ProjectFinder"]

SYSTEM_ROLES = frozenset(("system", "developer", "note"))
AGENT_NOTES = "memory"  # the folder in which Claude Code keeps notes of its own
DOCUMENT_FORMATS = frozenset(("notes", "specstory"))
"""Documents of a repository: their words are content of a file, whoever they name as speaker."""

CLIENTS_WITH_IDS = frozenset({"claude-code", "codex"})
"""Their hooks name turns and tool calls as their transcripts do, so ids tell what is known."""


class ProjectFinder:
    """Finds the messages of transcript items, and the project of each.

    A line of a file that is not a client's own record cannot speak for the user, nor name the
    user's project, another project or a system role, unless the user trusts the import.
    """

    def __init__(
        self, here: str, known: list[str], home: str, only: str | None, *, trust: bool = False
    ) -> None:
        """Take the current project, all known ones, the memory's home, and one project for all."""
        self.trust = trust
        self.refused: Counter[str] = Counter()
        self._here = here
        self._known = known
        self._home = home
        self._only = only
        self._folder_projects: dict[str, str] = {}
        self._off_periods = read_off_periods(home) if home else []

    def history_messages(
        self, item: TranscriptItem, file: TranscriptFile
    ) -> Iterator[ImportedMessage]:
        """Yield the messages of an item, each with its project; none said while we were off."""
        for imported in self._item_messages(item, file):
            at = imported.message.at
            if at is None or not self._is_off(imported.project, at.timestamp()):
                yield imported

    def _is_off(self, project: str, at: float) -> bool:
        return any(period.covers(project, at) for period in self._off_periods)

    def _item_messages(
        self, item: TranscriptItem, file: TranscriptFile
    ) -> Iterator[ImportedMessage]:
        changed = datetime.fromtimestamp(file.changed_ns / 1e9, UTC)
        is_trusted = self.trust or file.is_own
        if isinstance(item, ImportedMessage):
            project = self._only or self._message_project(item)
            message = replace(item.message, at=item.message.at or changed, origin=Origin.IMPORT)
            imported = replace(item, message=message, project=project)
            yield from (
                self._vouched(imported, file) if is_trusted else self._claimed(imported, file)
            )
        elif text_field(item.fields, "tool_name") not in IGNORED_TOOLS:
            cwd = text_field(item.fields, "cwd")
            event = HookEvent(item.fields if cwd else {**item.fields, "cwd": "/"}, item.client)
            project = self._only or (
                self._folder_project(cwd) if cwd else self._project_by_path(file)
            )
            for record in event_records(event, self._home):
                if text_field(record, "text").strip():
                    message = _message_from_record(record, item.at or changed)
                    may_repeat = item.client not in CLIENTS_WITH_IDS
                    imported = ImportedMessage(message, cwd, project, may_repeat=may_repeat)
                    yield from [imported] if is_trusted else self._claimed(imported, file)

    def _vouched(self, item: ImportedMessage, file: TranscriptFile) -> Iterator[ImportedMessage]:
        """Yield a line that the user vouches for; one of a document says so in its payload."""
        # What a client notes for itself is no word of the user's.
        is_agents = file.path.parent.name == AGENT_NOTES and not self.trust
        if file.format in DOCUMENT_FORMATS and not is_agents:
            payload = {**item.message.payload, "trusted": True}
            item = replace(item, message=replace(item.message, payload=payload))
        yield item

    def _claimed(self, item: ImportedMessage, file: TranscriptFile) -> Iterator[ImportedMessage]:
        """Yield a line of a file that only claims who said it; nothing if it claims too much."""
        message, project = item.message, item.project
        if message.role.casefold() in SYSTEM_ROLES:
            self.refused["with a system role (`--trust` takes them)"] += 1
            return
        if file.format in (*DOCUMENT_FORMATS, SHARED_SOURCE):
            # By where the file is, whatever it says.
            folder = item.cwd or str(file.path.absolute().parent)
            project = self._only or self._folder_project(folder)
        elif project not in (self._here, self._only):
            self.refused["for another project (`--trust` takes them)"] += 1
            return
        yield replace(item, message=_claimed_message(message, file), project=project)

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
            # No folder is the user's own project, whatever a transcript says.
            relative = f"./{cwd}" if cwd == USER_PROJECT else cwd
            self._folder_projects[cwd] = (
                project_at(cwd, self._home).name if is_absolute else relative
            )
        return self._folder_projects[cwd]


def _claimed_message(message: Message, file: TranscriptFile) -> Message:
    """Return a message as file content, or as an imported line whose speaker is only claimed."""
    payload = {name: value for name, value in message.payload.items() if name != "trusted"}
    if file.format == SHARED_SOURCE:
        return message
    if file.format in DOCUMENT_FORMATS:
        payload = {**payload, "path": file.path.name, "speaker": message.role}
        return replace(message, role=TOOL, source=FILE_SOURCE, payload=payload)
    is_data = message.source in (TOOL, "web", FILE_SOURCE)
    return replace(message, source=message.source if is_data else IMPORT_SOURCE, payload=payload)


def _message_from_record(record: Fields, at: datetime) -> Message:
    return Message(
        text=text_field(record, "text"),
        role=text_field(record, "role"),
        session=text_field(record, "session") or None,
        id=text_field(record, "id"),
        at=at,
        type=EventType(text_field(record, "type")),
        source=text_field(record, "source"),
        payload=object_field(record, "payload"),
        origin=Origin.IMPORT,
    )
