"""Delete messages from a store, in one transaction, and rebuild everything derived from them.

Words that no other text holds are then removed from titles, reasons, statements, the journal and
the ledger.
"""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import chain

from ai_smartness.capture.index import index_events
from ai_smartness.forget.intent import HashedTraces
from ai_smartness.forget.rewrite import (
    DescriptionRewriter,
    JournalRewriter,
    RepeatedTexts,
    Traces,
    remaining_bridge,
    words_not_in,
)
from ai_smartness.model.condensation import condensation_of
from ai_smartness.model.erasure import FORGOTTEN_TEXT, ForgetResult, Selection, distinctive_words
from ai_smartness.model.event import Event
from ai_smartness.model.journal import Actor, JournalEntry
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import counted_messages, mark_covered_events

__all__ = ["Erasure", "ErasureRequest", "forget"]

_JOURNAL_BATCH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRequest:
    """The selected messages, who deletes them and when, and the words that stay elsewhere.

    `marks` are hashed ids that are forgotten in another store already, or by a deletion that was
    interrupted; `hashed` are the words of the latter. `own_words` are the program's,
    `pending_texts` wait in the inbox, and `words` were unique in another store.
    """

    selection: Selection
    who: Actor
    now: datetime
    own_words: frozenset[str] = frozenset()
    marks: frozenset[bytes] = frozenset()
    pending_texts: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    hashed: HashedTraces | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """The effect of a deletion on one store; `ids` are those of messages and touched threads.

    `marks` are the hashes under which the store remembers the messages.
    """

    result: ForgetResult
    traces: Traces
    ids: frozenset[str]
    marks: frozenset[bytes] = frozenset()


def forget(
    store: ThreadStore,
    request: ErasureRequest,
    before_commit: Callable[[Erasure], None] = lambda _erasure: None,
) -> Erasure:
    """Delete messages and everything derived from them; all of it or nothing."""
    with store.erasure.deletion_allowed(), store.unit():
        known = store.erasure.forgotten_hashes()
        erasure = _ErasureRun(store, request).run()
        marks = frozenset(store.erasure.forgotten_hashes() - known)
        erasure = replace(erasure, marks=marks)
        before_commit(erasure)
        return erasure


