import io

from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.clients.transcript_reader import read_lines


def texts(whole: bytes, start: int = 0, longest: int = 100) -> list[bytes | None]:
    return [line.text for line in read_lines(io.BytesIO(whole), start, longest)]


def test_a_last_line_that_is_not_ended_yet_is_left_for_next_time() -> None:
    assert texts(b"one\ntwo\nthr") == [b"one", b"two"]


def test_a_line_that_is_too_long_is_passed_over_and_the_next_is_read() -> None:
    found = list(read_lines(io.BytesIO(b"a\n" + b"x" * 3_000_000 + b"\nb\n"), 0, 10))

    assert [line.text for line in found] == [b"a", None, b"b"]
    assert found[1].length == 3_000_000
    assert found[-1].end == 3_000_005


def test_a_line_of_exactly_the_longest_length_is_read() -> None:
    assert texts(b"x" * 10 + b"\n", longest=10) == [b"x" * 10]
    assert texts(b"x" * 11 + b"\n", longest=10) == [None]


@given(st.lists(st.binary(max_size=30).map(lambda each: each.replace(b"\n", b" "))), st.data())
def test_reading_on_from_the_end_of_any_line_gives_the_rest(
    some: list[bytes], data: st.DataObject
) -> None:
    whole = b"".join(each + b"\n" for each in some)
    ends = [0, *(line.end for line in read_lines(io.BytesIO(whole), 0))]
    number = data.draw(st.integers(0, len(some)))

    assert texts(whole, ends[number]) == some[number:]
