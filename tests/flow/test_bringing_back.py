"""An undo that is undone: the change is there again, with nothing left behind."""

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.bridge import BridgeDraft, Relation
from ai_smartness.model.errors import RefusedError
from builders import a_memory, a_thread, said


def a_merge_undone() -> tuple[Memory, int]:
    """Merge `b` into `a`, undo it, and return what to bring it back by."""
    memory = a_memory(embedder=lambda: None)
    for name in ("a", "b", "c"):
        memory._store.threads.save(a_thread(name))  # noqa: SLF001 - to name them
        memory.append(name, said(f"about {name}", id_=f"{name}0", session=name))
    memory.merge("a", "b")
    undo = memory.undo().number
    assert undo is not None
    return memory, undo


def test_a_merge_that_is_brought_back_is_as_it_was() -> None:
    memory, undo = a_merge_undone()

    memory.undo(undo)

    assert [event.id for event in memory.all_events("a")] == ["a0", "b0"]
    assert memory.all_events("b") == []


def test_a_merge_is_not_brought_back_over_messages_that_came_since() -> None:
    memory, undo = a_merge_undone()
    memory.append("b", said("more about b", id_="b1", session="b", minute=1))

    with pytest.raises(RefusedError, match=r"b has got messages.*ais threads merge a b"):
        memory.undo(undo)

    memory.merge("a", "b")
    assert [event.id for event in memory.all_events("a")] == ["a0", "b0", "b1"]


def test_a_merge_is_not_brought_back_over_bridges_that_were_made_since() -> None:
    memory, undo = a_merge_undone()
    memory.link(BridgeDraft(source="c", target="b", relation=Relation.DEPENDS))

    with pytest.raises(RefusedError, match="b has got messages or bridges"):
        memory.undo(undo)

    memory.merge("a", "b")
    assert [(bridge.source, bridge.target) for bridge in memory.bridges()] == [("c", "a")]
