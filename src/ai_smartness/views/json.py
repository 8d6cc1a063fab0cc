"""Values as JSON data: the structured answers of tools and the output of `--json`.

The results consist of dicts, lists, strings, numbers and booleans; times are strings in UTC.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import PurePath
from typing import TypeAlias, assert_never

from ai_smartness.model.compaction import (
    ArchiveStep,
    Compaction,
    CompactionStep,
    MemoryLoad,
    MergeStep,
    SuspendStep,
)
from ai_smartness.model.journal import Change, JournalEntry, Outcome
from ai_smartness.model.search import RecallResult
from ai_smartness.model.split import SplitProposal
from ai_smartness.model.statement import Statement
from ai_smartness.model.status import MemoryStatus
from ai_smartness.model.suggestion import Suggestions
from ai_smartness.model.thread import Thread
from ai_smartness.views.links import tool_call_text

__all__ = [
    "JsonObject",
    "compaction_json",
    "journal_entry_json",
    "json_value",
    "outcome_json",
    "proposal_json",
    "recalled_json",
    "statement_json",
    "status_json",
    "suggestions_json",
]

JsonObject: TypeAlias = dict[str, object]

DECIMALS = 2  # of a similarity or weight, as the pages print it


def outcome_json(outcome: Outcome, *, dry_run: bool = False) -> JsonObject:
    """Describe what a change did, or would do in a dry run."""
    return {
        "verb": outcome.verb,
        "change": outcome.number,
        "dry_run": dry_run,
        "said": outcome.said,
        "threads": json_value(outcome.threads),
        **_change_json(outcome.change),
    }


def journal_entry_json(entry: JournalEntry) -> JsonObject:
    """Describe an entry of the journal."""
    return {
        "change": entry.seq,
        "project": entry.project,
        "at": json_value(entry.at),
        "who": json_value(entry.who),
        "session": entry.session,
        "verb": entry.verb,
        "arguments": json_value(entry.arguments),
        "said": entry.said,
        "undoes": entry.undoes,
        "undone_by": entry.undone_by,
        "threads": json_value(entry.change.touched_threads),
        **_change_json(entry.change),
    }


def compaction_json(compaction: Compaction) -> JsonObject:
    """Report a compaction; `command` carries out a dry run, or undoes a real one."""
    number = compaction.outcome.number
    command = tool_call_text("ai_undo", number) if number is not None else None
    if compaction.dry_run:
        command = tool_call_text("ai_compact", compaction.strategy.value)
    return {
        "strategy": compaction.strategy.value,
        "dry_run": compaction.dry_run,
        "actions": [_step_json(step) for step in compaction.steps],
        "before": _load_json(compaction.before),
        "after": _load_json(compaction.after),
        "weight_decay": compaction.weight_decay,
        "change": number,
        "command": command,
    }


def suggestions_json(suggestions: Suggestions) -> JsonObject:
    """Return the suggestions, each with the tool call that follows it."""
    return {
        "merge_candidates": [
            {
                "thread_a": merge.thread_a,
                "thread_b": merge.thread_b,
                "similarity": round(merge.similarity, DECIMALS),
                "reason": merge.reason,
                "command": tool_call_text("ai_merge", merge.thread_a, merge.thread_b),
            }
            for merge in suggestions.merge_candidates
        ],
        "split_candidates": [
            {
                "thread_id": split.thread_id,
                "reason": split.reason,
                "topics_to_split": [*split.topics_to_split],
                "messages": [[*group] for group in split.messages],
                "command": tool_call_text("ai_split", split.thread_id),
            }
            for split in suggestions.split_candidates
        ],
        "recall_hints": [
            {**_field_values(hint), "command": tool_call_text("ai_recall", hint.topic)}
            for hint in suggestions.recall_hints
        ],
        "conflicts": [
            {**_field_values(conflict), "command": tool_call_text("ai_recall", conflict.newer)}
            for conflict in suggestions.conflicts
        ],
        "forgotten_pins": [
            {**_field_values(pin), "command": tool_call_text("ai_recall", pin.thread_id)}
            for pin in suggestions.forgotten_pins
        ],
        "health": {
            **_field_values(suggestions.health),
            "context_pressure": round(suggestions.health.context_pressure, DECIMALS),
        },
    }


def status_json(status: MemoryStatus) -> JsonObject:
    """Return the status; other projects are only counted."""
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
        "other_projects": sum(count.project != status.project for count in status.projects),
    }


def recalled_json(recalled: RecallResult) -> JsonObject:
    """Return a whole recall."""
    return _field_values(recalled)


def statement_json(statement: Statement) -> JsonObject:
    """Return a statement, and whether it holds."""
    team = {"shared_by": statement.shared_by, "disputed_by": statement.disputed_by}
    return {**_field_values(statement), "holds": statement.holds, **team}


def proposal_json(proposal: SplitProposal) -> JsonObject:
    """Return a thread with its messages and the proposed parts."""
    parts = [{"title": part.title, "messages": [*part.messages]} for part in proposal.parts]
    return {
        "thread": json_value(proposal.thread),
        "messages": [
            {"id": event.id, "role": event.role, "at": json_value(event.at), "text": event.text}
            for event in proposal.messages
        ],
        "parts": parts,
        "command": tool_call_text("ai_split", proposal.thread.id, parts) if parts else None,
    }


def json_value(value: object) -> object:
    """Convert any of our values to JSON data."""
    match value:
        case Enum() | PurePath():
            return value.value if isinstance(value, Enum) else str(value)
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case Mapping():
            return {str(name): json_value(inner) for name, inner in value.items()}
        case tuple() | list() | set() | frozenset():
            ordered = sorted(value) if isinstance(value, set | frozenset) else value
            return [json_value(inner) for inner in ordered]
        case _ if is_dataclass(value):
            return _field_values(value)
    return value


def _field_values(value: object) -> JsonObject:
    names = (field.name for field in fields(value))  # type: ignore[arg-type] # a dataclass
    values = {name: json_value(getattr(value, name)) for name in names}
    if isinstance(value, Thread):
        # The names of the source documents; `split_lock` stays for those who read it already.
        lock = {"split_locked": value.split_locked, "split_locked_until": value.split_locked_until}
        return {**values, **lock}
    return values


def _change_json(change: Change) -> JsonObject:
    reviews = [
        {"before": json_value(edit.before), "after": json_value(edit.after)}
        for edit in change.reviews
    ]
    return {
        "moved": [
            {"from": move.source, "to": move.target, "messages": len(move.seqs)}
            for move in change.moves
        ],
        "bridges": [
            {"before": json_value(edit.before), "after": json_value(edit.after)}
            for edit in change.bridges
        ],
        **({"reviews": reviews} if reviews else {}),
    }


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
        case SuspendStep(thread):
            return {"action": "suspend", "thread": thread, "reason": "weight"}
        case _:
            assert_never(step)


def _load_json(load: MemoryLoad) -> JsonObject:
    weight = round(load.total_weight, DECIMALS)
    return {"active_threads": load.active_threads, "total_weight": weight}
