"""Which words give a message away, which records are meant, and what the journal still tells."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.adapters.byte_search import WordForms
from ai_smartness.forget.memory_files import is_selected_record
from ai_smartness.forget.rewrite import JournalRewriter, Traces, words_not_in
from ai_smartness.model.erasure import FORGOTTEN_TEXT, Selection, distinctive_words
from ai_smartness.model.focus import Focus
from ai_smartness.model.journal import (
    Actor,
    Change,
    FocusEdit,
    JournalEntry,
    Move,
    ReviewEdit,
    ThreadEdit,
)
from ai_smartness.model.statement import ReviewState, StatementReview
from ai_smartness.model.thread import Thread
from builders import NOON, a_thread


def test_a_word_is_what_can_be_told_from_chance() -> None:
    text = "The key K9 is Zanzibar-Straße 12345 or 秘密 or rotate_keys or 2026110300"

    assert distinctive_words(text) == {"zanzibar", "strasse", "秘密", "rotate_keys", "2026110300"}


def test_words_that_remain_anywhere_are_not_forgotten() -> None:
    assert words_not_in({"zanzibar", "vault"}, ["in the VAULT", "elsewhere"]) == {"zanzibar"}


@given(
    st.sampled_from(["zanzibar", "тайнослово", "éclairée", "秘密号码"]), st.binary(), st.binary()
)
def test_a_word_is_found_among_any_bytes_however_it_is_written(
    word: str, before: bytes, after: bytes
) -> None:
    wanted = WordForms([word])

    for form in (word, word.upper(), word.title(), json.dumps(word)[1:-1]):
        held = b"\xff" + before + b"user" + form.encode() + b"{}" + after
        assert word in {hit.word for hit in wanted.find_hits("a file", held)}


def entry(**given: object) -> JournalEntry:
    told = {"project": "demo", "at": NOON, "who": Actor(), "verb": "merge", "arguments": {}}
    return JournalEntry(**{**told, **given})  # type: ignore[arg-type]


def a_review(text: str = "", event_id: str = "m1") -> StatementReview:
    return StatementReview(
        statement_id="s_1",
        project="demo",
        state=ReviewState.CORRECTED,
        at=NOON,
        text=text,
        event_id=event_id,
    )


def rewriting(
    touched: set[str], now: Thread | None = None, gone: tuple[int, ...] = ()
) -> JournalRewriter:
    traces = Traces(frozenset({"zanzibar"}))
    return JournalRewriter(traces, frozenset(gone), frozenset({"m9"}), touched, lambda _id: now, {})


def test_an_entry_that_has_nothing_to_do_with_it_stays_as_it_is() -> None:
    old = entry(said="Archived thread_1 “Keys”.", change=Change((ThreadEdit(None, a_thread()),)))

    assert rewriting({"thread_2"}).rewritten_entry(old) == old


def test_an_entry_of_a_thread_that_lost_messages_tells_of_it_by_what_it_is_called_now() -> None:
    was = replace(a_thread(), title="Zanzibar keys", summary="about zanzibar")
    now = replace(a_thread(), title="Keys")
    old = entry(
        said="Archived thread_1 “Zanzibar keys”.",
        change=Change((ThreadEdit(was, replace(was, weight=0.5)),), (Move("a", "b", (1, 2)),)),
    )

    new = rewriting({"thread_1"}, now, gone=(1,)).rewritten_entry(old)

    assert new.said == f"Archived thread_1 “{FORGOTTEN_TEXT}”."
    assert new.change.threads == (ThreadEdit(now, replace(now, weight=0.5)),)
    assert new.change.moves == (Move("a", "b", (2,)),)
    assert not new.is_forgotten


@pytest.mark.parametrize(
    "held",
    [
        {"said": "Focus set on zanzibar."},
        {"arguments": {"topic": "Zanzibar"}},
        {
            "change": Change(
                foci=(FocusEdit(None, Focus(topic="the Zanzibar", weight=1.0, set_at=NOON)),)
            )
        },
        {"change": Change((ThreadEdit(None, replace(a_thread(), summary="Zanzibar")),))},
        {"change": Change(reviews=(ReviewEdit(a_review("in Zanzibar"), None),))},
        {"change": Change(reviews=(ReviewEdit(None, a_review(event_id="m9")),))},
    ],
)
def test_an_entry_that_tells_a_forgotten_word_keeps_its_place_and_nothing_else(
    held: dict[str, object],
) -> None:
    new = rewriting(set()).rewritten_entry(entry(seq=7, **held))

    assert new.is_forgotten
    assert (new.seq, new.verb, new.at, new.change) == (7, "merge", NOON, Change())
    assert "zanzibar" not in str(new).casefold()


RECORD = json.dumps(
    {"id": "r1", "cwd": "/x", "session": "s1", "at": NOON.isoformat(), "text": "Zanzi bar"}
)


@pytest.mark.parametrize(
    ("selection", "meant"),
    [
        (Selection(messages=("r1",), project="/x"), True),
        (Selection(messages=("r2",), project="/x"), False),
        (Selection(thread="thread_1"), False),
        (Selection(session="s1"), True),
        (Selection(session="s2"), False),
        (Selection(project="/x"), True),
        (Selection(project="/y"), False),
        (Selection(since=NOON), True),
        (Selection(until=NOON), False),
        (Selection(matching="zanzi  BAR"), True),
        (Selection(matching="zanzibar"), False),
        (Selection(matching="zanzi", session="s2"), False),
    ],
)
def test_a_record_is_meant_if_it_is_all_of_what_is_given(
    selection: Selection, *, meant: bool
) -> None:
    assert is_selected_record(RECORD, selection, selection.messages, str) is meant


def test_a_line_that_is_no_record_is_never_meant() -> None:
    assert not is_selected_record("{half a rec", Selection(session="s1"), (), str)
    assert not is_selected_record("[1]", Selection(session="s1"), (), str)
