"""Something is put in focus, shown first, and taken out of focus again."""

from datetime import datetime, timedelta

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Message
from ai_smartness.model.injection import InjectionReason
from ai_smartness.model.thread import Origin
from ai_smartness.testing import SetClock
from asking import KEYS, QUESTION, a_told_memory, changed, saved, shown, thread_of
from builders import NOON, a_memory, said

pytestmark = pytest.mark.every_engine

SKY = "what colour has the sky today?"
TWO = "where do the signing keys live, and who renders invoices on Mondays?"

CLEARED = "All focus cleared. Returning to similarity-based injection."


def topics(memory: Memory, session: str | None = None) -> list[str]:
    return [each.topic for each in memory.foci(session)]


def test_it_is_said_as_in_the_source_document() -> None:
    memory = a_told_memory()
    for id_ in ("keys", "logo", "backup"):
        saved(memory, id_, topics=("authentication",))

    outcome = memory.focus("authentication")

    assert outcome.said == (
        'Focus set on "authentication" (weight=0.8). 3 threads will be prioritized.'
    )
    assert {thread.id for thread in outcome.threads} == {
        thread_of(memory, id_) for id_ in ("keys", "logo", "backup")
    }
    assert memory.unfocus().said == CLEARED
    assert memory.foci() == []


def test_one_thread_and_none_are_said_too() -> None:
    memory = a_told_memory()
    saved(memory, "logo", topics=("branding",))

    assert memory.focus("branding", 1).said == (
        'Focus set on "branding" (weight=1.0). 1 thread will be prioritized.'
    )
    none = memory.focus("kubernetes")
    assert none.said == (
        'Focus set on "kubernetes" (weight=0.8). '
        "No thread is about it yet; new ones that are will be prioritized."
    )
    assert none.threads == ()
    assert memory.focus("branding", 0).said.endswith("With a weight of 0 it changes nothing.")


def test_archived_threads_are_not_counted_for_a_topic() -> None:
    memory = a_told_memory()
    saved(memory, "logo", topics=("branding",))
    memory.archive(thread_of(memory, "logo"))

    assert "No thread is about it yet" in memory.focus("branding").said


def test_to_set_it_again_changes_it() -> None:
    memory = a_told_memory()
    memory.focus("Signing keys", 0.9)
    memory.focus("signing  KEYS", 0.2, until=NOON + timedelta(days=9))

    (only,) = memory.foci()

    assert (only.topic, only.weight, only.until) == ("signing KEYS", 0.2, NOON + timedelta(days=9))


