"""Forget messages in a store: in one transaction everything of them goes, and the rest fits again.

Whatever was made from them is made anew from what is left. Words that nothing else holds
are then looked for in all that people and agents wrote beside the messages.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from ai_smartness.capture.index import index_events
from ai_smartness.forget.rewrite import (
    DescriptionRewriter,
    JournalRewriter,
    Traces,
    remaining_bridge,
    words_not_in,
)
from ai_smartness.model.condensation import condensation_of
from ai_smartness.model.erasure import FORGOTTEN_TEXT, Selection, distinctive_words
from ai_smartness.model.event import Event
from ai_smartness.model.journal import Actor, JournalEntry
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import counted_messages, mark_covered_events

__all__ = ["Erasure", "ErasureRequest", "forget", "selected_seqs"]

_JOURNAL_BATCH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRequest:
    """What is to be forgotten, by whom and when, and what is known beside the store.

    `marks` are hashes of ids that are forgotten elsewhere already, `own` the words of the
    program, `beside` texts that are kept and not yet in the store.
    """

    selection: Selection
    who: Actor
    now: datetime
    own_words: frozenset[str] = frozenset()
    marks: frozenset[bytes] = frozenset()
    pending_texts: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What a store let go of; `ids` are those of messages and threads that tell of it."""

    messages: int
    threads: frozenset[str]
    described: int
    compactions: int
    changes: int
    traces: Traces
    kept_words: int
    ids: frozenset[str]
    projects: Mapping[str, int]


def selected_seqs(store: ThreadStore, selection: Selection) -> list[int]:
    """Return the numbers of the messages that are to be forgotten."""
    return store.erasure.selected_seqs(selection)


def forget(store: ThreadStore, request: ErasureRequest) -> Erasure:
    """Take messages away, and what was made from them; all of it or nothing."""
    with store.erasure.deletion_allowed(), store.unit():
        return _ErasureRun(store, request).run()


