"""The tools that agents call, on a real memory: what they do, and what they say of it."""

import json
import re
from contextlib import nullcontext

import pytest

from ai_smartness.entrypoints.tools.call import call_tool, reply_to_call
from ai_smartness.entrypoints.tools.definitions import ToolCall, ToolReply
from ai_smartness.memory import Memory
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.testing import SetClock
from asking import a_told_memory, thread_of
from builders import NOON
from two_threads import two_threads

SPLIT = [{"title": "The logo", "messages": ["l2"]}]


def called(memory: Memory, name: str, /, **arguments: object) -> ToolReply:
    return call_tool(memory, name, arguments, "s9")


def reply_of(memory: Memory, name: str, /, **arguments: object) -> ToolReply:
    return reply_to_call(ToolCall(name, arguments, "codex", "s9"), nullcontext(memory))


def structure(answer: ToolReply) -> dict[str, object]:
    assert answer.structure is not None
    assert json.loads(answer.text) == answer.structure
    return answer.structure


def test_a_recall_answers_between_the_marks_and_names_the_next_call() -> None:
    memory = a_told_memory()

    text = called(memory, "ai_recall", query="JWT signing keys").text

    assert text.startswith("<ai-smartness-memory>\n# Memory Recall: JWT signing keys\n")
    assert text.endswith("</ai-smartness-memory>")
    assert f"Next: ai_recall('{thread_of(memory)[-6:]}') shows a thread in full." in text


def test_a_recall_that_may_only_read_brings_nothing_back() -> None:
    memory = a_told_memory()
    memory.suspend(thread_of(memory))

    text = call_tool(memory, "ai_recall", {"query": "JWT signing keys"}, reads=True).text

    assert ", suspended)" in text
    assert "Reactivated" not in text
    assert memory.thread(thread_of(memory)).status == "suspended"


def test_a_recall_that_may_change_things_does() -> None:
    memory = a_told_memory()
    memory.suspend(thread_of(memory))

    text = called(memory, "ai_recall", query=thread_of(memory)).text

    assert "reactivated by this recall" in text
    assert memory.thread(thread_of(memory)).status == "active"


def test_a_tool_that_changes_things_is_refused_where_only_reading_is_allowed() -> None:
    memory = two_threads()

    with pytest.raises(RefusedError, match="cannot call ai_pin: this server was started to read"):
        call_tool(memory, "ai_pin", {"content": "x"}, reads=True)


def test_a_merge_says_what_it_did_and_how_to_take_it_back() -> None:
    memory = two_threads()

    answer = called(memory, "ai_merge", survivor="thread_jwt", absorbed="thread_logo")

    assert re.fullmatch(
        r"Merged thread_logo into thread_jwt .*\nChange (\d+); ai_undo\(\1\) takes it back\.",
        answer.text,
    )
    called(memory, "ai_undo")
    assert memory.thread("thread_logo").status == "active"


def test_a_split_is_proposed_first_and_changes_nothing() -> None:
    memory = two_threads()

    text = called(memory, "ai_split", thread="thread_logo").text

    assert '- l2 [user] "put the logo on top of the login page"' in text
    assert "ai_split('thread_logo', parts=[" in text
    assert len(memory.events("thread_logo")) == 2


def test_a_split_with_parts_is_done() -> None:
    memory = two_threads()

    text = called(memory, "ai_split", thread="thread_logo", parts=SPLIT, lock="force").text

    (child,) = memory.thread("thread_logo").child_ids
    assert child in text
    assert memory.thread(child).title == "The logo"
    assert memory.thread(child).split_locked_until == "force"


def test_a_lock_by_force_is_released_as_the_refusal_says() -> None:
    memory = two_threads()
    called(memory, "ai_split", thread="thread_logo", parts=SPLIT, lock="force")
    (child,) = memory.thread("thread_logo").child_ids

    refusal = reply_of(memory, "ai_merge", survivor="thread_logo", absorbed=child)
    called(memory, "ai_unlock", thread=child, force=True)
    called(memory, "ai_merge", survivor="thread_logo", absorbed=child)

    assert refusal.is_error
    assert f"`ai_unlock('{child}', force=True)` first" in refusal.text


