"""Call a tool: check its arguments, ask the memory, say what came of it.

What the memory refuses is raised; whoever called says it in an agent's words.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from ai_smartness.entrypoints.tools import reading
from ai_smartness.entrypoints.tools.arguments import checked
from ai_smartness.entrypoints.tools.catalogue import READINGS, TOOLS
from ai_smartness.entrypoints.tools.proposal import proposal_text
from ai_smartness.entrypoints.tools.recalled import recalled_text
from ai_smartness.entrypoints.tools.shapes import (
    Shape,
    compaction_shape,
    plain,
    status_shape,
    suggestions_shape,
)
from ai_smartness.entrypoints.tools.spelling import call_of
from ai_smartness.memory import Memory
from ai_smartness.model.compaction import Strategy
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.journal import Outcome
from ai_smartness.model.saying import one_line
from ai_smartness.model.thread import Kind, SplitLock

__all__ = ["Answer", "call"]


class Answer(NamedTuple):
    """What a tool answers: text, and where it is data, the data."""

    text: str
    structure: Shape | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a tool was called with, and by which session; `reads` says that nothing may change."""

    values: Mapping[str, Any]
    session: str | None
    reads: bool


def call(
    memory: Memory,
    name: str,
    arguments: Mapping[str, object],
    session: str | None = None,
    *,
    reads: bool = False,
) -> Answer:
    """Call a tool by its name; with `reads`, only one that changes nothing."""
    tool = TOOLS.get(name) or READINGS.get(name)
    if tool is None:
        msg = f"there is no tool {name[:40]!r}. There are {', '.join(TOOLS)}."
        raise NotFoundError(msg)
    if reads and not (tool.reads or name == "ai_recall"):
        msg = f"cannot call {name}: this server was started to read only. Ask the user to do it."
        raise RefusedError(msg)
    values = checked(name, tool, arguments)
    return _CALLED[name](memory, Asked(values=values, session=session, reads=reads))


def _recall(memory: Memory, asked: Asked) -> Answer:
    query, limit = asked.values["query"], asked.values["limit"]
    return Answer(recalled_text(memory.recall(query, limit, bring_back=not asked.reads)))


def _merge(memory: Memory, asked: Asked) -> Answer:
    return _done(memory.merge(asked.values["survivor"], asked.values["absorbed"]))


def _split(memory: Memory, asked: Asked) -> Answer:
    thread, parts, lock = asked.values["thread"], asked.values["parts"], asked.values["lock"]
    if parts is None:
        return Answer(proposal_text(memory.propose_split(thread)))
    return _done(memory.split(thread, parts, lock=SplitLock(lock), session=asked.session))


def _unlock(memory: Memory, asked: Asked) -> Answer:
    return _done(memory.unlock(asked.values["thread"], force=bool(asked.values["force"])))


def _focus(memory: Memory, asked: Asked) -> Answer:
    minutes = asked.values["minutes"]
    outcome = memory.focus(
        asked.values["topic"],
        asked.values["weight"],
        session=None if asked.values["lasting"] else asked.session,
        until=None if minutes is None else _in_minutes(minutes),
    )
    return Answer(one_line(outcome.said))


def _unfocus(memory: Memory, asked: Asked) -> Answer:
    outcome = memory.unfocus(asked.values["topic"], session=asked.session)
    return Answer(one_line(outcome.said))


def _pin(memory: Memory, asked: Asked) -> Answer:
    kind = asked.values["kind"]
    outcome = memory.pin(
        asked.values["content"],
        title=asked.values["title"],
        topics=asked.values["topics"] or (),
        weight_boost=asked.values["weight_boost"],
        kind=None if kind is None else Kind(kind),
        session=asked.session,
    )
    return Answer(one_line(outcome.said))


def _suggestions(memory: Memory, asked: Asked) -> Answer:
    found = memory.suggestions(asked.values["context"], session=asked.session)
    return _data(suggestions_shape(found))


def _rate(memory: Memory, asked: Asked) -> Answer:
    useful, reason = asked.values["useful"], asked.values["reason"]
    return Answer(
        one_line(memory.rate(asked.values["thread_id"], useful=useful, reason=reason).said)
    )


def _compact(memory: Memory, asked: Asked) -> Answer:
    dry_run = bool(asked.values["dry_run"])
    compaction = memory.compact(Strategy(asked.values["strategy"]), dry_run=dry_run)
    # What is done is said, and no data stands beside it: of the two a model would see the data.
    return _data(compaction_shape(compaction)) if dry_run else _done(compaction.outcome)


def _undo(memory: Memory, asked: Asked) -> Answer:
    return _done(memory.undo(asked.values["change"]))


def _status(memory: Memory, asked: Asked) -> Answer:
    focus = [plain(each) for each in memory.foci(asked.session)]
    return _data({**status_shape(memory.status()), "focus": focus})


def _threads(memory: Memory, _asked: Asked) -> Answer:
    return Answer(reading.threads_text(memory.threads()))


def _thread(memory: Memory, asked: Asked) -> Answer:
    thread = memory.thread(asked.values["thread"])
    return Answer(reading.thread_text(thread, memory.events(thread.id)))


def _handoff(memory: Memory, asked: Asked) -> Answer:
    return Answer(memory.handoff(asker=asked.session))


_CALLED: Mapping[str, Callable[[Memory, Asked], Answer]] = {
    "ai_recall": _recall,
    "ai_merge": _merge,
    "ai_split": _split,
    "ai_unlock": _unlock,
    "ai_focus": _focus,
    "ai_unfocus": _unfocus,
    "ai_pin": _pin,
    "ai_suggestions": _suggestions,
    "ai_rate_context": _rate,
    "ai_compact": _compact,
    "ai_undo": _undo,
    "ai_status": _status,
    "threads": _threads,
    "thread": _thread,
    "handoff": _handoff,
}


def _done(outcome: Outcome) -> Answer:
    """Say what was done, and how it is taken back."""
    said = one_line(outcome.said)
    if outcome.number is None:
        return Answer(said)
    undo = call_of("ai_undo", outcome.number)
    return Answer(f"{said}\nChange {outcome.number}; {undo} takes it back.")


def _data(shape: Shape) -> Answer:
    return Answer(json.dumps(shape, ensure_ascii=False, indent=2), shape)


def _in_minutes(minutes: float) -> datetime:
    try:
        return datetime.now(UTC) + timedelta(minutes=minutes)
    except OverflowError as error:
        msg = f"cannot focus for {minutes:g} minutes. Leave `minutes` out for a focus without end."
        raise RefusedError(msg) from error
