"""The memory is kept small: seen first, done at once, taken back whole."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.bridge import BridgeDraft, Relation
from ai_smartness.model.compaction import ArchiveReason, ArchiveStep, CompactionStrategy, MergeStep
from ai_smartness.model.event import Message
from ai_smartness.model.statement import Speaker, Statement, StatementKind
from ai_smartness.model.thread import Kind, SplitLock, Status
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.judge import SentenceJudge
from ai_smartness.testing import SetClock
from builders import NOON, a_memory, a_statement, a_thread
from crowd import Sort, a_crowd
from dump import dump

pytestmark = pytest.mark.every_engine

CROWD = (
    *(Sort(subject=0) for _ in range(3)),
    *(Sort(subject=1, days_old=10) for _ in range(2)),
    *(Sort(subject=n, weight=0.2 + n / 50) for n in range(2, 8)),
    *(Sort(subject=2 + n % 6, pinned=True) for n in range(14)),
)
"""25 active threads: two subjects with several, one of them out of use, and many pins."""


def test_an_agent_sees_what_a_compaction_would_do_and_then_does_it() -> None:
    memory, _ = a_crowd(*CROWD)

    shown = memory.compact(CompactionStrategy.AGGRESSIVE, dry_run=True)
    done = memory.compact(CompactionStrategy.AGGRESSIVE)

    assert done.outcome.said == "Compaction complete. 25 → 15 active threads."
    assert (shown.before.active_threads, shown.after.active_threads) == (25, 15)
    merges = [step for step in done.steps if isinstance(step, MergeStep)]
    reasons = [step.because for step in done.steps if isinstance(step, ArchiveStep)]
    assert sorted(len(step.threads) for step in merges) == [2, 3]
    assert reasons == [ArchiveReason.CAPACITY] * 7
    assert shown == replace(done, dry_run=True, outcome=replace(done.outcome, number=None))


def test_the_plan_says_beforehand_what_is_there_afterwards() -> None:
    memory, store = a_crowd(*CROWD)

    done = memory.compact(CompactionStrategy.NORMAL)

    active = [each for each in memory.threads() if each.status is Status.ACTIVE]
    assert len(active) == done.after.active_threads
    assert sum(each.weight for each in active) == pytest.approx(done.after.total_weight)
    assert memory.compact(CompactionStrategy.NORMAL, dry_run=True).before == done.after
    assert {edit.id: edit.after for edit in done.outcome.change.threads} == {
        edit.id: store.threads.get(edit.id) for edit in done.outcome.change.threads
    }


@pytest.mark.parametrize("strategy", CompactionStrategy)
def test_one_undo_takes_all_of_a_compaction_back(strategy: CompactionStrategy) -> None:
    memory, store = a_crowd(*CROWD)
    before = dump(store)

    done = memory.compact(strategy)
    after = dump(store)
    undone = memory.undo(done.outcome.number)

    assert dump(store) == before != after
    memory.undo(undone.number)
    assert dump(store) == after
    assert [entry.verb for entry in memory.log()] == ["undo", "undo", "compact"]


def test_a_dry_run_changes_nothing() -> None:
    memory, store = a_crowd(*CROWD)
    before = dump(store)

    memory.compact(CompactionStrategy.AGGRESSIVE, dry_run=True)

    assert dump(store) == before
    assert memory.log() == []


def test_the_survivor_has_all_messages_and_the_others_lead_to_it() -> None:
    memory, _ = a_crowd(*CROWD)

    done = memory.compact(CompactionStrategy.GENTLE)

    (three,) = (s.threads for s in done.steps if isinstance(s, MergeStep) and len(s.threads) == 3)
    survivor, *absorbed = three
    held = {event.id for event in memory.all_events(survivor)}
    assert held == {f"{id_}_m{n}" for id_ in three for n in range(2)}
    assert [memory.thread(id_).merged_into for id_ in absorbed] == [survivor] * 2
    assert all(memory.thread(id_).status is Status.ARCHIVED for id_ in absorbed)


def test_bridges_between_threads_that_are_absorbed_link_their_survivors() -> None:
    memory, _ = a_crowd(*CROWD)
    groups = [
        step.threads
        for step in memory.compact(CompactionStrategy.NORMAL, dry_run=True).steps
        if isinstance(step, MergeStep)
    ]
    (one, *ones), (other, *others) = groups
    link = BridgeDraft(
        source=ones[-1], target=others[0], relation=Relation.DEPENDS, reason="for a test"
    )
    memory.link(link)

    memory.compact(CompactionStrategy.NORMAL)

    found = [each for each in memory.bridges(one) if each.relation is Relation.DEPENDS]
    assert [(each.source, each.target) for each in found] == [(one, other)]


def test_a_thread_that_only_weighs_less_is_no_news_to_anybody() -> None:
    memory, store = a_crowd(Sort(subject=1), Sort(subject=2, weight=0.5))
    before = {each.id: each for each in store.threads.all("demo")}

    done = memory.compact(CompactionStrategy.GENTLE)

    assert done.steps == ()
    assert done.outcome.number is not None
    for each in store.threads.all("demo"):
        assert each == replace(before[each.id], weight=before[each.id].weight * 0.95)


def test_threads_locked_pinned_or_in_focus_stay_where_they_are() -> None:
    old = Sort(subject=0, days_old=10)
    memory, _ = a_crowd(
        Sort(subject=0),
        replace(old, lock=SplitLock.COMPACTION),
        replace(old, pinned=True),
        *(Sort(subject=n) for n in range(1, 6)),
        replace(old, subject=7),
        replace(old, subject=6),
    )
    memory.focus("tomatoes", session="s9")

    done = memory.compact(CompactionStrategy.AGGRESSIVE)

    assert done.steps == (ArchiveStep("thread_09", ArchiveReason.AGE),)


def old_statements(memory: Memory, store: ThreadStore) -> list[Statement]:
    """Save one statement of the user's for each thread; nothing else is stated."""
    threads = sorted(store.threads.all("demo"), key=lambda thread: thread.id)
    statements = [a_statement(store.events.of_thread(thread.id)[0]) for thread in threads]
    store.statements.clear("demo")
    judge = SentenceJudge(memory.embedder).name
    store.statements.save("demo", judge, statements, store.events.last_seq("demo"))
    return statements


