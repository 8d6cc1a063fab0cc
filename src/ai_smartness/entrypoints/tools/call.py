"""Call a tool: check its arguments, ask the memory, say what came of it.

What the memory refuses is raised; whoever called says it in an agent's words.

Answer a call of a tool, whatever comes of it: what the memory refuses is an answer too.

A recall as an agent reads it that asked by a tool: the next step is a call.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from ai_smartness.entrypoints.tools.arguments import checked_arguments
from ai_smartness.entrypoints.tools.definitions import RESOURCES, TOOLS, ToolCall, ToolReply
from ai_smartness.memory import Memory
from ai_smartness.model.compaction import CompactionStrategy
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError
from ai_smartness.model.journal import Actor, Outcome
from ai_smartness.model.thread import Kind, SplitLock
from ai_smartness.text.display import one_line
from ai_smartness.views import thread as reading
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

__all__ = ["ToolAnswer", "call_tool", "reply_to_call"]


class ToolAnswer(NamedTuple):
    """What a tool answers: text, and where it is data, the data."""

    text: str
    structure: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolArguments:
    """What a tool was called with, and by which session; `reads` says that nothing may change."""

    values: Mapping[str, Any]
    session: str | None
    reads: bool


def call_tool(
    memory: Memory,
    name: str,
    arguments: Mapping[str, object],
    session: str | None = None,
    *,
    reads: bool = False,
) -> ToolAnswer:
    """Call a tool by its name; with `reads`, only one that changes nothing."""
    tool = TOOLS.get(name) or RESOURCES.get(name)
    if tool is None:
        msg = f"there is no tool {name[:40]!r}. There are {', '.join(TOOLS)}."
        raise NotFoundError(msg)
    if reads and not (tool.reads or name == "ai_recall"):
        msg = f"cannot call {name}: this server was started to read only. Ask the user to do it."
        raise RefusedError(msg)
    values = checked_arguments(name, tool, arguments)
    return _TOOL_FUNCTIONS[name](memory, ToolArguments(values=values, session=session, reads=reads))


def _recall(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    query, limit = asked.values["query"], asked.values["limit"]
    result = memory.recall(query, limit, bring_back=not asked.reads)
    return ToolAnswer(recall_page(result, partial(tool_call_text, "ai_recall")))


def _merge(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    return _outcome_answer(memory.merge(asked.values["survivor"], asked.values["absorbed"]))


def _split(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    thread, parts, lock = asked.values["thread"], asked.values["parts"], asked.values["lock"]
    if parts is None:
        return ToolAnswer(proposal_with_calls(memory.propose_split(thread)))
    return _outcome_answer(memory.split(thread, parts, lock=SplitLock(lock), session=asked.session))


def _unlock(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    return _outcome_answer(memory.unlock(asked.values["thread"], force=bool(asked.values["force"])))


def _focus(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    minutes = asked.values["minutes"]
    outcome = memory.focus(
        asked.values["topic"],
        asked.values["weight"],
        session=None if asked.values["lasting"] else asked.session,
        until=None if minutes is None else _time_in_minutes(minutes),
    )
    return ToolAnswer(one_line(outcome.said))


def _unfocus(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    outcome = memory.unfocus(asked.values["topic"], session=asked.session)
    return ToolAnswer(one_line(outcome.said))


def _pin(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    kind = asked.values["kind"]
    outcome = memory.pin(
        asked.values["content"],
        title=asked.values["title"],
        topics=asked.values["topics"] or (),
        weight_boost=asked.values["weight_boost"],
        kind=None if kind is None else Kind(kind),
        session=asked.session,
    )
    return ToolAnswer(one_line(outcome.said))


def _suggest(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    found = memory.suggestions(asked.values["context"], session=asked.session)
    return _json_answer(suggestions_json(found))


def _rate(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    useful, reason = asked.values["useful"], asked.values["reason"]
    return ToolAnswer(
        one_line(memory.rate(asked.values["thread_id"], useful=useful, reason=reason).said),
    )


def _compact(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    dry_run = bool(asked.values["dry_run"])
    compaction = memory.compact(CompactionStrategy(asked.values["strategy"]), dry_run=dry_run)
    # What is done is said, and no data stands beside it: of the two a model would see the data.
    return (
        _json_answer(compaction_json(compaction))
        if dry_run
        else _outcome_answer(compaction.outcome)
    )


def _undo(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    return _outcome_answer(memory.undo(asked.values["change"]))


def _get_status(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    focus = [json_value(each) for each in memory.foci(asked.session)]
    return _json_answer({**status_json(memory.status()), "focus": focus})


def _list_threads(memory: Memory, _asked: ToolArguments) -> ToolAnswer:
    return ToolAnswer(reading.threads_text(memory.threads()))


def _show_thread(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    thread = memory.thread(asked.values["thread"])
    return ToolAnswer(reading.thread_text(thread, memory.events(thread.id)))


def _handoff(memory: Memory, asked: ToolArguments) -> ToolAnswer:
    return ToolAnswer(memory.handoff(asker=asked.session))


_TOOL_FUNCTIONS: Mapping[str, Callable[[Memory, ToolArguments], ToolAnswer]] = {
    "ai_recall": _recall,
    "ai_merge": _merge,
    "ai_split": _split,
    "ai_unlock": _unlock,
    "ai_focus": _focus,
    "ai_unfocus": _unfocus,
    "ai_pin": _pin,
    "ai_suggestions": _suggest,
    "ai_rate_context": _rate,
    "ai_compact": _compact,
    "ai_undo": _undo,
    "ai_status": _get_status,
    "threads": _list_threads,
    "thread": _show_thread,
    "handoff": _handoff,
}


def _outcome_answer(outcome: Outcome) -> ToolAnswer:
    """Say what was done, and how it is taken back."""
    said = one_line(outcome.said)
    if outcome.number is None:
        return ToolAnswer(said)
    undo = tool_call_text("ai_undo", outcome.number)
    return ToolAnswer(f"{said}\nChange {outcome.number}; {undo} takes it back.")


def _json_answer(shape: JsonObject) -> ToolAnswer:
    return ToolAnswer(json.dumps(shape, ensure_ascii=False, indent=2), shape)


def _time_in_minutes(minutes: float) -> datetime:
    try:
        return datetime.now(UTC) + timedelta(minutes=minutes)
    except OverflowError as error:
        msg = f"cannot focus for {minutes:g} minutes. Leave `minutes` out for a focus without end."
        raise RefusedError(msg) from error


def reply_to_call(asked: ToolCall, opened: AbstractContextManager[Memory]) -> ToolReply:
    """Do what is asked, with a memory that is opened for it."""
    try:
        with opened as memory:
            hands = memory.used_by(Actor("agent", asked.client))
            said = call_tool(hands, asked.name, asked.arguments, asked.session, reads=asked.reads)
    except AisError as error:
        return ToolReply(error_with_calls(error), is_error=True)
    return ToolReply(said.text, said.structure)
