"""Split a thread and lock its children, through `Memory` on a real store."""

from dataclasses import replace

import pytest

from ai_smartness.model.bridge import Relation
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import Origin, SplitLock
from builders import a_bridge
from two_threads import JWT, linked, refused, texts, two_threads

pytestmark = pytest.mark.every_engine


def test_children_of_a_split_are_threads_of_their_own() -> None:
    memory = two_threads()
    parent = memory.thread("thread_jwt")

    outcome = memory.split("thread_jwt", [SplitPart("Vault", ("j2",)), SplitPart("Cron", ("j3",))])

    left, vault, cron = outcome.threads
    assert [texts(memory, each.id) for each in (left, vault, cron)] == [
        [JWT[0]],
        [JWT[1]],
        [JWT[2]],
    ]
    assert left.child_ids == (vault.id, cron.id)
    assert left.weight == parent.weight
    for child, title in ((vault, "Vault"), (cron, "Cron")):
        assert (child.title, child.origin, child.parent_id) == (title, Origin.SPLIT, parent.id)
        assert (child.split_locked, child.split_locked_until) == (True, "compaction")
        assert child.weight == pytest.approx(parent.weight * 0.8)
        assert child.topics
        assert title.casefold() in child.summary.casefold()
    related = {(each.source, each.relation, each.target) for each in memory.bridges(left.id)}
    assert related == {
        (vault.id, Relation.CHILD_OF, left.id),
        (cron.id, Relation.CHILD_OF, left.id),
    }
    assert (vault.id, Relation.SIBLING, cron.id) in {
        (each.source, each.relation, each.target) for each in memory.bridges(vault.id)
    }


def test_a_bridge_is_copied_to_the_child_whose_messages_it_concerns() -> None:
    memory = two_threads()
    linked(memory, replace(a_bridge("b", "thread_jwt", "thread_other"), reason="the vault of keys"))

    _, vault, cron = memory.split(
        "thread_jwt",
        [SplitPart("Vault", ("j2",)), SplitPart("Cron", ("j3",))],
    ).threads

    reached = {
        each.id: {bridge.target for bridge in memory.bridges(each.id)} for each in (vault, cron)
    }
    assert "thread_other" in reached[vault.id]
    assert "thread_other" not in reached[cron.id]
    assert "thread_other" in {bridge.target for bridge in memory.bridges("thread_jwt")}


def test_what_cannot_be_split_is_refused_with_the_way_out_and_nothing_changed() -> None:
    memory = two_threads()

    unknown, foreign, twice, empty, nothing, all_gone, nameless = refused(
        memory,
        lambda: memory.split("thread_jwt", [SplitPart("x", ("zz",))]),
        lambda: memory.split("thread_jwt", [SplitPart("x", ("l1",))]),
        lambda: memory.split("thread_jwt", [SplitPart("x", ("j1",)), SplitPart("y", ("j1",))]),
        lambda: memory.split("thread_jwt", [SplitPart("x", ())]),
        lambda: memory.split("thread_jwt", []),
        lambda: memory.split("thread_jwt", [SplitPart("x", ("j1", "j2")), SplitPart("y", ("j3",))]),
        lambda: memory.split("thread_jwt", [SplitPart("  ", ("j1",))]),
    )

    assert "no message zz" in unknown
    assert "no message l1" in foreign
    assert "named twice" in twice
    assert "no message is given" in empty
    assert "proposes groups" in nothing
    assert "left empty" in all_gone
    assert "cannot be empty" in nameless


@pytest.mark.parametrize("lock", [SplitLock.COMPACTION, SplitLock.AGENT_RELEASE])
def test_a_locked_thread_is_merged_only_when_it_is_unlocked_or_by_force(lock: SplitLock) -> None:
    memory = two_threads()
    child = memory.split("thread_jwt", [SplitPart("Vault", ("j2",))], lock=lock).threads[1].id

    as_absorbed, as_survivor = refused(
        memory,
        lambda: memory.merge("thread_jwt", child),
        lambda: memory.merge(child, "thread_logo"),
    )

    assert f"ais threads unlock {child}" in as_absorbed
    assert f"ais threads unlock {child}" in as_survivor
    memory.merge("thread_jwt", child, force=True)
    memory.undo()
    memory.unlock(child)
    memory.merge("thread_jwt", child)
    assert texts(memory, "thread_jwt") == list(JWT)


def test_a_force_lock_goes_by_force_alone() -> None:
    memory = two_threads()
    split = memory.split("thread_jwt", [SplitPart("Vault", ("j2",))], lock=SplitLock.FORCE)
    child = split.threads[1].id

    merging, unlocking = refused(
        memory,
        lambda: memory.merge("thread_jwt", child, force=True),
        lambda: memory.unlock(child),
    )

    assert f"ais threads unlock {child} --force" in merging
    assert f"ais threads unlock {child} --force" in unlocking
    memory.context_compacted("late")
    assert memory.thread(child).split_lock is SplitLock.FORCE
    assert "by force" in memory.unlock(child, force=True).said
    assert memory.thread(child).split_lock is None


def test_a_compaction_lock_goes_with_the_next_context_compaction_of_its_session() -> None:
    memory = two_threads()
    mine = memory.split("thread_jwt", [SplitPart("Vault", ("j2",))], session="mine").threads[1].id
    released = [SplitPart("Top", ("l2",))]
    kept = memory.split("thread_logo", released, lock=SplitLock.AGENT_RELEASE).threads[1].id

    memory.context_compacted("another")
    still = memory.thread(mine).split_lock
    memory.context_compacted("mine")

    assert still is SplitLock.COMPACTION
    assert memory.thread(mine).split_lock is None
    assert memory.thread(kept).split_lock is SplitLock.AGENT_RELEASE
    session = memory._store.threads.find_session("demo", "mine")  # noqa: SLF001 - no door to it yet
    assert session is not None
    assert session.epoch == 1


def test_without_a_session_the_lock_is_of_the_one_that_spoke_last() -> None:
    memory = two_threads()

    child = memory.split("thread_jwt", [SplitPart("Vault", ("j2",))]).threads[1]

    assert child.lock_session == "late"
