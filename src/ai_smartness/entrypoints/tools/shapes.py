"""What the tools answer as plain data: the JSON that agents read and `--json` prints.

Only dicts, lists, text, numbers and truth values come out, times in UTC as text, so that
whatever writes them needs to know nothing of ours.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias, assert_never

from ai_smartness.entrypoints.tools.spelling import call_of
from ai_smartness.model.compaction import Archived, Compaction, Load, Merged, Step
from ai_smartness.model.event import Event
from ai_smartness.model.journal import Outcome
from ai_smartness.model.recalled import Recalled
from ai_smartness.model.split import SplitProposal
from ai_smartness.model.suggestion import Suggestions

if TYPE_CHECKING:
    from ai_smartness.memory import Status

__all__ = [
    "Shape",
    "compaction_shape",
    "outcome_shape",
    "plain",
    "proposal_shape",
    "recalled_shape",
    "status_shape",
    "suggestions_shape",
]

Shape: TypeAlias = dict[str, object]

DECIMALS = 2
"""Of a similarity, as the answers print it."""


def outcome_shape(outcome: Outcome, *, dry_run: bool = False) -> Shape:
    """Return what a verb did, or in a dry run would do."""
    change = outcome.change
    return {
        "verb": outcome.verb,
        "change": outcome.number,
        "dry_run": dry_run,
        "said": outcome.said,
        "threads": plain(outcome.threads),
        "moved": [
            {"from": each.source, "to": each.target, "messages": len(each.seqs)}
            for each in change.moves
        ],
        "bridges": [
            {"before": plain(each.before), "after": plain(each.after)} for each in change.bridges
        ],
    }


def compaction_shape(compaction: Compaction) -> Shape:
    """Return the report of a compaction; `command` carries a dry run out, or takes a run back."""
    number = compaction.outcome.number
    undo = call_of("ai_undo", number) if number is not None else None
    return {
        "strategy": compaction.strategy.value,
        "dry_run": compaction.dry_run,
        "actions": [_action(step) for step in compaction.steps],
        "before": _load(compaction.before),
        "after": _load(compaction.after),
        "weight_decay": compaction.weight_decay,
        "change": number,
        "command": call_of("ai_compact", compaction.strategy.value) if compaction.dry_run else undo,
    }


def suggestions_shape(suggestions: Suggestions) -> Shape:
    """Return what is suggested, each with the call that does it."""
    return {
        "merge_candidates": [
            {
                "thread_a": each.thread_a,
                "thread_b": each.thread_b,
                "similarity": round(each.similarity, DECIMALS),
                "reason": each.reason,
                "command": call_of("ai_merge", each.thread_a, each.thread_b),
            }
            for each in suggestions.merge_candidates
        ],
        "split_candidates": [
            {
                "thread_id": each.thread_id,
                "reason": each.reason,
                "topics_to_split": [*each.topics_to_split],
                "messages": [[*group] for group in each.messages],
                "command": call_of("ai_split", each.thread_id),
            }
            for each in suggestions.split_candidates
        ],
        "recall_hints": [
            {**_fields(each), "command": call_of("ai_recall", each.topic)}
            for each in suggestions.recall_hints
        ],
        "conflicts": [
            {**_fields(each), "command": call_of("ai_recall", each.newer)}
            for each in suggestions.conflicts
        ],
        "forgotten_pins": [
            {**_fields(each), "command": call_of("ai_recall", each.thread_id)}
            for each in suggestions.forgotten_pins
        ],
        "health": {
            **_fields(suggestions.health),
            "context_pressure": round(suggestions.health.context_pressure, DECIMALS),
        },
    }


def status_shape(status: "Status") -> Shape:
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


def recalled_shape(recalled: Recalled) -> Shape:
    """Return what a recall answers, in full."""
    return _fields(recalled)


def proposal_shape(proposal: SplitProposal) -> Shape:
    """Return a thread with its messages, and the parts it seems to fall into."""
    parts = [{"title": part.title, "messages": [*part.messages]} for part in proposal.parts]
    ready = call_of("ai_split", proposal.thread.id, parts) if parts else None
    return {
        "thread": plain(proposal.thread),
        "messages": [_message(each) for each in proposal.messages],
        "parts": parts,
        "command": ready,
    }


def plain(value: object) -> object:
    """Return any value of ours as what JSON has for it."""
    match value:
        case Enum():
            return value.value
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case Mapping():
            return {str(name): plain(each) for name, each in value.items()}
        case tuple() | list():
            return [plain(each) for each in value]
        case _ if is_dataclass(value):
            return _fields(value)
    return value


def _fields(value: object) -> Shape:
    named = fields(value)  # type: ignore[arg-type] # who calls has a dataclass
    return {each.name: plain(getattr(value, each.name)) for each in named}


def _action(step: Step) -> Shape:
    match step:
        case Merged(threads, similarity):
            return {
                "action": "merge",
                "threads": [*threads],
                "similarity": round(similarity, DECIMALS),
            }
        case Archived(thread, because):
            return {"action": "archive", "thread": thread, "reason": because.value}
        case _:
            assert_never(step)


def _load(load: Load) -> Shape:
    weight = round(load.total_weight, DECIMALS)
    return {"active_threads": load.active_threads, "total_weight": weight}


def _message(event: Event) -> Shape:
    return {"id": event.id, "role": event.role, "at": plain(event.at), "text": event.text}
