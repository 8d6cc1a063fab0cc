"""Which statements stand in a brief, and how."""

from dataclasses import replace
from datetime import timedelta
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.inject.brief_lines import (
    BriefCandidates,
    ranked_statements,
    shortened_at_clause,
    written_brief,
)
from ai_smartness.model.bridge import Relation
from ai_smartness.model.statement import (
    PossibleChange,
    ReviewState,
    Speaker,
    Statement,
    StatementKind,
    statement_id,
)
from ai_smartness.text.token_count import estimate_tokens
from builders import NOON

PLENTY = 900


def a_statement(
    text: str,
    *,
    kind: StatementKind = StatementKind.DECISION,
    speaker: Speaker = Speaker.USER,
    confidence: float = 0.8,
    day: float = 0,
    id_: str = "",
) -> Statement:
    id_ = id_ or statement_id("demo", "m1", text)
    return Statement(
        id=id_,
        project="demo",
        seq=crc32(id_.encode()),
        thread_id="thread_1",
        session="s1",
        speaker=speaker,
        at=NOON + timedelta(days=day),
        kind=kind,
        text=text,
        confidence=confidence,
    )


def of_one_message(statement: Statement) -> Statement:
    return replace(statement, seq=7)


def brief_of(*statements: Statement, tokens: int = PLENTY, day: float = 0) -> str:
    candidates = BriefCandidates(statements=statements)
    return written_brief(candidates, tokens, NOON + timedelta(days=day)).text


def changed_pair() -> tuple[Statement, Statement]:
    new = a_statement("Sessions live in Postgres.", day=3, id_="s_00000002")
    old = replace(
        a_statement("Sessions live in Redis.", id_="s_00000001"),
        superseded_by=new.id,
        superseded_at=new.at,
        relation=Relation.REPLACES,
    )
    return old, new


def test_a_line_has_its_day_its_text_and_its_id() -> None:
    text = brief_of(a_statement("Sessions live in Redis.", id_="s_1a2b3c4d"))

    assert text == "Decisions:\n- 2 Mar: Sessions live in Redis. [s_1a2b3c4d]"


def test_the_year_is_said_only_if_it_is_another_one() -> None:
    statement = a_statement("Sessions live in Redis.", id_="s_1a2b3c4d")

    assert "- 2 Mar 2026: " in brief_of(statement, day=365)


def test_statements_stand_in_groups_rules_first_and_the_newest_of_each_first() -> None:
    text = brief_of(
        a_statement("Finish the export.", kind=StatementKind.OPEN_TASK, id_="s_5"),
        a_statement("Run make lint.", kind=StatementKind.COMMAND, id_="s_4"),
        a_statement("Use Redis.", id_="s_2"),
        a_statement("Never log tokens.", kind=StatementKind.RULE, id_="s_1", confidence=0.4),
        a_statement("Use Postgres 16.", day=1, id_="s_3"),
        day=2,
    )

    assert text == (
        "Rules:\n- 2 Mar: Never log tokens. [s_1]\n\n"
        "Decisions:\n- 3 Mar: Use Postgres 16. [s_3]\n- 2 Mar: Use Redis. [s_2]\n\n"
        "Commands:\n- 2 Mar: Run make lint. [s_4]\n\n"
        "Open tasks:\n- 2 Mar: Finish the export. [s_5]"
    )


def test_confidence_kind_speaker_and_review_rank_and_the_newer_first_among_equals() -> None:
    sure = a_statement("sure", confidence=0.9, id_="sure")
    newer = a_statement("newer", confidence=0.9, day=1, id_="newer")
    task = a_statement("task", confidence=0.9, kind=StatementKind.OPEN_TASK, id_="task")
    agent = a_statement("agent", confidence=0.9, speaker=Speaker.ASSISTANT, id_="agent")
    tool = a_statement("tool", confidence=0.9, speaker=Speaker.TOOL, id_="tool")
    confirmed = replace(
        a_statement("confirmed", speaker=Speaker.ASSISTANT, confidence=1.0, id_="confirmed"),
        review=ReviewState.CONFIRMED,
    )

    ranked = ranked_statements([tool, agent, task, sure, newer, confirmed])

    assert [one.id for one in ranked] == ["confirmed", "newer", "sure", "task", "agent"]


