"""Something is pinned: kept as it is, found at once, shown whatever is asked, never faded."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Thread as Worker

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import EventType
from ai_smartness.model.injection import InjectionReason
from ai_smartness.model.journal import Actor
from ai_smartness.model.thread import IMPORTANCE, Kind, Origin, Status
from ai_smartness.testing import SetClock
from asking import KEYS, QUESTION, a_told_memory, thread_of
from builders import NOON, a_memory, said

SKY = "what colour has the sky today?"
PREFERENCES = "User prefers dark mode and vi keybindings"


def test_it_is_said_and_kept_as_in_the_source_document() -> None:
    memory = a_memory().used_by(Actor("agent", "mcp"))

    outcome = memory.pin(PREFERENCES, title="User Preferences", topics=["preferences", "ui"])

    (thread,) = outcome.threads
    assert outcome.said == f"Pinned as {thread.id} (weight=1.30)"
    assert thread.id.startswith("thread_20260302_120000_")
    assert (thread.title, thread.topics[:2]) == ("User Preferences", ("preferences", "ui"))
    assert (thread.tags, thread.origin, thread.weight) == (("pinned",), Origin.PIN, 1.3)
    (event,) = memory.events(thread.id)
    assert (event.text, event.source, event.role) == (PREFERENCES, "agent_pin", "agent")
    assert event.type is EventType.NOTE
    assert memory.thread(thread.id) == thread
    assert memory.notes(thread.id)[0].placed.explanation() == "was pinned, on a thread of its own"


@pytest.mark.parametrize("end", ["undo", "archive"])
def test_a_pin_that_was_undone_or_archived_is_not_shown_for_every_prompt(end: str) -> None:
    memory = a_told_memory()
    (pin,) = memory.pin("We deploy the JWT service on Tuesdays").threads
    before = memory.inject(QUESTION, session="a").entries

    if end == "undo":
        memory.undo()
    else:
        memory.archive(pin.id)
    after = memory.inject(QUESTION, session="b").entries

    assert pin.id in {entry.thread.id for entry in before}
    assert InjectionReason.PINNED not in {entry.reason for entry in after}


def test_a_user_pins_as_a_user() -> None:
    memory = a_memory()
    (thread,) = memory.pin("We deploy on Tuesdays", session="s1").threads
    (event,) = memory.events(thread.id)

    assert (event.source, event.role, event.session) == ("user_pin", "user", "s1")


def test_without_a_title_one_is_made_from_the_content() -> None:
    memory = a_memory()
    (thread,) = memory.pin("The release train leaves every second Tuesday at noon").threads

    assert "release train" in thread.title.casefold()
    assert thread.topics
    assert not thread.title_given


@pytest.mark.parametrize(
    ("content", "given_", "kind"),
    [
        ("I prefer tabs over spaces", None, Kind.PREFERENCE),
        ("We decided to use Postgres for billing", None, Kind.DECISION),
        ("the build number is 7", None, Kind.WORK),
        ("the build number is 7", Kind.IDENTITY, Kind.IDENTITY),
        ("the build number is 7", "goal", Kind.GOAL),
    ],
)
def test_its_kind_is_the_one_given_or_the_one_it_plainly_states(
    content: str,
    given_: Kind | None,
    kind: Kind,
) -> None:
    (thread,) = a_memory().pin(content, kind=given_).threads

    assert (thread.kind, thread.importance) == (kind, IMPORTANCE[kind])


@pytest.mark.parametrize(
    ("boost", "weight"),
    [(0.0, 1.0), (0.5, 1.5), (9, 1.5), (-1, 1.0), (float("inf"), 1.5)],
)
def test_the_boost_is_held_to_its_bounds(boost: float, weight: float) -> None:
    assert a_memory().pin("x1 marks the spot", weight_boost=boost).threads[0].weight == weight


@pytest.mark.parametrize(
    ("content", "more", "why"),
    [
        ("", {}, "cannot pin nothing"),
        (" \n\t", {}, "cannot pin nothing"),
        ("x" * 1_000_001, {}, "has 1,000,001 characters"),
        ("half \udfff of it", {}, "half of a character at place 6"),
        (7, {}, "what is pinned must be text, not int"),
        ("fine", {"title": ""}, "a title cannot be empty"),
        ("fine", {"title": "\ud800"}, "the title of a pin has half of a character"),
        ("fine", {"topics": "ui"}, "must be a list of words, not str"),
        ("fine", {"topics": [""]}, "a topic of a pin cannot be empty"),
        ("fine", {"topics": [f"t{n}" for n in range(21)]}, "cannot have 21 topics"),
        ("fine", {"weight_boost": "much"}, "must be a number"),
        ("fine", {"weight_boost": float("nan")}, "must be a number"),
        ("fine", {"kind": "poem"}, "'poem' is no kind of pin. Give one of work, identity"),
        ("fine", {"session": "s\ud800"}, "cannot be a session's name"),
    ],
)
def test_what_cannot_be_pinned_is_refused_by_name(
    content: str,
    more: dict[str, object],
    why: str,
) -> None:
    memory = a_memory()

    with pytest.raises(RefusedError, match=why):
        memory.pin(content, **more)  # type: ignore[arg-type] # that is tested

    assert memory.threads() == []
    assert memory.log() == []


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_it_is_kept_as_it_is(content: str) -> None:
    assume(content.casefold().strip() not in SKY)  # what the prompt says is not said again
    with a_memory(embedder=lambda: None) as memory:
        (thread,) = memory.pin(content).threads

        assert [event.text for event in memory.events(thread.id)] == [content]
        assert memory.pin(content).threads[0].id == thread.id
        assert memory.inject(SKY).entries[0].thread.id == thread.id


def test_what_capture_would_clean_away_is_kept() -> None:
    content = "\x1b[31mred\x1b[0m\n" + "again and again\n" * 50 + "A" * 5_000
    memory = a_memory()
    (thread,) = memory.pin(content).threads

    assert memory.events(thread.id)[0].text == content


def test_it_is_found_at_once_by_its_words_and_its_meaning() -> None:
    memory = a_told_memory()
    (thread,) = memory.pin("the espresso machine descales on Fridays").threads

    assert memory.recall("espresso machine").threads[0].thread.id == thread.id
    assert memory.search("espresso descales")[0].thread_id == thread.id
    with_model = a_memory()
    with_model.pin("the espresso machine descales on Fridays")
    assert with_model.search("espresso", wait=False)[0].why.meaning_rank == 1


def test_it_is_shown_whatever_is_asked_and_does_not_fade() -> None:
    clock = SetClock(NOON)
    memory = a_told_memory(clock=clock)
    (thread,) = memory.pin("the espresso machine descales on Fridays").threads
    clock.advance(days=3_000)

    (entry,) = memory.inject(SKY).entries

    assert (entry.thread.id, entry.reason) == (thread.id, InjectionReason.PINNED)
    assert (entry.thread.weight, entry.thread.status) == (1.3, Status.ACTIVE)


def test_the_session_that_pinned_it_has_it_in_sight_until_its_context_is_compacted() -> None:
    memory = a_told_memory()
    memory.pin("the espresso machine descales on Fridays", session="s9")

    assert memory.inject(SKY, session="s9").text == ""
    assert "espresso" in memory.inject(SKY, session="s8").text
    memory.context_compacted("s9")
    assert "espresso" in memory.inject(SKY, session="s9").text


def test_talk_goes_on_where_it_was_and_never_on_a_pin() -> None:
    memory = a_told_memory()
    memory.capture(said("the JWT signing keys rotate monthly", id_="rotate", session="of-keys"))
    (pinned,) = memory.pin(
        "rotate the JWT signing keys by hand in December",
        session="of-keys",
    ).threads

    memory.capture(said("yes, go on", id_="on", session="of-keys", minute=1))
    memory.capture(said("rotate the JWT signing keys by hand?", id_="q", session="fresh", minute=2))

    assert thread_of(memory, "on") == thread_of(memory, "rotate") == thread_of(memory)
    assert thread_of(memory, "q") != pinned.id


def test_what_was_held_is_still_held_after_a_pin(tmp_path: Path) -> None:
    texts = ("the keys rotate monthly", "now the sales chart", "bars for each month of sales", "ok")
    found = []
    for name, pins in (("one.db", False), ("two.db", True)):
        memory = a_memory(tmp_path / name)
        for number, text in enumerate(texts):
            memory.capture(said(text, id_=f"m{number}", minute=number))
            if pins:
                memory.pin(f"something of note, number {number}", session="s1")
        ids = [thread_of(memory, f"m{number}") for number in range(len(texts))]
        memory.reindex()
        found.append((ids, [memory.thread(id_).summary for id_ in ids]))

    assert found[0] == found[1]


def test_the_same_twice_is_one_pin() -> None:
    memory = a_memory()
    first = memory.pin(PREFERENCES)
    again = memory.pin(f"\n {PREFERENCES} ")

    (thread,) = memory.threads()
    assert again.said == f"Already pinned as {thread.id} (weight=1.30)"
    assert again.number is None
    assert again.threads == first.threads
    assert len(memory.events(thread.id)) == len(memory.log()) == 1
    assert memory.seen_from("other").pin(PREFERENCES).threads[0].id != thread.id


def test_to_pin_it_again_takes_what_is_given_anew() -> None:
    memory = a_memory()
    (first,) = memory.pin(PREFERENCES, topics=["ui"], weight_boost=0.2).threads
    again = memory.pin(
        PREFERENCES,
        title="Tastes",
        topics=["taste"],
        weight_boost=0.4,
        kind=Kind.PREFERENCE,
    )

    (thread,) = memory.threads()
    assert again.said == (
        f"Already pinned as {first.id} (weight=1.40); new: title, topics, kind, weight; "
        f"states the preference {memory.statements()[0].short_id}"
    )
    assert (thread.title, thread.topics[0], thread.kind) == ("Tastes", "taste", Kind.PREFERENCE)
    assert "ui" not in thread.topics
    assert memory.pin(PREFERENCES, weight_boost=0.0).number is None
    memory.undo()
    assert replace(memory.thread(first.id), revision=0) == replace(first, revision=0)


def test_a_pin_that_was_put_away_is_back_when_it_is_pinned_again() -> None:
    memory = a_memory()
    (thread,) = memory.pin(PREFERENCES).threads
    memory.archive(thread.id)

    again = memory.pin(PREFERENCES)

    assert again.said == f"Already pinned as {thread.id} (weight=1.30); new: status"
    assert memory.thread(thread.id).status is Status.ACTIVE


def test_a_pin_that_was_merged_away_is_known_on_its_survivor() -> None:
    memory = a_told_memory()
    (pinned,) = memory.pin(PREFERENCES).threads
    memory.merge(thread_of(memory), pinned.id)

    assert memory.pin(PREFERENCES).threads[0].id == thread_of(memory)
    assert len(memory.events(thread_of(memory))) == 2


def test_to_undo_it_puts_it_away_and_deletes_nothing() -> None:
    memory = a_told_memory()
    done = memory.pin(PREFERENCES, session="s9")
    id_ = done.threads[0].id

    undone = memory.undo()

    assert undone.said == f"Undid change 1: Pinned as {id_} (weight=1.30)"
    assert memory.thread(id_).status is Status.ARCHIVED
    assert memory.thread(id_).title == done.threads[0].title
    assert [event.text for event in memory.events(id_)] == [PREFERENCES]
    assert memory.inject(SKY).text == ""
    memory.undo(undone.number)
    assert memory.thread(id_).status is Status.ACTIVE
    assert "dark mode" in memory.inject(SKY).text


@pytest.mark.parametrize("vectors", [True, False])
def test_reindex_keeps_a_pin_a_pin(vectors: bool) -> None:  # noqa: FBT001 - a parameter
    memory = a_memory()
    memory.capture(said(KEYS, id_="keys"))
    memory.pin(PREFERENCES, title="Tastes", topics=["ui", "taste"], kind=Kind.PREFERENCE)
    memory.pin("The release train leaves every second Tuesday at noon", topics=["train"])
    before = memory.threads()

    memory.reindex(vectors=vectors)

    assert memory.threads() == before
    assert memory.search("keybindings")[0].text == PREFERENCES


def test_given_topics_stay_first_while_a_thread_grows() -> None:
    memory = a_memory()
    (thread,) = memory.pin(PREFERENCES, topics=["Taste"]).threads
    memory.append(thread.id, said("and the taste of dark roast", minute=1))
    memory.append(thread.id, said("dark roast from the roastery", minute=2))

    topics = memory.thread(thread.id).topics

    assert topics[0] == "Taste"
    assert [each for each in topics if each.casefold() == "taste"] == ["Taste"]


def test_a_hundred_kilobytes_are_pinned_and_found_and_shown_in_part() -> None:
    content = "\n".join(f"rule {n}: never touch module_{n} on a Friday" for n in range(2_500))
    memory = a_told_memory()
    (thread,) = memory.pin(content, title="House rules").threads

    assert len(content) > 100_000
    assert memory.events(thread.id)[0].text == content
    assert memory.search("module_2317")[0].thread_id == thread.id
    found = memory.inject("may I touch module_2317 on a Friday?")
    assert found.entries[0].thread.id == thread.id
    assert len(found.text) < 2_000


def test_no_secret_is_kept_by_pinning_it() -> None:
    memory = a_memory()
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    content = f"the token is {secret}"
    (thread,) = memory.pin(content, title=f"Token {secret}", topics=[secret]).threads

    assert secret not in memory.events(thread.id)[0].text
    assert secret not in str((memory.thread(thread.id), memory.log()))
    assert memory.pin(content).threads[0].id == thread.id


def test_two_who_pin_the_same_at_once_have_one_pin(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    a_memory(path).close()
    ids: list[str] = []

    def work() -> None:
        with a_memory(path, embedder=lambda: None) as memory:
            for number in range(10):
                ids.append(memory.pin(f"rule number {number}").threads[0].id)  # noqa: PERF401

    workers = [Worker(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    with a_memory(path) as memory:
        assert len(ids) == 40
        assert {thread.id for thread in memory.threads()} == set(ids)
        assert len(set(ids)) == memory.status().events == 10


def test_a_pin_answers_as_it_was_at_a_moment() -> None:
    clock = SetClock(NOON)
    memory = a_memory(clock=clock)
    clock.advance(days=1)
    (thread,) = memory.pin(PREFERENCES).threads
    clock.advance(days=1)

    then = memory.thread_at(thread.id, NOON + timedelta(days=1, hours=1))

    assert [event.text for event in then.events] == [PREFERENCES]
