"""The page of a recall: compact, within its size, and with nothing on it twice."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.search import RecalledLine, RecalledThread, RecallResult
from ai_smartness.views.recall import (
    FEWEST_LINES,
    LEAST_CHARACTERS,
    MOST_CHARACTERS,
    recall_page,
    recall_page_for_people,
)
from builders import NOON, a_thread


def a_line(text: str, seq: int = 1, **changes: object) -> RecalledLine:
    fields: dict[str, object] = {
        "text": text,
        "message_id": f"m{seq}",
        "seq": seq,
        "place": 0,
        "thread_id": f"thread_{seq % 4}",
        "role": "user",
        "at": NOON,
        "score": 1.0 / seq,
    }
    return RecalledLine(**(fields | changes))  # type: ignore[arg-type] # by name


def an_answer(*lines: RecalledLine, is_weak: bool = False) -> RecallResult:
    ids = dict.fromkeys(line.thread_id for line in lines)
    threads = (
        RecalledThread(thread=a_thread(id_), messages=(), relevance=0.5, score=0.5) for id_ in ids
    )
    return RecallResult(
        query="which rig?",
        at=NOON + timedelta(days=3),
        threads=tuple(threads),
        bridges=(),
        lines=lines,
        is_weak=is_weak,
        topics=("rigs",) if is_weak else (),
    )


def quoted(page: str) -> list[str]:
    return [line for line in page.splitlines() if line.lstrip().startswith("- ")]


@pytest.mark.parametrize(
    ("line", "written"),
    [
        (a_line("use rig 2"), ["- 2 Mar, user: use rig 2 (thread_1)"]),
        (a_line("use rig 2", role="assistant"), ["- 2 Mar, agent: use rig 2 (thread_1)"]),
        (a_line("use rig 2", times=3), ["- 3 times, last 2 Mar, user: use rig 2 (thread_1)"]),
        (
            a_line("use rig 2", superseded=(a_line("use rig 1", 2, until=NOON),)),
            ["- 2 Mar, user: use rig 2 (thread_1)", "  - until 2 Mar, user: use rig 1"],
        ),
        (
            a_line("use\nrig </ai-smartness-memory> 2"),
            ["- 2 Mar, user: use rig &lt;/ai-smartness-memory> 2 (thread_1)"],
        ),
    ],
)
def test_a_line_says_when_who_and_how_often(line: RecalledLine, written: list[str]) -> None:
    other = a_line("unrelated", 5, thread_id=line.thread_id)

    assert quoted(recall_page(an_answer(line, other)))[1:] == written


def test_sentences_of_one_message_stand_on_one_line_in_their_order() -> None:
    lines = [a_line("third", 5, place=2), a_line("first", 5, place=0), a_line("second", 5, place=1)]
    gap = [a_line("third", 5, place=2), a_line("first", 5, place=0)]

    assert quoted(recall_page(an_answer(*lines)))[0] == (
        "- 2 Mar, user: first second third (thread_1)"
    )
    assert quoted(recall_page(an_answer(*gap)))[0] == "- 2 Mar, user: first … third (thread_1)"


def test_a_few_lines_name_their_thread_and_many_stand_below_its_title() -> None:
    many = [a_line(f"more {seq}", seq) for seq in (5, 9, 13)]
    page = recall_page(an_answer(a_line("best", 1), a_line("other", 2), *many))

    lines = page.splitlines()
    begin = lines.index("- 2 Mar, user: more 13") - 1
    assert lines[begin].startswith("## ")
    assert lines[begin].endswith(" (thread_1)")
    assert lines[begin + 4 : begin + 7] == [
        "- 2 Mar, user: best",
        "",
        "- 2 Mar, user: other (thread_2)",
    ]


def test_the_newest_message_of_a_thread_stands_first_and_the_thread_of_the_best_line() -> None:
    page = recall_page(an_answer(a_line("best", 3), a_line("older", 4), a_line("newer", 7)))

    shown = [line.rpartition(": ")[2] for line in quoted(page)]
    assert shown == ["newer (thread_3)", "best (thread_3)", "older (thread_0)"]


def test_weak_lines_are_said_to_be_weak() -> None:
    page = recall_page(an_answer(a_line("use rig 2"), is_weak=True))

    assert "\nNothing matches well; these lines are the nearest.\n" in page
    assert "use rig 2" in page


def test_people_read_no_notes_for_agents() -> None:
    page = recall_page_for_people(an_answer(a_line("use rig 2")))

    assert page.startswith("# Memory Recall: which rig?\n")
    assert "instructions" not in page
    assert "Read(" not in page
    assert page.endswith("\nNext: `ais recall thread_1` shows a thread in full.")


def test_a_person_reads_no_further_than_where_the_lines_stop_to_answer() -> None:
    scores = (1.0, 0.9, 0.3, 0.3, 0.3, 0.3, 0.5, 0.3, 0.2, 0.1)
    answer = an_answer(
        *(a_line(f"line {seq}", seq, score=score) for seq, score in enumerate(scores, 1))
    )

    page, whole = recall_page_for_people(answer), recall_page_for_people(answer, is_whole=True)

    assert len(quoted(page)) == FEWEST_LINES + 1
    assert "line 7" in page
    assert "\n3 weaker lines are left out; `--all` shows them.\n" in page
    assert len(quoted(whole)) == len(scores)
    assert "left out" not in whole
    assert len(quoted(recall_page(answer))) == len(scores)


def test_a_person_reads_what_changed_even_if_it_matches_less_well() -> None:
    scores = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.25)
    lines = [a_line(f"line {seq}", seq, score=score) for seq, score in enumerate(scores, 1)]
    lines[-1] = replace(lines[-1], superseded=(a_line("use rig 1", 9, until=NOON),))

    page = recall_page_for_people(an_answer(*lines))

    assert "line 8" in page
    assert "line 7" not in page


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
def test_a_persons_page_has_the_best_line_whatever_the_scores(scores: list[float]) -> None:
    lines = [a_line(f"line {seq}.", seq, score=score) for seq, score in enumerate(scores, 1)]
    best = max(lines, key=lambda line: line.score)

    page = recall_page_for_people(an_answer(*lines))

    assert best.text in page
    assert len(quoted(page)) <= len(
        quoted(recall_page_for_people(an_answer(*lines), is_whole=True))
    )


TEXTS = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=220)


@given(st.lists(TEXTS, min_size=1, max_size=40, unique=True))
def test_a_page_keeps_its_size_and_is_never_empty(said: list[str]) -> None:
    answer = an_answer(*(a_line(text, seq) for seq, text in enumerate(said, 1)))

    page = recall_page(answer)

    assert len(page) <= MOST_CHARACTERS
    assert quoted(page)
    assert len(quoted(page)) <= len(said)
    assert page == recall_page(answer)


@given(st.integers(8, 30))
def test_at_least_eight_short_lines_find_room(number: int) -> None:
    answer = an_answer(*(a_line(f"line number {n} " + "x" * 80, n) for n in range(1, number)))

    assert len(quoted(recall_page(answer))) >= 7


def test_a_page_is_short_if_its_first_line_surely_answers_and_long_if_many_may() -> None:
    texts = [f"the machine in hall {n} is oiled on the first of the month" for n in range(1, 60)]
    sure = an_answer(*(a_line(text, n, score=0.1**n) for n, text in enumerate(texts, 1)))
    unsure = an_answer(*(a_line(text, n, score=1.0) for n, text in enumerate(texts, 1)))

    short, long = len(recall_page(sure)), len(recall_page(unsure))

    assert short <= LEAST_CHARACTERS < long <= MOST_CHARACTERS


def test_a_question_with_several_parts_has_a_longer_page() -> None:
    lines = [a_line(f"rule {n}: never do this on the machine", n) for n in range(1, 60)]
    one = replace(an_answer(*lines), query="which oil does the press need?")
    several = replace(one, query="which oil does the press need, and who orders new filters?")

    assert len(recall_page(one)) < len(recall_page(several))
