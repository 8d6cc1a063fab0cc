"""Hooks for the Claude Agent SDK, in your own process: no daemon, no installed hooks.

Before each prompt, Claude gets what is relevant; at the first one also the brief. Prompts, answers
and tool uses are captured as the hooks of Claude Code capture them.
"""

import asyncio
import logging
from typing import TYPE_CHECKING, Any, cast

from claude_agent_sdk import HookMatcher

from ai_smartness.clients.event_records import event_records
from ai_smartness.clients.hook_event import HookEvent
from ai_smartness.memory import Memory
from ai_smartness.model.errors import AisError
from ai_smartness.model.journal import Actor

if TYPE_CHECKING:
    from claude_agent_sdk import HookContext, HookInput, HookJSONOutput
    from claude_agent_sdk.types import HookEvent as HookEventName

__all__ = ["claude_memory_hooks"]

_LOG = logging.getLogger(__name__)

CAPTURED_EVENTS = ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop")
MESSAGE_FIELDS = ("id", "session", "at", "role", "type", "text", "source", "payload")


def claude_memory_hooks(memory: Memory) -> "dict[HookEventName, list[HookMatcher]]":
    """Return the hooks for `ClaudeAgentOptions(hooks=claude_memory_hooks(memory))`."""
    hooks = _MemoryHooks(memory.used_by(Actor("agent", "claude-agent-sdk")))
    events = cast("tuple[HookEventName, ...]", CAPTURED_EVENTS)
    return {event: [HookMatcher(hooks=[hooks.answer])] for event in events}


class _MemoryHooks:
    """The hooks of one client; each session gets its brief once."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._greeted: set[str] = set()

    async def answer(
        self,
        fields: "HookInput",
        tool_use_id: str | None,  # noqa: ARG002 - the SDK's signature
        context: "HookContext",  # noqa: ARG002
    ) -> "HookJSONOutput":
        """Answer a hook; a memory that fails is logged and never stops the agent."""
        event = HookEvent(cast("dict[str, object]", fields))
        try:
            text = await asyncio.to_thread(self._answered_text, event)
        except AisError as error:
            _LOG.warning("the memory could not answer %s: %s", event.event_name, error)
            return {}
        if not text:
            return {}
        output: Any = {"hookEventName": event.event_name, "additionalContext": text}
        return {"hookSpecificOutput": output}

    def _answered_text(self, event: HookEvent) -> str:
        """Return what to add to a prompt, and capture the event."""
        texts = list[str]()
        if event.event_name == "UserPromptSubmit":
            if event.session not in self._greeted:
                self._greeted.add(event.session)
                texts.append(self._memory.greeting(event.session))
            prompt = event.text_field("prompt")
            texts.append(self._memory.inject(prompt, session=event.session).text)
        records = [record for record in event_records(event, "") if record["text"]]
        self._memory.capture(
            [{name: record[name] for name in MESSAGE_FIELDS} for record in records]
        )
        return "\n\n".join(filter(None, texts))