def test_a_focus_is_confirmed_as_the_source_document_has_it() -> None:
    memory = two_threads()

    said = called(memory, "ai_focus", topic="logo").text
    cleared = called(memory, "ai_unfocus").text

    assert re.fullmatch(r'Focus set on "logo" \(weight=0\.8\)\. .*prioritized\.', said)
    assert cleared == "All focus cleared. Returning to similarity-based injection."


def test_a_focus_is_the_sessions_own_unless_it_is_to_last() -> None:
    memory = two_threads()

    called(memory, "ai_focus", topic="logo")
    called(memory, "ai_focus", topic="jwt", lasting=True, minutes=30)

    assert {each.topic for each in memory.foci("s9")} == {"logo", "jwt"}
    assert {each.topic for each in memory.foci("another")} == {"jwt"}
    assert all(each.until for each in memory.foci("another"))


def test_a_focus_without_a_known_session_lasts() -> None:
    memory = two_threads()

    call_tool(memory, "ai_focus", {"topic": "logo"}, None)

    assert [each.topic for each in memory.foci("any")] == ["logo"]


def test_a_pin_is_confirmed_as_the_source_document_has_it() -> None:
    memory = two_threads()

    said = called(
        memory,
        "ai_pin",
        content="User prefers dark mode and vi keybindings",
        title="User Preferences",
        topics=["preferences", "ui"],
    ).text

    found = re.fullmatch(r"Pinned as (thread_\d{8}_\d{6}_[0-9a-f]{6}) \(weight=1\.30\)", said)
    assert found
    assert memory.thread(found[1]).title == "User Preferences"


def test_a_rating_shows_the_old_relevance_and_the_new() -> None:
    memory = two_threads()

    said = called(
        memory,
        "ai_rate_context",
        thread_id="thread_jwt",
        useful=False,
        reason="redesigned",
    ).text

    assert re.fullmatch(
        r"Rated thread_jwt as not useful\. Relevance score: \d\.\d\d → \d\.\d\d",
        said,
    )


def test_suggestions_are_data() -> None:
    shape = structure(called(two_threads(), "ai_suggestions", context="the login page"))

    assert {"merge_candidates", "split_candidates", "recall_hints", "health"} <= set(shape)


def test_the_status_is_data_and_says_what_is_in_focus() -> None:
    memory = two_threads()
    called(memory, "ai_focus", topic="logo")

    shape = structure(called(memory, "ai_status"))

    assert (shape["project"], shape["threads"], shape["messages"]) == ("demo", 3, 6)
    assert [each["topic"] for each in shape["focus"]] == ["logo"]  # type: ignore[attr-defined]


def test_a_compaction_that_is_only_looked_at_is_data_and_one_that_is_done_is_said() -> None:
    memory = two_threads()

    looked = structure(called(memory, "ai_compact", strategy="gentle", dry_run=True))
    done = called(memory, "ai_compact", strategy="gentle")

    assert looked["dry_run"] is True
    # Without data beside it: a client that has some shows a model that alone.
    assert done.structure is None
    assert re.fullmatch(
        r"Nothing to merge or archive: \d+ active threads\..*\nChange (\d+); ai_undo\(\1\) .*",
        done.text,
    )


def test_threads_are_read_between_the_marks() -> None:
    memory = two_threads()

    listed, one = called(memory, "threads").text, called(memory, "thread", thread="thread_jwt").text

    assert "- thread_jwt [active] " in listed
    assert "the JWT keys live in vault" in one
    assert all(text.startswith("<ai-smartness-memory>\n") for text in (listed, one))


def test_where_things_stood_is_told_without_counting_as_shown() -> None:
    memory = a_told_memory(clock=SetClock(NOON))

    assert "Where a session of this project stood" in called(memory, "handoff").text
    assert memory.why() == []


def test_the_journal_says_which_client_did_it() -> None:
    memory = two_threads()

    reply_of(memory, "ai_pin", content="keep this")

    assert str(memory.log()[0].who) == "agent (codex)"


def test_a_tool_that_does_not_exist_is_not_called() -> None:
    with pytest.raises(NotFoundError, match="there is no tool 'ai_forget'"):
        called(two_threads(), "ai_forget")


def test_a_recall_without_a_question_is_refused() -> None:
    answer = reply_of(a_told_memory(), "ai_recall", query=" ")

    assert answer.is_error
    assert "cannot recall: no question is given" in answer.text
