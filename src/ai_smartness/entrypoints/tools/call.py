"""Call a tool: check its arguments, ask the memory, describe the result.

`call_tool` raises what the memory refuses; `reply_to_call` turns it into an answer.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from ai_smartness.entrypoints.tools.arguments import checked_arguments
from ai_smartness.entrypoints.tools.definitions import RESOURCES, TOOLS, ToolCall, ToolReply
from ai_smartness.memory import Memory
from ai_smartness.model.compaction import CompactionStrategy
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError
from ai_smartness.model.journal import Actor, Outcome
from ai_smartness.model.thread import SplitLock
from ai_smartness.text.defuse import defused_text
from ai_smartness.text.display import one_line
from ai_smartness.views.errors import error_with_calls
from ai_smartness.views.json import (
    JsonObject,
    compaction_json,
    json_value,
    status_json,
    suggestions_json,
)
from ai_smartness.views.links import tool_call_text
from ai_smartness.views.recall import recall_page
from ai_smartness.views.split import proposal_with_calls
from ai_smartness.views.statements import statements_page, tools_to_statements
from ai_smartness.views.thread import thread_text, threads_text

__all__ = ["call_tool", "reply_to_call"]


class _Arguments(NamedTuple):
    """The checked arguments of a call, its session, and whether it must not change anything."""

    values: Mapping[str, Any]
    session: str | None
    reads: bool


def reply_to_call(call: ToolCall, opened: AbstractContextManager[Memory]) -> ToolReply:
    """Carry out a call with a memory that is opened for it; a refusal is an answer too."""
    try:
        with opened as memory:
            agent = memory.used_by(Actor("agent", call.client))
            return call_tool(agent, call.name, call.arguments, call.session, reads=call.reads)
    except AisError as error:
        return ToolReply(error_with_calls(error), is_error=True)


def call_tool(
    memory: Memory,
    name: str,
    arguments: Mapping[str, object],
    session: str | None = None,
    *,
    reads: bool = False,
) -> ToolReply:
    """Call a tool by its name; with `reads`, refuse one that changes the memory."""
    tool = TOOLS.get(name) or RESOURCES.get(name)
    if tool is None:
        msg = f"there is no tool {name[:40]!r}. There are {', '.join(TOOLS)}."
        raise NotFoundError(msg)
    if reads and not (tool.reads or name == "ai_recall"):
        msg = f"cannot call {name}: this server was started to read only. Ask the user to do it."
        raise RefusedError(msg)
    values = checked_arguments(name, tool, arguments)
    return TOOL_FUNCTIONS[name](memory, _Arguments(values, session, reads))


def _recall(memory: Memory, arguments: _Arguments) -> ToolReply:
    query, limit = arguments.values["query"], arguments.values["limit"]
    result = memory.recall(query, limit, bring_back=not arguments.reads)
    return ToolReply(recall_page(result, partial(tool_call_text, "ai_recall")))


def _merge(memory: Memory, arguments: _Arguments) -> ToolReply:
    values = arguments.values
    return _outcome_reply(memory.merge(values["survivor"], values["absorbed"]))


def _split(memory: Memory, arguments: _Arguments) -> ToolReply:
    thread, parts = arguments.values["thread"], arguments.values["parts"]
    if parts is None:
        return ToolReply(proposal_with_calls(memory.propose_split(thread)))
    lock = SplitLock(arguments.values["lock"])
    return _outcome_reply(memory.split(thread, parts, lock=lock, session=arguments.session))


def _unlock(memory: Memory, arguments: _Arguments) -> ToolReply:
    values = arguments.values
    return _outcome_reply(memory.unlock(values["thread"], force=bool(values["force"])))


def _focus(memory: Memory, arguments: _Arguments) -> ToolReply:
    values, minutes = arguments.values, arguments.values["minutes"]
    outcome = memory.focus(
        values["topic"],
        values["weight"],
        session=None if values["lasting"] else arguments.session,
        until=None if minutes is None else _time_in_minutes(minutes),
    )
    return ToolReply(one_line(outcome.said))


def _unfocus(memory: Memory, arguments: _Arguments) -> ToolReply:
    outcome = memory.unfocus(arguments.values["topic"], session=arguments.session)
    return ToolReply(one_line(outcome.said))


def _pin(memory: Memory, arguments: _Arguments) -> ToolReply:
    values = arguments.values
    outcome = memory.pin(
        values["content"],
        title=values["title"],
        topics=values["topics"] or (),
        weight_boost=values["weight_boost"],
        kind=values["kind"],
        session=arguments.session,
    )
    return ToolReply(one_line(outcome.said))


def _list_statements(memory: Memory, arguments: _Arguments) -> ToolReply:
    statements = memory.statements(arguments.values["kind"], query=arguments.values["query"])
    return ToolReply(statements_page(statements, datetime.now(UTC), tools_to_statements()))


def _suggest(memory: Memory, arguments: _Arguments) -> ToolReply:
    suggestions = memory.suggestions(arguments.values["context"], session=arguments.session)
    return _json_reply(suggestions_json(suggestions))


def _rate(memory: Memory, arguments: _Arguments) -> ToolReply:
    thread_id, useful, reason = (
        arguments.values[name] for name in ("thread_id", "useful", "reason")
    )
    return ToolReply(one_line(memory.rate(thread_id, useful=useful, reason=reason).said))


def _compact(memory: Memory, arguments: _Arguments) -> ToolReply:
    strategy = CompactionStrategy(arguments.values["strategy"])
    if arguments.values["dry_run"]:
        return _json_reply(compaction_json(memory.compact(strategy, dry_run=True)))
    # Without data beside the text: a model that is given both looks at the data.
    return _outcome_reply(memory.compact(strategy).outcome)


def _undo(memory: Memory, arguments: _Arguments) -> ToolReply:
    return _outcome_reply(memory.undo(arguments.values["change"]))


def _get_status(memory: Memory, arguments: _Arguments) -> ToolReply:
    focus = json_value(memory.foci(arguments.session))
    return _json_reply({**status_json(memory.status()), "focus": focus})


def _list_threads(memory: Memory, _arguments: _Arguments) -> ToolReply:
    return ToolReply(threads_text(memory.threads()))


def _show_thread(memory: Memory, arguments: _Arguments) -> ToolReply:
    thread = memory.thread(arguments.values["thread"])
    return ToolReply(thread_text(thread, memory.events(thread.id)))


def _handoff(memory: Memory, arguments: _Arguments) -> ToolReply:
    return ToolReply(memory.handoff(asker=arguments.session))


TOOL_FUNCTIONS: Mapping[str, Callable[[Memory, _Arguments], ToolReply]] = {
    "ai_recall": _recall,
    "ai_merge": _merge,
    "ai_split": _split,
    "ai_unlock": _unlock,
    "ai_focus": _focus,
    "ai_unfocus": _unfocus,
    "ai_pin": _pin,
    "ai_statements": _list_statements,
    "ai_suggestions": _suggest,
    "ai_rate_context": _rate,
    "ai_compact": _compact,
    "ai_undo": _undo,
    "ai_status": _get_status,
    "threads": _list_threads,
    "thread": _show_thread,
    "handoff": _handoff,
}


def _outcome_reply(outcome: Outcome) -> ToolReply:
    text = one_line(outcome.said)
    if outcome.number is None:
        return ToolReply(text)
    undo = tool_call_text("ai_undo", outcome.number)
    return ToolReply(f"{text}\nChange {outcome.number}; {undo} takes it back.")


def _json_reply(structure: JsonObject) -> ToolReply:
    text = defused_text(json.dumps(structure, ensure_ascii=False, indent=2))
    return ToolReply(text, json.loads(text))


def _time_in_minutes(minutes: float) -> datetime:
    try:
        return datetime.now(UTC) + timedelta(minutes=minutes)
    except OverflowError as error:
        msg = f"cannot focus for {minutes:g} minutes. Leave `minutes` out for a focus without end."
        raise RefusedError(msg) from error
