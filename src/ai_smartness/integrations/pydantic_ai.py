"""A capability of pydantic-ai: memory before each run, tools during it, and capture after it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import AgentRunResult, RunContext, messages
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.toolsets import FunctionToolset

from ai_smartness.memory import Memory
from ai_smartness.memory.recall_function import recall_function
from ai_smartness.model.journal import Actor

__all__ = ["PydanticAIMemory"]


@dataclass
class PydanticAIMemory(AbstractCapability[Any]):
    """The memory for `Agent(model, capabilities=[PydanticAIMemory(memory)])`."""

    memory: Memory
    session: str | None = None  # the conversation of pydantic-ai, unless you name one
    block: str = field(default="", kw_only=True)

    async def for_run(self, ctx: RunContext[Any]) -> "PydanticAIMemory":
        """Return the capability of one run, with what the memory has to say to its prompt."""
        session = self.session or ctx.conversation_id
        memory = self.memory.used_by(Actor("agent", "pydantic-ai"))
        prompt = _content_text(ctx.prompt)
        # The instructions of a run are not part of the history that the next one gets.
        injection = await asyncio.to_thread(memory.inject, prompt, session=session, lasting=False)
        return replace(self, memory=memory, session=session, block=injection.text)

    def get_instructions(self) -> str | None:
        """Return what the memory has to say to the prompt."""
        return self.block or None

    def get_toolset(self) -> FunctionToolset[Any]:
        """Return the tools with which an agent asks the memory, and keeps something in it."""

        async def remember(text: str) -> str:
            """Keep a text for good: a rule, a decision or a preference that must not be lost."""
            return (await asyncio.to_thread(self.memory.pin, text, session=self.session)).said

        return FunctionToolset([recall_function(self.memory), remember], id="ai_smartness")

    async def after_run(
        self, ctx: RunContext[Any], *, result: AgentRunResult[Any]
    ) -> AgentRunResult[Any]:
        """Capture what was said and done."""
        parts = [part for message in result.new_messages() for part in message.parts]
        captured = [
            {**fields, "id": f"{ctx.run_id}:{number}"}
            for number, fields in enumerate(filter(None, map(_part_fields, parts)))
        ]
        await asyncio.to_thread(self.memory.capture, captured, session=self.session)
        return result


def _part_fields(part: object) -> dict[str, Any]:
    """Return a part of a run as a message of OpenAI's shapes, or nothing for any other part."""
    match part:
        case messages.UserPromptPart():
            return {"role": "user", "content": _content_text(part.content)}
        case messages.TextPart():
            return {"role": "assistant", "content": part.content}
        case messages.ToolCallPart(tool_name=name, tool_call_id=call):
            arguments = part.args_as_json_str()
            return {"type": "function_call", "call_id": call, "name": name, "arguments": arguments}
        case messages.ToolReturnPart(tool_call_id=call):
            return {"role": "tool", "tool_call_id": call, "content": part.model_response_str()}
    return {}


def _content_text(content: str | Sequence[messages.UserContent] | None) -> str:
    """Return the text of a prompt, without images and files."""
    parts = [content] if isinstance(content, str) else content or ()
    return "\n".join(part for part in parts if isinstance(part, str))
