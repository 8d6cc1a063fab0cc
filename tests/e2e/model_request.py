"""What a model is asked: the whole of one request, and the parts that tests look at."""

import re
from dataclasses import dataclass
from typing import Any

__all__ = ["ModelRequest", "ToolResult"]

_GREETED = re.compile("SessionStart hook additional context: ")
_SHOWN = re.compile("UserPromptSubmit hook (?:additional context|success): ")
_BLOCK = re.compile("<ai-smartness-memory.*?</ai-smartness-memory>|.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model gets for a tool it used."""

    id: str
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to the model."""

    body: dict[str, Any]

    @property
    def brings_tools(self) -> bool:
        """Say whether the request belongs to an agent at work."""
        return bool(self.body.get("tools"))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Return the conversation."""
        found: list[dict[str, Any]] = self.body.get("messages", [])
        return found

    @property
    def text(self) -> str:
        """Return all that is said in the conversation."""
        return "\n".join(_text(each["content"]) for each in self.messages)

    @property
    def greetings(self) -> list[str]:
        """Return what the model was told at the beginning, each with what follows it."""
        return _GREETED.split(self.text)[1:]

    @property
    def shown(self) -> list[str]:
        """Return what stands with prompts, oldest first: of ours, the block of memory."""
        found = (_BLOCK.match(each) for each in _SHOWN.split(self.text)[1:])
        return [each[0] for each in found if each]

    @property
    def last_text(self) -> str:
        """Return what was said last by the user."""
        of_user = [each for each in self.messages if each["role"] == "user"]
        return _text(of_user[-1]["content"]) if of_user else ""

    @property
    def first_text(self) -> str:
        """Return what was said first by the user: a subagent is known by its task."""
        of_user = [each for each in self.messages if each["role"] == "user"]
        return _text(of_user[0]["content"]) if of_user else ""

    @property
    def results(self) -> list[ToolResult]:
        """Return what tools have answered in the conversation."""
        return [
            ToolResult(
                block["tool_use_id"],
                _text(block.get("content")),
                bool(block.get("is_error")),
            )
            for message in self.messages
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result"
        ]

    def result_of(self, use: dict[str, Any]) -> ToolResult:
        """Return what one use of a tool came to; several at once answer in any order."""
        (found,) = [each for each in self.results if each.id == use["id"]]
        return found

    @property
    def result(self) -> ToolResult:
        """Return what the latest tool answered."""
        return self.results[-1]


def _text(content: object) -> str:
    match content:
        case str():
            return content
        case list():
            return "\n".join(_text(each) for each in content)
        case {"text": str(text)}:
            return text
        case {"content": inner}:
            return _text(inner)
    return ""
