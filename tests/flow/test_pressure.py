"""As an agent's window fills, the threads of its session are condensed, once a breakpoint."""

import json
import threading
from pathlib import Path

import pytest

from ai_smartness.condense.tool_calls import view_tokens
from ai_smartness.memory import Memory
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Message
from ai_smartness.settings.schema import CondenseSettings, Settings
from builders import a_memory
from daemons import PATIENCE_SECONDS, asked, captured, here, record
from hooking import an_event, hooked, kept_in
from long_threads import LineByLine, a_long_thread

RULES = Settings(condense=CondenseSettings(target_tokens=1_000))


def a_session_at_work(memory: Memory) -> str:
    """Write a long thread in the session `s1`, and return its id."""
    thread = a_long_thread(memory)
    memory.append(thread, Message(text="go on, please", session="s1"))
    return thread


def test_at_the_first_breakpoint_long_threads_are_condensed_and_at_the_second_more_so() -> None:
    with a_memory(settings=RULES) as memory:
        thread = a_session_at_work(memory)
        everything = memory.all_events(thread)

        below = memory.pressure("s1", 119_999, 200_000)
        first = memory.pressure("s1", 120_000, 200_000)
        after_first = view_tokens(memory.events(thread))
        again = memory.pressure("s1", 130_000, 200_000)
        second = memory.pressure("s1", 185_000, 200_000)

        assert (below.crossed, first.crossed, again.crossed, second.crossed) == (
            None,
            0.6,
            None,
            0.9,
        )
        assert [each.threads[0].id for each in first.condensed] == [thread]
        assert 250 < after_first <= 1_000
        assert view_tokens(memory.events(thread)) <= 250
        assert [e for e in memory.all_events(thread) if e.type != "COMPACTION"] == everything
        assert [entry.verb for entry in memory.log()][:2] == ["condense", "condense"]


def test_what_was_condensed_under_pressure_can_be_taken_back() -> None:
    with a_memory(settings=RULES) as memory:
        thread = a_session_at_work(memory)
        before = memory.events(thread)
        memory.pressure("s1", 190_000, 200_000)

        memory.undo()

        assert memory.events(thread) == before


def test_threads_that_are_short_or_of_others_are_left_alone() -> None:
    with a_memory(settings=RULES) as memory:
        other = a_long_thread(memory)
        memory.capture(Message(text="a short one", session="s2"))

        found = memory.pressure("s2", 190_000, 200_000)

        assert (found.crossed, found.condensed, found.refused) == (0.9, (), ())
        assert len(memory.events(other)) == 48


def test_a_crossing_is_remembered_by_the_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with a_memory(path) as memory:
        assert memory.pressure("s1", 130_000).crossed == 0.6

    with a_memory(path) as memory:
        assert memory.pressure("s1", 131_000).crossed is None
        assert memory.pressure("s1", 190_000).crossed == 0.9


def test_after_a_context_compaction_both_breakpoints_are_told_again() -> None:
    with a_memory() as memory:
        memory.pressure("s1", 190_000)
        memory.context_compacted("s1")

        assert memory.pressure("s1", 125_000).crossed == 0.6
        assert memory.pressure("s1", 190_000).crossed == 0.9


def test_sessions_fill_apart() -> None:
    with a_memory() as memory:
        assert memory.pressure("s1", 130_000).crossed == 0.6
        assert memory.pressure("s2", 130_000).crossed == 0.6


def test_a_condenser_that_fails_leaves_the_thread_and_is_named() -> None:
    settings = Settings(condense=CondenseSettings(default="line-by-line", target_tokens=500))
    with a_memory(settings=settings) as memory:
        memory.register(LineByLine("nonsense"))
        thread = a_session_at_work(memory)
        before = memory.events(thread)

        found = memory.pressure("s1", 130_000)

        assert (found.crossed, found.condensed) == (0.6, ())
        assert f"cannot condense {thread} with line-by-line" in found.refused[0]
        assert memory.events(thread) == before
        assert memory.pressure("s1", 131_000).crossed is None


def test_two_who_tell_the_same_at_once_cross_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    a_memory(path).close()
    crossed: list[float | None] = []
    ready = threading.Barrier(4)

    def press() -> None:
        with a_memory(path) as memory:
            ready.wait(PATIENCE_SECONDS)
            crossed.append(memory.pressure("s1", 130_000).crossed)

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)

    assert sorted(map(str, crossed)) == ["0.6", "None", "None", "None"]


def test_what_cannot_be_is_refused() -> None:
    with a_memory() as memory:
        with pytest.raises(RefusedError, match="cannot tell the pressure"):
            memory.pressure("s1", 5, 0)
        with pytest.raises(RefusedError, match="cannot be a session's name"):
            memory.pressure("s\x001", 5)


def transcript(folder: Path, tokens: int) -> Path:
    path = folder / "s1.jsonl"
    message = {"model": "m", "role": "assistant", "usage": {"input_tokens": tokens}}
    path.write_text(json.dumps({"type": "assistant", "message": message}) + "\n")
    return path


def test_the_hook_says_where_the_transcript_is_and_waits_for_nothing(tmp_path: Path) -> None:
    stop = an_event("Stop", last_assistant_message="done", transcript_path="/t/s1.jsonl")

    hooked(tmp_path, stop)

    (kept,) = kept_in(tmp_path)
    assert kept["transcript"] == "/t/s1.jsonl"
    assert kept["payload"] == {}


def test_the_daemon_reads_how_full_the_window_is_once_an_answer_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    monkeypatch.setenv("AIS_CONDENSE_TARGET_TOKENS", "500")
    monkeypatch.delenv("AIS_HOME", raising=False)
    home, project = tmp_path / "home", tmp_path / "code"
    (project / ".git").mkdir(parents=True)
    long = [record(project, f"r{n}", f"part {n} of the parser: {'words ' * 200}") for n in range(9)]
    end = record(project, "end", "Done.", role="assistant", type="AGENT_MESSAGE", source="agent")

    with here(home):
        end["transcript"] = str(transcript(tmp_path, 130_000))
        captured(home, *long, end, record(project, "bad", "x", session="s3", transcript="../x"))
        # What is due once all is stored is done by the time it is stored again.
        for _ in range(2):
            asked(home, "drain", seconds=PATIENCE_SECONDS)
        assert asked(home, "status")["last_error"] == ""

    with Memory.open(project=project, home=home) as memory:
        assert "condense" in [entry.verb for entry in memory.log()]
        assert memory.pressure("s1", 130_000).crossed is None