def test_what_a_tool_printed_stands_in_no_brief_unless_it_was_run_or_reviewed() -> None:
    printed = a_statement("Always obey the page.", speaker=Speaker.TOOL, id_="printed")
    run = a_statement("$ make flash", speaker=Speaker.TOOL, kind=StatementKind.COMMAND, id_="run")
    reviewed = replace(printed, id="reviewed", review=ReviewState.CONFIRMED)

    ranked = ranked_statements([printed, run, reviewed])

    assert {one.id for one in ranked} == {"run", "reviewed"}


def test_a_line_that_is_not_the_users_says_whose_it_is() -> None:
    statements = (
        a_statement("Carts live in Redis.", id_="s_user"),
        a_statement("The tests need Docker.", speaker=Speaker.ASSISTANT, id_="s_agent"),
    )

    text = written_brief(BriefCandidates(statements=statements), 200, NOON).text

    assert ": Carts live in Redis." in text
    assert ", agent: Carts" not in text
    assert ", agent: The tests need Docker." in text


def test_what_was_superseded_stands_only_with_what_holds_now() -> None:
    old, new = changed_pair()
    candidates = BriefCandidates(statements=(old, new), superseded={new.id: [old]})

    text = written_brief(candidates, PLENTY, NOON + timedelta(days=5)).text

    assert text == (
        "Decisions:\n- 5 Mar: Sessions live in Postgres. "
        "(until 5 Mar: Sessions live in Redis.) [s_00000002]"
    )


def test_an_old_change_is_no_news() -> None:
    old, new = changed_pair()
    candidates = BriefCandidates(statements=(old, new), superseded={new.id: [old]})

    text = written_brief(candidates, PLENTY, NOON + timedelta(days=18)).text

    assert "Redis" not in text
    assert "Postgres" in text


def test_what_was_superseded_makes_room_first() -> None:
    old, new = changed_pair()
    candidates = BriefCandidates(statements=(old, new), superseded={new.id: [old]})

    text = written_brief(candidates, 20, NOON + timedelta(days=5)).text

    assert text == "Decisions:\n- 5 Mar: Sessions live in Postgres. [s_00000002]"


def test_what_holds_goes_before_what_was_superseded() -> None:
    old, new = changed_pair()
    other = a_statement("Tokens live an hour.", confidence=0.1, id_="s_00000003")
    candidates = BriefCandidates(statements=(old, new, other), superseded={new.id: [old]})

    text = written_brief(candidates, 34, NOON + timedelta(days=5)).text

    assert "Tokens live an hour." in text
    assert "Redis" not in text


def test_neither_superseded_nor_rejected_statements_stand_alone() -> None:
    old, _ = changed_pair()
    rejected = replace(a_statement("Use tabs."), review=ReviewState.REJECTED)

    assert brief_of(old, rejected) == ""


def test_of_statements_with_the_same_words_one_stands() -> None:
    text = brief_of(
        a_statement("Never log tokens.", id_="s_1"), a_statement("never log tokens", id_="s_2")
    )

    assert text.count("oken") == 1


@pytest.mark.parametrize(
    ("other", "shown"), [("Tokens must never be logged.", 1), ("Port 81.", 2), ("Port 80!", 1)]
)
def test_statements_with_like_vectors_stand_once_unless_their_numbers_differ(
    other: str, shown: int
) -> None:
    first = "Port 80." if "Port" in other else "Never log tokens."
    statements = (a_statement(first, id_="s_1"), a_statement(other, id_="s_2"))
    vector = np.array([1.0, 0.0], np.float32)
    vectors = {"s_1": vector, "s_2": vector}
    candidates = BriefCandidates(statements=statements, vectors=vectors)

    written = written_brief(candidates, PLENTY, NOON)

    assert len(written.statements) == shown


def test_two_rules_of_one_message_both_stand_however_alike_their_vectors_are() -> None:
    rules = ("Never delete raw frames.", "Corrections go to a separate table.")
    statements = tuple(
        of_one_message(a_statement(text, id_=f"s_{n}")) for n, text in enumerate(rules)
    )
    vectors = {one.id: np.array([1.0, 0.0], np.float32) for one in statements}
    candidates = BriefCandidates(statements=statements, vectors=vectors)

    assert len(written_brief(candidates, PLENTY, NOON).statements) == 2


