import json
from pathlib import Path
from typing import Any

from ai_smartness.ports.transfer import RecordedHookEvent
from transcripts import SESSION, answer, claude, events_in, prompt, read, result, tool, written


def told(tmp_path: Path, *lines: dict[str, object] | bytes) -> list[tuple[str, dict[str, object]]]:
    return events_in(read(written(tmp_path / "s.jsonl", lines)))


def test_a_prompt_and_the_last_words_of_the_turn_are_told(tmp_path: Path) -> None:
    assert told(
        tmp_path,
        prompt("rotate the keys"),
        answer("I look first.", ends="tool_use"),
        tool("Bash", command="ls"),
        result("a.py"),
        answer("They are rotated."),
    ) == [
        ("UserPromptSubmit", {"prompt": "rotate the keys"}),
        (
            "PostToolUse",
            {
                "tool_name": "Bash",
                "tool_input": {"command": "ls"},
                "tool_use_id": "t1",
                "tool_response": "a.py",
            },
        ),
        ("Stop", {"last_assistant_message": "They are rotated."}),
    ]


def test_where_no_end_of_a_turn_is_written_the_next_prompt_ends_it(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        prompt("one", "p1"),
        answer("first words", ends=None),
        answer("last words", ends=None),
        prompt("two", "p2"),
        answer("not yet known to be the last", ends=None),
    )

    assert found == [
        ("UserPromptSubmit", {"prompt": "one"}),
        ("Stop", {"last_assistant_message": "last words"}),
        ("UserPromptSubmit", {"prompt": "two"}),
    ]


def test_what_was_told_before_a_tool_is_no_answer_if_another_follows(tmp_path: Path) -> None:
    lines = answer("I look.", ends=None), tool("Bash", command="ls"), answer("Done.", ends=None)

    found = told(tmp_path, *lines, prompt("stop"))

    assert found[0] == ("Stop", {"last_assistant_message": "Done."})


def test_the_clients_own_words_hooks_and_attachments_are_left_out(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        [
            b'{"type":"queue-operation","operation":"enqueue","content":"secret"}',
            claude("attachment", attachment={"type": "hook_success", "content": "ours"}),
            b'{"parentUuid":null,"attachment":{"type":"hook_additional_context"},"type":"attachment"}',
            prompt("<command-name>/compact</command-name>"),
            prompt("<system-reminder>x</system-reminder>", isMeta=True),
            prompt("<local-command-stdout>done</local-command-stdout>"),
            claude(
                "assistant", {"model": "<synthetic>", "content": [{"type": "text", "text": "x"}]}
            ),
            claude("system", subtype="stop_hook_summary"),
            claude("hologram", content="from the future"),
        ],
    )

    (piece,) = read(path)

    assert piece.items == []
    assert piece.skipped == {
        "queue-operation": 1,
        "attachment": 2,
        "the client's own words": 4,
        "system stop_hook_summary": 1,
        "hologram": 1,
    }


def test_a_failed_tool_is_told_and_one_that_was_never_run_is_not(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        tool("Bash", "t1", command="false"),
        result("Exit code 1", "t1", error=True),
        tool("Edit", "t2", file_path="a"),
        result("The user doesn't want to proceed with this tool use.", "t2", error=True),
        result("nobody asked for this", "t3"),
    )

    assert [name for name, _ in found] == ["PostToolUseFailure"]
    assert found[0][1]["error"] == "Exit code 1"


def test_of_a_subagent_its_work_and_its_last_words_are_told_but_not_what_it_was_asked(
    tmp_path: Path,
) -> None:
    side: dict[str, Any] = {"isSidechain": True, "agentId": "a1"}
    found = told(
        tmp_path,
        prompt("Look at the keys", "p7", **side),
        {**tool("Bash", command="ls"), **side, "attributionAgent": "explorer"},
        {**result("keys.txt"), **side},
        answer("There are three keys.", **side),
    )

    about = {"agent_id": "a1", "agent_type": "explorer"}
    assert [name for name, _ in found] == ["PostToolUse", "SubagentStop"]
    assert found[1][1] == {**about, "last_assistant_message": "There are three keys."}


def test_the_summary_of_a_compaction_is_told_without_what_is_around_it(tmp_path: Path) -> None:
    around = (
        "This session is being continued from a previous conversation.\n\nSummary:\n"
        "We rotated the keys.\n\n"
        "If you need specific details from before compaction, read the full transcript."
    )

    found = told(tmp_path, prompt(around, isCompactSummary=True))

    assert found == [("PostCompact", {"compact_summary": "We rotated the keys.", "trigger": ""})]


def test_a_prompt_with_a_picture_is_told_by_its_words(tmp_path: Path) -> None:
    parts = [{"type": "image", "source": {"data": "aGk="}}, {"type": "text", "text": "what is it?"}]

    found = told(tmp_path, claude("user", {"role": "user", "content": parts}, promptId="p"))

    assert found == [("UserPromptSubmit", {"prompt": "what is it?"})]


def test_lines_that_are_no_json_are_troubles_and_the_others_are_read(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl", [b"\xff\xfe{", b'"text"', b"[" * 100_000, b"", prompt("still here")]
    )

    (piece,) = read(path)

    assert [fields["prompt"] for _, fields in events_in([piece])] == ["still here"]
    assert list(piece.problems) == ["a line that is not a JSON object"] * 3


def test_a_mark_holds_nothing_of_what_was_said(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [prompt("heron"), answer("heron", ends=None)])

    (piece,) = read(path)

    assert "heron" not in json.dumps([piece.mark.state, piece.mark.head])
    assert piece.mark.offset < path.stat().st_size


def test_what_a_session_was_forked_from_is_told_under_that_session(tmp_path: Path) -> None:
    copied = prompt("said before", forkedFrom={"sessionId": "first", "messageUuid": "u"})
    pieces = read(written(tmp_path / "s.jsonl", [copied, prompt("said since", "p2")]))

    sessions = [
        each.fields["session_id"] for each in pieces[0].items if isinstance(each, RecordedHookEvent)
    ]
    assert sessions == ["first", SESSION]


def test_a_turn_that_ended_in_a_tool_is_told_by_what_was_said_before_the_tools(
    tmp_path: Path,
) -> None:
    found = told(
        tmp_path,
        prompt("set up the server", "p1"),
        answer("I take port 8443.", ends="tool_use"),
        tool("Bash", command="ls"),
        result("a.py"),
        prompt("<system-reminder>go on</system-reminder>", "p1", isMeta=True),
        answer("Port 8080 belongs to the old shop.", ends="tool_use"),
        tool("Bash", "t2", command="ls"),
        result("a.py", "t2"),
        prompt("go on", "p2"),
    )

    assert [fields for name, fields in found if name == "Stop"] == [
        {"last_assistant_message": "I take port 8443.\n\nPort 8080 belongs to the old shop."}
    ]
