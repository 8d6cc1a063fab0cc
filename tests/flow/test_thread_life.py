"""Put threads away and back, move, rename and link, through `Memory` on a real store."""

from dataclasses import replace

import pytest

from ai_smartness.model.bridge import Bridge, BridgeDraft, Relation
from ai_smartness.model.thread import Status
from ai_smartness.testing import SetClock
from builders import NOON, a_bridge, a_memory, a_thread, said
from two_threads import JWT, LOGO, dump, linked, refused, texts, two_threads

pytestmark = pytest.mark.every_engine


def test_a_thread_is_archived_suspended_and_brought_back() -> None:
    memory = two_threads()

    memory.archive("thread_jwt")
    archived = memory.thread("thread_jwt").status
    memory.suspend("thread_jwt")
    suspended = memory.thread("thread_jwt")
    memory.reactivate("thread_jwt")

    assert (archived, suspended.status) == (Status.ARCHIVED, Status.SUSPENDED)
    back = memory.thread("thread_jwt")
    assert (back.status, back.activation_count) == (Status.ACTIVE, 1)
    assert back.weight == pytest.approx(suspended.weight + 0.1)
    already, active = refused(
        memory,
        lambda: memory.reactivate("thread_jwt"),
        lambda: memory.reactivate("thread_logo"),
    )
    assert "active already" in already
    assert "active already" in active


def test_a_faded_thread_can_be_brought_back() -> None:
    clock = SetClock(NOON)
    memory = two_threads(clock)
    clock.advance(days=400)
    faded = memory.thread("thread_jwt").status

    memory.reactivate("thread_jwt")

    assert faded is Status.SUSPENDED
    assert memory.thread("thread_jwt").status is Status.ACTIVE


def test_what_is_said_on_an_archived_thread_makes_it_active() -> None:
    memory = two_threads()
    memory.archive("thread_jwt")

    memory.append("thread_jwt", said("the JWT keys again", minute=40))

    assert memory.thread("thread_jwt").status is Status.ACTIVE


def test_one_message_moves_to_another_thread() -> None:
    memory = two_threads()

    memory.move("l2", "thread_jwt")

    assert texts(memory, "thread_jwt") == [LOGO[1], *JWT]
    assert texts(memory, "thread_logo") == [LOGO[0]]
    here, only, absent = refused(
        memory,
        lambda: memory.move("l2", "thread_jwt"),
        lambda: memory.move("l1", "thread_jwt"),
        lambda: memory.move("l9", "thread_jwt"),
    )
    assert "already" in here
    assert "ais threads merge thread_jwt thread_logo" in only
    assert "no message l9" in absent


@pytest.mark.parametrize(
    ("made_by", "reason"),
    [
        ("statements", '"put the logo on top of the login page" became "invoices go out"'),
        ("similarity", 'needs "put the logo on top of the…" (invoices)'),
        ("similarity", "both speak of top"),
    ],
)
def test_a_bridge_that_rests_on_a_message_moves_with_it_and_back(made_by: str, reason: str) -> None:
    memory = two_threads()
    before_move = found("thread_logo", "thread_other", made_by=made_by, reason=reason)
    linked(memory, before_move)
    before = dump(memory)

    moved = memory.move("l2", "thread_jwt").number
    (bridge,) = memory.bridges()
    memory.undo(moved)

    assert (bridge.source, bridge.target) == ("thread_jwt", "thread_other")
    assert (bridge.reason, bridge.made_by) == (reason, made_by)
    assert memory.bridges() == [before_move]
    assert dump(memory) == before


@pytest.mark.parametrize(
    ("made_by", "reason"),
    [
        ("user", '"put the logo on top of the login page" became "invoices go out"'),
        ("statements", '"invoices go out" became "the login page needs a logo"'),
        ("similarity", "both speak of login page, top"),
        ("similarity", ""),
    ],
)
def test_a_bridge_that_somebody_made_or_that_rests_on_what_stays_stays(
    made_by: str, reason: str
) -> None:
    memory = two_threads()
    bridge = found("thread_other", "thread_logo", made_by=made_by, reason=reason)
    linked(memory, bridge)

    memory.move("l2", "thread_jwt")

    assert memory.bridges() == [bridge]


