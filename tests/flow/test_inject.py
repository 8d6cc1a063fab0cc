"""What is put in front of a turn, and when nothing is."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_smartness.inject.block import Beat, current_beat
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.errors import StoreError
from ai_smartness.model.event import Message
from ai_smartness.model.injection import InjectionReason
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Kind, Origin, Status
from ai_smartness.ports import Embedder
from ai_smartness.settings.schema import InjectSettings, Settings
from ai_smartness.testing import HashEmbedder, SetClock
from ai_smartness.text.token_count import estimate_tokens
from asking import KEYS, QUESTION, a_told_memory, answered, saved, shown, thread_of
from builders import NOON, a_memory, said
from engines import open_store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

pytestmark = pytest.mark.every_engine


def first_beat(memory: Memory, clock: SetClock) -> Beat:
    """Return the beat at the first turn of a session."""
    session = Session(id="new", project=memory.project, turn=1)
    return current_beat(memory._store, session, clock(), 5.0)  # noqa: SLF001 - no page shows it


def test_what_answers_is_shown_with_its_thread_date_and_numbers() -> None:
    memory = a_told_memory()

    found = memory.inject(QUESTION)

    (entry,) = found.entries
    assert shown(found) == ["keys"]
    assert entry.thread.id == thread_of(memory)
    assert entry.priority > 0.5 < entry.relevance
    assert f"\n- 2 Mar, user: {KEYS} ({entry.thread.id[-6:]})\n" in found.text
    assert found.took > 0


@pytest.mark.parametrize(
    "prompt", ["thanks", "ok", "", "   \n", "what colour has the sky today?", "👍", "go on"]
)
def test_silence_is_byte_identical_nothing(prompt: str) -> None:
    found = a_told_memory().inject(prompt, session="new")

    assert found.text.encode() == b""
    assert found.entries == ()


def test_what_was_left_out_says_why() -> None:
    found = a_told_memory().inject("which mondays are holidays in june")

    (skipped,) = found.skipped
    assert skipped.reason == "relevance 0.36: not sure enough that the prompt needs it"


def test_a_question_inside_a_long_pasted_text_is_less_surely_in_need() -> None:
    memory = a_told_memory()

    asked, pasted = memory.inject(QUESTION), memory.inject(f"{QUESTION}\n" * 100)

    assert 0 < pasted.certainty < asked.certainty


def test_a_session_that_sees_the_answer_is_told_from_one_where_nothing_matches() -> None:
    memory = a_told_memory()
    memory.pin("Deploys are on Tuesdays.")
    first = memory.inject(QUESTION, session="new")

    again = memory.inject(QUESTION, session="new")
    other = memory.inject("which mondays are holidays in june", session="new")
    thanks = memory.inject("thanks", session="new")

    assert not again.text
    assert not other.text
    assert [found.is_in_sight for found in (first, again, other, thanks)] == [
        False,
        True,
        False,
        False,
    ]


def test_the_same_store_prompt_and_clock_give_the_same_bytes(tmp_path: Path) -> None:
    memory = a_told_memory(tmp_path / "memory")
    first = memory.inject(QUESTION).text
    memory.close()

    again = a_memory(tmp_path / "memory", clock=SetClock(NOON), embedder=lambda: None)
    again._parts.clock.advance(days=3)  # type: ignore[attr-defined] # noqa: SLF001 - the same moment

    assert first
    assert [again.inject(QUESTION).text.encode() for _ in range(3)] == [first.encode()] * 3


def test_a_memory_that_has_run_for_long_says_the_same_as_one_just_opened(tmp_path: Path) -> None:
    clock = SetClock(NOON)
    memory = a_told_memory(tmp_path / "memory", clock=clock)
    memory.capture(said(f"line {n} of other things", id_=f"o{n}", session="of") for n in range(20))
    memory.inject(QUESTION)
    memory.capture(said("JWT signing is slow", id_="slow", session="of-slow"))

    with a_memory(tmp_path / "memory", clock=clock, embedder=lambda: None) as fresh:
        assert fresh.inject(QUESTION).text == memory.inject(QUESTION).text != ""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"origin": Origin.PIN}, InjectionReason.PINNED),
        ({"kind": Kind.IDENTITY}, InjectionReason.IDENTITY),
        ({"kind": Kind.PREFERENCE}, InjectionReason.PREFERENCE),
    ],
)
def test_what_stands_is_shown_whatever_is_asked(
    changes: dict[str, object], reason: InjectionReason
) -> None:
    memory = a_told_memory()
    saved(memory, "logo", **changes)

    found = memory.inject("what colour has the sky today?", session="new")

    assert shown(found) == ["logo"]
    assert found.entries[0].reason is reason
    assert f", {reason.value})" in found.text


def test_what_stands_of_the_users_own_project_is_seen_from_every_project() -> None:
    memory = a_told_memory()
    own = memory.seen_from("*")
    own.capture(said("I write British English", id_="own", session="mine"))
    saved(own, "own", kind=Kind.IDENTITY)

    assert shown(memory.inject("what colour has the sky today?")) == ["own"]


def test_pins_have_a_small_share_of_the_budget_and_what_answers_has_the_rest() -> None:
    memory = a_told_memory()
    for number in range(30):
        text = f"pin {number}: " + f"always remember rule {number} of the house " * 4
        memory.capture(said(text, id_=f"pin{number}", session=f"pin{number}"))
        saved(memory, f"pin{number}", origin=Origin.PIN, weight=1.5)

    found = memory.inject(QUESTION)

    pins = [entry for entry in found.entries if entry.reason is InjectionReason.PINNED]
    assert pins
    assert sum(entry.tokens for entry in pins) <= 1_500 / 4
    assert "keys" in shown(found)
    assert "no room left" in {each.reason for each in found.skipped}


def test_a_pin_that_answers_is_not_crowded_out_by_pins_that_do_not() -> None:
    memory = a_told_memory()
    saved(memory, "keys", origin=Origin.PIN, weight=1.0)
    for number in range(30):
        text = f"rule {number} of the house: " + "no shouting in the hall after nine " * 6
        memory.capture(said(text, id_=f"pin{number}", session=f"pin{number}"))
        saved(memory, f"pin{number}", origin=Origin.PIN, weight=1.0)

    assert shown(memory.inject(QUESTION))[0] == "keys"


def test_what_is_important_or_recent_is_shown_at_a_lower_relevance() -> None:
    (entry,) = a_told_memory().inject(QUESTION).entries
    settings = Settings(inject=InjectSettings(floor=entry.relevance * 1.1))
    plain, important, recent = (a_told_memory(settings=settings) for _ in range(3))
    saved(important, "keys", importance=0.8)
    saved(recent, "keys", last_active=NOON + timedelta(days=3))

    assert shown(plain.inject(QUESTION)) == []
    assert important.inject(QUESTION).entries[0].reason is InjectionReason.IMPORTANT
    assert recent.inject(QUESTION).entries[0].reason is InjectionReason.RECENT


@pytest.mark.parametrize(
    ("only", "reason"), [(False, InjectionReason.RECENT), (True, InjectionReason.RELEVANT)]
)
def test_what_another_session_did_is_recent_unless_only_this_one_counts(
    reason: InjectionReason, *, only: bool
) -> None:
    clock = SetClock(NOON)
    memory = a_told_memory(
        clock=clock, settings=Settings(inject=InjectSettings(recent_session_only=only))
    )
    clock.set(NOON)

    assert memory.inject(QUESTION, session="new").entries[0].reason is reason


def test_what_this_session_did_before_a_compaction_is_recent_even_if_only_it_counts() -> None:
    clock = SetClock(NOON)
    memory = a_told_memory(
        clock=clock, settings=Settings(inject=InjectSettings(recent_session_only=True))
    )
    clock.set(NOON)
    memory.context_compacted("of-keys")

    (entry,) = memory.inject(QUESTION, session="of-keys").entries

    assert entry.reason is InjectionReason.RECENT


def test_a_suspended_or_archived_thread_that_answers_is_shown() -> None:
    memory = a_told_memory()
    memory.suspend(thread_of(memory))

    assert KEYS in memory.inject(QUESTION).text

    memory.reactivate(thread_of(memory))
    memory.archive(thread_of(memory))
    assert ", archived)" in memory.inject(QUESTION).text
    assert memory.thread(thread_of(memory)).status is Status.ARCHIVED


def test_a_budget_can_be_given_with_the_prompt() -> None:
    memory = a_told_memory()

    assert memory.inject(QUESTION, budget=60).text == ""
    assert memory.inject(QUESTION, budget=0).text == ""
    assert 0 < estimate_tokens(memory.inject(QUESTION, budget=200).text) <= 200


def test_what_was_cut_is_not_recorded_and_is_shown_as_soon_as_there_is_room() -> None:
    memory = a_told_memory()

    cut = memory.inject(QUESTION, session="new", budget=60)
    again = memory.inject(QUESTION, session="new")

    assert cut.entries == ()
    assert shown(again) == ["keys"]
    assert [page.shown == () for page in memory.why("new")] == [False, True]


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.text(max_size=600).map(lambda text: f"signing keys {text}"), max_size=25),
    st.integers(0, 3_000),
)
def test_whatever_is_kept_the_budget_holds(texts: list[str], budget: int) -> None:
    memory = a_memory(embedder=lambda: None)
    memory.capture(said(text, session=f"s{n}") for n, text in enumerate(texts))

    text = memory.inject("the signing keys", session="new", budget=budget).text

    assert estimate_tokens(text) <= budget
    assert len(text) <= 9_500


def test_what_the_system_says_to_itself_gets_nothing_and_is_no_turn() -> None:
    memory = a_told_memory()
    saved(memory, "logo", origin=Origin.PIN)

    silent = memory.inject(QUESTION, session="new", source="system")

    assert (silent.text, silent.entries, memory.why("new")) == ("", (), [])
    memory.inject(QUESTION, session="new")
    assert [page.turn for page in memory.why("new")] == [1]


def test_several_messages_at_once_are_one_prompt() -> None:
    memory = a_told_memory()

    found = memory.inject(["quick question", "about the JWT signing keys:", "where?"], session="n")

    assert shown(found) == ["keys"]
    assert len(memory.why("n")) == 1


def test_a_short_question_finds_the_subject_of_the_turns_before_it() -> None:
    memory = a_told_memory()
    memory.capture(said("the JWT signing keys live in vault?", id_="q1", session="new", minute=9))
    answered(memory, "new", "We sign with keys: JWT from vault, under its secret path.")

    found = memory.inject("why that instead of sessions?", session="new")

    assert "keys" in shown(found)
    assert shown(memory.inject("why that instead of sessions?", session="fresh")) == []


def test_thanks_does_not_bring_up_the_subject_again() -> None:
    memory = a_told_memory()
    memory.capture(said("the JWT signing keys live in vault?", id_="q1", session="new", minute=9))

    assert memory.inject("thanks", session="new").text == ""


def test_what_a_session_says_itself_does_not_crowd_out_what_others_said() -> None:
    memory = a_told_memory()
    memory.capture(said(f"entry {n} of a long list", session="list") for n in range(400))
    for number in range(25):
        text = f"where do the JWT signing keys live, attempt {number}"
        memory.capture(said(text, id_=f"own{number}", session="new", minute=number))
    for number in range(5):
        text = f"now something else entirely, number {number}"
        memory.capture(said(text, id_=f"else{number}", session="new", minute=50 + number))

    assert "keys" in shown(memory.inject(QUESTION, session="new"))


def test_a_prompt_that_was_captured_before_it_is_not_shown_to_itself() -> None:
    memory = a_told_memory()
    memory.capture(said(QUESTION, id_="asked", session="new", minute=9))

    assert shown(memory.inject(QUESTION, session="new")) == ["keys"]


def test_injected_text_that_comes_back_with_a_prompt_is_not_kept() -> None:
    memory = a_told_memory()
    block = memory.inject(QUESTION, session="new").text

    memory.capture(said(f"{block}\n\n{QUESTION}", id_="back", session="new", minute=9))

    assert memory.message("back").text.strip() == QUESTION


def test_a_prompt_that_carries_a_block_is_asked_without_it() -> None:
    memory = a_told_memory()
    block = memory.inject(QUESTION).text

    assert memory.inject(f"{block}\n\nwhat colour has the sky today?").text == ""


class GoneModel(HashEmbedder):
    """A model that is served, and whose server went away."""

    @property
    def space(self) -> str:
        msg = "the server is gone"
        raise StoreError(msg)

    def query(self, text: str) -> "NDArray[np.float32]":
        msg = f"the server is gone, asked for {text}"
        raise StoreError(msg)


def test_without_its_model_a_prompt_is_answered_by_words(tmp_path: Path) -> None:
    a_told_memory(tmp_path / "memory").close()
    store = open_store(tmp_path / "memory")
    memory = Memory(
        MemoryParts(store=store, embedder=GoneModel, clock=SetClock(NOON)), "demo", Settings()
    )

    assert shown(memory.inject(QUESTION, session="new")) == ["keys"]
    memory.close()


def test_a_block_has_the_beat_after_a_long_pause_only() -> None:
    clock = SetClock(NOON)
    memory = a_told_memory(clock=clock)
    saved(memory, "logo", origin=Origin.PIN)

    first = memory.inject(QUESTION, session="new").text
    clock.advance(hours=1)
    memory.context_compacted("new")
    second = memory.inject(QUESTION, session="new").text
    clock.advance(hours=3)
    memory.context_compacted("new")
    third = memory.inject(QUESTION, session="new").text

    assert "beat" not in first + second
    beat = 3 * 24 * 12 + 12 + 36
    assert f"\nbeat: {beat}, since_last: 36 (the last turn was 3 hours ago)\n" in third


def test_the_first_turn_of_a_session_counts_the_beats_since_anything_else_was_said() -> None:
    clock = SetClock(NOON)
    memory = a_told_memory(clock=clock)
    memory.capture(Message(text="and now?", session="new", at=clock()))

    beat = first_beat(memory, clock)

    assert (beat.number, beat.since_last) == (3 * 24 * 12, 3 * 24 * 12)


def test_an_old_session_that_is_imported_late_is_not_the_last_one() -> None:
    clock = SetClock(NOON)
    memory = a_told_memory(clock=clock)
    early = NOON - timedelta(days=10)
    memory.capture(Message(text="an old session that was imported", session="old", at=early))

    beat = first_beat(memory, clock)

    assert beat.since_last == 3 * 24 * 12


def test_a_block_has_the_beat_if_another_session_wrote_meanwhile() -> None:
    clock = SetClock(NOON)
    memory = a_told_memory(clock=clock)

    memory.inject("what colour has the sky today?", session="new")
    clock.advance(minutes=10)
    memory.capture(Message(text="the logo is green now", session="elsewhere", at=clock()))
    told = memory.inject(QUESTION, session="new").text

    assert "\nbeat: 866, since_last: 2 (another session wrote meanwhile)\n" in told


def test_a_memory_of_nothing_is_silent() -> None:
    assert a_memory().inject(QUESTION, session="new").text == ""


def test_what_two_threads_say_alike_is_shown_once() -> None:
    settings = Settings(inject=InjectSettings(floor=0.05))
    memory = a_memory(settings=settings)
    memory.capture(said(KEYS, id_="one", session="one"))
    (thread,) = memory.threads()
    store = memory._store  # noqa: SLF001 - a second thread that says the same
    store.threads.save(replace(thread, id="thread_20260302_120500_abcdef"))
    memory.capture(
        Message(id="two", text=KEYS, session="two", thread="thread_20260302_120500_abcdef")
    )

    found = memory.inject(QUESTION)

    assert len(found.entries) == 1


def test_an_error_that_comes_back_late_in_a_session_gets_its_cure(real_embedder: Embedder) -> None:
    error = "error: linking with `riscv64-linux-gnu-gcc` failed: exit status: 1, cannot find -lusb"
    cure = "The linker had no libusb for the board. I installed `libusb-dev:riscv64`; it links now."
    talk = (
        *("Let us do the form for the trainers first.", "The form is in `forms/trainer.py`."),
        *("Make its title larger.", "The title has 24 points now."),
        *("And a grey line below it.", "Added the line."),
    )
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(f"the build dies with this\n{error}", id_="m1", session="one"))
        memory.capture(Message(text=cure, role="assistant", session="one", id="m2"))
        for place, text in enumerate(talk):
            role = "assistant" if place % 2 else "user"
            memory.capture(Message(text=text, role=role, session="two", id=f"t{place}"))
        memory.embed()

        block = memory.inject(error, session="two").text

    assert "libusb-dev:riscv64" in block
