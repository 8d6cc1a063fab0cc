"""Forget messages in a store: in one transaction everything of them goes, and the rest fits again.

Whatever was made from them is made anew from what is left. Words that nothing else holds
are then looked for in all that people and agents wrote beside the messages.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from ai_smartness.capture.index import index
from ai_smartness.forgetting.journal import Rewriting
from ai_smartness.forgetting.retelling import Retelling, bridge_kept
from ai_smartness.forgetting.traces import Traces, left_of
from ai_smartness.model.condensed import condensed_of
from ai_smartness.model.event import Event
from ai_smartness.model.forgetting import FORGOTTEN, Selection, words_in
from ai_smartness.model.journal import Actor, JournalEntry
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.covering import cover
from ai_smartness.threads.plan import counted

__all__ = ["Deed", "Gone", "forget", "meant"]

_ENTRIES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What is to be forgotten, by whom and when, and what is known beside the store.

    `marks` are hashes of ids that are forgotten elsewhere already, `own` the words of the
    program, `beside` texts that are kept and not yet in the store.
    """

    selection: Selection
    who: Actor
    now: datetime
    own: frozenset[str] = frozenset()
    marks: frozenset[bytes] = frozenset()
    beside: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """What a store let go of; `ids` are those of messages and threads that tell of it."""

    messages: int
    threads: frozenset[str]
    described: int
    compactions: int
    changes: int
    traces: Traces
    kept: int
    ids: frozenset[str]
    projects: Mapping[str, int]


def meant(store: ThreadStore, selection: Selection) -> list[int]:
    """Return the numbers of the messages that are to be forgotten."""
    return store.oblivion.selected(selection)


def forget(store: ThreadStore, deed: Deed) -> Gone:
    """Take messages away, and what was made from them; all of it or nothing."""
    with store.oblivion.lifted(), store.unit():
        return _Forgetting(store, deed).done()


