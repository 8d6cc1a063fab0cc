"""A thread condensed, merged, split, undone and opened again in any order.

What was said is there byte for byte, the view loses nothing that no compaction
stands for, it is what the definition says it is, and a model's API would take it.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from ai_smartness.condense.tool_calls import view_tokens
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.condensation import Scope, condensation_of
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event, EventType, Message
from ai_smartness.model.split import SplitPart
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import SetClock
from api_requests import assert_anthropic, assert_openai
from builders import NOON
from engines import TEMPORARY, affordable, open_store

pytestmark = pytest.mark.every_engine

CONDENSERS = ("digest", "digest", "trim-tool-results", "summarize-and-reload", "llm-summary")
LINE = "tests/unit/test_jwt.py::test_refresh FAILED with Error: the token 4711 has expired\n"

some = st.integers(0, 30)

T = TypeVar("T")


class Condensing(RuleBasedStateMachine):
    """Some logs of agents, and what was appended to them."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.clock = SetClock(NOON)
        self.given: dict[str, tuple[object, ...]] = {}
        self.open_calls: dict[str, list[str]] = {}
        self.number = 0

    @initialize(in_file=st.booleans())
    def begin(self, *, in_file: bool) -> None:
        self.path = Path(self.folder.name) / "memory" if in_file else TEMPORARY
        self.open()
        for name in ("one", "two"):
            thread = self.memory.create(name)
            for number in range(6):
                self.say(thread, number)

    def open(self) -> None:
        self.store = open_store(self.path)
        parts = MemoryParts(
            store=self.store,
            embedder=lambda: None,
            clock=self.clock,
            read_file=lambda path: f"# {path}\n" * 20,
        )
        self.memory = Memory(parts, "demo", Settings())

    def threads(self) -> list[str]:
        return sorted(
            thread.id for thread in self.store.threads.all("demo") if not thread.merged_into
        )

    # What is said.

    @rule(which=some, kind=some)
    def append(self, which: int, kind: int) -> None:
        self.say(one_of(self.threads(), which), kind)

    def say(self, thread: str, kind: int) -> None:
        self.clock.advance(seconds=30)
        self.number += 1
        message = self.message(thread, kind % 6)
        event = self.memory.append(thread, message)
        self.given[event.id] = said(event)

    def message(self, thread: str, kind: int) -> Message:
        number, calls = self.number, self.open_calls.setdefault(thread, [])
        id_, session = f"m{number}", f"s{number % 2}"
        if kind == 0:
            text = f"Never log token {number}. Please fix src/auth/jwt_{number}.py by 10:30 {LINE}"
            return Message(id=id_, session=session, text=text)
        if kind == 1:
            calls.append(f"call-{number}")
            return Message(
                id=id_,
                session=session,
                role="assistant",
                type=EventType.TOOL_CALL,
                text="",
                payload={"name": "run it", "id": calls[-1], "args": {"command": "pytest -q"}},
            )
        if kind in (2, 3) and calls:
            return Message(
                id=id_,
                session=session,
                role="tool",
                type=EventType.TOOL_RESULT,
                text=LINE * (number % 9 * 10),
                payload={"tool_use_id": calls.pop(0), "exit_code": number % 2},
            )
        if kind == 4:
            return Message(
                id=id_,
                session=session,
                role="tool",
                type=EventType.TOOL_RESULT,
                text=f"orphan {number} " + LINE,
                payload={"tool": "Bash"},
            )
        text = f"I fixed it in src/auth/jwt_{number}.py, because 4711 was wrong. " * 6
        return Message(id=id_, session=session, role="assistant", text=text)

    # The verbs.

    @rule(
        which=some,
        condenser=st.sampled_from(CONDENSERS),
        scope=st.sampled_from(Scope),
        room=st.sampled_from((150, 300, 900)),
    )
    def condense(self, which: int, condenser: str, scope: Scope, room: int) -> None:
        id_ = one_of(self.threads(), which)
        before = self.memory.events(id_)
        try:
            shown = self.memory.condense(id_, condenser, scope=scope, target=room, dry_run=True)
            assert self.memory.events(id_) == before
            done = self.memory.condense(id_, condenser, scope=scope, target=room)
        except RefusedError:
            assert self.memory.events(id_) == before
            return
        assert done.compaction.replacements == shown.compaction.replacements
        assert done.number is not None
        if condenser != "trim-tool-results":
            assert view_tokens(self.memory.events(id_)) <= room

    @rule(which=some, compaction=some)
    def restore(self, which: int, compaction: int) -> None:
        id_ = one_of(self.threads(), which)
        made = [e for e in self.memory.all_events(id_) if e.type is EventType.COMPACTION]
        if made:
            number = compaction % len(made)
            try:
                self.memory.restore(id_, before=made[number].id)
            except RefusedError:
                return
            aside = self.store.threads.get(id_).set_aside
            assert all(each.seq in aside for each in made if each.seq >= made[number].seq)

    @rule(one=some, other=some)
    def merge(self, one: int, other: int) -> None:
        ids = self.threads()
        if len(ids) > 1:
            self.memory.merge(
                ids[one % len(ids)], ids[(one + 1 + other % (len(ids) - 1)) % len(ids)], force=True
            )

    @rule(which=some, start=some, size=st.integers(1, 4))
    def split(self, which: int, start: int, size: int) -> None:
        id_ = one_of(self.threads(), which)
        ids = [event.id for event in self.store.events.of_thread(id_)]
        first = start % max(1, len(ids))
        try:
            self.memory.split(id_, [SplitPart("part", tuple(ids[first : first + size]))])
        except RefusedError:
            return

    @rule(back=st.integers(0, 3))
    def undo(self, back: int) -> None:
        entries = self.memory.log(limit=20)
        try:
            self.memory.undo(one_of(entries, back).seq)
        except (RefusedError, NotFoundError):
            return

    @rule()
    def opened_again(self) -> None:
        self.clock.advance(seconds=5)
        if self.path != TEMPORARY:
            self.store.close()
            self.open()

    @rule()
    def reindexed(self) -> None:
        self.memory.reindex(vectors=False)

    # What is always so.

    @invariant()
    def nothing_is_lost(self) -> None:
        everything = [e for t in self.threads() for e in self.memory.all_events(t)]
        there = {e.id: said(e) for e in everything if e.type is not EventType.COMPACTION}
        assert there == self.given

    @invariant()
    def the_view_is_what_it_is_defined_to_be(self) -> None:
        for id_ in self.threads():
            view = self.memory.events(id_)
            assert view == self.memory.events(id_)
            assert [shown(event) for event in view] == self.defined(id_)
            real = [event.id for event in view if event.seq]
            order = [event.id for event in self.memory.all_events(id_)]
            assert real == [each for each in order if each in set(real)]

    def defined(self, id_: str) -> list[tuple[object, ...]]:
        """Work the view out from the whole log, one step after the other."""
        thread = self.store.threads.get(id_)
        everything = self.memory.all_events(id_)
        made = [condensation_of(e) for e in everything if e.type is EventType.COMPACTION]
        force = sorted(
            (c for c in made if c.seq not in thread.set_aside), key=lambda each: each.seq
        )
        covered = {seq for each in force for seq in each.covers}
        gone = {seq for each in force for seq in each.supersedes}
        gone |= {
            one.seq
            for one in force
            for later in force
            if later.seq > one.seq and set(later.covers) >= set(one.covers)
        }
        told = [e for e in everything if e.type is not EventType.COMPACTION]
        places: list[tuple[datetime, int, list[tuple[object, ...]]]] = [
            (e.at, e.seq, [shown(e)]) for e in told if e.seq not in covered
        ]
        for each in force:
            if each.seq not in gone:
                texts: list[tuple[object, ...]] = [
                    (r.type, r.role, r.text) for r in each.replacements
                ]
                places.append((each.anchor.at, each.anchor.seq, texts))
        places.sort(key=lambda place: place[:2])
        return [each for _, _, texts in places for each in texts]

    @invariant()
    def an_api_takes_the_view(self) -> None:
        for id_ in self.threads():
            assert_anthropic(self.memory.messages(id_))
            assert_openai(self.memory.messages(id_, "openai"))

    @invariant()
    def nobody_finds_a_compaction(self) -> None:
        for query in ("Digest of messages", "token 4711", "Session Summary"):
            found = self.memory.search(query, words_only=True)
            assert all(hit.id in self.given for hit in found)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
        self.folder.cleanup()


def said(event: Event) -> tuple[object, ...]:
    return (event.seq, event.type, event.role, event.text, event.payload, event.at, event.session)


def shown(event: Event) -> tuple[object, ...]:
    return (event.type, event.role, event.text)


def one_of(several: Sequence[T], which: int) -> T:
    return several[which % len(several)]


STEPS = settings(
    max_examples=25, stateful_step_count=18, suppress_health_check=[HealthCheck.too_slow]
)


def test_a_condensed_thread_shows_what_was_said_whatever_comes_next() -> None:
    run_state_machine_as_test(Condensing, settings=affordable(STEPS))
