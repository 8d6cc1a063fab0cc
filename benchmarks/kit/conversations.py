"""Conversations with labelled answers, as files have them."""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ai_smartness.model.event import Message

__all__ = ["Conversation", "Query", "conversations"]


@dataclass(frozen=True)
class Query:
    """One question, or one prompt that needs no memory.

    `gold_new` superseded `gold_old`. Only the first `cutoff` messages may answer it. One
    that is a message itself stands at `place`, in the running `session`.
    """

    text: str
    gold: frozenset[str]
    gold_sessions: frozenset[str]
    gold_new: frozenset[str]
    gold_old: frozenset[str]
    cutoff: int
    place: int
    at: datetime | None
    session: str | None

    @property
    def is_update(self) -> bool:
        """Say whether one answer superseded another; where both are one message, neither did."""
        return bool(self.gold_new and self.gold_old) and not self.gold_new & self.gold_old


@dataclass(frozen=True)
class Conversation:
    """One memory with its questions; the messages are in one strict order of time."""

    name: str
    messages: list[Message]
    queries: list[Query]
    non_queries: list[Query]

    def before(self, query: Query) -> datetime | None:
        """Return the moment up to which a question may look."""
        return self.messages[query.cutoff].at if query.cutoff < len(self.messages) else None

    def asked_at(self, query: Query) -> datetime:
        """Return the moment a question was asked, or that of the last message."""
        return query.at or self.messages[-1].at or datetime.now(UTC)


def conversations(path: Path) -> Iterator[Conversation]:
    """Read a file, plain or gzipped, one memory a line."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            memory = json.loads(line)
            messages = _messages(memory["corpus"])
            yield Conversation(
                memory["conv"],
                messages,
                [_query(each, messages) for each in memory["queries"] if not each.get("abstain")],
                [_query(each, messages) for each in memory.get("non_queries", [])],
            )


def _query(given: dict[str, Any], messages: Sequence[Message]) -> Query:
    cutoff = given.get("cutoff", len(messages))
    own_id = str(given["id"]).partition(":")[2]
    later = (n for n in range(cutoff, len(messages)) if messages[n].id == own_id)
    place = next(later, cutoff)
    return Query(
        text=given["text"],
        gold=frozenset(given.get("gold") or []),
        gold_sessions=frozenset(given.get("gold_sessions") or []),
        gold_new=frozenset(given.get("gold_new") or []),
        gold_old=frozenset(given.get("gold_old") or []),
        cutoff=cutoff,
        place=place,
        at=_moment(given["ts"]) if given.get("ts") else None,
        session=messages[place].session if place < len(messages) else None,
    )


def _messages(corpus: Sequence[dict[str, Any]]) -> list[Message]:
    """Return the messages, each a little after the one before."""
    found: list[Message] = []
    last: datetime | None = None
    for each in corpus:
        at = _moment(each["ts"])
        last = max(at, last + timedelta(microseconds=1)) if last else at
        id_, session, role, text = (each[key] for key in ("id", "session", "role", "text"))
        found.append(Message(id=id_, session=session, role=role, text=text, at=last))
    return found


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at