class _Forgetting:
    """One forgetting on its way."""

    def __init__(self, store: ThreadStore, deed: Deed) -> None:
        self._store = store
        self._oblivion = store.oblivion
        self._deed = deed
        seqs = set(meant(store, deed.selection))
        if deed.marks:
            seqs.update(self._oblivion.marked(deed.marks))
        self._seqs = frozenset(seqs)

    def done(self) -> Gone:
        """Do it, and return what went."""
        words = set(self._deed.words) | words_in(self._deed.selection.matching or "")
        for text in self._oblivion.texts(self._seqs):
            words |= words_in(text)
        on = self._threads_of_events()
        if self._deed.selection.thread is not None and self._thread(self._deed.selection.thread):
            on.add(self._deed.selection.thread)
        self._touched |= on
        compactions = self._compactions()
        self._take_away(compactions)
        # One may have held nothing but what stood for messages that had gone elsewhere.
        removed = self._empty_threads(on.union(compactions.values()))
        self._touched.update(self._deserted())
        left = self._words_left(words)
        traces = Traces(left, " ".join((self._deed.selection.matching or "").casefold().split()))
        described = self._retell(traces, removed, compactions)
        changes = self._rewrite_journal(traces, compactions)
        self._clean_up(traces)
        for project in {each.project for each in self._store.projects()} & self._projects.keys():
            self._oblivion.note(self._entry(project), self._projects[project])
        return Gone(
            messages=len(self._seqs),
            threads=frozenset(removed),
            described=described,
            compactions=len(compactions),
            changes=changes,
            traces=traces,
            kept=len(words) - len(left),
            ids=self._ids | self._touched,
            projects=dict(self._projects),
        )

    @cached_property
    def _touched(self) -> set[str]:
        """The threads that forgotten messages are on, or ever were."""
        found, last = set[str](), 0
        while entries := self._oblivion.journal(last, _ENTRIES):
            for entry in entries:
                for move in entry.change.moves:
                    if not self._seqs.isdisjoint(move.seqs):
                        found |= {move.source, move.target}
            last = entries[-1].seq
        return found

    def _threads_of_events(self) -> set[str]:
        found, ids, self._projects = set[str](), set[str](), Counter[str]()
        for event in self._oblivion.events(self._seqs):
            found.add(event.thread_id)
            ids.add(event.id)
            self._projects[event.project] += 1
        self._ids = frozenset(ids)
        return found

    def _compactions(self) -> dict[int, str]:
        """Return the compactions that stand for a forgotten message, each with its thread."""
        return {
            event.seq: event.thread_id
            for event in self._oblivion.compactions()
            if not self._seqs.isdisjoint(condensed_of(event).covers)
        }

    def _take_away(self, compactions: Collection[int]) -> None:
        project = self._deed.selection.project
        if project is not None and self._deed.selection.is_whole_project:
            # Quicker than word by word.
            self._store.words.clear(project)
        followers = self._oblivion.followers(self._seqs)
        self._oblivion.unindex(followers)
        self._oblivion.remove([*self._seqs, *compactions])
        for event in sorted(self._oblivion.events(followers), key=lambda event: event.seq):
            # Each stood in the index beside the line before it, which is another now.
            index(self._store, [event])

    def _empty_threads(self, on: Collection[str]) -> set[str]:
        """Take away the threads that have nothing left, and those that were merged into them."""
        counts = self._store.events.counts(list(on))
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
        stranded = [e.seq for e in self._oblivion.compactions() if e.thread_id in removed]
        self._oblivion.remove(stranded)
        self._touched.update(removed)
        self._oblivion.remove_threads(removed)
        if self._deed.selection.is_whole_project:
            self._oblivion.remove_project(str(self._deed.selection.project))
        if self._deed.selection.session is not None:
            self._oblivion.remove_session(
                self._deed.selection.session, self._deed.selection.project
            )
        return removed

    def _deserted(self) -> list[str]:
        """Return the threads whose messages capture itself put elsewhere: it left no trail."""
        counts = self._store.events.counts([each.id for each in self._all_threads])
        return [
            each.id
            for each in self._all_threads
            if each.project in self._projects
            and not (counts.get(each.id) or each.merged_into or each.title_given)
        ]

    @cached_property
    def _all_threads(self) -> list[Thread]:
        projects = [each.project for each in self._store.projects()]
        return [thread for project in projects for thread in self._store.threads.all(project)]

    def _words_left(self, words: set[str]) -> frozenset[str]:
        left = left_of(words - self._deed.own, self._deed.beside)
        left = left_of(left, self._oblivion.names())
        return frozenset(left_of(left, self._oblivion.texts()))

    def _retell(self, traces: Traces, removed: Collection[str], compactions: dict[int, str]) -> int:
        """Say anew what the threads that are left are about; return how many it concerns."""
        uncovered = set(compactions.values())
        retellings: dict[str, Retelling] = {}
        count = 0
        for thread in self._all_threads:
            if not self._store.threads.has(thread.id):
                continue
            clean = _without(thread, removed, compactions)
            if thread.id in self._touched or traces.are_told_by(thread):
                project = thread.project
                if project not in retellings:
                    retellings[project] = Retelling(self._store, project, traces)
                clean, count = retellings[project].retold(clean), count + 1
            if clean != thread:
                self._store.threads.save(replace(clean, revision=thread.revision + 1))
            if thread.id in uncovered:
                cover(self._store, thread.id)
        self._keep_bridges(traces)
        return count

    def _keep_bridges(self, traces: Traces) -> None:
        said = dict[str, list[Event]]()
        for bridge in self._oblivion.bridges():
            ends = {bridge.source, bridge.target}
            if not ends.isdisjoint(self._touched):
                for end in ends - said.keys():
                    said[end] = self._store.events.of_thread(end)
            kept = bridge_kept(bridge, traces, self._touched, said)
            if kept is None:
                self._store.bridges.remove([bridge.id])
            elif kept != bridge:
                self._store.bridges.save([kept])

    def _rewrite_journal(self, traces: Traces, compactions: Collection[int]) -> int:
        rewriting = Rewriting(
            traces=traces,
            gone=self._seqs | set(compactions),
            ids=self._ids,
            touched=self._touched,
            threads=self._thread,
            bridges={bridge.id: bridge for bridge in self._oblivion.bridges()},
        )
        count = last = 0
        while entries := self._oblivion.journal(last, _ENTRIES):
            pairs = [(entry, rewriting.rewritten(entry)) for entry in entries]
            changed = [new for old, new in pairs if new != old]
            self._oblivion.rewrite(changed)
            count, last = count + len(changed), entries[-1].seq
        return count

    def _clean_up(self, traces: Traces) -> None:
        """Take what was shown and what is in focus along."""

        def titled(thread_id: str, title: str) -> str:
            now = self._thread(thread_id) if thread_id in self._touched else None
            if thread_id in self._touched:
                return now.title if now else FORGOTTEN
            return FORGOTTEN if traces.are_in(title) else title

        self._oblivion.retold(titled, lambda why: "" if traces.are_in(why) else why)
        for each in self._store.projects():
            foci = self._store.foci.all(each.project)
            self._store.foci.remove(each.project, [f for f in foci if traces.are_in(f.topic)])

    def _thread(self, id_: str) -> Thread | None:
        return self._store.threads.get(id_) if self._store.threads.has(id_) else None

    def _entry(self, project: str) -> JournalEntry:
        selection = self._deed.selection
        named = {
            "thread": selection.thread,
            "session": selection.session,
            "since": selection.since and selection.since.isoformat(),
            "until": selection.until and selection.until.isoformat(),
        }
        return JournalEntry(
            project=project,
            at=self._deed.now,
            who=self._deed.who,
            verb="forget",
            arguments={name: value for name, value in named.items() if value},
            said=f"Forgot {counted(self._projects[project])}. This cannot be undone.",
        )


def _without(thread: Thread, removed: Collection[str], compactions: Collection[int]) -> Thread:
    """Return a thread that names none of what is gone."""
    return replace(
        thread,
        parent_id=None if thread.parent_id in removed else thread.parent_id,
        child_ids=tuple(each for each in thread.child_ids if each not in removed),
        set_aside=tuple(each for each in thread.set_aside if each not in compactions),
    )
