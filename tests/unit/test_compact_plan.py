"""What a compaction is going to do: worked out from threads alone, whatever their order."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.compact.plan import (
    STRATEGIES,
    CompactionInput,
    CompactionPlan,
    StrategyLimits,
    planned_compaction,
)
from ai_smartness.model.compaction import (
    ArchiveReason,
    ArchiveStep,
    CompactionStrategy,
    MemoryLoad,
    MergeStep,
    SuspendStep,
)
from ai_smartness.model.focus import Focus
from ai_smartness.model.thread import Origin, SplitLock, Status, Thread
from ai_smartness.threads.merge_groups import merge_groups
from ai_smartness.threads.similar_threads import ThreadPair
from builders import NOON, a_thread

DAYS = 14.0
REACH = StrategyLimits(
    merge_threshold=0.85, archive_age_days=14, max_active_threads=3, weight_decay=0.5
)
ROOMY = replace(REACH, max_active_threads=100)


def thread(
    id_: str, *, weight: float = 1.0, idle_days: float = 0.0, age_days: float = 0.0
) -> Thread:
    return replace(
        a_thread(id_),
        weight=weight,
        last_active=NOON - timedelta(days=idle_days),
        created_at=NOON - timedelta(days=age_days or idle_days),
    )


def a_plan(
    *threads: Thread,
    pairs: tuple[ThreadPair, ...] = (),
    reach: StrategyLimits = ROOMY,
    focus: str = "",
    lasting: frozenset[str] = frozenset(),
) -> CompactionPlan:
    foci = [Focus(topic=focus, weight=0.8, set_at=NOON)] if focus else []
    scene = CompactionInput(
        threads=threads, foci=foci, lasting=lasting, now=NOON, half_life_days=DAYS
    )
    return planned_compaction(scene, reach, pairs)


def test_the_strategies_go_as_far_as_was_agreed() -> None:
    assert {
        each: (r.merge_threshold, r.archive_age_days, r.max_active_threads, r.weight_decay)
        for each, r in STRATEGIES.items()
    } == {
        CompactionStrategy.GENTLE: (0.95, 30, 50, 0.95),
        CompactionStrategy.NORMAL: (0.85, 14, 30, 0.90),
        CompactionStrategy.AGGRESSIVE: (0.75, 7, 15, 0.80),
    }


def test_the_heavier_survives_and_of_equals_the_older() -> None:
    old, young = thread("old", age_days=3), thread("young")
    heavy = thread("heavy", weight=1.2)

    scene = CompactionInput(threads=[young, old, heavy], foci=[], now=NOON, half_life_days=DAYS)

    assert [each.id for each in scene.mergeable_threads()] == ["heavy", "old", "young"]


def test_threads_weigh_what_they_weigh_now() -> None:
    faded, fresh = thread("faded", weight=1.4, idle_days=13), thread("fresh", weight=1.0)

    plan = a_plan(faded, fresh, pairs=(ThreadPair("faded", "fresh", 0.9),))

    assert plan.steps == (MergeStep(("fresh", "faded"), 0.9),)


def test_what_is_alike_by_way_of_another_is_not_merged() -> None:
    pairs = [ThreadPair("a", "b", 0.9), ThreadPair("b", "c", 0.88)]

    assert merge_groups(["a", "b", "c"], (), pairs) == [MergeStep(("a", "b"), 0.9)]
    assert merge_groups(["b", "a", "c"], (), pairs) == [MergeStep(("b", "a", "c"), 0.88)]
    assert merge_groups(["a", "b", "c", "d"], (), [*pairs, ThreadPair("c", "d", 0.9)]) == [
        MergeStep(("a", "b"), 0.9),
        MergeStep(("c", "d"), 0.9),
    ]


@given(st.data())
def test_groups_are_the_same_whatever_the_order_of_the_pairs(data: st.DataObject) -> None:
    ids = [f"t{n}" for n in range(data.draw(st.integers(2, 9)))]
    likeness = st.floats(0.76, 1.0)
    every = [(a, b) for a in ids for b in ids if a < b]
    chosen = data.draw(st.lists(st.sampled_from(every), unique=True))
    pairs = [ThreadPair(a, b, data.draw(likeness)) for a, b in chosen]
    staying = data.draw(st.sets(st.sampled_from(ids)))
    ranked = data.draw(st.permutations(ids))

    found = merge_groups(ranked, staying, pairs)

    assert merge_groups(ranked, staying, data.draw(st.permutations(pairs))) == found
    like = {frozenset((pair.a, pair.b)): pair.similarity for pair in pairs}
    for survivor, *absorbed in (group.threads for group in found):
        assert all(frozenset((survivor, other)) in like for other in absorbed)
        assert all(ranked.index(survivor) < ranked.index(other) for other in absorbed)
        assert not staying.intersection(absorbed)
    everyone = [id_ for group in found for id_ in group.threads]
    assert len(everyone) == len(set(everyone))


@given(st.permutations([f"t{n}" for n in range(6)]))
def test_a_plan_is_the_same_whatever_the_order_of_the_threads(order: list[str]) -> None:
    threads = {f"t{n}": thread(f"t{n}", weight=1 + (n % 2) / 10, idle_days=n * 4) for n in range(6)}
    pairs = (ThreadPair("t0", "t1", 0.9), ThreadPair("t1", "t2", 0.95), ThreadPair("t3", "t5", 0.9))

    plan = a_plan(*(threads[id_] for id_ in order), pairs=pairs, reach=REACH)

    straight = a_plan(*threads.values(), pairs=pairs, reach=REACH)
    assert plan.steps == straight.steps
    assert dict(plan.after) == dict(straight.after)


def test_first_is_merged_then_put_away_by_age_then_weighed_then_put_away_by_weight() -> None:
    plan = a_plan(
        thread("a", weight=1.2),
        thread("b", idle_days=20),
        thread("old", idle_days=15),
        *(thread(f"light{n}", weight=0.3 + n / 100) for n in range(4)),
        pairs=(ThreadPair("a", "b", 0.9),),
        reach=REACH,
    )

    assert plan.steps == (
        MergeStep(("a", "b"), 0.9),
        ArchiveStep("old", ArchiveReason.AGE),
        ArchiveStep("light0", ArchiveReason.CAPACITY),
        ArchiveStep("light1", ArchiveReason.CAPACITY),
    )
    assert plan.load_before.active_threads == 7
    assert plan.load_after.active_threads == 3
    assert plan.load_after.total_weight == pytest.approx(0.5 * (1.3 + 0.32 + 0.33))


def test_several_that_are_absorbed_at_once_raise_the_weight_once() -> None:
    like = tuple(ThreadPair("a", other, 0.9) for other in "bcd")

    plan = a_plan(*(thread(id_) for id_ in "abcd"), pairs=like)

    assert plan.steps == (MergeStep(("a", "b", "c", "d"), 0.9),)
    assert plan.after["a"].weight == pytest.approx(1.1 * 0.5)
    assert [plan.after[id_].merged_into for id_ in "bcd"] == ["a"] * 3


def test_a_thread_that_becomes_too_light_is_no_longer_active() -> None:
    plan = a_plan(thread("light", weight=0.15), thread("heavy"))

    assert plan.load_after == MemoryLoad(1, 0.5)
    assert plan.steps == (SuspendStep("light"),)


def test_of_equally_light_threads_the_one_longest_out_of_use_goes_first() -> None:
    pinned = [replace(thread(f"pin{n}"), origin=Origin.PIN) for n in range(2)]
    # A heavier one that faded to the same weight.
    idle = thread("idle", weight=1.0, idle_days=DAYS)

    plan = a_plan(*pinned, thread("b", weight=0.5), thread("a", weight=0.5), idle, reach=REACH)

    assert plan.steps == (
        ArchiveStep("idle", ArchiveReason.CAPACITY),
        ArchiveStep("a", ArchiveReason.CAPACITY),
    )


PROTECTED = {
    "a pin": lambda each: replace(each, origin=Origin.PIN),
    "one with a pin's tag": lambda each: replace(each, tags=("pinned",)),
    "one locked until its context is compacted": lambda each: replace(
        each, split_lock=SplitLock.COMPACTION
    ),
    "one locked by force": lambda each: replace(each, split_lock=SplitLock.FORCE),
}


@pytest.mark.parametrize("how", PROTECTED)
def test_what_is_protected_is_neither_merged_nor_put_away(how: str) -> None:
    kept = PROTECTED[how](thread("kept", weight=1.1, idle_days=20))
    heavier, lighter = thread("heavier", weight=1.2), thread("lighter", weight=0.11)
    like = (ThreadPair("heavier", "kept", 1.0), ThreadPair("kept", "lighter", 1.0))

    plan = a_plan(kept, heavier, lighter, pairs=like, reach=replace(REACH, max_active_threads=0))

    assert {step.thread for step in plan.steps if isinstance(step, ArchiveStep)} == {"heavier"}
    assert not list(plan.merges)
    assert plan.load_after.active_threads == 1


def test_a_pin_keeps_its_weight_and_whatever_is_locked_does_not() -> None:
    pin = replace(thread("pin", weight=1.3), origin=Origin.PIN)
    locked = replace(thread("locked"), split_lock=SplitLock.FORCE)

    plan = a_plan(pin, locked)

    assert plan.after == {"locked": replace(locked, weight=0.5)}
    assert plan.load_after == MemoryLoad(2, 1.8)


@pytest.mark.parametrize("focus", ["kept", "title of it"])
def test_what_is_in_focus_may_take_in_others_and_goes_nowhere_itself(focus: str) -> None:
    kept = replace(thread("kept", weight=0.9, idle_days=20), title="The Title of it")
    heavier, lighter = thread("heavier", weight=1.2), thread("lighter", weight=0.2)
    like = (ThreadPair("heavier", "kept", 1.0), ThreadPair("kept", "lighter", 0.9))
    none_left = replace(REACH, max_active_threads=0)

    plan = a_plan(kept, heavier, lighter, pairs=like, reach=none_left, focus=focus)

    assert plan.steps == (
        MergeStep(("kept", "lighter"), 0.9),
        ArchiveStep("heavier", ArchiveReason.CAPACITY),
    )


@pytest.mark.parametrize("status", [Status.ARCHIVED, Status.SUSPENDED])
def test_what_is_put_away_already_takes_no_part(status: Status) -> None:
    away = replace(thread("away", weight=1.5), status=status)

    plan = a_plan(away, thread("here"), pairs=(ThreadPair("away", "here", 1.0),))

    assert plan.steps == ()
    assert plan.after.keys() == {"here"}
    assert plan.load_before == MemoryLoad(1, 1.0)


def test_without_active_threads_there_is_nothing_to_do() -> None:
    pin = replace(thread("pin"), origin=Origin.PIN)

    plan = a_plan(pin, thread("faded", weight=0.05))

    assert (plan.steps, dict(plan.after)) == ((), {})
    assert plan.load_before == plan.load_after == MemoryLoad(1, 1.0)


def test_a_thread_with_a_rule_is_not_archived_by_age() -> None:
    rule, old = thread("rule", idle_days=20), thread("old", idle_days=20)

    plan = a_plan(rule, old, lasting=frozenset({"rule"}))

    assert plan.steps == (ArchiveStep("old", ArchiveReason.AGE),)


def test_a_thread_that_absorbed_one_with_a_rule_is_not_archived_by_age_either() -> None:
    heavy, rule = thread("heavy", weight=1.4, idle_days=20), thread("rule", idle_days=20)

    pairs = (ThreadPair("heavy", "rule", 0.9),)
    plan = a_plan(heavy, rule, pairs=pairs, lasting=frozenset({"rule"}))

    assert plan.steps == (MergeStep(("heavy", "rule"), 0.9),)


def test_of_too_many_threads_those_with_rules_are_archived_last() -> None:
    light_rule = thread("light_rule", weight=0.5)
    others = [thread(name) for name in ("a", "b", "c")]

    plan = a_plan(light_rule, *others, reach=REACH, lasting=frozenset({"light_rule"}))

    assert plan.steps == (ArchiveStep("a", ArchiveReason.CAPACITY),)


def test_every_thread_that_stops_being_active_is_named() -> None:
    light, heavy, old = thread("light", weight=0.15), thread("heavy"), thread("old", idle_days=20)

    plan = a_plan(light, heavy, old)

    assert (plan.load_before.active_threads, plan.load_after.active_threads) == (3, 1)
    assert plan.steps == (ArchiveStep("old", ArchiveReason.AGE), SuspendStep("light"))
