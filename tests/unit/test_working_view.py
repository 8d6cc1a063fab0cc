"""What is in view of a thread, worked out from its events and the compactions in force."""

from dataclasses import replace
from datetime import timedelta

from ai_smartness.condense.working_view import visible_events
from ai_smartness.model.condensation import (
    Anchor,
    Condensation,
    Replacement,
    Scope,
    condensation_of,
    condensation_payload,
)
from ai_smartness.model.event import Event, EventType
from builders import NOON, a_thread, an_event

THREAD = a_thread()


def said(number: int, session: str = "s1") -> Event:
    event = an_event(f"m{number}", THREAD, f"line {number}", minute=number, session=session)
    return replace(event, seq=number)


def a_compaction(seq: int, covers: tuple[int, ...], **more: object) -> Condensation:
    at = NOON + timedelta(minutes=covers[0])
    stands = Replacement(type=EventType.NOTE, role="note", text=f"about {seq}", at=at)
    made = Condensation(
        id=f"comp_{seq}",
        seq=seq,
        condenser="digest",
        version="1",
        scope=Scope.INCREMENTAL,
        covers=covers,
        replacements=(stands,),
        anchor=Anchor(covers[0], at, "s1"),
    )
    return replace(made, **more)  # type: ignore[arg-type] # any of its fields


def texts(events: list[Event]) -> list[str]:
    return [event.text for event in events]


def test_what_stands_for_events_is_where_the_first_of_them_was() -> None:
    events = [said(number) for number in range(1, 6)]

    view = visible_events(THREAD, events, [a_compaction(9, (2, 3))], {})

    assert texts(view) == ["line 1", "about 9", "line 4", "line 5"]


def test_what_no_compaction_names_is_shown_even_between_what_one_does() -> None:
    events = [said(1), said(2, "other"), said(3)]

    view = visible_events(THREAD, events, [a_compaction(9, (1, 3))], {})

    assert texts(view) == ["about 9", "line 2"]


def test_it_stands_where_the_first_was_also_among_what_one_session_said() -> None:
    events = [said(1), said(2), said(3)]

    view = visible_events(THREAD, events, [a_compaction(9, (1, 3))], {})

    assert texts(view) == ["about 9", "line 2"]


def test_a_later_one_takes_the_place_of_those_it_names() -> None:
    events = [said(number) for number in range(1, 5)]
    first = a_compaction(10, (1, 2))
    second = a_compaction(11, (1, 2, 3), supersedes=(10,))

    assert texts(visible_events(THREAD, events, [first, second], {})) == ["about 11", "line 4"]
    assert texts(visible_events(THREAD, events, [first], {})) == ["about 10", "line 3", "line 4"]


def test_one_that_has_come_back_gives_way_to_a_later_one_that_stands_for_as_much() -> None:
    events = [said(number) for number in range(1, 5)]
    back, later = a_compaction(10, (1, 2)), a_compaction(11, (1, 2, 3))

    assert texts(visible_events(THREAD, events, [back, later], {})) == ["about 11", "line 4"]


def test_what_stands_for_events_has_no_number_and_an_id_of_its_own() -> None:
    (shown,) = visible_events(THREAD, [said(1)], [a_compaction(9, (1,))], {})

    assert (shown.seq, shown.id, shown.source) == (0, "comp_9.1", "condenser")


def test_a_compaction_reads_back_as_it_was_written() -> None:
    made = a_compaction(9, (1, 2, 7), supersedes=(4,), beside=(5,), parameters={"target": 3})
    event = replace(said(9), id="comp_9", payload=condensation_payload(made))

    assert condensation_of(event) == made


def test_a_compaction_that_is_not_of_our_writing_stands_for_nothing() -> None:
    made = condensation_of(replace(said(9), type=EventType.COMPACTION))

    assert (made.covers, made.replacements) == ((), ())
