"""What any store must do to remember what was shown, and to tell what is in sight."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from ai_smartness.adapters.tables.ledger_tables import MAX_BLOCKS
from ai_smartness.model.search import SearchScope
from ai_smartness.model.session import LedgerEntry, LedgerPage, LineScores, ShownLine, SkippedThread
from ai_smartness.model.thread import Kind, Origin, Status
from ai_smartness.ports import ThreadStore
from builders import NOON, a_thread, an_event, stored
from engines import open_store


def an_entry(turn: int, thread_id: str = "thread_1", session: str = "s1") -> LedgerEntry:
    return LedgerEntry(
        session=session,
        epoch=0,
        turn=turn,
        thread_id=thread_id,
        revision=3,
        tokens=40,
        score=0.5,
        why="relevant: «naïve» 0.50",
        seqs=(1, 2),
        through=7,
    )


def a_page(
    turn: int, *shown: LedgerEntry, session: str = "s1", project: str = "demo"
) -> LedgerPage:
    return LedgerPage(
        project=project,
        session=session,
        epoch=0,
        turn=turn,
        at=NOON + timedelta(minutes=turn),
        took_ms=1.5,
        shown=shown,
        skipped=(SkippedThread("thread_9", "Über “nine”", "no room left", 0.25),),
    )


def test_what_was_shown_is_read_back_as_it_was_written_the_newest_first(store: ThreadStore) -> None:
    store.ledger.write(a_page(1, an_entry(1, "thread_1"), an_entry(1, "thread_2")))
    store.ledger.write(a_page(2, an_entry(2, "thread_3")))

    shown = store.ledger.shown_entries("demo", "s1")

    assert shown == [an_entry(2, "thread_3"), an_entry(1, "thread_2"), an_entry(1, "thread_1")]


def test_a_page_is_read_back_as_it_was_written(store: ThreadStore) -> None:
    first, second = a_page(1, an_entry(1), an_entry(1, "thread_2")), a_page(2)
    store.ledger.write(first)
    store.ledger.write(second)

    assert store.ledger.latest_pages("demo", "s1", 10) == [second, first]
    assert store.ledger.latest_pages("demo", "s1", 1) == [second]


def test_the_numbers_of_a_line_are_read_back_and_one_without_them_has_none(
    store: ThreadStore,
) -> None:
    scores = LineScores(0.75, words=0.5, meaning=None)
    lines = (
        ShownLine(1, "user", NOON, "said", "why", scores),
        ShownLine(2, "assistant", NOON, "answered", "why"),
    )
    page = a_page(1, replace(an_entry(1), lines=lines))
    store.ledger.write(page)

    assert store.ledger.latest_pages("demo", "s1", 1) == [page]


def test_pages_before_a_time_are_those_that_were_written_earlier(store: ThreadStore) -> None:
    pages = [replace(a_page(n), at=NOON + timedelta(minutes=n)) for n in (1, 2, 3)]
    for page in pages:
        store.ledger.write(page)

    assert store.ledger.latest_pages("demo", "s1", 10, pages[2].at) == [pages[1], pages[0]]
    assert store.ledger.latest_pages("demo", None, 1, pages[2].at) == [pages[1]]


def test_sessions_and_projects_have_ledgers_of_their_own(store: ThreadStore) -> None:
    mine, other = a_page(1, an_entry(1)), a_page(1, an_entry(1, session="s2"), session="s2")
    store.ledger.write(mine)
    store.ledger.write(other)
    store.ledger.write(a_page(1, an_entry(1), project="elsewhere"))

    assert store.ledger.latest_pages("demo", "s1", 10) == [mine]
    assert store.ledger.latest_pages("demo", None, 10) == [other, mine]
    assert store.ledger.shown_entries("demo", "s2") == [an_entry(1, session="s2")]
    assert store.ledger.usage_counts("demo") == (2, 0)


def test_an_unknown_project_or_session_was_shown_nothing(store: ThreadStore) -> None:
    assert store.ledger.shown_entries("nowhere", "s1") == []
    assert store.ledger.latest_pages("nowhere", None, 10) == []
    assert store.ledger.usage_counts("nowhere") == (0, 0)

    store.ledger.mark_used("nowhere", "s1", 1, ["thread_1"])

    assert store.ledger.usage_counts("nowhere") == (0, 0)


def test_of_a_session_the_newest_hundred_entries_are_kept_and_all_are_counted(
    store: ThreadStore,
) -> None:
    for turn in range(1, 61):
        store.ledger.write(a_page(turn, an_entry(turn, "thread_1"), an_entry(turn, "thread_2")))
    store.ledger.write(a_page(1, an_entry(1, session="s2"), session="s2"))

    shown = store.ledger.shown_entries("demo", "s1")

    assert len(shown) == 100
    assert {entry.turn for entry in shown} == set(range(11, 61))
    assert len(store.ledger.shown_entries("demo", "s2")) == 1
    assert store.ledger.usage_counts("demo") == (121, 0)


def test_a_page_is_kept_as_long_as_all_that_was_shown_on_it(store: ThreadStore) -> None:
    """Else a turn in which much was shown would say that nothing was."""
    for turn in range(1, 41):
        store.ledger.write(a_page(turn, *(an_entry(turn, f"thread_{n}") for n in range(3))))

    pages = store.ledger.latest_pages("demo", "s1", 1_000)

    assert [page.turn for page in pages] == list(range(40, 7, -1))
    assert {len(page.shown) for page in pages} == {3}


def test_silent_turns_are_kept_too_but_not_without_end(store: ThreadStore) -> None:
    for turn in range(1, 131):
        store.ledger.write(a_page(turn))

    assert [page.turn for page in store.ledger.latest_pages("demo", "s1", 1_000)] == list(
        range(130, 30, -1)
    )


def test_use_is_marked_in_its_turn_and_counted_once(store: ThreadStore) -> None:
    store.ledger.write(a_page(1, an_entry(1, "thread_1"), an_entry(1, "thread_2")))
    store.ledger.write(a_page(2, an_entry(2, "thread_1")))

    for _ in range(2):
        store.ledger.mark_used("demo", "s1", 1, ["thread_1", "thread_unknown"])

    used = {
        (each.turn, each.thread_id)
        for each in store.ledger.shown_entries("demo", "s1")
        if each.used
    }
    assert used == {(1, "thread_1")}
    assert store.ledger.usage_counts("demo") == (3, 1)


@pytest.mark.every_engine
def test_a_ledger_outlives_its_process(tmp_path: Path) -> None:
    first = open_store(tmp_path / "memory")
    first.ledger.write(a_page(1, an_entry(1)))
    first.ledger.mark_used("demo", "s1", 1, ["thread_1"])
    first.close()

    again = open_store(tmp_path / "memory")

    assert again.ledger.shown_entries("demo", "s1") == [replace(an_entry(1), used=True)]
    assert again.ledger.usage_counts("demo") == (1, 1)
    again.close()


def test_a_unit_that_fails_leaves_the_ledger_as_it_was(store: ThreadStore) -> None:
    def fail() -> None:
        with store.unit():
            store.ledger.write(a_page(1, an_entry(1)))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()

    assert store.ledger.shown_entries("demo", "s1") == []
    assert store.ledger.usage_counts("demo") == (0, 0)


def test_pins_identity_and_preferences_stand_whatever_is_asked(store: ThreadStore) -> None:
    plain = a_thread("thread_plain")
    kinds = {
        "thread_pin": replace(plain, origin=Origin.PIN, weight=0.9),
        "thread_tag": replace(plain, tags=("pinned",), weight=0.8),
        "thread_who": replace(plain, kind=Kind.IDENTITY, weight=0.7),
        "thread_taste": replace(plain, kind=Kind.PREFERENCE, status=Status.SUSPENDED, weight=0.6),
        "thread_gone": replace(plain, kind=Kind.IDENTITY, status=Status.ARCHIVED),
        "thread_like": replace(plain, tags=('say "pinned" twice', "unpinned")),
        "thread_work": plain,
        "thread_there": replace(plain, project="elsewhere", origin=Origin.PIN),
    }
    for id_, thread in kinds.items():
        store.threads.save(replace(thread, id=id_))

    found = store.threads.always_shown("demo")

    assert [each.id for each in found] == ["thread_pin", "thread_tag", "thread_who", "thread_taste"]
    assert found[0] == replace(kinds["thread_pin"], id="thread_pin")
    assert store.threads.always_shown("nowhere") == []


def test_the_last_event_of_a_project_is_known_by_its_number(store: ThreadStore) -> None:
    assert store.events.last_seq("demo") == 0

    events = stored(store, "one", "two")
    stored(store, "three", thread=a_thread("thread_2", project="elsewhere"))

    assert store.events.last_seq("demo") == events[-1].seq
    assert store.events.last_seq("elsewhere") > events[-1].seq


def test_the_latest_events_of_a_session_come_newest_first(store: ThreadStore) -> None:
    thread = a_thread()
    store.threads.save(thread)
    events = [
        an_event(f"m{n}", thread, minute=n, session=session)
        for n, session in enumerate(("s1", "s2", "s1", None, "s1"))
    ]
    store.events.append(events)

    assert [each.id for each in store.events.latest_of_session("demo", "s1", 2)] == ["m4", "m2"]
    assert [each.id for each in store.events.latest_of_session("demo", "s2", 9)] == ["m1"]
    assert store.events.latest_of_session("demo", "s9", 9) == []
    assert store.events.latest_of_session("nowhere", "s1", 9) == []


def test_what_a_session_put_on_a_thread_after_a_number_is_counted(store: ThreadStore) -> None:
    one, two = a_thread("thread_1"), a_thread("thread_2")
    for thread in (one, two):
        store.threads.save(thread)
    mine, _, theirs, later, other = store.events.append(
        [
            an_event("m1", one),
            an_event("m2", one),
            an_event("m3", one, session="s2"),
            an_event("m4", one),
            an_event("m5", two),
        ]
    )

    assert store.events.count_on_thread("thread_1", "s1", 0) == 3
    assert store.events.count_on_thread("thread_1", "s1", mine.seq) == 2
    assert store.events.count_on_thread("thread_1", "s1", later.seq) == 0
    assert store.events.count_on_thread("thread_1", "s2", mine.seq) == 1
    assert store.events.count_on_thread("thread_2", "s1", theirs.seq) == 1
    assert store.events.count_on_thread("thread_2", "s1", other.seq) == 0


def test_words_of_a_question_are_held_against_messages_by_their_stems(store: ThreadStore) -> None:
    keys, logo = stored(store, "the keys were rotated", "a logo for the page")

    found = store.word_index.compare_words(
        SearchScope(project="demo"), "rotating keys zebra", "what about keys?", [keys.seq, logo.seq]
    )

    assert found.events == 2
    assert found.spread == {"rotat": 1, "kei": 1, "zebra": 0}
    assert found.said == {"kei"}
    assert found.held == {keys.seq: {"rotat", "kei"}, logo.seq: frozenset()}


def test_a_question_to_an_empty_memory_is_held_against_nothing(store: ThreadStore) -> None:
    found = store.word_index.compare_words(SearchScope(project="demo"), "any words", "", [])

    assert (found.events, found.held) == (0, {})
    assert all(count == 0 for count in found.spread.values())


def test_how_often_a_word_stands_does_not_depend_on_when_it_was_first_asked_for(
    store: ThreadStore,
) -> None:
    """Else the same question gives other numbers in a process that has run for long."""
    scope = SearchScope(project="demo")
    stored(store, *(f"line {n}" for n in range(20)))
    store.word_index.compare_words(scope, "vault", "", [])
    stored(store, "the vault")

    assert store.word_index.compare_words(scope, "vault", "", []).spread == {"vault": 1}


def test_words_of_the_users_own_project_count_as_well(store: ThreadStore) -> None:
    here = stored(store, "the vault")
    own = stored(store, "my vault", thread=a_thread("thread_2", project="*"))

    found = store.word_index.compare_words(
        SearchScope(project="demo"), "vault", "", [here[0].seq, own[0].seq]
    )

    assert (found.events, found.spread) == (2, {"vault": 2})
    assert set(found.held) == {here[0].seq, own[0].seq}


def test_only_the_latest_turns_of_a_project_have_the_text_that_was_sent(store: ThreadStore) -> None:
    for turn in range(MAX_BLOCKS + 2):
        page = a_page(turn, session=f"s{turn % 5}")
        store.ledger.write(replace(page, block=f"block {turn}"))
    store.ledger.write(a_page(1_000, session="s9"))

    pages = store.ledger.latest_pages("demo", None, MAX_BLOCKS + 5)

    assert [page.block for page in pages] == [
        "",
        *(f"block {turn}" for turn in range(MAX_BLOCKS + 1, 1, -1)),
        "",
        "",
    ]
