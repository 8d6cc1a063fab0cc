"""A `Session` of the OpenAI Agents SDK that lives in the memory.

The items of a session are messages on a thread of its own, in order. They are found by search and
recall like everything else, and removing one is a change that `Memory.undo` takes back.
"""

import asyncio
from typing import Any, cast

from agents import FunctionTool, SessionSettings, TResponseInputItem, function_tool
from agents.memory.session_settings import resolve_session_limit

from ai_smartness.capture.message_shapes import read_messages
from ai_smartness.memory import Memory
from ai_smartness.model.event import Event, EventType, Message
from ai_smartness.model.journal import Actor
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import Status

__all__ = ["AgentsSession", "recall_tool"]


class AgentsSession:
    """A session for `Runner.run(agent, prompt, session=AgentsSession("s1", memory))`."""

    session_settings: SessionSettings | None = None

    def __init__(self, session_id: str, memory: Memory) -> None:
        self.session_id = session_id
        self._memory = memory.used_by(Actor("agent", "openai-agents"))

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items of the session, or the latest of them, in order."""
        most = resolve_session_limit(limit, self.session_settings)
        events = await asyncio.to_thread(self._item_events)
        shown = events if most is None else events[max(0, len(events) - most) :]
        return [cast("TResponseInputItem", event.payload["item"]) for event in shown]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Store items; a second `add_items` with the same ones stores them again."""
        await asyncio.to_thread(self._store_items, items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the latest item and return it."""
        event = await asyncio.to_thread(self._split_off_last)
        return None if event is None else cast("TResponseInputItem", event.payload["item"])

    async def clear_session(self) -> None:
        """Archive the thread of the session; the next item begins another one."""
        await asyncio.to_thread(self._archive_thread)

    @property
    def _title(self) -> str:
        return f"Session {self.session_id}"

    def _thread_id(self) -> str | None:
        threads = self._memory.threads()
        named = (one for one in threads if one.title == self._title and one.title_given)
        return next((one.id for one in named if one.status is not Status.ARCHIVED), None)

    def _item_events(self) -> list[Event]:
        thread_id = self._thread_id()
        events = self._memory.all_events(thread_id) if thread_id else []
        return [event for event in events if "item" in event.payload]

    def _store_items(self, items: list[TResponseInputItem]) -> None:
        thread = self._thread_id() or self._memory.create(self._title, session=self.session_id)
        self._memory.capture(
            [_item_message(dict(item), thread) for item in items], session=self.session_id
        )

    def _split_off_last(self) -> Event | None:
        events = self._item_events()
        if len(events) <= 1:
            self._archive_thread()
        else:
            part = SplitPart(f"Removed from session {self.session_id}", (events[-1].id,))
            self._memory.split(events[-1].thread_id, [part])
        return events[-1] if events else None

    def _archive_thread(self) -> None:
        if thread_id := self._thread_id():
            self._memory.archive(thread_id)


def recall_tool(memory: Memory) -> FunctionTool:
    """Return a tool with which an agent asks the memory about earlier sessions."""

    @function_tool(name_override="recall")
    async def recall(query: str) -> str:
        """Search what was said, done and decided in earlier sessions."""
        return (await asyncio.to_thread(memory.recall, query)).text

    return recall


def _item_message(item: dict[str, Any], thread: str) -> Message:
    """Return one message for an item; the item itself is kept beside its text."""
    messages = read_messages(item)
    first = messages[0] if messages else Message(text="", role="assistant", type=EventType.NOTE)
    return Message(
        text="\n".join(message.text for message in messages),
        role=first.role,
        type=first.type,
        payload={**first.payload, "item": item},
        thread=thread,
    )
