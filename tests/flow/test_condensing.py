"""A long thread said in few words, and had back."""

import pytest

from ai_smartness.condense.tool_calls import view_tokens
from ai_smartness.memory import Memory
from ai_smartness.model.condensation import CONDENSER, Scope
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import EventType, Message
from ai_smartness.model.split import SplitPart
from ai_smartness.testing import SetClock
from api_requests import assert_anthropic, assert_openai
from builders import NOON, a_memory
from long_threads import a_long_thread

pytestmark = pytest.mark.every_engine


def test_the_view_becomes_what_stands_for_it_and_the_log_keeps_everything() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        before = memory.all_events(thread)

        done = memory.condense(thread, target=800)

        view = memory.events(thread)
        assert view_tokens(view) <= 800
        assert [event.type for event in view] == ["NOTE", "USER_MESSAGE", "AGENT_MESSAGE"]
        assert all(event.source == CONDENSER and not event.seq for event in view)
        *same, compaction = memory.all_events(thread)
        assert same == before
        assert (compaction.type, compaction.id) == ("COMPACTION", done.compaction.id)


def test_what_is_said_after_it_is_shown_after_it() -> None:
    clock = SetClock(NOON)
    with a_memory(clock=clock) as memory:
        thread = a_long_thread(memory)
        memory.condense(thread, target=800)
        clock.advance(minutes=1)

        said = memory.append(thread, Message(text="And now the logout.", session="s"))

        assert memory.events(thread)[-1] == said


def test_a_second_and_a_third_compaction_each_in_its_scope() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        first = memory.condense(thread, target=500).compaction
        memory.append(thread, Message(text="Also the logout in src/out.py. " * 120, session="s"))

        second = memory.condense(thread, target=900).compaction
        assert (second.supersedes, len(second.covers)) == ((), 1)
        third = memory.condense(thread, target=450, scope=Scope.HYBRID).compaction
        fourth = memory.condense(thread, target=700, scope="full").compaction

        assert len(third.supersedes) == 2
        assert len(fourth.supersedes) == 3
        assert len(fourth.covers) == len(first.covers) + 1
        assert any("src/out.py" in event.text for event in memory.events(thread))
        assert view_tokens(memory.events(thread)) <= 700


def test_what_was_condensed_before_may_leave_no_room_and_the_way_out_is_said() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        memory.condense(thread, target=500)
        room = view_tokens(memory.events(thread)) + 30
        memory.append(thread, Message(text="Also the logout. " * 80, session="s"))

        with pytest.raises(RefusedError, match="`hybrid` or `full`"):
            memory.condense(thread, target=room)


def test_a_dry_run_shows_what_would_be_written_and_writes_nothing() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        before = (memory.all_events(thread), memory.events(thread), memory.log())

        shown = memory.condense(thread, target=800, dry_run=True)

        assert shown.number is None
        assert shown.compaction.replacements
        assert (memory.all_events(thread), memory.events(thread), memory.log()) == before


def test_undone_it_is_set_aside_and_brought_back_it_is_in_force() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        before = memory.events(thread)
        done = memory.condense(thread, target=800)
        after = memory.events(thread)

        undone = memory.undo(done.number)
        assert memory.events(thread) == before
        memory.undo(undone.number)

        assert memory.events(thread) == after


def test_of_two_either_can_be_undone_first() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        whole = memory.events(thread)
        first = memory.condense(thread, target=700)
        second = memory.condense(thread, target=300, scope="hybrid")

        memory.undo(first.number)
        memory.undo(second.number)

        assert memory.events(thread) == whole


def test_the_view_before_a_compaction_is_current_again_and_that_can_be_undone() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        whole = memory.events(thread)
        first = memory.condense(thread, target=700)
        then = memory.events(thread)
        second = memory.condense(thread, target=300, scope="full")
        latest = memory.events(thread)

        memory.restore(thread, before=first.compaction.id)
        assert memory.events(thread) == whole
        memory.restore(thread, before=second.compaction.id)
        assert memory.events(thread) == then
        memory.undo()
        memory.undo()

        assert memory.events(thread) == latest
        with pytest.raises(NotFoundError, match="comp_x"):
            memory.restore(thread, before="comp_x")


def test_the_view_can_be_seen_as_it_was_after_each_compaction() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        views = [memory.events(thread)]
        memory.condense(thread, target=700)
        views.append(memory.events(thread))
        memory.append(thread, Message(text="Also the logout, later.", session="s"))
        memory.condense(thread, target=300, scope="full")
        views.append(memory.events(thread))
        memory.append(thread, Message(text="And the login, last.", session="s"))

        assert [memory.events_after(thread, number) for number in range(3)] == views
        with pytest.raises(NotFoundError, match="2 compactions"):
            memory.events_after(thread, 3)


