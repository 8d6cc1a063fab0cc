"""Rewrite the journal so that it still tells what was done, and no longer what was forgotten.

An entry about a thread that lost messages tells of it by what the thread is called now,
and can be undone as before. One that holds forgotten words in any other place keeps its
place, its time and who it was, and cannot be undone.

Say anew what threads are about, and why they are linked, once messages of theirs are gone.

What would give forgotten messages away: words that nothing else holds, what was asked for.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ai_smartness.capture.batch import shrunk_thread
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.erasure import FORGOTTEN_TEXT, contained_words
from ai_smartness.model.event import Event
from ai_smartness.model.journal import BridgeEdit, Change, JournalEntry, Move, ThreadEdit
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.message_order import ordered_messages
from ai_smartness.threads.redescribe import Redescriber

__all__ = [
    "DescriptionRewriter",
    "JournalRewriter",
    "Traces",
    "possible_ids",
    "remaining_bridge",
    "words_not_in",
]


_ID_LIKE = re.compile(r"[\w.:-]*\w")


@dataclass(frozen=True, slots=True)
class Traces:
    """Words of forgotten messages that are said nowhere else, and what they were found by."""

    words: frozenset[str]
    phrase: str = ""

    def are_in(self, text: str | None) -> bool:
        """Say whether a text holds any of them."""
        if not text:
            return False
        if self.phrase and self.phrase in " ".join(text.casefold().split()):
            return True
        return bool(contained_words(self.words, text))

    def are_in_thread(self, thread: Thread) -> bool:
        """Say whether what a thread is called or said to be about holds any of them."""
        reasons = (each.reason or "" for each in thread.ratings)
        told = (thread.title, thread.summary, *thread.topics, *thread.topics_given, *thread.files)
        return self.are_in("\n".join((*told, *thread.tags, *reasons)))


def words_not_in(words: set[str], remaining: Iterable[str]) -> set[str]:
    """Return the words that no text which remains holds."""
    for text in remaining:
        if not words:
            break
        words = words - contained_words(words, text)
    return words


def possible_ids(text: str) -> set[str]:
    """Return what may be ids in a text."""
    return set(_ID_LIKE.findall(text))


_QUOTED_TITLE = re.compile("“[^”]*”")
_FREE_TEXT_ARGUMENTS = frozenset(
    {"title", "titles", "topic", "topics", "content", "reason", "query", "parameters"}
)
"""Arguments that are in somebody's words."""


@dataclass(frozen=True, slots=True)
class JournalRewriter:
    """What is known when the journal is rewritten: what is gone, and what is there now."""

    traces: Traces
    removed_seqs: Collection[int]
    removed_ids: frozenset[str]
    touched_threads: Collection[str]
    find_thread: Callable[[str], Thread | None]
    bridges: Mapping[str, Bridge]

    def rewritten_entry(self, entry: JournalEntry) -> JournalEntry:
        """Return an entry without what was forgotten; the same one if it holds none of it."""
        moves = self._remaining_moves(entry.change.moves)
        change = replace(entry.change, moves=moves)
        if entry.change.moves and not moves:
            return _forgotten_entry(entry, change)
        anew = replace(entry, change=change)
        if not set(self.touched_threads).isdisjoint(entry.change.touched_threads):
            anew = self._redescribed_entry(anew)
            if _names_former_title(entry, anew.said):
                return _forgotten_entry(entry, change)
        return _forgotten_entry(entry, change) if self._has_traces(anew) else anew

    def _remaining_moves(self, moves: tuple[Move, ...]) -> tuple[Move, ...]:
        left = (
            replace(move, seqs=tuple(seq for seq in move.seqs if seq not in self.removed_seqs))
            for move in moves
        )
        return tuple(move for move in left if move.seqs)

    def _redescribed_entry(self, entry: JournalEntry) -> JournalEntry:
        change = Change(
            tuple(
                ThreadEdit(self._current_thread(each.before), self._current_thread(each.after))
                for each in entry.change.threads
            ),
            entry.change.moves,
            tuple(
                BridgeEdit(self._current_bridge(each.before), self._current_bridge(each.after))
                for each in entry.change.bridges
            ),
            entry.change.foci,
        )
        arguments = {
            name: FORGOTTEN_TEXT
            if value and (name in _FREE_TEXT_ARGUMENTS or self._is_removed_id(value))
            else value
            for name, value in entry.arguments.items()
        }
        said = _QUOTED_TITLE.sub(f"“{FORGOTTEN_TEXT}”", entry.said)
        return replace(entry, change=change, arguments=arguments, said=said)

    def _is_removed_id(self, argument: object) -> bool:
        return isinstance(argument, str) and argument in self.removed_ids

    def _current_thread(self, thread: Thread | None) -> Thread | None:
        if thread is None or thread.id not in self.touched_threads:
            return thread
        now = self.find_thread(thread.id)
        ratings = tuple(
            replace(each, reason=None) if self.traces.are_in(each.reason) else each
            for each in thread.ratings
        )
        return replace(
            thread,
            title=now.title if now else FORGOTTEN_TEXT,
            title_given=now.title_given if now else False,
            summary=now.summary if now else "",
            topics=now.topics if now else (),
            topics_given=now.topics_given if now else (),
            files=now.files if now else (),
            ratings=ratings,
        )

    def _current_bridge(self, bridge: Bridge | None) -> Bridge | None:
        if bridge is None or not {bridge.source, bridge.target} & set(self.touched_threads):
            return bridge
        now = self.bridges.get(bridge.id)
        return replace(bridge, reason=now.reason if now else "")

    def _has_traces(self, entry: JournalEntry) -> bool:
        if not possible_ids(entry.said).isdisjoint(self.removed_ids):
            return True
        change = entry.change
        threads = [each for edit in change.threads for each in (edit.before, edit.after) if each]
        bridges = [each for edit in change.bridges for each in (edit.before, edit.after) if each]
        foci = [each for edit in change.foci for each in (edit.before, edit.after) if each]
        told = (
            entry.said,
            *map(str, entry.arguments.values()),
            *(each.reason for each in bridges),
            *(each.topic for each in foci),
        )
        return self.traces.are_in("\n".join(told)) or any(map(self.traces.are_in_thread, threads))