class _ErasureRun:
    """One deletion in one store."""

    def __init__(self, store: ThreadStore, request: ErasureRequest) -> None:
        self._store = store
        self._erasure = store.erasure
        self._request = request
        self._selection = request.selection
        seqs = set(self._erasure.selected_seqs(request.selection))
        if request.marks:
            seqs.update(self._erasure.seqs_with_hashes(request.marks))
        self._seqs = frozenset(seqs)

    def run(self) -> Erasure:
        phrase = self._selection.matching or ""
        words = set(self._request.words) | distinctive_words(phrase)
        for text in self._erasure.event_texts(self._seqs):
            words |= distinctive_words(text)
        threads = self._threads_of_events()
        if self._selection.thread is not None and self._find_thread(self._selection.thread):
            threads.add(self._selection.thread)
        self._touched_threads |= threads
        compactions = self._affected_compactions()
        self._remove_messages(compactions)
        # A thread may have held nothing but compactions of messages that had moved elsewhere.
        removed = self._remove_empty_threads(threads.union(compactions.values()))
        self._touched_threads.update(self._deserted_threads())
        unique = self._unique_words(words)
        phrase = " ".join(phrase.casefold().split())
        traces = Traces(unique, phrase, self._remaining_hashed())
        described = self._redescribe_threads(traces, removed, compactions)
        self._update_bridges(traces)
        changes = self._rewrite_journal(traces, compactions)
        self._clean_ledger_and_foci(traces)
        self._erasure.rewrite_statements(traces.are_in)
        for project in self._remaining_projects() & self._projects.keys():
            self._erasure.record_erasure(self._journal_entry(project), self._projects[project])
        result = ForgetResult(
            messages=len(self._seqs),
            threads=len(removed),
            described=described,
            compactions=len(compactions),
            changes=changes,
            projects=dict(self._projects),
            words=len(unique),
            kept=len(words) - len(unique),
        )
        return Erasure(result=result, traces=traces, ids=self._ids | self._touched_threads)

    @cached_property
    def _touched_threads(self) -> set[str]:
        """The threads that forgotten messages are on, or ever were."""
        threads, last = set[str](), 0
        while entries := self._erasure.journal_after(last, _JOURNAL_BATCH):
            for move in (move for entry in entries for move in entry.change.moves):
                if not self._seqs.isdisjoint(move.seqs):
                    threads |= {move.source, move.target}
            last = entries[-1].seq
        return threads

    def _threads_of_events(self) -> set[str]:
        threads, ids, self._projects = set[str](), set[str](), Counter[str]()
        self._repeated_texts = RepeatedTexts(self._erasure.ledger_texts())
        for event in self._erasure.events_with_seqs(self._seqs):
            self._repeated_texts.add_forgotten(event.text)
            threads.add(event.thread_id)
            ids.add(event.id)
            self._projects[event.project] += 1
        self._ids = frozenset(ids)
        return threads

    def _affected_compactions(self) -> dict[int, str]:
        """Return the compactions that cover a forgotten message, each with its thread."""
        return {
            event.seq: event.thread_id
            for event in self._erasure.all_compactions()
            if not self._seqs.isdisjoint(condensation_of(event).covers)
        }

    def _remove_messages(self, compactions: Collection[int]) -> None:
        if self._selection.project is not None and self._selection.is_whole_project:
            # Quicker than word by word.
            self._store.word_index.clear(self._selection.project)
        followers = self._erasure.next_in_session(self._seqs)
        self._erasure.remove_words(followers)
        self._erasure.remove_events([*self._seqs, *compactions])
        events = self._erasure.events_with_seqs(followers)
        for event in sorted(events, key=lambda event: event.seq):
            # The index holds each with the message before it, which is another one now.
            index_events(self._store, [event])

    def _remove_empty_threads(self, threads: Collection[str]) -> set[str]:
        """Remove the threads that have no messages left, and those that were merged into them."""
        counts = self._store.events.counts_by_thread(list(threads))
        absorbed = {thread.id: thread.merged_into for thread in self._all_threads}
        removed = {id_ for id_ in threads if not counts.get(id_) and not absorbed.get(id_)}
        while more := {id_ for id_, into in absorbed.items() if into in removed} - removed:
            removed |= more
        compactions = self._erasure.all_compactions()
        self._erasure.remove_events([each.seq for each in compactions if each.thread_id in removed])
        self._touched_threads.update(removed)
        self._erasure.remove_threads(removed)
        if self._selection.is_whole_project:
            self._erasure.remove_project(str(self._selection.project))
        if self._selection.session is not None:
            self._erasure.remove_session(self._selection.session, self._selection.project)
        return removed

    def _deserted_threads(self) -> list[str]:
        """Return the threads whose messages capture itself moved elsewhere: it left no trail."""
        counts = self._store.events.counts_by_thread([thread.id for thread in self._all_threads])
        return [
            thread.id
            for thread in self._all_threads
            if thread.project in self._projects
            and not (counts.get(thread.id) or thread.merged_into or thread.title_given)
        ]

    def _remaining_projects(self) -> set[str]:
        return {counts.project for counts in self._store.project_counts()}

    @cached_property
    def _all_threads(self) -> list[Thread]:
        projects = [counts.project for counts in self._store.project_counts()]
        return [thread for project in projects for thread in self._store.threads.all(project)]

    def _unique_words(self, words: set[str]) -> frozenset[str]:
        """Return the words that neither the program nor any remaining text holds."""
        unique = words_not_in(words - self._request.own_words, self._request.pending_texts)
        unique = words_not_in(unique, self._erasure.stored_names())
        return frozenset(words_not_in(unique, self._erasure.event_texts()))

    def _remaining_hashed(self) -> HashedTraces | None:
        """Return the hashed words that neither the program nor any remaining text holds."""
        if self._request.hashed is None:
            return None
        own = [" ".join(self._request.own_words), *self._request.pending_texts]
        names, texts = self._erasure.stored_names(), self._erasure.event_texts()
        return self._request.hashed.without_words_of(chain(own, names, texts))

    def _redescribe_threads(
        self, traces: Traces, removed: Collection[str], compactions: dict[int, str]
    ) -> int:
        """Describe the touched threads by their remaining messages; return how many they are."""
        uncovered = set(compactions.values())
        rewriters: dict[str, DescriptionRewriter] = {}
        count = 0
        for thread in self._all_threads:
            if not self._store.threads.has(thread.id):
                continue
            clean = _without_references(thread, removed, compactions)
            if thread.id in self._touched_threads or traces.are_in_thread(thread):
                project = thread.project
                if project not in rewriters:
                    rewriters[project] = DescriptionRewriter(self._store, project, traces)
                clean, count = rewriters[project].redescribed_thread(clean), count + 1
            if clean != thread:
                self._store.threads.save(replace(clean, revision=thread.revision + 1))
            if thread.id in uncovered:
                mark_covered_events(self._store, thread.id)
        return count

    def _update_bridges(self, traces: Traces) -> None:
        messages = dict[str, list[Event]]()
        for bridge in self._erasure.all_bridges():
            ends = {bridge.source, bridge.target}
            if not ends.isdisjoint(self._touched_threads):
                for end in ends - messages.keys():
                    messages[end] = self._store.events.of_thread(end)
            remaining = remaining_bridge(bridge, traces, self._touched_threads, messages)
            if remaining is None:
                self._store.bridges.remove([bridge.id])
            elif remaining != bridge:
                self._store.bridges.save([remaining])

    def _rewrite_journal(self, traces: Traces, compactions: Collection[int]) -> int:
        rewriter = JournalRewriter(
            traces=traces,
            removed_seqs=self._seqs | set(compactions),
            removed_ids=self._ids,
            touched_threads=self._touched_threads,
            find_thread=self._find_thread,
            bridges={bridge.id: bridge for bridge in self._erasure.all_bridges()},
        )
        count = last = 0
        while entries := self._erasure.journal_after(last, _JOURNAL_BATCH):
            pairs = [(entry, rewriter.rewritten_entry(entry)) for entry in entries]
            changed = [new for old, new in pairs if new != old]
            self._erasure.rewrite_journal(changed)
            count, last = count + len(changed), entries[-1].seq
        return count

    def _clean_ledger_and_foci(self, traces: Traces) -> None:
        def clean_title(thread_id: str, title: str) -> str:
            if thread_id in self._touched_threads:
                thread = self._find_thread(thread_id)
                return thread.title if thread else FORGOTTEN_TEXT
            return FORGOTTEN_TEXT if traces.are_in(title) else title

        def clean_text(text: str) -> str:
            return "" if traces.are_in(text) or self._repeated_texts.repeats(text) else text

        self._erasure.rewrite_ledger(clean_title, clean_text, self._seqs)
        for project in self._remaining_projects():
            foci = [focus for focus in self._store.foci.all(project) if traces.are_in(focus.topic)]
            self._store.foci.remove(project, foci)

    def _find_thread(self, id_: str) -> Thread | None:
        return self._store.threads.get(id_) if self._store.threads.has(id_) else None

    def _journal_entry(self, project: str) -> JournalEntry:
        selection = self._selection
        arguments = {
            "thread": selection.thread,
            "session": selection.session,
            "since": selection.since and selection.since.isoformat(),
            "until": selection.until and selection.until.isoformat(),
        }
        return JournalEntry(
            project=project,
            at=self._request.now,
            who=self._request.who,
            verb="forget",
            arguments={name: value for name, value in arguments.items() if value},
            said=f"Forgot {counted_messages(self._projects[project])}. This cannot be undone.",
        )


def _without_references(
    thread: Thread, removed: Collection[str], compactions: Collection[int]
) -> Thread:
    """Return a thread without references to removed threads and compactions."""
    return replace(
        thread,
        parent_id=None if thread.parent_id in removed else thread.parent_id,
        child_ids=tuple(child for child in thread.child_ids if child not in removed),
        set_aside=tuple(seq for seq in thread.set_aside if seq not in compactions),
    )
