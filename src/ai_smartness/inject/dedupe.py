"""Do not show an agent what it sees already: lines it was shown, and the prompt itself.

The ledger records what each session was shown. A line is not shown again for some turns unless
its thread has changed, nor a line that repeats a visible one; the other lines of the thread can
be shown. After a context compaction the agent sees nothing of what it was shown before.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from difflib import SequenceMatcher
from functools import partial
from typing import TYPE_CHECKING

from ai_smartness.capture.mentions.error_messages import find_error_messages
from ai_smartness.model.event import Event
from ai_smartness.model.injection import Injection, PreparedInjection
from ai_smartness.model.session import (
    LedgerEntry,
    LedgerPage,
    Session,
    ShownLine,
    SkippedThread,
)
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.redact import redacted_text
from ai_smartness.search.passages import without_old_text
from ai_smartness.search.word_rarity import stemmed_set
from ai_smartness.text.display import shortened_text
from ai_smartness.text.stretches import telling_word_count
from ai_smartness.text.words import has_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "BRIEF_REVISION",
    "LINES_ONLY_REVISION",
    "ShownThreads",
    "VisibleLines",
    "echoes_prompt",
    "is_in_prompt",
    "is_out_of_sight",
    "is_whole_message",
    "record_injection",
    "record_printed_lines",
    "similarity_from_cosine",
]

LINES_ONLY_REVISION = -1
"""The revision of a thread of which only some lines were shown: the rest is not visible."""

BRIEF_REVISION = -2
"""The same for lines of the brief, which the agent sees until its context is compacted."""

REPEATED_SHARE = 0.8  # of the words of a line, if the agent has read its message in parts
ALIKE_SHARE = 0.4  # the same for a line of another message that says nearly the same
ECHOED_WORDS = 6  # in a row, as the prompt has them
TELLING_WORDS = 3  # a line with fewer others says no more than the prompt
PROMPT_CHARACTERS = 600  # of a prompt, for somebody who asks why something was shown

_WORD = re.compile(r"\w+")

LATE_REASON = "the answer came too late"
KEYWORDS_REASON = "found by the hook's keyword search"


def is_out_of_sight(entry: LedgerEntry, session: Session, depth: int) -> bool:
    """Say whether an entry was shown too many turns ago, or before a context compaction.

    The brief stands at the beginning of the context, and stays there.
    """
    is_old = entry.revision != BRIEF_REVISION and entry.turn < session.turn - depth
    return is_old or entry.epoch != session.epoch


class ShownThreads:
    """The threads a session can still see, each as it was last shown."""

    def __init__(
        self,
        entries: Sequence[LedgerEntry],
        session: Session,
        depth: int,
        own_messages_since: Callable[[str, int], int],
    ) -> None:
        """Take the ledger's entries, newest first.

        `own_messages_since` counts the messages that the session itself put on a thread
        after a number: it knows them, so they are no change to it.
        """
        visible = [entry for entry in entries if not is_out_of_sight(entry, session, depth)]
        whole = [entry for entry in visible if entry.revision >= 0]
        self._latest = {entry.thread_id: entry for entry in reversed(whole)}
        self._own_messages_since = own_messages_since
        self.texts: dict[int, list[str | None]] = {}
        """The visible lines of each message; None if it was shown whole."""
        self.in_brief = {
            seq for entry in visible if entry.revision == BRIEF_REVISION for seq in entry.seqs
        }
        """The messages of which the brief has lines."""
        for entry in visible:
            for seq, text in _shown_texts(entry):
                self.texts.setdefault(seq, []).append(text)

    def last_shown(self, thread: Thread) -> LedgerEntry | None:
        """Return the entry of a visible thread."""
        return self._latest.get(thread.id)

    def revised_entries(self, threads: Iterable[Thread]) -> list[LedgerEntry]:
        """Return the entries of threads that have another revision now."""
        known = ((thread, self.last_shown(thread)) for thread in threads)
        return [entry for thread, entry in known if entry and entry.revision != thread.revision]

    def has_changed(self, thread: Thread) -> bool:
        """Say whether others have changed a visible thread since it was shown."""
        entry = self._latest[thread.id]
        changes = thread.revision - entry.revision
        return bool(changes) and changes != self._own_messages_since(thread.id, entry.through)


def _shown_texts(entry: LedgerEntry) -> Iterator[tuple[int, str | None]]:
    """Yield what an entry showed of each message; None stands for the whole message."""
    if entry.lines:
        yield from ((line.seq, line.text) for line in entry.lines)
    else:
        yield from ((seq, None) for seq in entry.seqs)


def record_injection(store: ThreadStore, prepared: PreparedInjection, *, is_shown: bool) -> None:
    """Write the ledger page of a turn: only entries that reached the agent were seen."""
    injection = prepared.injection
    late = () if is_shown else _late_threads(injection)
    with store.unit(prepared.session.project):
        session, through = store.read_together(
            partial(_session_at_turn, store, prepared.session),
            partial(store.events.last_seq, prepared.session.project),
        )
        # A compaction since then has ended the epoch in which it was shown.
        then = replace(session, epoch=prepared.session.epoch)
        page = LedgerPage(
            project=then.project,
            session=then.id,
            epoch=then.epoch,
            turn=then.turn,
            at=prepared.at,
            took_ms=round(injection.took * 1000, 3),
            reranked_ms=round(injection.reranked * 1000, 3),
            shown=_ledger_entries(injection, then, through) if is_shown else (),
            skipped=(*injection.skipped, *late),
            prompt=_ledger_prompt(prepared.prompt),
            block=(prepared.sent or injection.text) if is_shown else "",
        )
        store.threads.save_session(session)
        store.ledger.write(page)


def _ledger_prompt(prompt: str) -> str:
    return shortened_text(redacted_text(prompt), PROMPT_CHARACTERS)


def _session_at_turn(store: ThreadStore, prepared: Session) -> Session:
    """Return a session as it is stored now, with one more turn.

    It may have changed since the answer was prepared: a late answer is recorded after the next.
    """
    stored = store.threads.find_session(prepared.project, prepared.id)
    return replace(stored, turn=stored.turn + 1, beat=prepared.beat) if stored else prepared


def record_printed_lines(
    store: ThreadStore,
    session: Session,
    lines: Mapping[str, Sequence[int]],
    now: datetime,
    prompt: str = "",
) -> None:
    """Write the ledger page of a turn that the hook answered by its own keyword search.

    It shows messages, not threads: the rest of a thread can be shown at any time.
    """
    through = store.events.last_seq(session.project)
    events = store.events.by_seq({seq for seqs in lines.values() for seq in seqs})
    entries = tuple(
        LedgerEntry(
            session=session.id,
            epoch=session.epoch,
            turn=session.turn,
            thread_id=thread_id,
            revision=LINES_ONLY_REVISION,
            tokens=0,
            score=0.0,
            why=KEYWORDS_REASON,
            seqs=tuple(seqs),
            through=through,
            lines=tuple(
                _whole_line(events[seq])
                for seq in seqs
                if seq in events and store.threads.has(events[seq].thread_id)
            ),
        )
        for thread_id, seqs in lines.items()
        if store.threads.has(thread_id)
    )
    page = LedgerPage(
        project=session.project,
        session=session.id,
        epoch=session.epoch,
        turn=session.turn,
        at=now,
        took_ms=0.0,
        shown=entries,
        skipped=(),
        prompt=_ledger_prompt(prompt),
    )
    with store.unit(session.project):
        store.threads.save_session(session)
        store.ledger.write(page)


def _whole_line(event: Event) -> ShownLine:
    return ShownLine(event.seq, event.role, event.at, event.text, KEYWORDS_REASON)


def _ledger_entries(
    injection: Injection, session: Session, through: int
) -> tuple[LedgerEntry, ...]:
    return tuple(
        LedgerEntry(
            session=session.id,
            epoch=session.epoch,
            turn=session.turn,
            thread_id=entry.thread.id,
            revision=entry.thread.revision,
            tokens=entry.tokens,
            score=entry.priority,
            why=entry.why,
            seqs=tuple(line.seq for line in entry.lines),
            through=through,
            lines=tuple(
                ShownLine(line.seq, line.role, line.at, line.text, line.why, line.scores)
                for line in entry.lines
            ),
        )
        for entry in injection.entries
    )


def _late_threads(injection: Injection) -> tuple[SkippedThread, ...]:
    return tuple(
        SkippedThread(
            entry.thread.id, entry.thread.title, LATE_REASON, entry.relevance, entry.lines[0].text
        )
        for entry in injection.entries
    )


class VisibleLines:
    """The lines an agent sees, and of which messages they are.

    Messages are compared by vector; of two that say the same, the newer counts.
    """

    def __init__(
        self,
        vectors: "Mapping[int, NDArray[np.float32]]",
        similarity: Callable[[float], float],
        same: float,
    ) -> None:
        self._vectors = vectors
        self._similarity = similarity
        self._same = same
        self._times: dict[int, datetime] = {}
        self._words: dict[int, frozenset[str]] = {}
        self._whole: set[int] = set()

    def add(self, seq: int, at: datetime, text: str | None = None) -> None:
        """Add a line that the agent sees; without a text, it sees the whole message."""
        self._times[seq] = at
        if text is None:
            self._whole.add(seq)
        else:
            words = stemmed_set(without_old_text(text))
            self._words[seq] = self._words.get(seq, frozenset()) | words

    def is_repeated(self, seq: int, at: datetime, text: str) -> bool:
        """Say whether the agent sees this line, or one at least as new that says the same."""
        words = stemmed_set(without_old_text(text))
        if seq in self._times and self._has_words(seq, words, REPEATED_SHARE):
            return True
        return any(
            at <= time
            and self._is_similar(seq, other)
            and self._has_words(other, words, ALIKE_SHARE)
            for other, time in self._times.items()
            if other != seq
        )

    def _has_words(self, seq: int, words: frozenset[str], share: float) -> bool:
        if seq in self._whole:
            return True
        return len(words & self._words.get(seq, frozenset())) >= share * len(words)

    def _is_similar(self, seq: int, other: int) -> bool:
        if seq not in self._vectors or other not in self._vectors:
            return False
        cosine = float(self._vectors[seq] @ self._vectors[other])
        return self._similarity(cosine) > self._same


def similarity_from_cosine(cosine: float, unrelated_cosine: float) -> float:
    """Map the cosine of two messages to a similarity: 0 for unrelated ones, 1 for equal ones.

    The scale differs from that of a question and its answer, which are further apart.
    """
    return (cosine - unrelated_cosine) / (1.0 - unrelated_cosine)


def is_whole_message(text: str, message: str) -> bool:
    """Say whether a line has all of a message."""
    return _normalized_text(text) == _normalized_text(message)


def is_in_prompt(text: str, prompt: str) -> bool:
    """Say whether the prompt itself contains a text, as whole words."""
    return has_words(_normalized_text(prompt), _normalized_text(text))


def echoes_prompt(text: str, prompt: str) -> bool:
    """Say whether a line stands in the prompt, or reports the error of the prompt and no more."""
    if is_in_prompt(text, prompt):
        return True
    if not any(find_error_messages(prompt)):
        return False
    words, asked = _WORD.findall(text.casefold()), _WORD.findall(prompt.casefold())
    start, _, size = SequenceMatcher(None, words, asked, autojunk=False).find_longest_match()
    rest = " ".join([*words[:start], *words[start + size :]])
    return size >= ECHOED_WORDS and telling_word_count(rest) < TELLING_WORDS


def _normalized_text(text: str) -> str:
    return " ".join(text.casefold().split())
