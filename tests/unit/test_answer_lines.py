"""Which sentences answer a question, and which do not."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.search import Hit, HitReason, RecalledLine
from ai_smartness.search.answer_lines import (
    answer_lines,
    is_answer,
    is_candidate,
    is_repetition,
    merged_hits,
)
from ai_smartness.search.query_parts import query_parts
from ai_smartness.text.stretches import ends_with_question, is_narration, message_stretches
from builders import NOON

LIMIT = "The compute nodes have a stack limit of 8 MB, the login node has none."
DURATION = "The test job of the box model completes in 41 s on the small partition now."
QUERY = "which rig should the hardware tests run on?"


def a_hit(text: str, seq: int = 1, *, role: str = "user", score: float = 0.5) -> Hit:
    return Hit(
        id=f"m{seq}",
        thread_id="thread_1",
        project="demo",
        session="s",
        role=role,
        at=NOON + timedelta(minutes=seq),
        text=text,
        score=score,
        why=HitReason(meaning_rank=seq),
        seq=seq,
    )


def texts(lines: tuple[RecalledLine, ...]) -> list[str]:
    return [line.text for line in lines]


@pytest.mark.parametrize(
    ("text", "stretches"),
    [
        ("ok", []),
        ("good. commit", []),
        ("thanks, please go on", []),
        ("fine. relay 180 s min off", ["relay 180 s min off"]),
        ("The form is approved by Dr. Osei-Larkin.", ["The form is approved by Dr. Osei-Larkin."]),
        (
            "2. watchdog gets kicked from supervisor.c",
            ["2. watchdog gets kicked from supervisor.c"],
        ),
        (
            "Cause of the crash:\n- the stack limit is 8 MB on the nodes",
            ["Cause of the crash: the stack limit is 8 MB on the nodes"],
        ),
        (
            f"{LIMIT} {DURATION}",
            [LIMIT, DURATION],
        ),
        ("数据库迁移。使用端口5433。", ["数据库迁移。 使用端口5433。"]),
    ],
)
def test_a_message_is_quoted_by_its_sentences_without_small_talk(
    text: str, stretches: list[str]
) -> None:
    assert [*message_stretches(text, "user")] == stretches


def test_an_amount_in_words_is_no_small_talk() -> None:
    told = "Katarina wrote that the new server of the institute can do more than before."

    assert message_stretches(f"{told} She says up to ten is ok.", "user")[-1].endswith("ten is ok.")


def test_every_line_of_a_tool_is_quoted_by_itself() -> None:
    output = "$ make hil RIG=2\n43 passed in 512 s\n"

    assert message_stretches(output, "tool") == ("$ make hil RIG=2", "43 passed in 512 s")


@pytest.mark.parametrize(
    ("sentence", "narrated"),
    [
        ("Looking at the board file first.", True),
        ("Let me read the display driver.", True),
        ("Now the linter.", True),
        ("I'll begin with the network module.", True),
        ("Logging is up, checked with a USB adapter", True),  # a known mistake: a gerund opens it
        ("Setting RETRY=3 cures the flaky upload.", False),
        ("The integrator freezes at an end stop.", False),
    ],
)
def test_narration_tells_what_is_done_next(sentence: str, *, narrated: bool) -> None:
    assert is_narration(sentence) is narrated


@pytest.mark.parametrize(
    ("text", "role", "repeats"),
    [
        (QUERY, "user", True),
        ("Which rig should hardware tests run on", "user", True),
        ("on which rig do the hardware tests run?", "user", True),
        ("run the hardware tests on rig 2, the resistor of rig 1 is burnt", "user", False),
        ("which rig is free on Monday for the audit?", "user", False),
        (QUERY, "assistant", False),
    ],
)
def test_a_repetition_of_the_question_is_known(text: str, role: str, *, repeats: bool) -> None:
    assert is_repetition(a_hit(text, role=role), QUERY) is repeats


def test_a_question_that_was_asked_before_leads_to_its_answer() -> None:
    asked = a_hit("on which rig do the hardware tests run?", 1, score=0.9)
    answer = a_hit("the load resistor is burnt, so make hil RIG=2", 2, score=0.0)

    lines = answer_lines(QUERY, [asked], {1: answer})

    assert texts(lines) == ["the load resistor is burnt, so make hil RIG=2"]


def test_small_talk_and_narration_do_not_answer() -> None:
    hits = [
        a_hit("ok", 1),
        a_hit("Looking at the rig scripts first.", 2, role="assistant"),
        a_hit("rig 2 runs the hardware tests", 3),
    ]

    assert texts(answer_lines(QUERY, hits, {})) == ["rig 2 runs the hardware tests"]
    assert [is_answer(hit) for hit in hits] == [False, False, True]


def test_with_nothing_better_even_small_talk_is_shown() -> None:
    assert texts(answer_lines(QUERY, [a_hit("ok")], {})) == ["ok"]


def test_a_tools_line_needs_a_word_of_the_question() -> None:
    output = a_hit("rig 1: load current 0.00 A\nelapsed 512 s", role="tool")

    assert texts(answer_lines(QUERY, [output], {})) == ["rig 1: load current 0.00 A"]


def test_repeated_lines_are_one_with_their_number_and_the_latest_date() -> None:
    hits = [a_hit("Hardware tests run on rig 2!", seq) for seq in (1, 2, 3)]

    (line,) = answer_lines(QUERY, hits, {})

    assert (line.times, line.seq, line.at) == (3, 3, hits[2].at)


def test_a_hit_that_shares_only_grammar_with_the_query_is_no_candidate() -> None:
    by_words = replace(a_hit("the logo is on the page"), why=HitReason(words_rank=1))

    assert not is_candidate(by_words, QUERY)
    assert is_candidate(replace(by_words, text="the rig is on the page"), QUERY)
    assert is_candidate(a_hit("the logo is on the page"), QUERY)


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("which signing key, and which bench board", ["which signing key", "which bench board"]),
        (
            "Sign the release. Who approves the migration?",
            ["Sign the release.", "Who approves the migration?"],
        ),
        ("Thanks. Who approves the migration?", []),
        ("how full was the app slot", []),
        ("error: linker failed\nundefined symbol foo", []),
    ],
)
def test_a_query_with_several_items_has_parts(query: str, parts: list[str]) -> None:
    assert query_parts(query) == parts


def test_the_best_message_of_a_part_stands_near_the_best_of_the_whole() -> None:
    whole = [a_hit("a", 1, score=0.5), a_hit("b", 2, score=0.25)]
    part = [a_hit("c", 3, score=0.1)]

    merged = merged_hits(whole, [part])

    assert [(hit.seq, hit.score) for hit in merged] == [
        (1, 1.0),
        (3, pytest.approx(0.8)),
        (2, 0.5),
    ]


@pytest.mark.parametrize(
    ("text", "asks"), [("shall I fix it?", True), ("(why?)", True), ("fixed.", False)]
)
def test_a_question_ends_with_its_mark(text: str, *, asks: bool) -> None:
    assert ends_with_question(text) is asks


messages = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.text(max_size=300)), max_size=8
)


@given(st.text(max_size=80), messages)
def test_hits_always_give_lines_no_line_twice_and_the_same_each_time(
    query: str, said: list[tuple[str, str]]
) -> None:
    hits = [a_hit(text, seq, role=role) for seq, (role, text) in enumerate(said, 1)]

    lines = answer_lines(query, hits, {})

    assert bool(lines) == bool(hits)
    places = [(line.seq, line.place) for line in lines]
    assert len(set(places)) == len(places)
    assert lines == answer_lines(query, list(reversed(hits)), {})


@pytest.mark.parametrize(
    "line",
    [
        "morning!",
        "Good morning",
        "evening all",
        "lovely, cheers",
        "Sounds good",
        "LGTM",
        "no worries",
        "bye for now",
        "brilliant, thank you so much!",
        "I'd be very grateful.",
    ],
)
def test_a_greeting_or_an_acknowledgement_is_never_quoted(line: str) -> None:
    port = "The gateway listens on port 8443."

    assert message_stretches(line, "user") == ()
    assert message_stretches(f"{line}\n{port}", "user") == (port,)


@pytest.mark.parametrize(
    "line",
    [
        "@@ -1,5 +1,5 @@",
        "@@ -10 +12,7 @@ def test_rotation():",
        "diff --git a/app/keys.py b/app/keys.py",
        "index 83db48f..bf2a3b1 100644",
        "--- a/app/keys.py",
        "+++ b/app/keys.py",
        "+++ /dev/null",
    ],
)
def test_the_headers_of_a_diff_are_never_quoted(line: str) -> None:
    added = "+borg_repo_host: 10.77.0.40"

    assert message_stretches(f"{line}\n{added}", "tool") == (added,)
    assert message_stretches(line, "assistant") == ()


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("--- FAIL: TestPartial (0.00s)", "tool"),
        ("The morning job runs at six.", "user"),
        ("index the invoices by customer", "user"),
    ],
)
def test_a_line_that_only_looks_like_one_is_quoted(line: str, role: str) -> None:
    assert message_stretches(line, role) == (line,)
