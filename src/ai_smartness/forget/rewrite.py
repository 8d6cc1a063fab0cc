"""Rewrite the journal, the threads and the bridges without the words of forgotten messages.

A journal entry about a thread that lost messages gets the thread's present title, and can still
be undone. An entry that holds forgotten words anywhere else keeps only its time and its actor,
and cannot be undone. Of the ledger, only texts that repeat a forgotten message go.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ai_smartness.capture.batch import shrunk_thread
from ai_smartness.forget.intent import HashedTraces
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.erasure import FORGOTTEN_TEXT, contained_words
from ai_smartness.model.event import Event
from ai_smartness.model.journal import BridgeEdit, Change, JournalEntry, Move, ThreadEdit
from ai_smartness.model.statement import StatementReview
from ai_smartness.model.thread import Rating, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.message_order import ordered_messages
from ai_smartness.threads.redescribe import Redescriber

__all__ = [
    "REPEATED_WORDS",
    "DescriptionRewriter",
    "JournalRewriter",
    "RepeatedTexts",
    "Traces",
    "possible_ids",
    "remaining_bridge",
    "words_not_in",
]

REPEATED_WORDS = 6
"""Words in a row that a text has from a message: fewer are in any two prompts ("can you add a")."""

_WORD = re.compile(r"\w+")
_ID_LIKE = re.compile(r"[\w.:-]*\w")
_QUOTED_TITLE = re.compile("“[^”]*”")
_QUOTED_REASON = re.compile(r'"([^"]+)"')

_FREE_TEXT_ARGUMENTS = frozenset(
    {"title", "titles", "topic", "topics", "content", "reason", "query", "parameters"}
)
"""Arguments of verbs that are in somebody's words."""


@dataclass(frozen=True, slots=True)
class Traces:
    """The words that only forgotten messages held, and the phrase that selected them.

    Those of a deletion that was interrupted are known by their hashes.
    """

    words: frozenset[str]
    phrase: str = ""
    hashed: HashedTraces | None = None

    def are_in(self, text: str | None) -> bool:
        """Say whether a text holds any of them."""
        if not text:
            return False
        if self.phrase and self.phrase in " ".join(text.casefold().split()):
            return True
        if self.hashed is not None and self.hashed.are_in(text):
            return True
        return bool(contained_words(self.words, text))

    def are_in_thread(self, thread: Thread) -> bool:
        """Say whether the description of a thread holds any of them."""
        topics = (*thread.topics, *thread.topics_given, *thread.files, *thread.tags)
        reasons = (rating.reason or "" for rating in thread.ratings)
        return self.are_in("\n".join((thread.title, thread.summary, *topics, *reasons)))

    def clean_ratings(self, ratings: Iterable[Rating]) -> tuple[Rating, ...]:
        """Return ratings without the reasons that hold any of them."""
        return tuple(
            replace(rating, reason=None) if self.are_in(rating.reason) else rating
            for rating in ratings
        )


