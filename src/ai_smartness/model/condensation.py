"""What stands for events of a thread that grew long: a COMPACTION event, as a value.

It names exactly the events it stands for and holds what is shown in their place.
Nothing is taken away by it: which compactions of a thread are in force is the
thread's to say, and an event that none of them names is always shown.

Write which events something stands for in few characters, exactly.

Numbers that follow each other are one run, and each run is told by how far it
begins after the one before: ten thousand of one thread take a few bytes, and where
other threads speak in between some two each.

How full an agent's window is, and what was done about it.
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


CONDENSER = "condenser"
"""The source of what a condenser wrote."""


class Scope(StrEnum):
    """What a condenser is given: what came since, all that was said, or what is shown now."""

    INCREMENTAL = "incremental"
    FULL = "full"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """One thing that is shown in the place of others."""

    type: EventType
    role: str
    text: str
    at: datetime
    payload: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where the first of the events stood that something stands for."""

    seq: int
    at: datetime
    session: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensation:
    """A compaction of one thread.

    `supersedes` numbers the earlier ones whose place it takes, `beside` those that
    were in force with it. `originals` counts the events it stands for.
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
    """What condensing a thread did, or in a dry run would do."""

    compaction: Condensation


def condensation_payload(condensed: Condensation) -> dict[str, object]:
    """Lay a compaction out as the payload of its event."""
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
                "type": each.type.value,
                "role": each.role,
                "text": each.text,
                "at": each.at.isoformat(),
                "payload": dict(each.payload),
            }
            for each in condensed.replacements
        ],
    }


def condensation_of(event: Event) -> Condensation:
    """Read a compaction from its event; one that was not written by us stands for nothing."""
    given = cast("Mapping[str, Any]", event.payload)
    seq, at, session = given.get("anchor") or (event.seq, event.at.isoformat(), event.session)
    return Condensation(
        id=event.id,
        seq=event.seq,
        condenser=str(given.get("condenser", "")),
        version=str(given.get("version", "")),
        scope=Scope(given.get("scope", Scope.INCREMENTAL)),
        parameters=given.get("parameters", {}),
        covers=unpacked_seqs(given.get("covers", "")),
        supersedes=tuple(given.get("supersedes", ())),
        beside=tuple(given.get("beside", ())),
        anchor=Anchor(seq, datetime.fromisoformat(at), session),
        originals=given.get("originals", 0),
        tokens_before=given.get("tokens_before", 0),
        tokens_after=given.get("tokens_after", 0),
        said=given.get("said", ""),
        replacements=tuple(_read_replacement(each) for each in given.get("replacements", ())),
    )


def active_condensations(
    compactions: Iterable[Condensation], set_aside: Sequence[int]
) -> list[Condensation]:
    """Return the compactions of a thread that were not set aside."""
    return [each for each in compactions if each.seq not in set_aside]


def covered_seqs(compactions: Iterable[Condensation]) -> set[int]:
    """Give the numbers of all events that these compactions stand for."""
    return {seq for each in compactions for seq in each.covers}


def visible_condensations(compactions: Sequence[Condensation]) -> list[Condensation]:
    """Return those of the compactions in force, given in order, whose place no later one takes.

    A later one takes the place of those it names, and of one all of whose events it stands
    for: that was set aside when the later one was made, and has come back since.
    """
    return [
        each
        for place, each in enumerate(compactions)
        if not any(_supersedes(later, each) for later in compactions[place + 1 :])
    ]


def _supersedes(later: Condensation, earlier: Condensation) -> bool:
    if earlier.seq in later.supersedes:
        return True
    return len(later.covers) >= len(earlier.covers) and set(later.covers) >= set(earlier.covers)


def _read_replacement(given: Mapping[str, Any]) -> Replacement:
    return Replacement(
        type=EventType(given["type"]),
        role=given["role"],
        text=given["text"],
        at=datetime.fromisoformat(given["at"]),
        payload=given["payload"],
    )


def packed_seqs(seqs: Iterable[int]) -> str:
    """Write numbers, such as 5, 6, 7, 10 as `5+2,3`."""
    runs: list[str] = []
    last = 0
    for start, end in _consecutive_runs(sorted(set(seqs))):
        runs.append(f"{start - last}+{end - start}" if end > start else f"{start - last}")
        last = end
    return ",".join(runs)


def unpacked_seqs(written: str) -> tuple[int, ...]:
    """Read numbers, in order."""
    seqs: list[int] = []
    last = 0
    for run in written.split(",") if written else ():
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
    """The share of a window that is used, and what came of it.

    `crossed` is the breakpoint that was just passed, once for each time; `condensed` the threads
    of the session that were said in few words for it, `refused` why others were not.
    """

    session: str
    share: float
    crossed: float | None = None
    condensed: tuple[CondenseOutcome, ...] = ()
    refused: tuple[str, ...] = ()
