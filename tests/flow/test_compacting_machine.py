"""Whatever is in the memory: the dry run is the run, and nothing is lost that way."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_smartness.compact.plan import STRATEGIES
from ai_smartness.memory import Memory
from ai_smartness.model.bridge import BridgeDraft, Relation
from ai_smartness.model.compaction import ArchiveStep, Compaction, CompactionStrategy, MergeStep
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.thread import SplitLock, Status, Thread
from ai_smartness.testing import SetClock
from ai_smartness.threads.decay import is_pinned
from builders import NOON
from crowd import SUBJECTS, Sort, a_crowd
from dump import dump, empty, places

sorts = st.builds(
    Sort,
    subject=st.integers(0, len(SUBJECTS) - 1),
    days_old=st.sampled_from([0.0, 0.0, 3.0, 8.0, 15.0, 31.0, 60.0]),
    weight=st.floats(0.05, 1.5),
    pinned=st.sampled_from([False, False, False, False, True]),
    lock=st.sampled_from([None, None, None, None, *SplitLock]),
    status=st.sampled_from([Status.ACTIVE, Status.ACTIVE, Status.ACTIVE, *Status]),
    messages=st.integers(1, 3),
)
crowds = st.lists(sorts, min_size=1, max_size=24)
few = st.lists(st.tuples(st.integers(0, 23), st.integers(0, 23)), max_size=6)


@given(
    crowd=crowds, links=few, focus=st.integers(-1, 23), strategy=st.sampled_from(CompactionStrategy)
)
@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
def test_the_run_is_the_dry_run_and_its_undo_leaves_no_trace(
    crowd: list[Sort], links: list[tuple[int, int]], focus: int, strategy: CompactionStrategy
) -> None:
    memory, store = a_crowd(*crowd)
    focused = _arranged(memory, len(crowd), links, focus)
    threads = {each.id: each for each in memory.threads()}
    before = dump(store)

    shown = memory.compact(strategy, dry_run=True)
    assert dump(store) == before
    done = memory.compact(strategy)
    after = dump(store)

    assert shown == replace(done, dry_run=True, outcome=replace(done.outcome, number=None))
    _check_promised(memory, done)
    _check_kept(threads, done, focused)
    _check_nothing_lost(before, after, done)
    assert (after == before) == (done.outcome.number is None)
    if done.outcome.number is not None:
        again = memory.undo()
        assert dump(store) == before
        memory.undo(again.number)
        assert dump(store) == after
    memory.close()


@given(
    crowd=crowds,
    verbs=st.lists(
        st.tuples(st.sampled_from([*CompactionStrategy, None]), st.integers(0, 40)), max_size=8
    ),
)
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
def test_one_after_the_other_with_days_between_them_loses_nothing(
    crowd: list[Sort], verbs: list[tuple[CompactionStrategy | None, int]]
) -> None:
    clock = SetClock(NOON)
    memory, store = a_crowd(*crowd, clock=clock)
    start = dump(store)

    for strategy, days in verbs:
        clock.advance(days=days)
        before = dump(store)
        if strategy is None:
            with suppress(NotFoundError):
                memory.undo()
        else:
            done = memory.compact(strategy)
            _check_promised(memory, done)
            _check_nothing_lost(before, dump(store), done)

    assert places(dump(store)).keys() == places(start).keys()
    assert empty(dump(store)) == set()
    memory.close()


def _arranged(memory: Memory, count: int, links: Sequence[tuple[int, int]], focus: int) -> set[str]:
    """Make bridges and put a thread in focus, and name it."""
    for one, other in {(one % count, other % count) for one, other in links}:
        if one != other:
            source, target = f"thread_{one:02}", f"thread_{other:02}"
            memory.link(BridgeDraft(source=source, target=target, relation=Relation.DEPENDS))
    if not 0 <= focus < count:
        return set()
    memory.focus(f"thread_{focus:02}")
    return {f"thread_{focus:02}"}


def _check_promised(memory: Memory, done: Compaction) -> None:
    """Check that what is there is what was predicted."""
    active = [each for each in memory.threads() if each.status is Status.ACTIVE]
    assert len(active) == done.after.active_threads
    assert sum(each.weight for each in active) == pytest.approx(done.after.total_weight)
    room = STRATEGIES[done.strategy].max_active_threads
    kept = [each for each in active if is_pinned(each) or each.split_locked]
    assert len(active) <= max(room, len(kept) + 1)


def _check_kept(threads: dict[str, Thread], done: Compaction, focused: set[str]) -> None:
    """Check that whatever is protected is where it was."""
    for step in done.steps:
        match step:
            case MergeStep((survivor, *absorbed), similarity):
                assert similarity > STRATEGIES[done.strategy].merge_threshold
                for each in (threads[survivor], *(threads[id_] for id_ in absorbed)):
                    assert each.status is Status.ACTIVE
                    assert not is_pinned(each)
                    assert not each.split_locked
                assert not focused.intersection(absorbed)
                assert all(threads[survivor].weight >= threads[id_].weight for id_ in absorbed)
            case ArchiveStep(thread):
                assert not is_pinned(threads[thread])
                assert not threads[thread].split_locked
                assert thread not in focused


def _check_nothing_lost(before: str, after: str, done: Compaction) -> None:
    """Check that every message is on one thread, and only those moved that were to."""
    heirs = {
        id_: step.threads[0]
        for step in done.steps
        if isinstance(step, MergeStep)
        for id_ in step.threads[1:]
    }
    assert places(after) == {
        message: heirs.get(thread, thread) for message, thread in places(before).items()
    }
    assert empty(after) == empty(before)
