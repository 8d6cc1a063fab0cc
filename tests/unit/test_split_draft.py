"""A split that is made up in the terminal, line by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.entrypoints.cli.split_dialogue import SplitDraft, changed_draft, initial_draft
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import SplitLock

MESSAGES = tuple(f"m{number}" for number in range(1, 10))


def a_draft(*lines: str) -> SplitDraft:
    draft = SplitDraft(messages=MESSAGES)
    for line in lines:
        draft = changed_draft(draft, line)
    return draft


def test_it_begins_with_what_is_proposed() -> None:
    proposed = (SplitPart("Invoices", ("m2", "m3")), SplitPart("Backups", ("m7",)))

    draft = initial_draft(MESSAGES, proposed, SplitLock.FORCE)

    assert draft.parts == proposed
    assert draft.letters == {2: "a", 3: "a", 7: "b"}
    assert draft.lock is SplitLock.FORCE


def test_messages_are_put_in_a_group_by_numbers_and_ranges() -> None:
    draft = a_draft("b 3-5,9", "t b New title")

    assert draft.parts == (SplitPart("New title", ("m3", "m4", "m5", "m9")),)


def test_a_message_is_in_one_group_at_a_time() -> None:
    draft = a_draft("a 1-4", "b 4 6", "- 2")

    assert draft.groups == {"a": ("m1", "m3"), "b": ("m4", "m6")}


def test_a_group_that_nothing_is_left_in_is_not_split_off() -> None:
    draft = a_draft("a 1", "t a One", "b 2", "t b Two", "- 1")

    assert [part.title for part in draft.parts] == ["Two"]


def test_the_lock_is_chosen() -> None:
    assert a_draft("l agent_release").lock is SplitLock.AGENT_RELEASE


@pytest.mark.parametrize(
    ("line", "way_out"),
    [
        ("a 0", "numbered 1 to 9"),
        ("a 10", "numbered 1 to 9"),
        ("a 5-3", "numbered 1 to 9"),
        ("a", "like `a 3-5,7`"),
        ("a x", "like `a 3-5,7`"),
        ("- ", "like `a 3-5,7`"),
        ("a 1-99999999999999999999", "like `a 3-5,7`"),
        ("t", "like `t a Broken invoices`"),
        ("t a", "like `t a Broken invoices`"),
        ("t 7 Title", "like `t a Broken invoices`"),
        ("l never", "compaction, agent_release, force"),
        ("ab 3", "Type ?"),
        ("dnoe", "Type ?"),
    ],
)
def test_what_is_mistyped_is_refused_with_what_can_be_typed(line: str, way_out: str) -> None:
    with pytest.raises(RefusedError, match=way_out.replace("?", r"\?")):
        changed_draft(a_draft(), line)


@pytest.mark.parametrize(
    ("lines", "way_out"), [((), "`a 3-5`"), (("c 1",), "`t c TITLE`"), (("a 1", "- 1"), "`a 3-5`")]
)
def test_a_draft_without_groups_or_titles_is_not_done(lines: tuple[str, ...], way_out: str) -> None:
    draft = a_draft(*lines)

    with pytest.raises(RefusedError, match=way_out):
        _ = draft.parts


@given(st.text(max_size=30))
def test_whatever_is_typed_makes_a_draft_or_is_refused(line: str) -> None:
    try:
        draft = changed_draft(a_draft("a 1-3"), line)
    except RefusedError:
        return

    assert set(draft.letters) <= set(range(1, 10))