def _names_former_title(before: JournalEntry, said: str) -> bool:
    """Say whether a former title, which may hold quotes itself, is still in what is said."""
    edits = before.change.threads
    titles = {each.title for edit in edits for each in (edit.before, edit.after) if each}
    return any(title in said for title in titles if title and title != FORGOTTEN_TEXT)


def _forgotten_entry(entry: JournalEntry, change: Change) -> JournalEntry:
    return replace(
        entry,
        arguments={"forgotten": True},
        said=f"Forgotten: what this {entry.verb} changed.",
        change=Change(moves=change.moves),
    )


_QUOTED_REASON = re.compile(r'"([^"]+)"')


class DescriptionRewriter:
    """Describes the threads of one project by what they have left."""

    def __init__(self, store: ThreadStore, project: str, traces: Traces) -> None:
        self._store = store
        self._traces = traces
        self._outliner = Redescriber(store, project)

    def redescribed_thread(self, thread: Thread) -> Thread:
        """Return a thread as the messages left describe it; what was given stays if it is clean."""
        bare = self._cleared_thread(thread)
        events = ordered_messages(self._store, thread.id)
        if not events:
            return replace(bare, title=bare.title or FORGOTTEN_TEXT)
        described = self._outliner.redescribed_thread(shrunk_thread(bare, events), events)
        return self._outliner.with_files_of(described, events)

    def _cleared_thread(self, thread: Thread) -> Thread:
        given = thread.title_given and not self._traces.are_in(thread.title)
        topics = tuple(each for each in thread.topics_given if not self._traces.are_in(each))
        ratings = tuple(
            replace(each, reason=None) if self._traces.are_in(each.reason) else each
            for each in thread.ratings
        )
        return replace(
            thread,
            title=thread.title if given else "",
            title_given=given,
            summary="",
            topics=topics,
            topics_given=topics,
            tags=tuple(each for each in thread.tags if not self._traces.are_in(each)),
            files=(),
            ratings=ratings,
        )


def remaining_bridge(
    bridge: Bridge, traces: Traces, touched: Collection[str], said: Mapping[str, Sequence[Event]]
) -> Bridge | None:
    """Return what becomes of a bridge: as it is, without its reason, or gone with its ground.

    `said` holds what is left on its two ends, if one of them has lost messages.
    """
    clean = not traces.are_in(bridge.reason)
    if bridge.made_by != "similarity":
        return bridge if clean else replace(bridge, reason="")
    if not clean:
        return None
    if not {bridge.source, bridge.target} & set(touched):
        return bridge
    texts = [
        " ".join(event.text.split())
        for end in (bridge.source, bridge.target)
        for event in said[end]
    ]
    quoted = (each.rstrip("…") for each in _QUOTED_REASON.findall(bridge.reason))
    return bridge if all(any(each in text for text in texts) for each in quoted) else None