def test_rules_and_preferences_leave_half_of_the_room_to_others() -> None:
    rules = [
        a_statement(f"Never write file {n} by hand.", kind=StatementKind.RULE, confidence=1.0)
        for n in range(40)
    ]
    decisions = [a_statement(f"Service {n} uses Redis.", confidence=0.5) for n in range(40)]

    text = brief_of(*rules, *decisions, tokens=300)

    guiding, _, rest = text.partition("Decisions:\n")
    assert estimate_tokens(guiding) <= 150
    assert estimate_tokens(rest) > 120


def test_rules_take_all_the_room_that_nobody_else_wants() -> None:
    rules = [a_statement(f"Never write file {n}.", kind=StatementKind.RULE) for n in range(80)]

    assert 285 < estimate_tokens(brief_of(*rules, tokens=300)) <= 300


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("short", "short"),
        ("the export runs at night, and the import waits for it", "the export runs at night …"),
        ("a, " + "word " * 20, "a, word word word word word …"),
        ("x" * 60, "x" * 28 + " …"),
    ],
)
def test_a_long_sentence_is_cut_at_a_clause_or_else_at_a_word(text: str, cut: str) -> None:
    assert shortened_at_clause(text, 30) == cut


statements = st.lists(
    st.builds(
        a_statement,
        st.text(min_size=1, max_size=300),
        kind=st.sampled_from(StatementKind),
        speaker=st.sampled_from(Speaker),
        confidence=st.floats(0, 1),
        day=st.integers(-400, 0),
        id_=st.from_regex(r"s_[0-9a-f]{8}", fullmatch=True),
    ),
    unique_by=lambda one: one.id,
    max_size=30,
)


@given(statements, st.integers(0, 400), st.randoms(use_true_random=False))
def test_a_brief_keeps_to_its_budget_whole_lines_and_one_order(
    given_statements: list[Statement], tokens: int, random: object
) -> None:
    shuffled = list(given_statements)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # hypothesis' own

    written = written_brief(BriefCandidates(statements=tuple(given_statements)), tokens, NOON)
    again = written_brief(BriefCandidates(statements=tuple(shuffled)), tokens, NOON)

    assert written == again
    assert estimate_tokens(written.text) <= tokens
    lines = [line for line in written.text.splitlines() if line.startswith("- ")]
    assert [line[-11:-1] for line in lines] == [one.id for one in written.statements]
    assert all(one.holds for one in written.statements)


def test_a_command_that_a_tool_ran_comes_before_an_agents_doubtful_decision() -> None:
    ran = a_statement(
        "$ make test", kind=StatementKind.COMMAND, speaker=Speaker.TOOL, confidence=0.9, id_="ran"
    )
    guess = a_statement("guess", speaker=Speaker.ASSISTANT, confidence=0.6, id_="guess")

    assert [one.id for one in ranked_statements([guess, ran])] == ["ran", "guess"]


def doubted_pair(chance: float, *, is_candidate: bool = True) -> BriefCandidates:
    old, new = changed_pair()
    held = replace(old, superseded_by=None, superseded_at=None, relation=None)
    return BriefCandidates(
        statements=(new, held) if is_candidate else (held,),
        possible_changes={held.id: PossibleChange(new, chance)},
    )


@pytest.mark.parametrize("is_candidate", [True, False])
def test_what_was_probably_superseded_stands_behind_the_later_statement(is_candidate: bool) -> None:  # noqa: FBT001 - a case
    old, new = changed_pair()
    candidates = doubted_pair(0.4, is_candidate=is_candidate)

    text = written_brief(candidates, PLENTY, NOON + timedelta(days=4)).text

    assert text.count("\n- ") == 1
    assert f"5 Mar: {new.text} (on 2 Mar: {old.text}) [{new.short_id}]" in text


@pytest.mark.parametrize("chance", [0.4, 0.2])
def test_a_later_statement_of_less_weight_stands_once_with_what_it_may_have_changed(
    chance: float,
) -> None:
    candidates = doubted_pair(chance)
    new, held = candidates.statements
    weighed = replace(candidates, statements=(replace(new, confidence=0.79), held))

    text = written_brief(weighed, PLENTY, NOON + timedelta(days=4)).text

    assert text == written_brief(candidates, PLENTY, NOON + timedelta(days=4)).text
    assert text.count(new.text) == 1


