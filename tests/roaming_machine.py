"""A memory that was used in every way there is, taken out and in again."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from io import BytesIO
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.bridge import BridgeDraft, Relation
from ai_smartness.model.compaction import CompactionStrategy
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import EventType, Message
from ai_smartness.model.journal import Actor, JournalEntry
from ai_smartness.model.split import SplitPart
from ai_smartness.model.statement import ReviewState
from ai_smartness.model.thread import SplitLock, Thread
from ai_smartness.model.transfer import LoadResult
from ai_smartness.ports import ThreadStore
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from ai_smartness.threads.change_plan import carry_out
from ai_smartness.threads.review_statement import review_plan
from builders import NOON, a_statement
from dump import dump
from engines import open_store

__all__ = ["Roaming", "exported", "opened", "seen", "taken_in"]

LONG = "The nightly job failed:\n" + "ERROR in step 4: no such table invoices\n" * 40
SAID = (
    "The JWT refresh token lives 15 minutes, see src/auth/token.py",
    "We raised the JWT refresh token lifetime from 15 to 30 minutes in src/auth/token.py",
    "The checkout basket total must include VAT now, see web/checkout/basket.ts",
    "We dropped Postgres 14 for billing invoices and use Postgres 16",
    "数据库连接池太小了 \u2028 \x85 \ufeff über \U0001f600",
    'a "quoted" \\ line\r\nand another\ttab \x00 end',
    "",
    LONG,
)
SESSIONS = ("s1", "s2", "s3")
PROJECTS = ("demo", "other/*", "*")
CONDENSERS = ("digest", "trim-tool-results")

some = st.integers(0, 30)
T = TypeVar("T")


def opened(store: ThreadStore, project: str, clock: SetClock | None = None) -> Memory:
    """Return a memory with a model that hashes."""
    model = HashEmbedder()
    parts = MemoryParts(store=store, embedder=lambda: model, clock=clock or SetClock(NOON))
    return Memory(parts, project, Settings())


def exported(store: ThreadStore, project: str | None = None) -> bytes:
    """Take a store out."""
    lines: list[str] = []
    opened(store, "demo").export(lines.append, project=project)
    return "".join(lines).encode()


def taken_in(store: ThreadStore, file: bytes) -> LoadResult:
    """Take a store in."""
    return opened(store, "demo").take_in(BytesIO(file))


def seen(store: ThreadStore, project: str) -> dict[str, list[str]]:
    """Return what is in view on each thread of a project, by ids."""
    memory = opened(store, project)
    return {
        thread.id: [event.id for event in memory.events(thread.id)]
        for thread in store.threads.all(project)
    }


class Roaming(RuleBasedStateMachine):
    """Verbs in any order, in several projects; then out and in."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = SetClock(NOON)
        self.store = open_store()
        self.number = 0

    @initialize(said=st.lists(st.tuples(some, some, some), min_size=6, max_size=14))
    def begin(self, said: list[tuple[int, int, int]]) -> None:
        # One thread at least that is long enough to be condensed.
        for _ in range(5):
            self.capture(SAID.index(LONG), 0, 0)
        for text, session, project in said:
            self.capture(text, session, project)

    def memory(self, project: int) -> Memory:
        return opened(self.store, one_of(PROJECTS, project), self.clock)

    def threads(self, project: int) -> list[Thread]:
        found = self.store.threads.all(one_of(PROJECTS, project))
        return sorted(found, key=lambda thread: thread.id)

    def thread(self, project: int, which: int) -> str:
        threads = self.threads(project)
        return one_of(threads, which).id if threads else "none"

    def attempt(self, verb: Callable[[], object]) -> None:
        self.clock.advance(seconds=1)
        with suppress(RefusedError, NotFoundError):
            verb()

    @rule(text=some, session=some, project=some)
    def capture(self, text: int, session: int, project: int) -> None:
        self.number += 1
        roles = ("user", "assistant", "tool")
        self.memory(project).capture(
            Message(
                id=f"m{self.number}",
                session=one_of(SESSIONS, session),
                text=one_of(SAID, text),
                role=one_of(roles, text + session),
                type=EventType.TOOL_RESULT if (text + session) % 3 == 2 else None,
                payload={"tool": "Bash", "n": 1.5, "deep": {"a": [None, True]}},
                at=self.clock.advance(seconds=40),
            ),
        )

    @rule(one=some, other=some, project=some)
    def merge(self, one: int, other: int, project: int) -> None:
        ids = self.thread(project, one), self.thread(project, other)
        self.attempt(lambda: self.memory(project).merge(*ids, force=True))

    @rule(which=some, size=st.integers(1, 3), lock=st.sampled_from(SplitLock), project=some)
    def split(self, which: int, size: int, lock: SplitLock, project: int) -> None:
        id_ = self.thread(project, which)
        ids = tuple(event.id for event in self.store.events.of_thread(id_))[:size]
        self.attempt(lambda: self.memory(project).split(id_, [SplitPart("apart", ids)], lock=lock))

    @rule(which=some, project=some, condenser=some)
    def condense(self, which: int, project: int, condenser: int) -> None:
        project = 0 if which % 3 else project
        ids = [thread.id for thread in self.threads(project)]
        # Of the longest: there is little to say in few words of the others.
        ids.sort(key=lambda id_: -sum(len(each.text) for each in self.store.events.of_thread(id_)))
        name = one_of(CONDENSERS, condenser)
        if ids:
            id_ = ids[0] if which < 25 else ids[-1]
            self.attempt(lambda: self.memory(project).condense(id_, name, target=100))

    @rule(which=some, project=some)
    def restore(self, which: int, project: int) -> None:
        project = 0 if which % 3 else project
        made = [
            (thread.id, event.id)
            for thread in self.threads(project)
            for event in self.store.events.compactions_of(thread.id)
        ]
        if made:
            id_, before = one_of(made, which)
            self.attempt(lambda: self.memory(project).restore(id_, before=before))

    @rule(project=some, strategy=st.sampled_from(CompactionStrategy))
    def compact(self, project: int, strategy: CompactionStrategy) -> None:
        self.attempt(lambda: self.memory(project).compact(strategy))

    @rule(text=some, project=some)
    def pin(self, text: int, project: int) -> None:
        self.attempt(lambda: self.memory(project).pin(one_of(SAID, text), topics=("ui",)))

    @rule(topic=some, project=some, session=st.none() | some)
    def focus(self, topic: int, project: int, session: int | None) -> None:
        at = None if session is None else self.clock() + timedelta(hours=session)
        of = None if session is None else one_of(SESSIONS, session)
        topics = ("JWT", "basket", self.thread(project, topic))
        self.attempt(
            lambda: self.memory(project).focus(one_of(topics, topic), session=of, until=at),
        )

    @rule(which=some, project=some, state=st.sampled_from(ReviewState))
    def review(self, which: int, project: int, state: ReviewState) -> None:
        name = one_of(PROJECTS, project)
        events = self.store.events.after_seq(name, 0, 1_000)
        if not events:
            return
        found = [a_statement(event) for event in events]
        self.store.statements.save(name, "roaming", found, events[-1].seq)
        self.attempt(lambda: self.reviewed(name, one_of(found, which).id, state))

    def reviewed(self, project: str, statement_id: str, state: ReviewState) -> None:
        text = "the basket is corrected" if state is ReviewState.CORRECTED else ""
        plan = review_plan(self.store, project, statement_id, state, text, None, self.clock())
        carry_out(
            self.store,
            JournalEntry(
                project=project,
                at=self.clock(),
                who=Actor(),
                verb=f"review as {state}",
                arguments={"statement": statement_id},
                said=plan.sentence,
                change=plan.change,
            ),
        )

    @rule(which=some, project=some, useful=st.booleans())
    def rate(self, which: int, project: int, *, useful: bool) -> None:
        id_ = self.thread(project, which)
        self.attempt(lambda: self.memory(project).rate(id_, useful=useful, reason="ü"))

    @rule(one=some, other=some, project=some, relation=st.sampled_from(Relation))
    def link(self, one: int, other: int, project: int, relation: Relation) -> None:
        wanted = BridgeDraft(
            source=self.thread(project, one),
            target=self.thread(project, other),
            relation=relation,
            reason="the basket",
        )
        self.attempt(lambda: self.memory(project).link(wanted))

    @rule(which=some, project=some)
    def unlink(self, which: int, project: int) -> None:
        bridges = self.store.bridges.all(one_of(PROJECTS, project))
        if bridges:
            id_ = one_of(bridges, which).id
            self.attempt(lambda: self.memory(project).unlink(id_))

    @rule(which=some, project=some, verb=st.sampled_from(("archive", "suspend", "reactivate")))
    def put_away(self, which: int, project: int, verb: str) -> None:
        id_ = self.thread(project, which)
        self.attempt(lambda: getattr(self.memory(project), verb)(id_))

    @rule(project=some, number=st.none() | some)
    def undo(self, project: int, number: int | None) -> None:
        self.attempt(lambda: self.memory(project).undo(number))

    @rule(text=some, session=some, project=some)
    def prompt(self, text: int, session: int, project: int) -> None:
        self.attempt(
            lambda: self.memory(project).inject(
                one_of(SAID, text),
                session=one_of(SESSIONS, session),
            ),
        )

    @rule(session=some, project=some)
    def context_compacted(self, session: int, project: int) -> None:
        self.attempt(lambda: self.memory(project).context_compacted(one_of(SESSIONS, session)))

    def teardown(self) -> None:
        try:
            self.comes_back_into_an_empty_store()
            self.comes_back_project_by_project()
            self.comes_into_a_store_beside_others()
        finally:
            self.store.close()

    def comes_back_into_an_empty_store(self) -> None:
        file, store = exported(self.store), open_store()

        taken_in(store, file)

        assert exported(store) == file
        assert dump(store) == dump(self.store)
        assert not taken_in(store, file).added
        assert exported(store) == file
        for project in PROJECTS:
            assert seen(store, project) == seen(self.store, project)
            self.finds_the_same(store, project)
        store.close()

    def finds_the_same(self, store: ThreadStore, project: str) -> None:
        for words in ("JWT refresh token", "Postgres billing", "über"):
            ours, theirs = (
                [found.id for found in opened(each, project).search(words, 50, words_only=True)]
                for each in (self.store, store)
            )
            assert set(ours) == set(theirs)

    def comes_back_project_by_project(self) -> None:
        for project in PROJECTS:
            file, store = exported(self.store, project), open_store()
            taken_in(store, file)
            assert exported(store, project) == file
            store.close()

    def comes_into_a_store_beside_others(self) -> None:
        """Numbered anew, it looks the same, and can be undone as before."""
        store = open_store()
        opened(store, "before").capture([Message(id=f"b{n}", text=SAID[n]) for n in range(4)])
        opened(store, "before").pin("kept before")
        taken_in(store, exported(self.store))

        assert not taken_in(store, exported(self.store)).added
        for project in PROJECTS:
            assert seen(store, project) == seen(self.store, project)
            assert undone(store, project) == undone(self.store, project)
            assert seen(store, project) == seen(self.store, project)
        store.close()


def undone(store: ThreadStore, project: str) -> list[str]:
    """Undo all that can be, one after the other, and return how that went, without numbers."""
    memory, went = opened(store, project, SetClock(NOON + timedelta(days=1))), list[str]()
    for _ in range(40):
        try:
            went.append(memory.undo().verb)
        except NotFoundError:
            return went
        except RefusedError as refused:
            return [*went, "refused" if refused else ""]
    return went


def one_of(several: Sequence[T], which: int) -> T:
    return several[which % len(several)]
