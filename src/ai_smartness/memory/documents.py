"""The verbs for documents: named texts that a program writes, replaces, renames and removes.

Each call is one change, with one number for `undo`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ai_smartness.memory.base import MemoryBase, VerbCall, check_session
from ai_smartness.model.errors import NotFoundError, RefusedError

if TYPE_CHECKING:
    from ai_smartness.model.document import Document
    from ai_smartness.model.event import Event
    from ai_smartness.model.journal import Outcome
    from ai_smartness.model.thread import Thread

__all__ = ["DocumentVerbs"]


class DocumentVerbs(MemoryBase):
    """Programs keep named texts."""

    def write_document(
        self,
        name: str,
        text: str,
        *,
        payload: Mapping[str, Any] | None = None,
        session: str | None = None,
    ) -> Outcome:
        """Write a document, or replace the one of this name; the version before is archived.

        The name is one line of at most 200 characters. `payload` is plain JSON that belongs to
        the text. Search and recall find the text like any message.
        """
        from ai_smartness.capture.annotate import store_pin
        from ai_smartness.threads.document_versions import write_document

        check_session(session)
        name, event = _checked_name(name), self._document_event(text, payload, session)
        call = VerbCall("write_document", {"document": name, "message": event.id}, session=session)
        self._describe_new()
        with self._store.unit():
            outcome = self._run_verb(call, partial(write_document, self._store, event, name))
            id_ = outcome.threads[0].id
            store_pin(self._store, replace(event, thread_id=id_), self._capture_context())
        self._store.word_index.refresh_index(self.project)
        self._describe_new()
        self._embed_threads(id_)
        return outcome

    def document(self, name: str) -> Document:
        """Return the current version of a document."""
        from ai_smartness.threads.document_versions import current_documents

        thread = current_documents(self._store, self.project).get(_checked_name(name))
        if thread is None:
            msg = f"there is no document {name} in project {self.project}. Write it first."
            raise NotFoundError(msg)
        return self._document_on(thread)

    def documents(self, start: str = "") -> list[Document]:
        """Return the current documents whose names begin so, by name."""
        from ai_smartness.threads.document_versions import current_documents

        current = current_documents(self._store, self.project)
        return [
            self._document_on(current[name]) for name in sorted(current) if name.startswith(start)
        ]

    def remove_documents(self, names: Collection[str]) -> Outcome:
        """Remove documents: they are archived, and `undo` brings them back."""
        from ai_smartness.threads.document_versions import remove_documents

        wanted = _checked_names(names)
        call = VerbCall("remove_documents", {"documents": wanted})
        return self._run_verb(call, partial(remove_documents, self._store, self.project, wanted))

    def rename_documents(self, names: Mapping[str, str]) -> Outcome:
        """Give documents new names, by their present ones."""
        from ai_smartness.threads.document_versions import rename_documents

        _checked_names(names)
        wanted = {name: _checked_name(new) for name, new in names.items()}
        call = VerbCall("rename_documents", {"documents": wanted})
        return self._run_verb(call, partial(rename_documents, self._store, self.project, wanted))

    def _document_event(
        self, text: str, payload: Mapping[str, Any] | None, session: str | None
    ) -> Event:
        from ai_smartness.capture.validate import validated_drafts
        from ai_smartness.model.event import DOCUMENT_SOURCE, EventType, Message

        message = Message(
            id=f"doc_{uuid4().hex[:16]}",
            text=text,
            role="agent" if self.who.kind == "agent" else "user",
            type=EventType.NOTE,
            source=DOCUMENT_SOURCE,
            payload=payload or {},
            session=session,
            thread="of its own",  # the text is stored whole, as on any thread that a program names
        )
        (draft,) = validated_drafts([message], self.project, self._clock())
        return draft.event

    def _document_on(self, thread: Thread) -> Document:
        from ai_smartness.model.document import Document

        event = self._store.events.latest_of_thread(thread.id, 1)[0]
        return Document(
            name=thread.title,
            text=event.text,
            thread_id=thread.id,
            created_at=thread.created_at,
            changed_at=event.at,
            payload=event.payload,
        )


def _checked_name(name: str) -> str:
    from ai_smartness.threads.rename import validated_title

    line = validated_title(name)
    if line != name:
        msg = f"a document cannot be named {name!r}: a name is one line without double spaces."
        raise RefusedError(msg)
    return line


def _checked_names(names: Collection[str]) -> list[str]:
    if isinstance(names, str) or not names:
        msg = f"name the documents in a list, not as {names!r}."
        raise RefusedError(msg)
    return [_checked_name(name) for name in names]
