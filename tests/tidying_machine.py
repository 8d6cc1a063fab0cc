"""Every verb in any order: nothing is lost or doubled, and all of it can be taken back.

What a change left, its undo turns into what was before it, byte for byte. What is
refused, and what is only shown, changes nothing.
"""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, Protocol, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.bridge import Bridge, BridgeDraft, Relation
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Message
from ai_smartness.model.journal import Outcome
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import Kind, SplitLock, Thread
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from builders import NOON
from dump import chosen, dump, empty, lasting, places
from engines import TEMPORARY, open_store

SAID = (
    "The JWT refresh token lives 15 minutes, see src/auth/token.py",
    "We raised the JWT refresh token lifetime from 15 to 30 minutes in src/auth/token.py",
    "The checkout page shows the basket total without VAT",
    "The checkout basket total must include VAT now, see web/checkout/basket.ts",
    "We dropped Postgres 14 for billing invoices and use Postgres 16",
    "billing invoices depend on the checkout basket total",
    "yes, go on",
    "",
)
SESSIONS = ("s1", "s2", "s3")
TITLES = ("Tokens", "Basket and VAT")

some = st.integers(0, 30)
"""One of whatever there is just then."""

RARELY = 28

T = TypeVar("T")


class Verb(Protocol):
    """A verb of the memory, with all it is told but whether to do it."""

    def __call__(self, *, dry_run: bool) -> Outcome: ...


class Step(NamedTuple):
    """A change in force: what to undo it by, and all there was before and after it."""

    number: int
    before: str
    after: str


