"""A compaction of a thread: the value of a COMPACTION event.

It names the events that it covers, and holds the texts that are shown in their place. Nothing is
deleted: the thread says which of its compactions are active, and an event that none of them covers
is always shown.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, cast

from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Outcome

__all__ = [
    "CONDENSER",
    "Anchor",
    "Condensation",
    "CondenseOutcome",
    "ContextPressure",
    "Replacement",
    "Scope",
    "active_condensations",
    "condensation_of",
    "condensation_payload",
    "covered_seqs",
    "packed_seqs",
    "unpacked_seqs",
    "visible_condensations",
]


CONDENSER = "condenser"  # the source of events that a condenser wrote


class Scope(StrEnum):
    """What a condenser reads: the events since the last time, all events, or the visible ones."""

    INCREMENTAL = "incremental"
    FULL = "full"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """One text that is shown in place of events."""

    type: EventType
    role: str
    text: str
    at: datetime
    payload: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Anchor:
    """The place of the first covered event."""

    seq: int
    at: datetime
    session: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensation:
    """A compaction of one thread.

    `supersedes` numbers the earlier ones that it replaces, `beside` those that were active with
    it. `originals` counts the events that it covers.
    """

    condenser: str
    version: str
    scope: Scope
    covers: tuple[int, ...]
    replacements: tuple[Replacement, ...]
    anchor: Anchor
    parameters: Mapping[str, object] = field(default_factory=dict)
    supersedes: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()
    originals: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    said: str = ""
    id: str = ""
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CondenseOutcome(Outcome):
    """The outcome of condensing a thread, or of a dry run."""

    compaction: Condensation


def condensation_payload(condensed: Condensation) -> dict[str, object]:
    """Return a compaction as the payload of its event."""
    return {
        "condenser": condensed.condenser,
        "version": condensed.version,
        "scope": condensed.scope.value,
        "parameters": dict(condensed.parameters),
        "covers": packed_seqs(condensed.covers),
        "supersedes": list(condensed.supersedes),
        "beside": list(condensed.beside),
        "anchor": [condensed.anchor.seq, condensed.anchor.at.isoformat(), condensed.anchor.session],
        "originals": condensed.originals,
        "tokens_before": condensed.tokens_before,
        "tokens_after": condensed.tokens_after,
        "said": condensed.said,
        "replacements": [
            {
                "type": replacement.type.value,
                "role": replacement.role,
                "text": replacement.text,
                "at": replacement.at.isoformat(),
                "payload": dict(replacement.payload),
            }
            for replacement in condensed.replacements
        ],
    }


def condensation_of(event: Event) -> Condensation:
    """Read a compaction from its event; an event that we did not write covers nothing."""
    payload = cast("Mapping[str, Any]", event.payload)
    seq, at, session = payload.get("anchor") or (event.seq, event.at.isoformat(), event.session)
    return Condensation(
        id=event.id,
        seq=event.seq,
        condenser=str(payload.get("condenser", "")),
        version=str(payload.get("version", "")),
        scope=Scope(payload.get("scope", Scope.INCREMENTAL)),
        parameters=payload.get("parameters", {}),
        covers=unpacked_seqs(payload.get("covers", "")),
        supersedes=tuple(payload.get("supersedes", ())),
        beside=tuple(payload.get("beside", ())),
        anchor=Anchor(seq, datetime.fromisoformat(at), session),
        originals=payload.get("originals", 0),
        tokens_before=payload.get("tokens_before", 0),
        tokens_after=payload.get("tokens_after", 0),
        said=payload.get("said", ""),
        replacements=tuple(_read_replacement(fields) for fields in payload.get("replacements", ())),
    )


def active_condensations(
    compactions: Iterable[Condensation], set_aside: Sequence[int]
) -> list[Condensation]:
    """Return the compactions of a thread that were not set aside."""
    return [compaction for compaction in compactions if compaction.seq not in set_aside]


def covered_seqs(compactions: Iterable[Condensation]) -> set[int]:
    """Return the numbers of all events that these compactions cover."""
    return {seq for compaction in compactions for seq in compaction.covers}


def visible_condensations(compactions: Sequence[Condensation]) -> list[Condensation]:
    """Return the active compactions, given in order, that no later one replaces.

    A later one replaces those that it names, and any whose events it covers completely: that one
    was set aside when the later one was made, and has been restored since.
    """
    return [
        compaction
        for place, compaction in enumerate(compactions)
        if not any(_supersedes(later, compaction) for later in compactions[place + 1 :])
    ]


def _supersedes(later: Condensation, earlier: Condensation) -> bool:
    if earlier.seq in later.supersedes:
        return True
    return len(later.covers) >= len(earlier.covers) and set(later.covers) >= set(earlier.covers)


def _read_replacement(fields: Mapping[str, Any]) -> Replacement:
    return Replacement(
        type=EventType(fields["type"]),
        role=fields["role"],
        text=fields["text"],
        at=datetime.fromisoformat(fields["at"]),
        payload=fields["payload"],
    )


def packed_seqs(seqs: Iterable[int]) -> str:
    """Write numbers as runs: 5, 6, 7 and 10 as `5+2,3`.

    Each run begins with its distance from the one before, so that ten thousand numbers of one
    thread take a few bytes, or about two each between those of other threads.
    """
    runs: list[str] = []
    last = 0
    for start, end in _consecutive_runs(sorted(set(seqs))):
        runs.append(f"{start - last}+{end - start}" if end > start else f"{start - last}")
        last = end
    return ",".join(runs)


def unpacked_seqs(packed: str) -> tuple[int, ...]:
    """Read numbers that `packed_seqs` wrote."""
    seqs: list[int] = []
    last = 0
    for run in packed.split(",") if packed else ():
        gap, _, more = run.partition("+")
        start = last + int(gap)
        last = start + int(more or 0)
        seqs.extend(range(start, last + 1))
    return tuple(seqs)


def _consecutive_runs(seqs: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for seq in seqs:
        if runs and seq == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], seq)
        else:
            runs.append((seq, seq))
    return runs


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPressure:
    """The used share of an agent's window, and the response to it.

    `crossed` is the breakpoint that was just passed. `condensed` are the threads of the session
    that were condensed for it, and `refused` the reasons why others were not.
    """

    session: str
    share: float
    crossed: float | None = None
    condensed: tuple[CondenseOutcome, ...] = ()
    refused: tuple[str, ...] = ()
