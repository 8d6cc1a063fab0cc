"""Rewrite the journal so that it still tells what was done, and no longer what was forgotten.

An entry about a thread that lost messages tells of it by what the thread is called now,
and can be undone as before. One that holds forgotten words in any other place keeps its
place, its time and who it was, and cannot be undone.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from ai_smartness.forgetting.traces import Traces, ids_in
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.forgetting import FORGOTTEN
from ai_smartness.model.journal import BridgeEdit, Change, JournalEntry, Move, ThreadEdit
from ai_smartness.model.thread import Thread

__all__ = ["Rewriting"]

_TITLES = re.compile("“[^”]*”")
_FREE = frozenset(
    {"title", "titles", "topic", "topics", "content", "reason", "query", "parameters"}
)
"""Arguments that are in somebody's words."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What is known when the journal is rewritten: what is gone, and what is there now."""

    traces: Traces
    gone: Collection[int]
    ids: frozenset[str]
    touched: Collection[str]
    threads: Callable[[str], Thread | None]
    bridges: Mapping[str, Bridge]

    def rewritten(self, entry: JournalEntry) -> JournalEntry:
        """Return an entry without what was forgotten; the same one if it holds none of it."""
        moves = self._moves(entry.change.moves)
        change = replace(entry.change, moves=moves)
        if entry.change.moves and not moves:
            return _forgotten(entry, change)
        anew = replace(entry, change=change)
        if not set(self.touched).isdisjoint(entry.change.touched):
            anew = self._retold(anew)
            if _still_told(entry, anew.said):
                return _forgotten(entry, change)
        return _forgotten(entry, change) if self._is_held_by(anew) else anew

    def _moves(self, moves: tuple[Move, ...]) -> tuple[Move, ...]:
        left = (
            replace(move, seqs=tuple(seq for seq in move.seqs if seq not in self.gone))
            for move in moves
        )
        return tuple(move for move in left if move.seqs)

    def _retold(self, entry: JournalEntry) -> JournalEntry:
        change = Change(
            tuple(
                ThreadEdit(self._thread(each.before), self._thread(each.after))
                for each in entry.change.threads
            ),
            entry.change.moves,
            tuple(
                BridgeEdit(self._bridge(each.before), self._bridge(each.after))
                for each in entry.change.bridges
            ),
            entry.change.foci,
        )
        arguments = {
            name: FORGOTTEN if value and (name in _FREE or self._is_gone(value)) else value
            for name, value in entry.arguments.items()
        }
        said = _TITLES.sub(f"“{FORGOTTEN}”", entry.said)
        return replace(entry, change=change, arguments=arguments, said=said)

    def _is_gone(self, argument: object) -> bool:
        return isinstance(argument, str) and argument in self.ids

    def _thread(self, thread: Thread | None) -> Thread | None:
        if thread is None or thread.id not in self.touched:
            return thread
        now = self.threads(thread.id)
        ratings = tuple(
            replace(each, reason=None) if self.traces.are_in(each.reason) else each
            for each in thread.ratings
        )
        return replace(
            thread,
            title=now.title if now else FORGOTTEN,
            title_given=now.title_given if now else False,
            summary=now.summary if now else "",
            topics=now.topics if now else (),
            topics_given=now.topics_given if now else (),
            files=now.files if now else (),
            ratings=ratings,
        )

    def _bridge(self, bridge: Bridge | None) -> Bridge | None:
        if bridge is None or not {bridge.source, bridge.target} & set(self.touched):
            return bridge
        now = self.bridges.get(bridge.id)
        return replace(bridge, reason=now.reason if now else "")

    def _is_held_by(self, entry: JournalEntry) -> bool:
        if not ids_in(entry.said).isdisjoint(self.ids):
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
        return self.traces.are_in("\n".join(told)) or any(map(self.traces.are_told_by, threads))


def _still_told(before: JournalEntry, said: str) -> bool:
    """Say whether a former title, which may hold quotes itself, is still in what is said."""
    edits = before.change.threads
    titles = {each.title for edit in edits for each in (edit.before, edit.after) if each}
    return any(title in said for title in titles if title and title != FORGOTTEN)


def _forgotten(entry: JournalEntry, change: Change) -> JournalEntry:
    return replace(
        entry,
        arguments={"forgotten": True},
        said=f"Forgotten: what this {entry.verb} changed.",
        change=Change(moves=change.moves),
    )