def test_merged_in_later_is_shown_beside_what_stands_for_the_rest() -> None:
    clock = SetClock(NOON)
    with a_memory(clock=clock) as memory:
        thread, other = a_long_thread(memory), memory.create("Other")
        said = memory.append(other, Message(id="o1", text="Logout must stay.", session="t"))
        memory.condense(thread, target=800)

        memory.merge(thread, other)

        assert said.id in [event.id for event in memory.events(thread)]


def test_a_compacted_thread_that_is_merged_away_takes_its_compaction_along() -> None:
    with a_memory() as memory:
        thread, other = a_long_thread(memory), memory.create("Other")
        memory.append(other, Message(id="o1", text="Logout must stay.", session="t"))
        memory.condense(thread, target=800)
        shown = [event.text for event in memory.events(thread)]

        memory.merge(other, thread)

        view = [event.text for event in memory.events(other)]
        assert sorted(view) == sorted([*shown, "Logout must stay."])
        memory.undo()
        assert [event.text for event in memory.events(thread)] == shown


def test_split_off_what_was_stood_for_is_shown_on_its_new_thread() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        memory.condense(thread, target=800)
        before = memory.events(thread)

        done = memory.split(thread, [SplitPart("Two", ("u2", "a2"))])

        child = done.threads[1].id
        assert [event.id for event in memory.events(child)] == ["u2", "a2"]
        memory.undo()
        assert memory.events(thread) == before


def test_a_split_can_be_undone_though_its_child_was_condensed_meanwhile() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        ids = tuple(f"{kind}{turn}" for turn in range(6) for kind in "ucra")
        split = memory.split(thread, [SplitPart("First", ids)])
        condensed = memory.condense(split.threads[1].id, target=300)
        whole = sorted(event.id for event in memory.events(thread)) + sorted(ids)

        memory.undo(condensed.number)
        memory.undo(split.number)

        assert sorted(event.id for event in memory.events(thread)) == sorted(whole)
        assert memory.all_events(thread)[-1].type is EventType.COMPACTION
        assert memory.check() == ""


def test_a_call_whose_result_is_still_to_come_is_not_condensed() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        payload = {"call_id": "late", "tool": "Bash"}
        call = memory.append(
            thread, Message(text="", role="assistant", type=EventType.TOOL_CALL, payload=payload)
        )

        memory.condense(thread, target=800)
        memory.append(
            thread, Message(text="done", role="tool", type=EventType.TOOL_RESULT, payload=payload)
        )

        assert call in memory.events(thread)
        blocks = memory.messages(thread)[-1]["content"]
        assert [block["type"] for block in blocks] == ["tool_result"]


def test_the_view_is_a_request_that_both_apis_take() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        for condenser in ("trim-tool-results", "summarize-and-reload", "digest"):
            memory.condense(thread, condenser, target=1_500, scope="full")

            assert_anthropic(memory.messages(thread))
            assert_openai(memory.messages(thread, "openai"))
        with pytest.raises(RefusedError, match="anthropic and openai"):
            memory.messages(thread, "smoke")


def test_a_compaction_is_nothing_that_anybody_said() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        before = (memory.status(), memory.search("KeyError token"), memory.thread(thread))

        memory.condense(thread, target=800)

        now = memory.thread(thread)
        assert (memory.status(), memory.search("KeyError token"), now) == before
        assert memory.search("Digest of messages", words_only=True) == memory.search(
            "messages Digest of", words_only=True
        )
        assert {note.seq for note in memory.notes(thread)} <= {
            event.seq for event in memory.all_events(thread) if event.text or event.payload
        }
        assert memory.reindex() == memory.status().events


def test_where_a_message_goes_does_not_depend_on_what_was_condensed() -> None:
    with a_memory() as memory, a_memory() as other:
        placed = []
        for each in (memory, other):
            log = a_long_thread(each)
            each.capture(Message(id="x1", text="the invoice totals are off by one cent"))
            if each is memory:
                each.condense(log, target=800)
            each.capture(Message(id="x2", text="yes, go on"))
            same = each.message("x1").thread_id == each.message("x2").thread_id
            placed.append((same, each.status().threads))

        assert placed[0] == placed[1]


def test_nobody_can_hand_in_a_compaction() -> None:
    with a_memory() as memory:
        thread = memory.create()

        with pytest.raises(RefusedError, match="`condense` writes"):
            memory.append(thread, Message(text="x", type=EventType.COMPACTION))


def test_a_thread_that_was_merged_away_is_not_condensed() -> None:
    with a_memory() as memory:
        thread, other = a_long_thread(memory), a_long_thread_of_its_own(memory)
        memory.merge(thread, other)

        with pytest.raises(RefusedError, match="was merged into"):
            memory.condense(other)


def a_long_thread_of_its_own(memory: Memory) -> str:
    thread = memory.create("Other")
    memory.append(thread, Message(text="Logout must stay.", session="t"))
    return thread
