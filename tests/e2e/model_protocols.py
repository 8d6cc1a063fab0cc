"""The model's other protocols: OpenAI's Responses and Chat, and Gemini's.

What a client asks is turned into the one form that `ModelRequest` reads, and what the script says
into the form that the client expects.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["PROTOCOLS", "Protocol"]

Block = dict[str, Any]
Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a request is read and how an answer is streamed."""

    ending: str
    request_body: Callable[[Body], Body]
    answer_stream: Callable[[str, list[Block]], str]


def _responses_body(body: Body) -> Body:
    messages = []
    for item in body.get("input", []):
        match item.get("type"):
            case "message":
                messages.append({"role": item["role"], "content": item["content"]})
            case "function_call_output" | "custom_tool_call_output":
                messages.append(_tool_result(item["call_id"], item["output"]))
    return {"messages": messages, "tools": body.get("tools", [])}


def _responses_stream(number: str, blocks: list[Block]) -> str:
    items = [
        {
            "type": "message",
            "id": f"msg_{number}_{place}",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": block["text"], "annotations": []}],
        }
        if block["type"] == "text"
        else {
            "type": "function_call",
            "id": f"fc_{number}_{place}",
            "status": "completed",
            "call_id": block["id"],
            "name": block["name"],
            "arguments": json.dumps(block["input"]),
        }
        for place, block in enumerate(blocks)
    ]
    usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
    answer = {"id": f"resp_{number}", "object": "response", "status": "completed", "usage": usage}
    events: list[Body] = [
        {"type": "response.created", "response": {**answer, "status": "in_progress", "output": []}}
    ]
    for place, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": place, "item": item})
        events.append({"type": "response.output_item.done", "output_index": place, "item": item})
    events.append({"type": "response.completed", "response": {**answer, "output": items}})
    return "".join(f"event: {event['type']}\n{_data(event)}" for event in events)


def _chat_body(body: Body) -> Body:
    messages = [
        _tool_result(message.get("tool_call_id", ""), message.get("content"))
        if message["role"] == "tool"
        else {"role": message["role"], "content": message.get("content") or ""}
        for message in body.get("messages", [])
    ]
    return {"messages": messages, "tools": body.get("tools", [])}


def _chat_stream(number: str, blocks: list[Block]) -> str:
    delta: Body = {"role": "assistant"}
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    calls = [
        {
            "index": place,
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for place, block in enumerate(block for block in blocks if block["type"] == "tool_use")
    ]
    delta |= {"content": "".join(texts)} if texts else {}
    delta |= {"tool_calls": calls} if calls else {}
    base = {"id": f"chat_{number}", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}
    first = {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    return _data(first) + _data({**base, "choices": [end], "usage": usage}) + "data: [DONE]\n\n"


def _gemini_body(body: Body) -> Body:
    messages = []
    for content in body.get("contents", []):
        texts = [
            {"type": "text", "text": part["text"]} for part in content["parts"] if "text" in part
        ]
        if texts:
            messages.append({"role": content.get("role", "user"), "content": texts})
        for part in content["parts"]:
            if "functionResponse" in part:
                result = json.dumps(part["functionResponse"].get("response"))
                messages.append(_tool_result(part["functionResponse"].get("id", ""), result))
    return {"messages": messages, "tools": body.get("tools", [])}


def _gemini_stream(_number: str, blocks: list[Block]) -> str:
    parts = [
        {"text": block["text"]}
        if block["type"] == "text"
        else {"functionCall": {"name": block["name"], "args": block["input"]}}
        for block in blocks
    ]
    content = {"role": "model", "parts": parts}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return _data({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"})


def _tool_result(call: str, output: object) -> Body:
    result = {"type": "tool_result", "tool_use_id": call, "content": output}
    return {"role": "user", "content": [result]}


def _data(value: object) -> str:
    return f"data: {json.dumps(value)}\n\n"


PROTOCOLS = (
    Protocol("/responses", _responses_body, _responses_stream),
    Protocol("/chat/completions", _chat_body, _chat_stream),
    Protocol(":streamGenerateContent", _gemini_body, _gemini_stream),
)