class _ErasureRun:
    """One forgetting on its way."""

    def __init__(self, store: ThreadStore, deed: ErasureRequest) -> None:
        self._store = store
        self._oblivion = store.erasure
        self._request = deed
        seqs = set(selected_seqs(store, deed.selection))
        if deed.marks:
            seqs.update(self._oblivion.seqs_with_hashes(deed.marks))
        self._seqs = frozenset(seqs)

    def run(self) -> Erasure:
        """Do it, and return what went."""
        words = set(self._request.words) | distinctive_words(self._request.selection.matching or "")
        for text in self._oblivion.event_texts(self._seqs):
            words |= distinctive_words(text)
        on = self._threads_of_events()
        if self._request.selection.thread is not None and self._find_thread(
            self._request.selection.thread
        ):
            on.add(self._request.selection.thread)
        self._touched_threads |= on
        compactions = self._affected_compactions()
        self._remove_messages(compactions)
        # One may have held nothing but what stood for messages that had gone elsewhere.
        removed = self._remove_empty_threads(on.union(compactions.values()))
        self._touched_threads.update(self._deserted_threads())
        left = self._unique_words(words)
        traces = Traces(left, " ".join((self._request.selection.matching or "").casefold().split()))
        described = self._redescribe_threads(traces, removed, compactions)
        changes = self._rewrite_journal(traces, compactions)
        self._clean_up(traces)
        for project in {
            each.project for each in self._store.project_counts()
        } & self._projects.keys():
            self._oblivion.record_erasure(self._journal_entry(project), self._projects[project])
        return Erasure(
            messages=len(self._seqs),
            threads=frozenset(removed),
            described=described,
            compactions=len(compactions),
            changes=changes,
            traces=traces,
            kept_words=len(words) - len(left),
            ids=self._ids | self._touched_threads,
            projects=dict(self._projects),
        )

    @cached_property
    def _touched_threads(self) -> set[str]:
        """The threads that forgotten messages are on, or ever were."""
        found, last = set[str](), 0
        while entries := self._oblivion.journal_after(last, _JOURNAL_BATCH):
            for entry in entries:
                for move in entry.change.moves:
                    if not self._seqs.isdisjoint(move.seqs):
                        found |= {move.source, move.target}
            last = entries[-1].seq
        return found

    def _threads_of_events(self) -> set[str]:
        found, ids, self._projects = set[str](), set[str](), Counter[str]()
        for event in self._oblivion.events_with_seqs(self._seqs):
            found.add(event.thread_id)
            ids.add(event.id)
            self._projects[event.project] += 1
        self._ids = frozenset(ids)
        return found

    def _affected_compactions(self) -> dict[int, str]:
        """Return the compactions that stand for a forgotten message, each with its thread."""
        return {
            event.seq: event.thread_id
            for event in self._oblivion.all_compactions()
            if not self._seqs.isdisjoint(condensation_of(event).covers)
        }

    def _remove_messages(self, compactions: Collection[int]) -> None:
        project = self._request.selection.project
        if project is not None and self._request.selection.is_whole_project:
            # Quicker than word by word.
            self._store.word_index.clear(project)
        followers = self._oblivion.next_in_session(self._seqs)
        self._oblivion.remove_words(followers)
        self._oblivion.remove_events([*self._seqs, *compactions])
        for event in sorted(
            self._oblivion.events_with_seqs(followers), key=lambda event: event.seq
        ):
            # Each stood in the index beside the line before it, which is another now.
            index_events(self._store, [event])

    def _remove_empty_threads(self, on: Collection[str]) -> set[str]:
        """Take away the threads that have nothing left, and those that were merged into them."""
        counts = self._store.events.counts_by_thread(list(on))
        absorbed = {each.id for each in self._all_threads if each.merged_into}
        removed = {id_ for id_ in on if not counts.get(id_)} - absorbed
        while True:
            more = {
                each.id
                for each in self._all_threads
                if each.merged_into in removed and each.id not in removed
            }
            if not more:
                break
            removed |= more
        stranded = [e.seq for e in self._oblivion.all_compactions() if e.thread_id in removed]
        self._oblivion.remove_events(stranded)
        self._touched_threads.update(removed)
        self._oblivion.remove_threads(removed)
        if self._request.selection.is_whole_project:
            self._oblivion.remove_project(str(self._request.selection.project))
        if self._request.selection.session is not None:
            self._oblivion.remove_session(
                self._request.selection.session, self._request.selection.project
            )
        return removed

    def _deserted_threads(self) -> list[str]:
        """Return the threads whose messages capture itself put elsewhere: it left no trail."""
        counts = self._store.events.counts_by_thread([each.id for each in self._all_threads])
        return [
            each.id
            for each in self._all_threads
            if each.project in self._projects
            and not (counts.get(each.id) or each.merged_into or each.title_given)
        ]

    @cached_property
    def _all_threads(self) -> list[Thread]:
        projects = [each.project for each in self._store.project_counts()]
        return [thread for project in projects for thread in self._store.threads.all(project)]

    def _unique_words(self, words: set[str]) -> frozenset[str]:
        left = words_not_in(words - self._request.own_words, self._request.pending_texts)
        left = words_not_in(left, self._oblivion.stored_names())
        return frozenset(words_not_in(left, self._oblivion.event_texts()))

    def _redescribe_threads(
        self, traces: Traces, removed: Collection[str], compactions: dict[int, str]
    ) -> int:
        """Say anew what the threads that are left are about; return how many it concerns."""
        uncovered = set(compactions.values())
        retellings: dict[str, DescriptionRewriter] = {}
        count = 0
        for thread in self._all_threads:
            if not self._store.threads.has(thread.id):
                continue
            clean = _without_references(thread, removed, compactions)
            if thread.id in self._touched_threads or traces.are_in_thread(thread):
                project = thread.project
                if project not in retellings:
                    retellings[project] = DescriptionRewriter(self._store, project, traces)
                clean, count = retellings[project].redescribed_thread(clean), count + 1
            if clean != thread:
                self._store.threads.save(replace(clean, revision=thread.revision + 1))
            if thread.id in uncovered:
                mark_covered_events(self._store, thread.id)
        self._update_bridges(traces)
        return count

    def _update_bridges(self, traces: Traces) -> None:
        said = dict[str, list[Event]]()
        for bridge in self._oblivion.all_bridges():
            ends = {bridge.source, bridge.target}
            if not ends.isdisjoint(self._touched_threads):
                for end in ends - said.keys():
                    said[end] = self._store.events.of_thread(end)
            kept = remaining_bridge(bridge, traces, self._touched_threads, said)
            if kept is None:
                self._store.bridges.remove([bridge.id])
            elif kept != bridge:
                self._store.bridges.save([kept])

    def _rewrite_journal(self, traces: Traces, compactions: Collection[int]) -> int:
        rewriting = JournalRewriter(
            traces=traces,
            removed_seqs=self._seqs | set(compactions),
            removed_ids=self._ids,
            touched_threads=self._touched_threads,
            find_thread=self._find_thread,
            bridges={bridge.id: bridge for bridge in self._oblivion.all_bridges()},
        )
        count = last = 0
        while entries := self._oblivion.journal_after(last, _JOURNAL_BATCH):
            pairs = [(entry, rewriting.rewritten_entry(entry)) for entry in entries]
            changed = [new for old, new in pairs if new != old]
            self._oblivion.rewrite_journal(changed)
            count, last = count + len(changed), entries[-1].seq
        return count

    def _clean_up(self, traces: Traces) -> None:
        """Take what was shown and what is in focus along."""

        def clean_title(thread_id: str, title: str) -> str:
            now = self._find_thread(thread_id) if thread_id in self._touched_threads else None
            if thread_id in self._touched_threads:
                return now.title if now else FORGOTTEN_TEXT
            return FORGOTTEN_TEXT if traces.are_in(title) else title

        self._oblivion.rewrite_ledger(clean_title, lambda why: "" if traces.are_in(why) else why)
        for each in self._store.project_counts():
            foci = self._store.foci.all(each.project)
            self._store.foci.remove(each.project, [f for f in foci if traces.are_in(f.topic)])

    def _find_thread(self, id_: str) -> Thread | None:
        return self._store.threads.get(id_) if self._store.threads.has(id_) else None

    def _journal_entry(self, project: str) -> JournalEntry:
        selection = self._request.selection
        named = {
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
            arguments={name: value for name, value in named.items() if value},
            said=f"Forgot {counted_messages(self._projects[project])}. This cannot be undone.",
        )


def _without_references(
    thread: Thread, removed: Collection[str], compactions: Collection[int]
) -> Thread:
    """Return a thread that names none of what is gone."""
    return replace(
        thread,
        parent_id=None if thread.parent_id in removed else thread.parent_id,
        child_ids=tuple(each for each in thread.child_ids if each not in removed),
        set_aside=tuple(each for each in thread.set_aside if each not in compactions),
    )
