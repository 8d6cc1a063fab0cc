"""A later line that may change what one of the best lines says stands above it."""

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.search import RecalledLine
from ai_smartness.search.later_lines import LEAST_CHANCE, later_line_pairs, with_later_lines
from builders import NOON

if TYPE_CHECKING:
    from numpy.typing import NDArray

OLD, NEW = "check-in closes 30 minutes before departure", "boarding closes 20 minutes ahead now"
OTHERS = ("the ticket printer is on port 9100", "sailings are numbered by day", "bikes are free")


def a_line(text: str, seq: int, score: float, role: str = "user") -> RecalledLine:
    return RecalledLine(
        text=text,
        message_id=f"m{seq}",
        seq=seq,
        place=0,
        thread_id="t",
        role=role,
        at=NOON,
        score=score,
        statement_ids=(f"s_{seq}",),
    )


def vectors_of(
    lines: list[RecalledLine], near: tuple[str, ...]
) -> "dict[tuple[int, int], NDArray[np.float32]]":
    """Return vectors of which those of some texts are near to each other."""
    rows = np.eye(len(lines) + 1, dtype=np.float32)
    together = rows[-1]
    return {
        (line.seq, 0): rows[n] + 2 * together if line.text in near else rows[n]
        for n, line in enumerate(lines)
    }


def some_lines(new: str = NEW, role: str = "user") -> list[RecalledLine]:
    old = a_line(OLD, 1, 1.5)
    others = [a_line(text, 3 + n, 0.6 - n / 10) for n, text in enumerate(OTHERS)]
    return [old, *others, a_line(new, 40, 0.1, role)]


def order(
    lines: list[RecalledLine], near: tuple[str, ...], outdated: frozenset[str] = frozenset()
) -> list[str]:
    return [line.text for line in with_later_lines(lines, vectors_of(lines, near), outdated)]


def test_a_new_value_of_the_same_thing_stands_above_the_old_one() -> None:
    assert order(some_lines(), (OLD, NEW))[:2] == [NEW, OLD]


def test_a_question_and_what_is_about_something_else_stay_where_they_are() -> None:
    question = "should boarding close 20 minutes ahead?"

    assert order(some_lines(question), (OLD, question))[0] == OLD
    assert order(some_lines(), ())[0] == OLD


def test_an_older_line_that_is_known_to_be_outdated_needs_no_other() -> None:
    assert order(some_lines(), (OLD, NEW), frozenset({"s_1"}))[0] == OLD


def test_without_vectors_the_order_stays() -> None:
    lines = some_lines()

    assert with_later_lines(lines, {}) == tuple(lines)


@given(st.lists(st.sampled_from((OLD, NEW, *OTHERS)), min_size=1, max_size=12), st.floats(0.1, 0.9))
def test_no_line_is_lost_or_made_and_none_falls_in_score(texts: list[str], share: float) -> None:
    lines = [a_line(text, seq, share**seq) for seq, text in enumerate(texts)]
    lines.sort(key=lambda line: (-line.score, -line.seq))

    raised = with_later_lines(lines, vectors_of(lines, (OLD, NEW)))

    before = {line.seq: line.score for line in lines}
    assert sorted(line.seq for line in raised) == sorted(before)
    assert all(line.score >= before[line.seq] for line in raised)
    assert list(raised) == sorted(raised, key=lambda line: (-line.score, -line.seq))


@given(st.lists(st.sampled_from((OLD, NEW, *OTHERS)), min_size=1, max_size=12), st.floats(0.1, 0.9))
def test_only_pairs_that_are_less_likely_are_left_out(texts: list[str], share: float) -> None:
    lines = [a_line(text, 5 * seq, share**seq) for seq, text in enumerate(texts)]
    vectors = vectors_of(lines, (OLD, NEW))

    likely = list(later_line_pairs(lines, vectors, LEAST_CHANCE))

    every = list(later_line_pairs(lines, vectors))
    assert [pair for pair in every if pair.chance >= LEAST_CHANCE] == [
        pair for pair in likely if pair.chance >= LEAST_CHANCE
    ]
    assert all(pair in every for pair in likely)
