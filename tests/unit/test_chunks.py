from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.adapters.embedders.calibration import chunk_spans, tokenizable_text

lengths = st.integers(min_value=0, max_value=5000)
sizes = st.integers(min_value=1, max_value=600)


def test_a_short_text_is_one_stretch() -> None:
    assert chunk_spans(10, size=500, limit=64) == [slice(0, 10)]


def test_neighbouring_stretches_say_about_an_eighth_twice() -> None:
    first, second, *_ = chunk_spans(10_000, size=500, limit=64)

    assert 60 <= first.stop - second.start <= 80


def test_too_many_stretches_are_spread_from_head_to_tail() -> None:
    few = chunk_spans(100_000, size=500, limit=4)

    assert [span.start for span in few] == [0, 33_166, 66_333, 99_500]


@given(lengths, sizes)
def test_the_stretches_leave_nothing_out(length: int, size: int) -> None:
    covered = {
        place
        for span in chunk_spans(length, size, limit=10_000)
        for place in range(span.start, span.stop)
    }

    assert covered == set(range(length))


@given(lengths, sizes, st.integers(min_value=1, max_value=9))
def test_no_stretch_is_too_long_and_there_are_not_too_many(
    length: int,
    size: int,
    limit: int,
) -> None:
    cut = chunk_spans(length, size, limit)

    assert 1 <= len(cut) <= limit
    assert all(span.stop - span.start <= size for span in cut)


@given(st.text(st.characters(codec=None), max_size=50))
def test_any_text_becomes_one_that_every_tokenizer_can_read(text: str) -> None:
    assert "\0" not in tokenizable_text(text)
    assert len(tokenizable_text(text).encode("utf-8")) >= len(text)