class RepeatedTexts:
    """Says which of some texts repeat a forgotten message.

    A text repeats a message that has some words of it in a row, or a short one all its words.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._known_runs = {run for text in texts for run in _word_runs(text)}
        self._forgotten_runs: set[str] = set()

    def add_forgotten(self, message: str) -> None:
        """Count the texts that repeat this message."""
        words = _WORD.findall(message.casefold())
        for length in range(1, REPEATED_WORDS + 1):
            self._forgotten_runs |= self._known_runs.intersection(_runs_of_length(words, length))

    def repeats(self, text: str) -> bool:
        """Say whether a text repeats a message that was forgotten."""
        return not self._forgotten_runs.isdisjoint(_word_runs(text))


def _word_runs(text: str) -> Iterator[str]:
    """Return the runs of words of a text; a short one is one run."""
    words = _WORD.findall(text.casefold())
    return _runs_of_length(words, min(len(words), REPEATED_WORDS) or 1)


def _runs_of_length(words: Sequence[str], length: int) -> Iterator[str]:
    return (" ".join(words[at : at + length]) for at in range(len(words) - length + 1))


def words_not_in(words: set[str], texts: Iterable[str]) -> set[str]:
    """Return the words that none of the texts holds."""
    for text in texts:
        if not words:
            break
        words = words - contained_words(words, text)
    return words


def possible_ids(text: str) -> set[str]:
    """Return the parts of a text that may be ids."""
    return set(_ID_LIKE.findall(text))


@dataclass(frozen=True, slots=True)
class JournalRewriter:
    """Rewrites journal entries, by what was removed and what threads and bridges are like now."""

    traces: Traces
    removed_seqs: Collection[int]
    removed_ids: frozenset[str]
    touched_threads: Collection[str]
    find_thread: Callable[[str], Thread | None]
    bridges: Mapping[str, Bridge]

    def rewritten_entry(self, entry: JournalEntry) -> JournalEntry:
        """Return an entry without forgotten words; an entry without any stays the same."""
        moves = self._remaining_moves(entry.change.moves)
        if (entry.change.moves and not moves) or self._reviews_removed(entry):
            return _forgotten_entry(entry, moves)
        rewritten = replace(entry, change=replace(entry.change, moves=moves))
        if not set(self.touched_threads).isdisjoint(entry.change.touched_threads):
            rewritten = self._redescribed_entry(rewritten)
            if _names_former_title(entry, rewritten.said):
                return _forgotten_entry(entry, moves)
        return _forgotten_entry(entry, moves) if self._has_traces(rewritten) else rewritten

    def _remaining_moves(self, moves: tuple[Move, ...]) -> tuple[Move, ...]:
        remaining = (
            replace(move, seqs=tuple(seq for seq in move.seqs if seq not in self.removed_seqs))
            for move in moves
        )
        return tuple(move for move in remaining if move.seqs)

    def _redescribed_entry(self, entry: JournalEntry) -> JournalEntry:
        threads = tuple(
            ThreadEdit(self._current_thread(edit.before), self._current_thread(edit.after))
            for edit in entry.change.threads
        )
        bridges = tuple(
            BridgeEdit(self._current_bridge(edit.before), self._current_bridge(edit.after))
            for edit in entry.change.bridges
        )
        return replace(
            entry,
            change=replace(entry.change, threads=threads, bridges=bridges),
            arguments={
                name: FORGOTTEN_TEXT
                if value and (name in _FREE_TEXT_ARGUMENTS or str(value) in self.removed_ids)
                else value
                for name, value in entry.arguments.items()
            },
            said=_QUOTED_TITLE.sub(f"“{FORGOTTEN_TEXT}”", entry.said),
        )

    def _current_thread(self, thread: Thread | None) -> Thread | None:
        if thread is None or thread.id not in self.touched_threads:
            return thread
        now = self.find_thread(thread.id)
        return replace(
            thread,
            title=now.title if now else FORGOTTEN_TEXT,
            title_given=now.title_given if now else False,
            summary=now.summary if now else "",
            topics=now.topics if now else (),
            topics_given=now.topics_given if now else (),
            files=now.files if now else (),
            ratings=self.traces.clean_ratings(thread.ratings),
        )

    def _current_bridge(self, bridge: Bridge | None) -> Bridge | None:
        if bridge is None or not {bridge.source, bridge.target} & set(self.touched_threads):
            return bridge
        now = self.bridges.get(bridge.id)
        return replace(bridge, reason=now.reason if now else "")

    def _reviews_removed(self, entry: JournalEntry) -> bool:
        """Say whether it reviews a sentence of a removed message, and so quotes it."""
        reviews = _edited_reviews(entry)
        return any(review.event_id in self.removed_ids for review in reviews)

    def _has_traces(self, entry: JournalEntry) -> bool:
        if not possible_ids(entry.said).isdisjoint(self.removed_ids):
            return True
        change = entry.change
        bridges = [side for edit in change.bridges for side in (edit.before, edit.after) if side]
        foci = [side for edit in change.foci for side in (edit.before, edit.after) if side]
        texts = (
            entry.said,
            *map(str, entry.arguments.values()),
            *(bridge.reason for bridge in bridges),
            *(focus.topic for focus in foci),
            *(review.text for review in _edited_reviews(entry)),
        )
        return self.traces.are_in("\n".join(texts)) or any(
            map(self.traces.are_in_thread, _edited_threads(entry))
        )


def _edited_threads(entry: JournalEntry) -> list[Thread]:
    edits = entry.change.threads
    return [thread for edit in edits for thread in (edit.before, edit.after) if thread]


def _edited_reviews(entry: JournalEntry) -> list[StatementReview]:
    edits = entry.change.reviews
    return [review for edit in edits for review in (edit.before, edit.after) if review]


def _names_former_title(before: JournalEntry, sentence: str) -> bool:
    """Say whether a former title, which may hold quotes itself, is still in the sentence."""
    titles = {thread.title for thread in _edited_threads(before)}
    return any(title in sentence for title in titles if title and title != FORGOTTEN_TEXT)


def _forgotten_entry(entry: JournalEntry, moves: tuple[Move, ...]) -> JournalEntry:
    return replace(
        entry,
        arguments={"forgotten": True},
        said=f"Forgotten: what this {entry.verb} changed.",
        change=Change(moves=moves),
    )


class DescriptionRewriter:
    """Describes the threads of one project by their remaining messages."""

    def __init__(self, store: ThreadStore, project: str, traces: Traces) -> None:
        self._store = store
        self._traces = traces
        self._redescriber = Redescriber(store, project)

    def redescribed_thread(self, thread: Thread) -> Thread:
        """Return a thread with a new description; a title or topic that was given may stay."""
        bare = self._cleared_thread(thread)
        events = ordered_messages(self._store, thread.id)
        if not events:
            return replace(bare, title=bare.title or FORGOTTEN_TEXT)
        described = self._redescriber.redescribed_thread(shrunk_thread(bare, events), events)
        return self._redescriber.with_files_of(described, events)

    def _cleared_thread(self, thread: Thread) -> Thread:
        keeps_title = thread.title_given and not self._traces.are_in(thread.title)
        topics = tuple(topic for topic in thread.topics_given if not self._traces.are_in(topic))
        return replace(
            thread,
            title=thread.title if keeps_title else "",
            title_given=keeps_title,
            summary="",
            topics=topics,
            topics_given=topics,
            tags=tuple(tag for tag in thread.tags if not self._traces.are_in(tag)),
            files=(),
            ratings=self._traces.clean_ratings(thread.ratings),
        )


def remaining_bridge(
    bridge: Bridge,
    traces: Traces,
    touched: Collection[str],
    messages: Mapping[str, Sequence[Event]],
) -> Bridge | None:
    """Return a bridge as it is, without its reason, or nothing if its grounds are gone.

    `messages` holds the remaining messages of both its threads, if one of them lost any.
    """
    is_clean = not traces.are_in(bridge.reason)
    if bridge.made_by != "similarity":
        return bridge if is_clean else replace(bridge, reason="")
    if not is_clean:
        return None
    ends = (bridge.source, bridge.target)
    if set(ends).isdisjoint(touched):
        return bridge
    texts = [" ".join(event.text.split()) for end in ends for event in messages[end]]
    quotes = (quote.rstrip("…") for quote in _QUOTED_REASON.findall(bridge.reason))
    return bridge if all(any(quote in text for text in texts) for quote in quotes) else None
