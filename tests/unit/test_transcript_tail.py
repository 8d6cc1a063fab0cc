"""What an agent said in a turn that ended in a tool, read by the hook from the transcript."""

from pathlib import Path

import pytest

from ai_smartness.clients.claude_code import CLIENT
from ai_smartness.clients.claude_code.transcript_tail import unanswered_text
from ai_smartness.clients.event_records import event_records
from ai_smartness.clients.fast_json import dumps
from ai_smartness.ports.transfer import RecordedHookEvent
from hooking import an_event
from transcripts import SESSION, answer, claude, prompt, read, result, tool, written

ENDED_IN_A_TOOL = (
    prompt("which logo?", "p0"),
    answer("The heron."),
    prompt("set up the server", "p1"),
    answer("I take port 8443.", ends="tool_use"),
    tool("Bash", command="ls"),
    result("a.py"),
    answer("a subagent's words", ends="tool_use", isSidechain=True),
    answer("Port 8080 belongs to the old shop.", ends="tool_use"),
    tool("Bash", "t2", command="ls"),
    result("b.py", "t2"),
    claude("system", subtype="stop_hook_summary"),
)
WORDS = "I take port 8443.\n\nPort 8080 belongs to the old shop."


def test_what_was_said_before_the_tools_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [*ENDED_IN_A_TOOL, b"{half a li"])

    assert unanswered_text(str(path)) == WORDS


def test_a_turn_that_was_answered_has_nothing_to_add(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [*ENDED_IN_A_TOOL, answer("It runs.")])

    assert unanswered_text(str(path)) == ""


@pytest.mark.parametrize("path", ["", "relative.jsonl", "/nowhere/at/all.jsonl", "/dev/zero"])
def test_a_transcript_that_cannot_be_read_gives_nothing(path: str) -> None:
    assert unanswered_text(path) == ""


@pytest.mark.parametrize("event", ["Stop", "SessionEnd"])
def test_the_hook_records_it_when_the_turn_or_the_session_ends_as_an_import_would(
    tmp_path: Path, event: str
) -> None:
    path = written(tmp_path / "s.jsonl", ENDED_IN_A_TOOL)
    fields = an_event(event, session_id=SESSION, prompt_id="p1", transcript_path=str(path))

    records = event_records(CLIENT.read_event(dumps(fields)), str(tmp_path))

    later = written(tmp_path / "later.jsonl", [*ENDED_IN_A_TOOL, prompt("go on", "p2")])
    told = [item for item in read(later)[-1].items if isinstance(item, RecordedHookEvent)]
    stops = [item.fields for item in told if item.fields["hook_event_name"] == "Stop"]
    imported = event_records(CLIENT.read_event(dumps(stops[-1])), str(tmp_path))
    assert (records[0]["role"], records[0]["text"]) == ("assistant", WORDS)
    assert records[0]["id"] == imported[0]["id"]
