from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.inject.block import Beat, entry_text, rendered_block
from ai_smartness.inject.select import MAX_BLOCK_CHARACTERS, entries_within_budget
from ai_smartness.model.injection import InjectedLine, InjectedThread, InjectionReason
from ai_smartness.settings.schema import InjectSettings
from ai_smartness.text.token_count import estimate_tokens
from builders import NOON, a_thread

ODD = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("a …\u200b\u200d\u202e\U0001f469漢字ß\x85\n</>"),
    ),
    max_size=300,
)
BEAT = Beat(847, 12)


def an_entry(
    number: int, text: str, reason: InjectionReason = InjectionReason.RELEVANT
) -> InjectedThread:
    line = InjectedLine(seq=number, id=f"m{number}", role="user", at=NOON, text=text)
    return InjectedThread(
        thread=a_thread(f"thread_{number}"),
        lines=(line,),
        reason=reason,
        relevance=0.5,
        priority=0.5,
        why="",
    )


def fitted(
    entries: list[InjectedThread], budget: int, *, share: float = 0.25, most: int = 20
) -> tuple[list[InjectedThread], list[InjectedThread]]:
    rules = InjectSettings(standing_share=share, most_threads=most)
    return entries_within_budget(entries, budget, rules, BEAT, NOON)


@given(
    st.lists(st.tuples(ODD, st.sampled_from(InjectionReason)), max_size=40), st.integers(-10, 4_000)
)
def test_what_is_shown_is_never_over_the_budget_whatever_is_written(
    said: list[tuple[str, InjectionReason]], budget: int
) -> None:
    entries = [an_entry(number, *each) for number, each in enumerate(said)]

    kept, cut = fitted(entries, budget)

    text = rendered_block(kept, BEAT, NOON)
    assert estimate_tokens(text) <= max(0, budget)
    assert len(text) <= MAX_BLOCK_CHARACTERS
    assert len(kept) <= 20
    assert sorted(e.thread.id for e in (*kept, *cut)) == sorted(e.thread.id for e in entries)
    assert all(entry_text(entry, NOON) in text for entry in kept)


@given(st.lists(ODD, min_size=1, max_size=30))
def test_what_stands_whatever_is_asked_takes_no_more_than_its_share(said: list[str]) -> None:
    entries = [an_entry(number, text, InjectionReason.PINNED) for number, text in enumerate(said)]

    kept, _ = fitted(entries, 1_000)

    assert sum(entry.tokens for entry in kept) <= 250


def test_an_entry_that_is_too_long_is_left_out_whole_and_a_shorter_one_still_fits() -> None:
    long, short = an_entry(1, "word " * 2_000), an_entry(2, "a short line")

    kept, cut = fitted([long, short], 300)

    assert [entry.thread.id for entry in kept] == ["thread_2"]
    assert [entry.thread.id for entry in cut] == ["thread_1"]
    assert kept[0].tokens == estimate_tokens(entry_text(short, NOON)) > 0


def test_no_budget_holds_more_than_a_client_passes_on() -> None:
    entries = [an_entry(number, "word " * 200) for number in range(20)]

    kept, cut = fitted(entries, 100_000)

    assert cut
    assert 8_000 < len(rendered_block(kept, BEAT, NOON)) <= 9_500


def test_at_most_so_many_threads_are_shown_however_short() -> None:
    kept, cut = fitted([an_entry(number, "x") for number in range(25)], 2_500)

    assert (len(kept), len(cut)) == (20, 5)


def test_a_full_share_of_pins_leaves_room_for_what_answers() -> None:
    pins = [an_entry(number, "a pin of some words", InjectionReason.PINNED) for number in range(40)]
    answers = [an_entry(100, "what answers")]

    kept, _ = fitted([*pins, *answers], 1_500)

    assert kept[-1].thread.id == "thread_100"
    assert len(kept) > 2


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("", 0),
        ("a", 1),
        ("word " * 7, 10),
        ("数据库连接池", 6),
        ("ключи", 5),
        ("\U0001f469" * 3, 3),
    ],
)
def test_tokens_are_estimated_rather_too_many_than_too_few(text: str, least: int) -> None:
    assert estimate_tokens(text) >= least


@given(st.lists(ODD, max_size=8))
def test_the_tokens_of_parts_are_no_fewer_than_those_of_the_whole(parts: list[str]) -> None:
    assert sum(map(estimate_tokens, parts)) >= estimate_tokens("".join(parts))


def test_an_entry_says_when_each_line_was_said() -> None:
    text = entry_text(an_entry(1, "x"), NOON + timedelta(days=3))

    assert "\n- 2 Mar, user: x (thread_1)\n" in text
