"""What the tools answer as plain data: the JSON that agents read and `--json` prints.

Only dicts, lists, text, numbers and truth values come out, times in UTC as text, so that
whatever writes them needs to know nothing of ours.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias, assert_never

from ai_smartness.model.compaction import (
    ArchiveStep,
    Compaction,
    CompactionStep,
    MemoryLoad,
    MergeStep,
)
from ai_smartness.model.event import Event
from ai_smartness.model.journal import Outcome
from ai_smartness.model.search import RecallResult
from ai_smartness.model.split import SplitProposal
from ai_smartness.model.suggestion import Suggestions
from ai_smartness.views.links import tool_call_text

if TYPE_CHECKING:
    from ai_smartness.memory import MemoryStatus

__all__ = [
    "JsonObject",
    "compaction_json",
    "json_value",
    "outcome_json",
    "proposal_json",
    "recalled_json",
    "status_json",
    "suggestions_json",
]

JsonObject: TypeAlias = dict[str, object]

DECIMALS = 2
"""Of a similarity, as the answers print it."""


def outcome_json(outcome: Outcome, *, dry_run: bool = False) -> JsonObject:
    """Return what a verb did, or in a dry run would do."""
    change = outcome.change
    return {
        "verb": outcome.verb,
        "change": outcome.number,
        "dry_run": dry_run,
        "said": outcome.said,
        "threads": json_value(outcome.threads),
        "moved": [
            {"from": each.source, "to": each.target, "messages": len(each.seqs)}
            for each in change.moves
        ],
        "bridges": [
            {"before": json_value(each.before), "after": json_value(each.after)}
            for each in change.bridges
        ],
    }


def compaction_json(compaction: Compaction) -> JsonObject:
    """Return the report of a compaction; `command` carries a dry run out, or takes a run back."""
    number = compaction.outcome.number
    undo = tool_call_text("ai_undo", number) if number is not None else None
    return {
        "strategy": compaction.strategy.value,
        "dry_run": compaction.dry_run,
        "actions": [_step_json(step) for step in compaction.steps],
        "before": _load_json(compaction.before),
        "after": _load_json(compaction.after),
        "weight_decay": compaction.weight_decay,
        "change": number,
        "command": tool_call_text("ai_compact", compaction.strategy.value)
        if compaction.dry_run
        else undo,
    }


def suggestions_json(suggestions: Suggestions) -> JsonObject:
    """Return what is suggested, each with the call that does it."""
    return {
        "merge_candidates": [
            {
                "thread_a": each.thread_a,
                "thread_b": each.thread_b,
                "similarity": round(each.similarity, DECIMALS),
                "reason": each.reason,
                "command": tool_call_text("ai_merge", each.thread_a, each.thread_b),
            }
            for each in suggestions.merge_candidates
        ],
        "split_candidates": [
            {
                "thread_id": each.thread_id,
                "reason": each.reason,
                "topics_to_split": [*each.topics_to_split],
                "messages": [[*group] for group in each.messages],
                "command": tool_call_text("ai_split", each.thread_id),
            }
            for each in suggestions.split_candidates
        ],
        "recall_hints": [
            {**_field_values(each), "command": tool_call_text("ai_recall", each.topic)}
            for each in suggestions.recall_hints
        ],
        "conflicts": [
            {**_field_values(each), "command": tool_call_text("ai_recall", each.newer)}
            for each in suggestions.conflicts
        ],
        "forgotten_pins": [
            {**_field_values(each), "command": tool_call_text("ai_recall", each.thread_id)}
            for each in suggestions.forgotten_pins
        ],
        "health": {
            **_field_values(suggestions.health),
            "context_pressure": round(suggestions.health.context_pressure, DECIMALS),
        },
    }


def status_json(status: "MemoryStatus") -> JsonObject:
    """Return what there is; other projects are only counted."""
    return {
        "project": status.project,
        "threads": status.threads,
        "messages": status.events,
        "injected": status.injected,
        "used": status.used,
        "model": status.space,
        "trouble": status.trouble or None,
        "waiting": status.pending,
        "vectors": {space: count for space, count in status.spaces.items() if count},
        "other_projects": sum(each.project != status.project for each in status.projects),
    }


def recalled_json(recalled: RecallResult) -> JsonObject:
    """Return what a recall answers, in full."""
    return _field_values(recalled)


def proposal_json(proposal: SplitProposal) -> JsonObject:
    """Return a thread with its messages, and the parts it seems to fall into."""
    parts = [{"title": part.title, "messages": [*part.messages]} for part in proposal.parts]
    ready = tool_call_text("ai_split", proposal.thread.id, parts) if parts else None
    return {
        "thread": json_value(proposal.thread),
        "messages": [_message_json(each) for each in proposal.messages],
        "parts": parts,
        "command": ready,
    }


def json_value(value: object) -> object:
    """Return any value of ours as what JSON has for it."""
    match value:
        case Enum():
            return value.value
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case Mapping():
            return {str(name): json_value(each) for name, each in value.items()}
        case tuple() | list():
            return [json_value(each) for each in value]
        case _ if is_dataclass(value):
            return _field_values(value)
    return value


def _field_values(value: object) -> JsonObject:
    named = fields(value)  # type: ignore[arg-type] # who calls has a dataclass
    return {each.name: json_value(getattr(value, each.name)) for each in named}


def _step_json(step: CompactionStep) -> JsonObject:
    match step:
        case MergeStep(threads, similarity):
            return {
                "action": "merge",
                "threads": [*threads],
                "similarity": round(similarity, DECIMALS),
            }
        case ArchiveStep(thread, because):
            return {"action": "archive", "thread": thread, "reason": because.value}
        case _:
            assert_never(step)


def _load_json(load: MemoryLoad) -> JsonObject:
    weight = round(load.total_weight, DECIMALS)
    return {"active_threads": load.active_threads, "total_weight": weight}


def _message_json(event: Event) -> JsonObject:
    return {"id": event.id, "role": event.role, "at": json_value(event.at), "text": event.text}
