"""Put memory in front of the last prompt of a history, without touching the history."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["with_block"]


def with_block(
    messages: Sequence[Mapping[str, Any]], block_for: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Return a new list in which a block stands before the text of the last prompt.

    The shapes of Anthropic and OpenAI agree in this: a prompt is a message of
    role `user` whose content is a text or a list of parts.
    """
    copied: list[dict[str, Any]] = [_copied(message) for message in messages]
    if not copied or copied[-1].get("role") != "user":
        return copied
    content = copied[-1].get("content")
    prompt = _text(content)
    block = block_for(prompt) if prompt.strip() else ""
    if not block:
        return copied
    if isinstance(content, str):
        copied[-1]["content"] = f"{block}\n\n{content}"
    else:
        copied[-1]["content"] = _before_text(list(content or []), block)
    return copied


def _copied(value: Any) -> Any:  # noqa: ANN401 - whatever a message holds
    """Copy what a message is made of, however deep, so that no part of it is shared."""
    if isinstance(value, Mapping):
        return {name: _copied(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(each) for each in value]
    return value


def _text(content: object) -> str:
    """Return the words of a prompt; the results of tools are none."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    return "\n".join(str(part["text"]) for part in content if _is_text(part))


def _before_text(parts: list[Any], block: str) -> list[Any]:
    """Put the block before the first text; tool results must come first in their message."""
    first = next(number for number, part in enumerate(parts) if _is_text(part))
    return [*parts[:first], {"type": "text", "text": block}, *parts[first:]]


def _is_text(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "text" and "text" in part
