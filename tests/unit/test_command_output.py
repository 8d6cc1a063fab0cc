"""The record of a command holds the informative lines of its output."""

from pathlib import Path

import pytest

from ai_smartness.clients.command_output import command_record, informative_lines
from ai_smartness.clients.hook_event import HookEvent
from ai_smartness.clients.ignore import WorkingFolder
from hooking import an_event


@pytest.fixture
def place(tmp_path: Path) -> WorkingFolder:
    return WorkingFolder(str(tmp_path))


def record_text(place: WorkingFolder, event: str, **fields: object) -> str:
    sent = an_event(event, tool_name="Bash", tool_input={"command": "make"}, **fields)
    record = command_record(HookEvent(sent), place)
    assert record is not None
    return str(record["text"])


@pytest.mark.parametrize(
    ("event", "fields", "text"),
    [
        ("PostToolUse", {"tool_response": {"stdout": "hi\nerr"}}, "[exit code 0]\nhi\nerr"),
        ("PostToolUse", {"tool_response": "hello\n"}, "[exit code 0]\nhello"),
        ("PostToolUse", {"tool_response": {"stdout": "a", "stderr": "b"}}, "[exit code 0]\na\nb"),
        ("PostToolUse", {"tool_response": {"exitCode": 4}}, "[exit code 4]"),
        ("PostToolUse", {"tool_response": {"interrupted": True}}, "[interrupted]"),
        ("PostToolUse", {"tool_response": None}, "[exit code 0]"),
        ("PostToolUseFailure", {"error": "Exit code 3"}, "[exit code 3]"),
        ("PostToolUseFailure", {"error": "Exit code 2\nno rule"}, "[exit code 2]\nno rule"),
        ("PostToolUseFailure", {"error": "odd"}, "[exit code 1]\nodd"),
        ("PostToolUseFailure", {"error": "", "is_interrupt": True}, "[interrupted]"),
    ],
)
def test_how_it_ended_is_kept(
    place: WorkingFolder, event: str, fields: dict[str, object], text: str
) -> None:
    assert record_text(place, event, **fields) == f"$ make\n{text}"


def test_of_a_long_output_the_beginning_the_end_and_the_errors_stay(place: WorkingFolder) -> None:
    lines = [f"compiling {number}" for number in range(5_000)]
    lines[2_500] = "src/a.c:7: error: no port"

    shown = informative_lines("\n".join(lines), place)

    assert shown.startswith("compiling 0\n")
    assert shown.endswith("compiling 4999")
    assert "src/a.c:7: error: no port" in shown
    assert len(shown) < 2_100


def test_errors_without_end_leave_room_for_no_more_than_fits(place: WorkingFolder) -> None:
    shown = informative_lines(
        "\n".join(f"error {number} " + "x" * 900 for number in range(9_000)), place
    )

    assert len(shown) < 2_200


def test_progress_and_colours_are_dropped(place: WorkingFolder) -> None:
    output = "10%\r50%\r100% done\n\x1b[31merror\x1b[0m: \x1b]0;title\x07red\n\n\n"

    assert informative_lines(output, place) == "100% done\nerror: red"


def test_a_line_without_end_is_cut(place: WorkingFolder) -> None:
    assert informative_lines("x" * 50_000, place) == "x" * 300 + " [… 49,700 characters more]"