def test_a_bridge_to_the_thread_that_its_message_moves_to_goes() -> None:
    memory = two_threads()
    reason = '"rotate the JWT keys" became "put the logo on top of the login page"'
    linked(memory, found("thread_logo", "thread_jwt", made_by="statements", reason=reason))
    other = found("thread_jwt", "thread_logo", made_by="similarity", reason="both speak of login")
    linked(memory, replace(other, id="bridge_2"))

    memory.move("l2", "thread_jwt")

    assert [bridge.id for bridge in memory.bridges()] == ["bridge_2"]


def found(source: str, target: str, *, made_by: str, reason: str) -> Bridge:
    return replace(a_bridge("bridge_1", source, target), made_by=made_by, reason=reason)


def test_a_given_title_stays_as_the_thread_grows_and_is_told_anew() -> None:
    memory = two_threads()

    memory.rename("thread_jwt", "  Keys  and\ntokens ")
    for n in range(10):
        memory.append("thread_jwt", said(f"pasta recipe number {n}", minute=60 + n))
    memory.reindex()

    assert memory.thread("thread_jwt").title == "Keys and tokens"


def test_a_title_must_be_one() -> None:
    memory = two_threads()

    empty, endless = refused(
        memory,
        lambda: memory.rename("thread_jwt", " \n"),
        lambda: memory.rename("thread_jwt", "x" * 201),
    )

    assert "cannot be empty" in empty
    assert "at most 200" in endless


def test_bridges_are_made_used_and_taken_away_for_good() -> None:
    clock = SetClock(NOON)
    memory = two_threads(clock)
    wanted = BridgeDraft(
        source="thread_jwt",
        target="thread_logo",
        relation=Relation.DEPENDS,
        weight=0.5,
        reason="the page shows who is logged in",
    )

    memory.link(wanted)
    (made,) = memory.bridges("thread_jwt")
    clock.advance(days=14)
    (faded,) = memory.bridges("thread_jwt")
    memory.follow(made.id[:12])
    (used,) = memory.bridges("thread_jwt")
    memory.unlink(made.id)
    memory.reindex()

    assert (made.weight, made.reason, made.made_by) == (0.5, wanted.reason, "user")
    assert faded.weight == pytest.approx(0.25)
    assert used.weight == pytest.approx(0.25 + 0.2 * 0.75)
    assert memory.bridges("thread_jwt") == []
    gone = refused(memory, lambda: memory.unlink(made.id), lambda: memory.follow(made.id))
    assert all("was removed" in each for each in gone)
    memory.link(wanted)
    assert len(memory.bridges("thread_jwt")) == 1


def test_a_bridge_found_by_words_does_not_come_back_once_it_is_taken_away() -> None:
    memory = a_memory()
    texts_of = {
        "a": "We use PostgreSQL 14 for the billing ledger database.",
        "b": "The billing ledger database moves from PostgreSQL 14 to PostgreSQL 16.",
    }
    for session, text in texts_of.items():
        memory._store.threads.save(a_thread(f"thread_{session}"))  # noqa: SLF001 - to name them
        memory.append(f"thread_{session}", said(text, session=session, id_=session))
    found = memory.bridges()
    assert found, "this test needs a pair that is linked by its words"

    for bridge in found:
        memory.unlink(bridge.id)
    memory.reindex()

    assert memory.bridges() == []


def test_odd_bridges_are_refused() -> None:
    memory = two_threads()
    link = BridgeDraft(source="thread_jwt", target="thread_logo", relation=Relation.EXTENDS)
    memory.link(link)

    itself, heavy, known, absent = refused(
        memory,
        lambda: memory.link(replace(link, target="thread_jwt")),
        lambda: memory.link(replace(link, weight=1.5, relation=Relation.UPDATES)),
        lambda: memory.link(link),
        lambda: memory.unlink("bridge_none"),
    )

    assert "to itself" in itself
    assert "up to 1" in heavy
    assert "already" in known
    assert "`ais bridges` lists them" in absent
