"""Text on a terminal: its width in cells, where it is cut and wrapped, and rows in columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.entrypoints.cli.layout import cut_text, table_rows, text_width, wrapped_text

CHARACTERS = st.sampled_from([*"ab c,-.", "é", "本", "👍", "e\u0301", "❤️", "👩‍🔧", " "])
texts = st.lists(CHARACTERS, max_size=40).map("".join)
widths = st.integers(min_value=4, max_value=30)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("", 0),
        ("naïve", 5),
        ("nai\u0308ve", 5),
        ("数据库", 6),
        ("\uff37\uff21", 4),
        ("👍", 2),
        ("❤️", 2),
        ("👩‍🔧", 2),
        ("…–“”", 4),
        ("1\ufe0f", 1),
    ],
)
def test_a_text_is_as_wide_as_its_cells(text: str, cells: int) -> None:
    assert text_width(text) == cells


@given(texts, widths)
def test_wrapping_loses_no_word_and_no_line_is_too_wide(text: str, width: int) -> None:
    lines = wrapped_text(text, width)

    assert "".join("".join(lines).split()) == "".join(text.split())
    assert max(map(text_width, lines)) <= width


@given(texts, widths)
def test_cutting_shows_it_and_keeps_what_has_room(text: str, width: int) -> None:
    cut = cut_text(text, width)

    assert text_width(cut) <= width
    assert cut == text or (cut.endswith("…") and text.startswith(cut[:-1]))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("one two three", ["one two", "three"]),
        ("a /very/long/path b", ["a", "/very/lo", "ng/path", "b"]),
        ("数据库连接池 is full", ["数据库连", "接池 is", "full"]),
        ("a\tb", ["a", "b"]),
        ("  two in", ["  two in"]),
    ],
)
def test_lines_break_between_words_or_in_a_word_that_is_longer_than_a_line(
    text: str, lines: list[str]
) -> None:
    assert wrapped_text(text, 8) == lines


def drawn(*args: object, **options: bool) -> list[str]:
    rows = table_rows(*args, **options)  # type: ignore[arg-type] # rows, widths and room
    return ["  ".join(line) for lines in rows for line in lines]


def test_columns_are_as_wide_as_their_cells() -> None:
    rows = [("name", "size"), ("数据库", "3"), ("x", "12 MB")]

    assert drawn(rows, (), 80) == ["name    size ", "数据库  3    ", "x       12 MB"]


def test_the_widest_column_gives_way_and_is_wrapped() -> None:
    rows = [("id", "text"), ("m1", "rotate the keys"), ("m2", "two\nlines")]

    assert drawn(rows, (), 14) == [
        "id  text      ",
        "m1  rotate the",
        "    keys      ",
        "m2  two       ",
        "    lines     ",
    ]


def test_a_column_of_fixed_width_stays_whole() -> None:
    assert drawn([("id", "text"), ("thread_1", "short")], (8,), 13) == [
        "id        tex",
        "          t  ",
        "thread_1  sho",
        "          rt ",
    ]


def test_each_row_of_a_table_that_is_cut_has_one_line() -> None:
    rows = [("title", "id"), ("How the keys are rotated", "a1b2c3")]

    assert drawn(rows, (24, 6), 20, is_cut=True) == ["title         id    ", "How the key…  a1b2c3"]