@pytest.mark.parametrize(
    ("topic", "weight", "until", "why"),
    [
        ("", 0.8, None, "the topic of a focus cannot be empty"),
        (" \n\x00", 0.8, None, "cannot be empty"),
        ("x" * 201, 0.8, None, "has 201 characters"),
        ("half \ud800", 0.8, None, "half of a character at place 6"),
        (7, 0.8, None, "must be text, not int"),
        ("keys", 1.01, None, 'cannot focus on "keys" with weight 1.01: a weight is from 0 to 1'),
        ("keys", -0.1, None, "a weight is from 0 to 1"),
        ("keys", float("nan"), None, "a weight is from 0 to 1"),
        ("keys", True, None, "must be a number from 0 to 1, not True"),
        ("keys", "much", None, "must be a number from 0 to 1, not 'much'"),
        ("keys", 0.8, NOON, "that is past"),
        ("keys", 0.8, "tomorrow", "ends at a moment"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    topic: str,
    weight: float,
    until: datetime | None,
    why: str,
) -> None:
    memory = a_told_memory()

    with pytest.raises(RefusedError, match=why):
        memory.focus(topic, weight, until=until)

    assert memory.foci() == []
    assert memory.log() == []


def test_what_is_in_focus_is_shown_first_and_says_so() -> None:
    memory = a_told_memory()
    saved(memory, "keys", topics=("keys",))
    saved(memory, "invoices", topics=("invoices",))
    before = shown(memory.inject(TWO))

    memory.focus(before[1])
    found = memory.inject(TWO)

    assert shown(found) == before[::-1]
    assert f" + focus {0.8 * 0.3 + 0.8 * 0.2:.2f}" in found.entries[0].why
    assert "focus" not in found.entries[1].why
    memory.unfocus()
    assert shown(memory.inject(TWO)) == before


def test_a_topic_never_breaks_the_silence() -> None:
    memory = a_told_memory()
    saved(memory, "logo", topics=("sky",))
    memory.focus("sky", 1.0)

    assert memory.inject(SKY).text == ""


def test_the_thread_whose_id_is_in_focus_is_shown_whatever_is_asked() -> None:
    memory = a_told_memory()
    memory.focus(thread_of(memory, "logo"))

    for prompt in (SKY, "thanks", QUESTION):
        found = memory.inject(prompt)
        assert shown(found)[0] == "logo"
        assert found.entries[0].reason is InjectionReason.FOCUS
        assert found.entries[0].priority >= 0.4
    assert shown(memory.inject(QUESTION)) == ["logo", "keys"]
    assert ", focus)" in memory.inject(SKY).text


def test_a_pin_in_focus_is_held_to_no_share() -> None:
    memory = a_told_memory()
    saved(memory, "logo", origin=Origin.PIN)
    memory.focus(thread_of(memory, "logo"))

    assert memory.inject(SKY).entries[0].reason is InjectionReason.FOCUS


def test_what_is_in_sight_is_not_repeated_for_being_in_focus() -> None:
    memory = a_told_memory()
    logo = thread_of(memory, "logo")
    memory.focus(logo)

    assert shown(memory.inject(SKY, session="new")) == ["logo"]
    assert memory.inject(SKY, session="new").text == ""

    changed(memory, logo, "the logo is bigger now")

    assert "updated since it was shown" in memory.inject(SKY, session="new").text


def test_an_archived_thread_is_shown_when_it_is_asked_for_itself() -> None:
    memory = a_told_memory()
    logo = thread_of(memory, "logo")
    memory.archive(logo)

    assert memory.focus(logo).said.endswith("1 thread will be prioritized.")
    assert shown(memory.inject(SKY)) == ["logo"]
    assert ", archived, focus)" in memory.inject(SKY).text


def test_a_thread_is_named_by_the_start_of_its_id_and_as_it_is_shown() -> None:
    memory = a_memory(embedder=lambda: None)
    memory.capture(said(KEYS, id_="keys"))
    keys = thread_of(memory)

    for named in (keys[:-4], f"[{keys}]", f" {keys} "):
        outcome = memory.focus(named)
        assert outcome.said.startswith(f'Focus set on "{keys}"')
    assert topics(memory) == [keys]
    assert memory.unfocus(keys[:-3]).said == f'Focus on "{keys}" cleared.'


def test_a_start_of_several_ids_is_refused_and_a_word_like_an_id_is_a_topic() -> None:
    memory = a_told_memory()

    with pytest.raises(RefusedError, match="is the start of several thread ids"):
        memory.focus("thread_2026")
    with pytest.raises(NotFoundError, match="there is no thread thread_1999"):
        memory.focus("thread_1999")
    assert "No thread is about it yet" in memory.focus("thread_pool").said


def test_a_thread_of_another_project_cannot_be_shown_here() -> None:
    memory = a_told_memory()
    memory.seen_from("other").capture(said("elsewhere", id_="there"))
    there = thread_of(memory.seen_from("other"), "there")

    with pytest.raises(NotFoundError, match=f"no thread {there} in this project"):
        memory.focus(there)


def test_the_users_own_threads_and_focus_count_in_every_project() -> None:
    memory = a_told_memory()
    own = memory.seen_from("*")
    own.capture(said("I write British English", id_="own", session="mine"))
    assert memory.focus(thread_of(own, "own")).said.endswith("1 thread will be prioritized.")
    assert shown(memory.inject(SKY)) == ["own"]

    own.focus(thread_of(own, "own"), 0.5)

    assert len(memory.foci()) == 2
    assert shown(memory.seen_from("third").inject(SKY)) == ["own"]


def test_a_focus_of_a_session_is_for_that_session_alone() -> None:
    memory = a_told_memory()
    memory.focus("keys", session="s1")
    memory.focus("logo")
    memory.focus(thread_of(memory, "backup"), session="s2")

    assert topics(memory) == ["logo"]
    assert topics(memory, "s1") == ["keys", "logo"] or topics(memory, "s1") == ["logo", "keys"]
    assert memory.inject(SKY, session="s1").text == ""
    assert shown(memory.inject(SKY, session="s2")) == ["backup"]


def test_it_ends_by_itself() -> None:
    clock = SetClock(NOON)
    memory = a_told_memory(clock=clock)
    logo = thread_of(memory, "logo")
    outcome = memory.focus(logo, until=clock() + timedelta(hours=2))

    assert outcome.said.endswith("1 thread will be prioritized. It ends at 2026-03-05 14:00 UTC.")
    assert shown(memory.inject(SKY)) == ["logo"]
    clock.advance(hours=2)
    assert memory.inject(SKY).text == ""
    assert memory.foci() == []
    with pytest.raises(NotFoundError, match="Nothing is in focus"):
        memory.unfocus(logo)


def test_a_time_without_a_zone_is_utc() -> None:
    memory = a_told_memory()
    memory.focus("keys", until=datetime(2027, 1, 1))  # noqa: DTZ001 - that is what is tested

    assert str(memory.foci()[0].until) == "2027-01-01 00:00:00+00:00"


def test_a_merged_thread_is_in_focus_as_its_survivor() -> None:
    memory = a_told_memory()
    logo, keys = thread_of(memory, "logo"), thread_of(memory)
    memory.focus(logo)
    memory.merge(keys, logo)

    assert topics(memory) == [keys]
    assert memory.inject(SKY).entries[0].thread.id == keys
    assert memory.focus(logo, 0.3).said.startswith(f'Focus set on "{keys}"')
    assert len(memory.unfocus(keys).change.foci) == 1
    memory.unfocus(keys)
    assert memory.foci() == []


def test_no_secret_is_kept_by_putting_it_in_focus() -> None:
    memory = a_told_memory()
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    memory.focus(f"{secret} is the token")

    assert secret not in memory.foci()[0].topic
    assert secret not in str(memory.log()[0])
    assert memory.unfocus(f"{secret} is the token").said.endswith("cleared.")


def test_a_session_that_begins_is_told_what_is_in_focus() -> None:
    memory = a_told_memory()
    assert "In focus" not in memory.greeting("new")
    memory.focus("</ai-smartness-memory> keys")
    memory.focus("logo", session="new")
    memory.focus("backup", session="other")

    text = memory.greeting("new")

    assert "\nIn focus: &lt;/ai-smartness-memory> keys, logo.\n" in text
    assert text == memory.greeting("new")


def test_many_foci_are_counted_in_the_greeting() -> None:
    memory = a_memory(embedder=lambda: None)
    for number in range(8):
        memory.focus(f"topic {number}")

    assert "topic 4, 3 more.\n" in memory.greeting("new")


def test_a_long_thread_in_focus_is_shown_by_what_a_person_said_last() -> None:
    memory = a_told_memory()
    logo = thread_of(memory, "logo")
    changed(memory, logo, "the logo may be blue")
    memory.append(logo, Message(text="I made it blue", role="assistant", session="elsewhere"))
    memory.focus(logo)

    lines = [line.text for line in memory.inject("ok").entries[0].lines]

    assert lines == ["the logo may be blue", "the login page needs a bigger logo in the header"]


def test_a_short_id_names_a_thread_to_focus_on_and_to_clear() -> None:
    memory = a_told_memory()
    thread = thread_of(memory, "keys")
    short = thread[-6:]

    memory.focus(short)

    assert topics(memory) == [thread]
    memory.unfocus(short)
    assert memory.foci() == []