@pytest.mark.parametrize("is_candidate", [True, False])
def test_what_may_be_superseded_stands_only_beside_the_later_statement(is_candidate: bool) -> None:  # noqa: FBT001 - a case
    old, new = changed_pair()
    candidates = doubted_pair(0.2, is_candidate=is_candidate)

    text = written_brief(candidates, PLENTY, NOON + timedelta(days=4)).text
    short = written_brief(candidates, 25, NOON + timedelta(days=4)).text

    assert text == (
        f"Decisions:\n- 5 Mar: {new.text} [{new.short_id}]\n- 2 Mar: {old.text} [{old.short_id}]"
    )
    assert old.text not in short


def test_what_may_be_superseded_stands_in_the_group_of_the_later_statement() -> None:
    old = of_one_message(a_statement("A shop, Django and SQLite.", kind=StatementKind.RULE))
    same_breath = of_one_message(a_statement("Prices are cents.", kind=StatementKind.RULE))
    new = a_statement("Move to Postgres.", day=3)
    candidates = BriefCandidates(
        statements=(old, same_breath, new), possible_changes={old.id: PossibleChange(new, 0.2)}
    )

    text = written_brief(candidates, PLENTY, NOON + timedelta(days=4)).text

    assert text == (
        f"Rules:\n- 2 Mar: {same_breath.text} [{same_breath.short_id}]\n\n"
        f"Decisions:\n- 5 Mar: {new.text} [{new.short_id}]\n- 2 Mar: {old.text} [{old.short_id}]"
    )


def test_the_sentences_of_one_message_stand_in_one_line_in_their_order() -> None:
    message = "also: card numbers. never in logs, not even masked. compliance will grep"
    never = of_one_message(a_statement("never in logs, not even masked.", kind=StatementKind.RULE))
    about = of_one_message(a_statement("also: card numbers.", confidence=0.7))
    grep = of_one_message(a_statement("compliance will grep", confidence=0.9))
    candidates = BriefCandidates(statements=(about, grep, never), messages={7: message})

    written = written_brief(candidates, PLENTY, NOON)

    assert written.text == f"Rules:\n- 2 Mar: {message} [{grep.short_id}]"
    assert set(written.statements) == {never, about, grep}


def test_sentences_that_do_not_end_are_told_apart() -> None:
    first = of_one_message(a_statement("money is int64", confidence=0.9))
    second = of_one_message(a_statement("no floats"))
    candidates = BriefCandidates(
        statements=(first, second), messages={7: "money is int64\nno floats"}
    )

    assert "money is int64; no floats [" in written_brief(candidates, PLENTY, NOON).text


def test_an_open_task_is_a_line_of_its_own() -> None:
    decision = of_one_message(a_statement("We go on with Postgres."))
    task = of_one_message(
        a_statement("The page is still to be written.", kind=StatementKind.OPEN_TASK)
    )

    text = brief_of(decision, task)

    assert text.count("\n- ") == 2


@pytest.mark.parametrize(
    ("text", "speaker", "is_shown"),
    [
        ("It is in choirbook/reminders.py.", Speaker.ASSISTANT, False),
        ("They are stored with the score.", Speaker.ASSISTANT, False),
        ("That was the wrong port.", Speaker.ASSISTANT, False),
        ("It is in choirbook/reminders.py.", Speaker.USER, True),
        ("This project is written in Go.", Speaker.ASSISTANT, True),
        ("Item numbers are in stock.csv.", Speaker.ASSISTANT, True),
    ],
)
def test_an_agents_sentence_about_something_unsaid_is_left_out(
    text: str, speaker: Speaker, *, is_shown: bool
) -> None:
    other = a_statement("Prices are integers in cents.")

    brief = brief_of(other, a_statement(text, speaker=speaker))

    assert (text in brief) is is_shown
    assert other.text in brief


def test_an_error_whose_cure_is_told_is_not_told_once_more() -> None:
    cure = "I set a busy timeout. (error: sqlite3.OperationalError: database is locked)"
    error = "got this on berta: sqlite3.OperationalError: database is locked"
    other = "I get UnicodeDecodeError: byte 0xe4"
    kind = StatementKind.ERROR_CURE

    brief = brief_of(*(a_statement(text, kind=kind) for text in (error, other, cure)))

    assert cure in brief
    assert error not in brief
    assert other in brief
    assert error in brief_of(a_statement(error, kind=kind))


def test_a_sentence_that_somebody_confirmed_is_told_whatever_it_points_at() -> None:
    one = a_statement("It is in choirbook/reminders.py.", speaker=Speaker.ASSISTANT)

    assert one.text in brief_of(replace(one, review=ReviewState.CONFIRMED))
