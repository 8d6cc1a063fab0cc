"""What newer threads take back, and which pins nobody needs."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.thread import Kind, Origin, Rating, Status, Thread
from ai_smartness.suggest.stale_threads import PinUse, forgotten_pins, thread_conflicts
from builders import NOON, a_bridge, a_thread

OLD, NEW = a_thread("old"), a_thread("new", minute=5)
A_MONTH_LATER = NOON + timedelta(days=31)


def bridge(relation: Relation, source: str = "new", target: str = "old") -> Bridge:
    return replace(a_bridge(f"{source}{relation}", source, target), relation=relation)


def pin(id_: str = "pin", kind: Kind = Kind.WORK) -> Thread:
    return replace(a_thread(id_), origin=Origin.PIN, title="Deploys", kind=kind)


def known(*threads: Thread) -> dict[str, Thread]:
    return {thread.id: thread for thread in threads}


@pytest.mark.parametrize("relation", [Relation.UPDATES, Relation.REPLACES, Relation.CONTRADICTS])
def test_the_later_thread_stands_against_the_earlier(relation: Relation) -> None:
    (found,) = thread_conflicts([bridge(relation)], known(OLD, NEW))

    assert (found.older, found.newer, found.relation) == ("old", "new", relation)
    assert found.reason == "both speak of tokens"


def test_a_contradiction_says_the_same_from_either_end() -> None:
    (found,) = thread_conflicts([bridge(Relation.CONTRADICTS, "old", "new")], known(OLD, NEW))

    assert (found.older, found.newer) == ("old", "new")


def test_of_two_threads_the_strongest_is_said_once() -> None:
    bridges = [bridge(Relation.CONTRADICTS), bridge(Relation.REPLACES), bridge(Relation.UPDATES)]

    (found,) = thread_conflicts(bridges, known(OLD, NEW))

    assert found.relation is Relation.REPLACES


@pytest.mark.parametrize("status", [Status.SUSPENDED, Status.ARCHIVED])
def test_what_is_no_longer_in_use_needs_no_settling(status: Status) -> None:
    assert (
        thread_conflicts([bridge(Relation.UPDATES)], known(replace(OLD, status=status), NEW)) == ()
    )
    assert thread_conflicts([bridge(Relation.UPDATES)], known(NEW)) == ()


def test_a_bridge_without_a_reason_is_said_in_words() -> None:
    bare = replace(bridge(Relation.UPDATES), reason="")

    assert (
        thread_conflicts([bare], known(OLD, NEW))[0].reason
        == "brings up to date what the other says"
    )


def test_a_pin_that_was_shown_often_and_never_of_use_is_forgotten() -> None:
    (found,) = forgotten_pins([pin()], {"pin": PinUse(14, 0, 2)}, (), NOON)

    assert (found.thread_id, found.title) == ("pin", "Deploys")
    assert found.reason == "Shown 14 times, never of use"


def test_a_pin_that_no_session_of_a_month_was_shown_is_forgotten() -> None:
    (found,) = forgotten_pins([pin()], {"pin": PinUse(0, 0, 4)}, (), A_MONTH_LATER)

    assert found.reason == "Not shown once in 31 days and 4 sessions"


def test_a_pin_that_a_newer_thread_replaces_is_forgotten_however_often_it_was_of_use() -> None:
    against = thread_conflicts([bridge(Relation.REPLACES, "new", "pin")], known(pin(), NEW))

    (found,) = forgotten_pins([pin()], {"pin": PinUse(9, 9, 9)}, against, NOON)

    assert found.reason == "new replaces it: both speak of tokens"


@pytest.mark.parametrize(
    ("thread", "use"),
    [
        (pin(), PinUse(9, 0, 9)),
        (pin(), PinUse(40, 1, 9)),
        (pin(), PinUse(0, 0, 1)),
        (pin(kind=Kind.PREFERENCE), PinUse(40, 0, 9)),
        (pin(kind=Kind.IDENTITY), PinUse(0, 0, 9)),
        (replace(pin(), ratings=(Rating(useful=True, at=NOON),)), PinUse(40, 0, 9)),
        (replace(pin(), origin=Origin.PROMPT), PinUse(40, 0, 9)),
    ],
)
def test_a_pin_that_had_no_chance_or_is_of_use_or_goes_without_saying_stays(
    thread: Thread, use: PinUse
) -> None:
    assert forgotten_pins([thread], {"pin": use}, (), A_MONTH_LATER) == ()
