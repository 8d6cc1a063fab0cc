"""Merge two threads, through `Memory` on a real store."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ai_smartness.model.bridge import Relation
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.event import Message
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import SplitLock, Status
from ai_smartness.testing import SetClock
from builders import NOON, a_bridge, a_memory, said
from two_threads import JWT, LOGO, dump, linked, refused, texts, two_threads

pytestmark = pytest.mark.every_engine


def test_the_survivor_gets_both_threads_messages_in_the_order_they_were_said() -> None:
    memory = two_threads()

    memory.merge("thread_jwt", "thread_logo")

    assert texts(memory, "thread_jwt") == [*LOGO, *JWT]
    assert texts(memory, "thread_logo") == []


def test_a_merge_joins_topics_and_tags_and_makes_the_summary_anew() -> None:
    memory = two_threads()
    before = {name: memory.thread(f"thread_{name}") for name in ("jwt", "logo")}

    merged = memory.merge("thread_jwt", "thread_logo").threads[0]

    assert set(merged.topics) == {*before["jwt"].topics, *before["logo"].topics}
    assert merged.title == before["jwt"].title
    assert "logo" in merged.summary
    assert "JWT" in merged.summary
    assert merged.revision == before["jwt"].revision + 1


@pytest.mark.parametrize(
    ("days", "survivor", "absorbed"),
    [(0, 1.0, 1.0), (0, 0.4, 1.2), (0, 1.5, 1.4), (20, 1.0, 0.5)],
)
def test_a_merge_weighs_a_little_more_than_the_heavier_does_now_and_never_over_the_ceiling(
    days: int,
    survivor: float,
    absorbed: float,
) -> None:
    clock = SetClock(NOON + timedelta(hours=1))
    memory = two_threads(clock)
    for id_, weight in (("thread_jwt", survivor), ("thread_logo", absorbed)):
        thread = memory._store.threads.get(id_)  # noqa: SLF001 - a weight to begin with
        memory._store.threads.save(replace(thread, weight=weight))  # noqa: SLF001
    clock.advance(days=days)
    heavier = max(memory.thread(each).weight for each in ("thread_jwt", "thread_logo"))

    memory.merge("thread_jwt", "thread_logo")

    assert memory.thread("thread_jwt").weight == pytest.approx(min(1.5, heavier + 0.1))


def test_the_absorbed_thread_is_archived_with_the_way_to_the_survivor() -> None:
    memory = two_threads()

    memory.merge("thread_jwt", "thread_logo")

    absorbed = memory.thread("thread_logo")
    assert absorbed.status is Status.ARCHIVED
    assert "merged_into:thread_jwt" in absorbed.tags


def test_what_is_said_to_an_absorbed_thread_is_said_to_its_survivor() -> None:
    memory = two_threads()
    memory.merge("thread_jwt", "thread_logo")

    event = memory.append("thread_logo", said("a bigger logo", minute=30, id_="l3"))

    assert event.thread_id == "thread_jwt"


def test_bridges_of_the_absorbed_lead_to_and_from_the_survivor_and_the_stronger_stays() -> None:
    memory = two_threads()
    linked(memory, a_bridge("out", "thread_logo", "thread_other", weight=0.7))
    linked(memory, a_bridge("own", "thread_jwt", "thread_other", weight=0.3))
    linked(memory, a_bridge("between", "thread_jwt", "thread_logo"))
    linked(
        memory,
        replace(a_bridge("in", "thread_other", "thread_logo"), relation=Relation.DEPENDS),
    )

    memory.merge("thread_jwt", "thread_logo")

    found = {(each.source, each.relation, each.target): each for each in memory.bridges()}
    assert set(found) == {
        ("thread_jwt", Relation.SIBLING, "thread_other"),
        ("thread_other", Relation.DEPENDS, "thread_jwt"),
    }
    sibling = memory._store.bridges.of("thread_jwt")[0]  # noqa: SLF001 - as stored, not faded
    assert sibling.weight == 0.7
    assert memory.bridges("thread_logo") == []


def test_what_cannot_be_merged_is_refused_with_the_way_out_and_nothing_changed() -> None:
    memory = two_threads()
    memory.merge("thread_jwt", "thread_logo")

    itself, unknown, unclear, again, back = refused(
        memory,
        lambda: memory.merge("thread_jwt", "thread_jwt"),
        lambda: memory.merge("thread_jwt", "thread_none"),
        lambda: memory.merge("thread_jwt", "thread_"),
        lambda: memory.merge("thread_other", "thread_logo"),
        lambda: memory.merge("thread_logo", "thread_other"),
    )

    assert "with itself" in itself
    assert "`ais threads` lists them" in unknown
    assert "Give more of it" in unclear
    assert "Name thread_jwt instead" in again
    assert "Name thread_jwt instead" in back


def test_threads_of_two_projects_are_not_merged() -> None:
    memory = two_threads()
    memory.seen_from("elsewhere").capture(said("other things", id_="e1"))
    (there,) = memory.seen_from("elsewhere").threads()

    before = dump(memory)
    with pytest.raises(NotFoundError, match=f"no thread {there.id} in this project"):
        memory.merge("thread_jwt", there.id)

    assert dump(memory) == before


def test_a_thread_of_all_projects_is_not_merged_into_one_of_a_single_project() -> None:
    memory = two_threads()
    memory.seen_from("*").capture(said("other things", id_="e1"))
    (there,) = memory.seen_from("*").threads()

    (message,) = refused(memory, lambda: memory.merge("thread_jwt", there.id))

    assert "two projects" in message


def test_a_dry_run_says_what_the_run_does_and_changes_nothing() -> None:
    memory = two_threads()
    before = dump(memory)

    dry = memory.merge("thread_jwt", "thread_logo", dry_run=True)

    assert dump(memory) == before
    assert memory.log() == []
    done = memory.merge("thread_jwt", "thread_logo")
    assert (dry.said, dry.threads, dry.change) == (done.said, done.threads, done.change)
    assert (dry.number, done.number) == (None, 1)


def test_placing_goes_on_from_where_a_merge_put_things() -> None:
    memory = a_memory()
    memory.capture(
        [
            said("rotate the JWT signing keys in vault", session="a", id_="a1"),
            said("the invoice export drops cents", session="b", id_="b1"),
        ],
    )
    jwt, invoice = (memory.message(each).thread_id for each in ("a1", "b1"))

    memory.merge(jwt, invoice)
    memory.capture(Message(text="and the invoice export rounds cents down", session="b", id="b2"))

    assert memory.message("b2").thread_id == jwt


def test_messages_that_were_not_embedded_yet_are_when_their_threads_are_merged() -> None:
    memory = a_memory()
    memory.capture(
        [said(f"a line of history {n}", id_=f"m{n}", session=f"s{n}") for n in range(40)],
    )
    embedder = memory.embedder
    assert embedder is not None
    seqs = [memory.message(each).seq for each in ("m0", "m39")]
    first, last = (memory.message(each).thread_id for each in ("m0", "m39"))
    waiting = memory._store.vector_index.event_centres("demo", embedder.space, seqs)  # noqa: SLF001

    if first == last:
        first = (
            memory.split(last, [SplitPart("First", ("m0",))], lock=SplitLock.COMPACTION)
            .threads[1]
            .id
        )
    memory.merge(last, first, force=True)

    assert waiting == {}
    embedded = memory._store.vector_index.event_centres("demo", embedder.space, seqs)  # noqa: SLF001
    assert set(embedded) == set(seqs)
