"""What another agent does while one is at it: between the look and the deed, threads go away."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import Status
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from ai_smartness.threads.lifecycle import reactivate_all
from builders import NOON, said
from two_threads import dump, refused, texts, two_threads

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Interrupted(HashEmbedder):
    """A model during whose work something else happens, once."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] | None = None

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().documents(texts)


@pytest.fixture
def other() -> Memory:
    """Return the memory as another agent has it, with threads `jwt` and `logo`."""
    return two_threads()


@pytest.fixture
def model() -> Interrupted:
    return Interrupted()


@pytest.fixture
def memory(other: Memory, model: Interrupted) -> Memory:
    """Return the same memory, whose model lets others do something meanwhile."""
    store = other._store  # noqa: SLF001 - one store, two who use it
    parts = MemoryParts(store=store, embedder=lambda: model, clock=SetClock(NOON))
    return Memory(parts, other.project, Settings())


def test_a_message_for_a_thread_that_is_merged_away_meanwhile_goes_to_its_survivor(
    memory: Memory,
    other: Memory,
    model: Interrupted,
) -> None:
    model.meanwhile = lambda: other.merge("thread_jwt", "thread_logo")

    kept = memory.append("thread_logo", said("and a darker logo", id_="l3"))

    assert kept.thread_id == "thread_jwt"
    assert texts(memory, "thread_logo") == []
    assert memory.thread("thread_logo").status is Status.ARCHIVED


def test_a_message_for_a_thread_that_is_taken_back_meanwhile_is_refused_whole(
    memory: Memory,
    other: Memory,
    model: Interrupted,
) -> None:
    other.split("thread_logo", [SplitPart("On top", ("l2",))])
    (child,) = other.thread("thread_logo").child_ids
    model.meanwhile = other.undo

    with pytest.raises(NotFoundError, match=child):
        memory.append(child, said("and a darker logo", id_="l3"))

    assert texts(memory, "thread_logo")[-1] == "put the logo on top of the login page"
    with pytest.raises(NotFoundError):
        memory.message("l3")


def test_a_recall_does_not_bring_back_what_was_merged_or_taken_away_since_it_looked(
    other: Memory,
) -> None:
    other.suspend("thread_logo")
    other.merge("thread_jwt", "thread_logo")
    before, store = dump(other), other._store  # noqa: SLF001 - to be there in between

    plan = reactivate_all(store, "demo", ["thread_logo", "thread_gone"], NOON, 14.0)

    assert not plan.change
    assert plan.thread_ids == ()
    assert dump(other) == before


def test_a_recall_does_not_bring_back_what_is_in_use_again(other: Memory) -> None:
    other.suspend("thread_other")
    store = other._store  # noqa: SLF001 - to be there in between

    plan = reactivate_all(store, "demo", ["thread_jwt", "thread_other"], NOON, 14.0)

    assert [edit.id for edit in plan.change.threads] == ["thread_other"]


def test_a_thread_that_was_merged_since_it_was_archived_is_not_made_active_by_undoing_that(
    other: Memory,
) -> None:
    archived = other.archive("thread_logo").number
    merged = other.merge("thread_jwt", "thread_logo").number

    (said_,) = refused(other, lambda: other.undo(archived))
    other.undo(merged)
    other.undo(archived)

    assert "thread_logo was merged into thread_jwt" in said_
    assert f"ais undo {merged}" in said_
    assert other.thread("thread_logo").status is Status.ACTIVE
