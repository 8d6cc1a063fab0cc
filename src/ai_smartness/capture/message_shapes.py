"""Read messages from dictionaries: our own fields, or a message as a model's API has it.

Known are the messages of OpenAI (Chat Completions and Responses) and of Anthropic. One of them
may become several messages: its text, each tool call, and each tool result. The instructions of
a program (`system`, `developer`) and a model's hidden reasoning are left out: nobody said them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, NoReturn

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import EventType, Message
from ai_smartness.model.thread import Origin

__all__ = ["read_messages"]

OWN_FIELDS = tuple(field.name for field in fields(Message))
CARRIED_FIELDS = ("session", "id", "at", "source", "thread", "origin")
"""Own fields that a message of an API may have besides its own."""

INSTRUCTION_ROLES = frozenset({"system", "developer"})
TEXT_PARTS = frozenset({"text", "input_text", "output_text", "summary_text"})
HIDDEN_PARTS = frozenset({"thinking", "redacted_thinking", "reasoning"})

_HIDDEN_ITEM = re.compile(r"reasoning|compaction|item_reference|mcp_\w+|\w+_call(?:_output)?")
"""Items of the Responses API in which nobody says anything: reasoning, and the calls of tools that
the API runs itself, such as `web_search_call`. Calls of functions are read before."""

_EXAMPLE = '{"role": "user", "content": "…"}'


def read_messages(given: object, session: str | None = None) -> list[Message]:
    """Return the messages of a value or of several; `session` is for those that name none."""
    is_one = isinstance(given, Message | Mapping) or not isinstance(given, Iterable)
    items: Iterable[object] = [given] if is_one else given  # type: ignore[assignment]
    read = [message for item in items for message in _messages_of_item(item)]
    if session is None:
        return read
    return [message if message.session else replace(message, session=session) for message in read]


def _messages_of_item(item: object) -> list[Message]:
    if isinstance(item, Message):
        return [item]
    dump = getattr(item, "model_dump", None)  # the SDKs answer with objects of pydantic
    item = dump() if callable(dump) else item
    if not isinstance(item, Mapping):
        _refuse(
            f"capture takes messages, not {type(item).__name__}. Write it as Message(text=...), "
            f"or as a dictionary such as {_EXAMPLE}."
        )
    return _numbered(_messages_of_mapping(item))


def _messages_of_mapping(item: Mapping[str, Any]) -> list[Message]:
    if "text" in item and "content" not in item:
        return [_own_message(item)]
    match item.get("type"):
        case "function_call":
            arguments = _parsed_arguments(item.get("arguments"))
            return [_tool_call(item, item.get("name"), arguments, item.get("call_id"))]
        case "function_call_output":
            return [_tool_result(item, item.get("output"), item.get("call_id"))]
        case str(kind) if _HIDDEN_ITEM.fullmatch(kind):
            return []
    if "role" not in item or not ("content" in item or "tool_calls" in item):
        names = ", ".join(map(str, item)) or "none"
        _refuse(
            f"a dictionary with the fields {names} is no message: it needs `text`, or `role` and "
            f"`content` as the APIs of OpenAI and Anthropic have them: {_EXAMPLE}."
        )
    return list(_api_messages(item))


def _own_message(item: Mapping[str, Any]) -> Message:
    """Read the fields of `Message`; times and kinds may be text, as in JSON."""
    for name in item:
        if name not in OWN_FIELDS:
            _refuse(f"a message has no field {name!r}. It has {', '.join(OWN_FIELDS)}.")
    values = {name: value for name, value in item.items() if value is not None}
    for name, kind in (("type", EventType), ("origin", Origin)):
        if isinstance(values.get(name), str) and values[name] in set(kind):
            values[name] = kind(values[name])
    return Message(**_with_moment(values))


def _with_moment(values: dict[str, Any]) -> dict[str, Any]:
    if isinstance(values.get("at"), str):
        try:
            values["at"] = datetime.fromisoformat(values["at"])
        except ValueError:
            _refuse(f"{values['at']!r} cannot be a message's at: write it like 2026-03-02T09:15Z.")
    return values


def _api_messages(item: Mapping[str, Any]) -> Iterator[Message]:
    role, content = item["role"], item.get("content")
    if role in INSTRUCTION_ROLES:
        return
    if role == "tool":
        yield _tool_result(item, content, item.get("tool_call_id"), item.get("name"))
        return
    texts: list[str] = []
    for part in _content_parts(content):
        match part.get("type"):
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                yield from _said(item, texts)
                yield _tool_call(item, part.get("name"), part.get("input"), part.get("id"))
            case str(kind) if kind.endswith("tool_result"):
                yield from _said(item, texts)
                yield _tool_result(item, part.get("content"), part.get("tool_use_id"))
            case _:
                texts.append(_part_text(part))
    yield from _said(item, texts)
    for call in item.get("tool_calls") or ():
        function = call.get("function") or call.get("custom") or {}
        arguments = _parsed_arguments(function.get("arguments", function.get("input")))
        yield _tool_call(item, function.get("name"), arguments, call.get("id"))


def _said(item: Mapping[str, Any], texts: list[str]) -> Iterator[Message]:
    """Yield the text so far as a message, and start again."""
    text = "\n".join(filter(None, texts))
    texts.clear()
    if text:
        yield Message(text=text, role=item["role"], **_carried_fields(item))


def _content_parts(content: object) -> list[Mapping[str, Any]]:
    parts = [content] if isinstance(content, str) else () if content is None else content
    if not isinstance(parts, list | tuple) or not all(isinstance(p, Mapping | str) for p in parts):
        _refuse(
            f"a message's content must be text or a list of parts, not {type(content).__name__}: "
            f"{_EXAMPLE}."
        )
    return [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]


def _part_text(part: Mapping[str, Any]) -> str:
    """Return the text of a part; what is no text, such as an image, only says that it was there."""
    kind = part.get("type")
    if kind in HIDDEN_PARTS:
        return ""
    for name in ("text", "refusal"):
        if isinstance(part.get(name), str):
            return str(part[name])
    return "" if kind in TEXT_PARTS else f"[{kind}]"


def _tool_call(item: Mapping[str, Any], name: object, arguments: object, id_: object) -> Message:
    written = json.dumps(arguments, ensure_ascii=False, default=str)
    return Message(
        text=f"{name} {written}",
        role="assistant",
        type=EventType.TOOL_CALL,
        payload={"tool": str(name or ""), "input": arguments or {}, "call_id": str(id_ or "")},
        **_carried_fields(item),
    )


def _tool_result(
    item: Mapping[str, Any], content: object, id_: object, name: object = None
) -> Message:
    if isinstance(content, Mapping):
        content = [content]
    text = "\n".join(filter(None, map(_part_text, _content_parts(content))))
    payload = {"call_id": str(id_ or "")} | ({"tool": str(name)} if name else {})
    return Message(
        text=text,
        role="tool",
        type=EventType.TOOL_RESULT,
        payload=payload,
        **_carried_fields(item),
    )


def _parsed_arguments(arguments: object) -> object:
    """Return the arguments of a call, which OpenAI writes as JSON in a text."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return {"input": arguments}


def _carried_fields(item: Mapping[str, Any]) -> dict[str, Any]:
    carried = {name: item[name] for name in CARRIED_FIELDS if item.get(name) is not None}
    return _with_moment(carried)


def _numbered(messages: list[Message]) -> list[Message]:
    """Give the later messages of one dictionary ids of their own."""
    return [
        message
        if place == 0 or message.id is None
        else replace(message, id=f"{message.id}#{place}")
        for place, message in enumerate(messages)
    ]


def _refuse(reason: str) -> NoReturn:
    msg = f"{reason} Nothing was stored."
    raise RefusedError(msg)
