"""A `Session` of the OpenAI Agents SDK: its items are messages on a thread of the memory."""

from dataclasses import replace
from typing import Any, cast

from agents import FunctionTool, SessionSettings, TResponseInputItem, function_tool
from agents.memory.session_settings import resolve_session_limit

from ai_smartness.capture.message_shapes import read_messages
from ai_smartness.memory import Memory
from ai_smartness.memory.async_memory import AsyncMemory
from ai_smartness.memory.recall_function import recall_function
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
        self._title = f"Session {session_id}"
        self._memory = AsyncMemory(memory.used_by(Actor("agent", "openai-agents")))

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items of the session, or the latest of them, in order."""
        items: list[Any] = [event.payload["item"] for event in await self._item_events()]
        most = resolve_session_limit(limit, self.session_settings)
        return items if most is None else items[max(0, len(items) - most) :]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Store items; a second `add_items` with the same ones stores them again."""
        thread = await self._thread_id()
        thread = thread or await self._memory.create(self._title, session=self.session_id)
        messages = [replace(_item_message(dict(item)), thread=thread) for item in items]
        await self._memory.capture(messages, session=self.session_id)

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the latest item and return it; `Memory.undo` brings it back."""
        events = await self._item_events()
        if len(events) <= 1:
            await self.clear_session()
        else:
            part = SplitPart(f"Removed from session {self.session_id}", (events[-1].id,))
            await self._memory.split(events[-1].thread_id, [part])
        return cast("TResponseInputItem", events[-1].payload["item"]) if events else None

    async def clear_session(self) -> None:
        """Archive the thread of the session; the next item begins another one."""
        if thread_id := await self._thread_id():
            await self._memory.archive(thread_id)

    async def _thread_id(self) -> str | None:
        threads = await self._memory.threads()
        named = (one for one in threads if one.title == self._title and one.title_given)
        return next((one.id for one in named if one.status is not Status.ARCHIVED), None)

    async def _item_events(self) -> list[Event]:
        thread_id = await self._thread_id()
        events = await self._memory.all_events(thread_id) if thread_id else []
        return [event for event in events if "item" in event.payload]


def recall_tool(memory: Memory) -> FunctionTool:
    """Return a tool with which an agent asks the memory about earlier sessions."""
    return function_tool(recall_function(memory))


def _item_message(item: dict[str, Any]) -> Message:
    """Return one message for an item, without its id: the same item may come twice."""
    messages = read_messages(item) or [Message(text="", role="assistant", type=EventType.NOTE)]
    text = "\n".join(message.text for message in messages)
    payload = {**messages[0].payload, "item": item}
    return replace(messages[0], id=None, text=text, payload=payload)