def test_rules_preferences_and_decisions_that_hold_are_not_archived_by_age() -> None:
    memory, store = a_crowd(*(Sort(subject=n, days_old=20) for n in range(7)))
    stated = old_statements(memory, store)
    changed = [
        replace(stated[0], kind=StatementKind.RULE),
        replace(stated[1], kind=StatementKind.PREFERENCE),
        stated[2],
        replace(stated[3], kind=StatementKind.COMMAND),
        replace(stated[4], speaker=Speaker.ASSISTANT),
        replace(stated[5], speaker=Speaker.ASSISTANT),
    ]
    store.statements.add("demo", changed)
    newer = (stated[6].id, stated[2].id, Relation.REPLACES, NOON)
    store.statements.supersede("demo", [newer])
    memory.confirm_statement(stated[5].id)

    memory.compact(CompactionStrategy.AGGRESSIVE)

    active = {thread.id for thread in memory.threads() if thread.status is Status.ACTIVE}
    assert active == {"thread_00", "thread_01", "thread_02", "thread_05"}


def test_a_thread_that_a_person_called_a_decision_is_not_archived_by_age() -> None:
    memory, store = a_crowd(*(Sort(subject=n, days_old=20) for n in range(2)))
    store.statements.clear("demo")
    memory.confirm("thread_01", Kind.DECISION)

    memory.compact(CompactionStrategy.AGGRESSIVE)

    assert memory.thread("thread_00").status is Status.ARCHIVED
    assert memory.thread("thread_01").status is Status.ACTIVE


def test_a_focus_that_has_ended_protects_nothing() -> None:
    clock = SetClock(NOON)
    crowd = (Sort(subject=7, days_old=8), Sort(subject=1), Sort(subject=2))
    memory, _ = a_crowd(*crowd, clock=clock)
    memory.focus("thread_00", until=NOON + timedelta(hours=1))
    assert memory.compact(CompactionStrategy.AGGRESSIVE, dry_run=True).steps == ()

    clock.advance(hours=2)

    done = memory.compact(CompactionStrategy.AGGRESSIVE, dry_run=True)
    assert done.steps == (ArchiveStep("thread_00", ArchiveReason.AGE),)


def test_other_projects_are_left_alone() -> None:
    memory, store = a_crowd(Sort(subject=0), Sort(subject=0), Sort(subject=1))
    other = memory.seen_from("other")
    other.capture(Message(id="x", session="x", text="tomatoes need water", at=NOON))
    (before,) = store.threads.all("other")

    memory.compact(CompactionStrategy.AGGRESSIVE)

    assert store.threads.all("other") == [before]


def test_where_nothing_is_active_nothing_is_done_and_that_is_said() -> None:
    memory = a_memory()

    done = memory.compact()

    assert done.outcome.said == "Nothing to compact: no thread is active but pins."
    assert done.outcome.number is None
    assert done.before == done.after
    assert memory.log() == []


def test_without_a_model_the_rest_is_done_and_that_is_said() -> None:
    memory = a_memory(embedder=lambda: None)
    for subject in ("login tokens", "login tokens", "tomato plants"):
        memory.capture(Message(session=subject, text=f"about {subject}", at=NOON))
    old = Message(id="old", session="old", text="an old one", at=NOON - timedelta(days=20))
    memory.capture(old)

    done = memory.compact()

    assert {step.because for step in done.steps if isinstance(step, ArchiveStep)} == {
        ArchiveReason.AGE
    }
    assert not any(isinstance(step, MergeStep) for step in done.steps)
    assert done.outcome.said.startswith("Compaction complete. ")
    assert "None were merged: threads are compared by an embedding model" in done.outcome.said


def test_how_far_it_is_can_be_seen() -> None:
    memory, _ = a_crowd(*CROWD)
    told: list[tuple[int, int]] = []

    memory.compact(progress=lambda done, total: told.append((done, total)))

    assert told[-1] == (2, 2)


def test_what_is_captured_and_not_embedded_yet_is_compared_too() -> None:
    memory = a_memory()
    others = ("invoices print umlauts", "the nightly backup job", "kafka pods restart")
    texts = ("rotate the login token", *others, "rotate the login token")
    for number, text in enumerate(texts):
        memory._store.threads.save(a_thread(f"thread_{number}"))  # noqa: SLF001 # past placing
        memory.append(f"thread_{number}", Message(session=f"s{number}", text=text, at=NOON))

    done = memory.compact()

    assert done.steps == (MergeStep(("thread_0", "thread_4"), 1.0),)