class Tidying(RuleBasedStateMachine):
    """A memory that is talked to and tidied, and what is known about it from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.clock = SetClock(NOON)
        self.given: list[str] = []
        self.moved_by_talk: set[str] = set()
        self.steps: dict[int, Step] = {}
        self.stack: list[Step] = []
        self.in_order = True
        self.refusal = ""

    @initialize(
        in_file=st.sampled_from([False, False, True]),
        embeds=st.booleans(),
        talks=st.booleans(),
        said=st.lists(st.tuples(some, some), min_size=8, max_size=16),
    )
    def begin(
        self,
        *,
        in_file: bool,
        embeds: bool,
        talks: bool,
        said: list[tuple[int, int]],
    ) -> None:
        self.path = Path(self.folder.name) / "memory.db" if in_file else TEMPORARY
        self.embeds = embeds
        self.talks = talks
        self.store = open_store(self.path)
        self.memory = self.seen_from("demo")
        self.seen_from("other").capture(
            [Message(id=f"o{n}", session="o", text=SAID[n], at=NOON) for n in range(3)],
        )
        for text, session in said:
            self.say(text, session)
        self.first = self.now = self.dumped()

    def seen_from(self, project: str) -> Memory:
        embedder = HashEmbedder() if self.embeds else None
        parts = MemoryParts(store=self.store, embedder=lambda: embedder, clock=self.clock)
        return Memory(parts, project, Settings())

    def dumped(self) -> str:
        self.memory.tell()
        return dump(self.store)

    def say(self, text: int, session: int, thread: str | None = None) -> None:
        id_ = f"m{len(self.given)}"
        self.memory.capture(
            Message(
                id=id_,
                session=one_of(SESSIONS, session),
                text=one_of(SAID, text),
                at=self.clock.advance(seconds=40),
                thread=thread,
            ),
        )
        self.given.append(id_)

    # What there is to choose from.

    def threads(self) -> list[Thread]:
        return sorted(self.store.threads.all("demo"), key=lambda thread: thread.id)

    def thread(self, which: int) -> str:
        """Choose any thread of the project, also one that was merged away."""
        return one_of(self.threads(), which).id

    def bridges(self) -> list[Bridge]:
        found = {
            b.id: b for t in self.threads() for b in self.store.bridges.of(t.id, unwanted=True)
        }
        return [found[id_] for id_ in sorted(found)]

    # What is always so.

    @invariant()
    def all_is_well(self) -> None:
        self.no_message_is_lost_or_doubled()
        self.no_bridge_leads_to_itself_or_to_nowhere()
        self.who_was_merged_away_has_no_messages_left()
        self.parents_and_children_are_there()
        assert self.dumped() == self.now

    def no_message_is_lost_or_doubled(self) -> None:
        on_threads = [e.id for t in self.threads() for e in self.memory.all_events(t.id)]

        assert sorted(on_threads) == sorted(self.given)

    def no_bridge_leads_to_itself_or_to_nowhere(self) -> None:
        there = {each.id: each for p in ("demo", "other") for each in self.store.threads.all(p)}

        for bridge in self.bridges():
            assert bridge.source != bridge.target
            for end in (bridge.source, bridge.target):
                assert end in there
                assert bridge.unwanted or not there[end].merged_into

    def who_was_merged_away_has_no_messages_left(self) -> None:
        for thread in self.threads():
            assert not (thread.merged_into and self.store.events.of_thread(thread.id))

    def parents_and_children_are_there(self) -> None:
        ids = {thread.id for thread in self.threads()}

        for thread in self.threads():
            assert {*thread.child_ids, thread.parent_id or thread.id} <= ids

    # What is said, and time.

    @precondition(lambda self: self.talks)
    @rule(text=some, session=some, thread=st.none() | some)
    def capture(self, text: int, session: int, thread: int | None) -> None:
        before = places(self.now)
        named = None if thread is None else self.thread(thread)
        self.say(text, session, named)
        self.now = self.dumped()
        after = places(self.now)
        self.moved_by_talk |= {id_ for id_ in before if before[id_] != after[id_]}

    @rule(hours=st.integers(1, 2_000))
    def opened_again_later(self, hours: int) -> None:
        self.clock.advance(hours=hours)
        if self.path != TEMPORARY:
            self.store.close()
            self.store = open_store(self.path)
        self.memory = self.seen_from("demo")

    # The verbs.

    @rule(survivor=some, absorbed=some, force=st.booleans())
    def merge(self, survivor: int, absorbed: int, *, force: bool) -> None:
        # Seldom one that was merged away, or twice the same: it is refused, and that is soon seen.
        among = [t for t in self.threads() if survivor >= RARELY or not t.merged_into]
        kept = one_of(among, survivor)
        others = [t for t in among if absorbed >= RARELY or t is not kept]
        ids = (kept.id, one_of(others or among, absorbed).id)
        locks = [self.store.threads.get(id_).split_lock for id_ in ids]
        done = self.carry_out(lambda dry_run: self.memory.merge(*ids, force=force, dry_run=dry_run))
        if done:
            assert SplitLock.FORCE not in locks
            assert force or locks == [None, None]

    @rule(
        which=some,
        start=some,
        sizes=st.lists(st.sampled_from([1, 1, 2, 3, 0]), min_size=1, max_size=2),
        lock=st.sampled_from(SplitLock),
        session=st.none() | st.sampled_from(SESSIONS),
    )
    def split(
        self,
        which: int,
        start: int,
        sizes: list[int],
        lock: SplitLock,
        session: str | None,
    ) -> None:
        long = [t for t in self.threads() if len(self.store.events.of_thread(t.id)) > 1]
        id_ = one_of(long or self.threads(), which).id
        ids = [event.id for event in self.store.events.of_thread(id_)]
        turned = iter(ids[start % max(1, len(ids)) :] + ids[: start % max(1, len(ids))])
        parts = [
            SplitPart(title, (*islice(turned, size),))
            for title, size in zip(TITLES, sizes, strict=False)
        ]
        self.carry_out(
            lambda dry_run: self.memory.split(
                id_,
                parts,
                lock=lock,
                session=session,
                dry_run=dry_run,
            ),
        )

    @rule(message=some, thread=some)
    def move(self, message: int, thread: int) -> None:
        what, where = one_of(self.given, message), self.thread(thread)
        self.carry_out(lambda dry_run: self.memory.move(what, where, dry_run=dry_run))

    @precondition(lambda self: any(thread.split_lock for thread in self.threads()))
    @rule(which=some, force=st.booleans())
    def unlock(self, which: int, *, force: bool) -> None:
        locked = [t for t in self.threads() if t.split_lock or which >= RARELY]
        id_ = one_of(locked, which).id
        self.carry_out(lambda dry_run: self.memory.unlock(id_, force=force, dry_run=dry_run))

    @rule(session=st.sampled_from(SESSIONS))
    def context_compacted(self, session: str) -> None:
        due = {
            thread.id
            for thread in self.threads()
            if thread.split_lock is SplitLock.COMPACTION and thread.lock_session in (session, None)
        }
        done = self.memory.context_compacted(session)
        assert {edit.id for edit in done.change.threads} == due
        self.took_effect(done)

    @rule(
        which=some,
        verb=st.sampled_from(("archive", "suspend", "reactivate", "rename", "confirm")),
        title=st.sampled_from(("", *TITLES)),
        kind=st.sampled_from(Kind),
    )
    def change_one(self, which: int, verb: str, title: str, kind: Kind) -> None:
        do, id_ = getattr(self.memory, verb), self.thread(which)
        more: Sequence[object] = {"rename": (title,), "confirm": (kind,)}.get(verb, ())
        self.carry_out(lambda dry_run: do(id_, *more, dry_run=dry_run))

    @rule(one=some, other=some, relation=st.sampled_from(Relation), weight=st.floats(0, 1))
    def link(self, one: int, other: int, relation: Relation, weight: float) -> None:
        ends = {"source": self.thread(one), "target": self.thread(other)}
        wanted = BridgeDraft(relation=relation, weight=weight, reason="the basket", **ends)
        self.carry_out(lambda dry_run: self.memory.link(wanted, dry_run=dry_run))

    @precondition(lambda self: self.bridges())
    @rule(which=some, verb=st.sampled_from(["unlink", "follow"]))
    def unlink_or_follow(self, which: int, verb: str) -> None:
        id_ = one_of(self.bridges(), which).id
        self.carry_out(lambda dry_run: getattr(self.memory, verb)(id_, dry_run=dry_run))

    # Taking back.

    @precondition(lambda self: self.steps)
    @rule()
    def undo(self) -> None:
        if self.latest():
            self.take_back(self.latest(), by_number=False)
        else:
            assert not self.carry_out(lambda dry_run: self.memory.undo(dry_run=dry_run))

    @precondition(lambda self: self.steps)
    @rule(which=some)
    def undo_any_or_bring_it_back(self, which: int) -> None:
        self.take_back(one_of(sorted(self.steps, reverse=True), which))

    @precondition(lambda self: self.steps)
    @rule()
    def bring_back(self) -> None:
        undos = [e.seq for e in self.memory.log(limit=1_000) if e.undoes and not e.undone_by]
        if undos:
            self.take_back(undos[0])

    def latest(self) -> int:
        entries = self.memory.log(limit=1_000)
        return next((e.seq for e in entries if e.undone_by is None and e.undoes is None), 0)

    def take_back(self, number: int, *, by_number: bool = True) -> bool:
        """Undo a change; if all is as that left it, all becomes as it was before it."""
        step, before = self.steps[number], self.now
        undone = self.store.journal.get(number).undone_by
        top = self.stack[-1] if self.stack else Step(0, "", "")
        named = number if by_number else None
        done = self.carry_out(lambda dry_run: self.memory.undo(named, dry_run=dry_run))
        if before == step.after and not undone:
            assert done, self.refusal
            assert self.now == step.before
        if not done:
            return False
        assert not undone
        if top.number == number or (top.after, top.before) == (before, self.now):
            self.stack[-2:] = []
        else:
            self.in_order = False
        return True

    # What every verb does.

    def carry_out(self, verb: Verb) -> bool:
        """Show what a verb would do, do it, and hold the two against each other."""
        try:
            shown = verb(dry_run=True)
        except (RefusedError, NotFoundError) as refused:
            with pytest.raises(type(refused)):
                verb(dry_run=False)
            assert self.dumped() == self.now
            self.refusal = str(refused)
            return False
        assert self.dumped() == self.now
        done = verb(dry_run=False)
        assert (done.said, done.change) == (shown.said, shown.change)
        self.took_effect(done)
        return True

    def took_effect(self, done: Outcome) -> None:
        # Two changes at one moment are nothing that a real clock lets happen.
        self.clock.advance(seconds=1)
        before, self.now = self.now, self.dumped()
        assert empty(self.now) <= empty(before)
        if done.number is None:
            assert self.now == before
            return
        self.steps[done.number] = Step(done.number, before, self.now)
        self.stack.append(self.steps[done.number])

    def teardown(self) -> None:
        if hasattr(self, "now"):
            self.undo_everything()
            self.store.close()
        self.folder.cleanup()

    def undo_everything(self) -> None:
        """Take back all that is in force, the latest first: the first state is there again."""
        by_number, stack = not self.in_order, list(reversed(self.stack))
        done = all(self.take_back(step.number, by_number=by_number) for step in stack)
        assert done or self.talks or by_number, self.refusal
        if done and self.talks:
            self.only_talk_changed_anything()
        elif done:
            assert self.now == self.first

    def only_talk_changed_anything(self) -> None:
        """Hold what there is against the first state; what messages make grow may be grown."""
        first, now = json.loads(self.first), json.loads(self.now)
        kept, there = lasting(first["threads"]), lasting(now["threads"])
        assert {id_: there.get(id_) for id_ in kept} == kept
        assert chosen(now["bridges"]) == chosen(first["bridges"])
        was, is_ = places(self.first), places(self.now)
        assert {id_ for id_ in was if was[id_] != is_[id_]} <= self.moved_by_talk
        spoken_on = {is_[id_] for id_ in is_ if id_ not in was or id_ in self.moved_by_talk}
        assert there.keys() - kept.keys() <= spoken_on


def one_of(several: Sequence[T], which: int) -> T:
    return several[which % len(several)]
