"""Anthropic's own tool loop with our memory behind the tool `memory`."""

from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_smartness import Memory
from ai_smartness.integrations.anthropic import AnthropicMemoryTool
from builders import a_memory
from integrations.scripted_api import anthropic_answer, scripted_api


def run_script(memory: Memory, *commands: dict[str, Any]) -> list[str]:
    """Let a scripted Claude use the tool, and return what the tool answered."""
    answers = [*(anthropic_answer(**command) for command in commands), anthropic_answer("Done.")]
    with scripted_api(answers) as (url, requests):
        runner = Anthropic(base_url=url, api_key="none", max_retries=0).beta.messages.tool_runner(
            model="scripted",
            max_tokens=100,
            messages=[{"role": "user", "content": "Remember it."}],
            tools=[AnthropicMemoryTool(memory)],
        )
        assert runner.until_done().content[0].to_dict()["text"] == "Done."
    assert requests[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    parts = {
        part["tool_use_id"]: part
        for request in requests
        for message in request["messages"]
        if message["role"] == "user" and not isinstance(message["content"], str)
        for part in message["content"]
    }
    assert len(parts) == len(commands)
    return [str(part["content"]) for part in parts.values()]


def test_claude_writes_reads_changes_renames_and_deletes_files_in_its_own_loop() -> None:
    memory = a_memory()

    results = run_script(
        memory,
        {"command": "create", "path": "/memories/prefs.md", "file_text": "Tabs.\nNo emojis.\n"},
        {"command": "view", "path": "/memories"},
        {
            "command": "str_replace",
            "path": "/memories/prefs.md",
            "old_str": "Tabs",
            "new_str": "Spaces",
        },
        {
            "command": "insert",
            "path": "/memories/prefs.md",
            "insert_line": 1,
            "insert_text": "Two.",
        },
        {"command": "view", "path": "/memories/prefs.md"},
        {
            "command": "rename",
            "old_path": "/memories/prefs.md",
            "new_path": "/memories/me/style.md",
        },
        {"command": "create", "path": "/memories/x", "file_text": "x"},
        {"command": "delete", "path": "/memories/x"},
    )

    assert "/memories/prefs.md" in results[1]
    assert results[4].endswith("     1\tSpaces.\n     2\tTwo.\n     3\tNo emojis.\n     4\t")
    assert [(one.name, one.text) for one in memory.documents()] == [
        ("/memories/me/style.md", "Spaces.\nTwo.\nNo emojis.\n")
    ]


def test_each_command_is_one_change_that_undo_takes_back() -> None:
    memory = a_memory()
    run_script(
        memory,
        {"command": "create", "path": "/memories/a/1", "file_text": "one"},
        {"command": "create", "path": "/memories/a/2", "file_text": "two"},
        {"command": "str_replace", "path": "/memories/a/1", "old_str": "one", "new_str": "ONE"},
        {"command": "delete", "path": "/memories/a"},
    )
    assert memory.documents() == []

    entries = memory.log()
    memory.undo(entries[0].seq)
    memory.undo(entries[1].seq)

    assert [entry.verb for entry in entries] == [
        "remove_documents",
        "write_document",
        "write_document",
        "write_document",
    ]
    assert {entry.who.client for entry in entries} == {"anthropic-memory-tool"}
    assert {one.name: one.text for one in memory.documents()} == {
        "/memories/a/1": "one",
        "/memories/a/2": "two",
    }


def test_what_claude_wrote_is_found_by_search_and_only_as_it_is_now() -> None:
    memory = a_memory()
    run_script(
        memory,
        {"command": "create", "path": "/memories/deploy.md", "file_text": "Deploys on Mondays."},
        {
            "command": "str_replace",
            "path": "/memories/deploy.md",
            "old_str": "Mondays",
            "new_str": "Tuesdays",
        },
    )

    threads = memory.recall("when are deploys?").threads

    assert threads[0].thread.title == "/memories/deploy.md"
    assert memory.document("/memories/deploy.md").text == "Deploys on Tuesdays."


def test_a_mistake_is_told_to_claude_and_changes_nothing() -> None:
    memory = a_memory()

    results = run_script(
        memory,
        {"command": "view", "path": "/memories/none"},
        {"command": "create", "path": "/etc/passwd", "file_text": "x"},
        {"command": "create", "path": "/memories/../x", "file_text": "x"},
        {"command": "delete", "path": "/memories"},
        {"command": "str_replace", "path": "/memories/none", "old_str": "a", "new_str": "b"},
    )

    assert "The path /memories/none does not exist" in results[0]
    assert "must start with /memories" in results[1]
    assert "dotted parts" in results[2]
    assert "The path /memories is the root" in results[3]
    assert "The path /memories/none does not exist" in results[4]
    assert memory.log() == []


def test_an_inserted_line_leaves_one_newline_at_the_end_as_anthropics_tool_does() -> None:
    memory = a_memory()

    run_script(
        memory,
        {"command": "create", "path": "/memories/a", "file_text": "one\n\n"},
        {"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": "new"},
    )

    assert memory.document("/memories/a").text == "new\none\n"


def test_control_characters_are_left_out_and_every_line_ends_with_a_newline() -> None:
    memory = a_memory()

    run_script(
        memory,
        {"command": "create", "path": "/memories/a", "file_text": "one\r\ntwo\r\n"},
        {"command": "insert", "path": "/memories/a", "insert_line": 1, "insert_text": "a\fb\r"},
    )

    assert memory.document("/memories/a").text == "one\nab\ntwo\n"


commands = st.one_of(
    st.fixed_dictionaries(
        {
            "command": st.just("create"),
            "path": st.sampled_from(
                ["/memories", "/memories/a", "/memories/d/b", "/memories/d/e/c"]
            ),
            "file_text": st.sampled_from(["", "one", "one\ntwo\n", "one one"]),
        }
    ),
    st.fixed_dictionaries(
        {
            "command": st.just("str_replace"),
            "path": st.sampled_from(["/memories/a", "/memories/d/b"]),
            "old_str": st.sampled_from(["one", "two"]),
            "new_str": st.sampled_from(["", "three\n"]),
        }
    ),
    st.fixed_dictionaries(
        {
            "command": st.just("insert"),
            "path": st.sampled_from(["/memories/a", "/memories/d/b"]),
            "insert_line": st.integers(-1, 3),
            "insert_text": st.sampled_from(["new", "new\n", "a\u2028b"]),
        }
    ),
    st.fixed_dictionaries(
        {
            "command": st.just("delete"),
            "path": st.sampled_from(["/memories/a", "/memories/d", "/memories"]),
        }
    ),
    st.fixed_dictionaries(
        {
            "command": st.just("rename"),
            "old_path": st.sampled_from(["/memories/a", "/memories/d"]),
            "new_path": st.sampled_from(["/memories/d/b", "/memories/f"]),
        }
    ),
)


@settings(max_examples=12)
@given(script=st.lists(commands, max_size=6))
def test_it_does_what_anthropics_own_tool_on_files_does(
    tmp_path_factory: pytest.TempPathFactory, script: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("files")
    memory = a_memory()
    ours, theirs = AnthropicMemoryTool(memory), BetaLocalFilesystemMemoryTool(str(folder))

    for command in script:
        assert is_done(ours, command) == is_done(theirs, command), command
        remove_empty_folders(folder / "memories")  # which only files have

    assert {one.name: one.text for one in memory.documents()} == files_in(folder / "memories")


def remove_empty_folders(root: Path) -> None:
    for folder in sorted((path for path in root.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def is_done(tool: AnthropicMemoryTool | BetaLocalFilesystemMemoryTool, command: object) -> bool:
    try:
        tool.call(command)
    except (ToolError, OSError):
        return False
    return True


def files_in(root: Path) -> dict[str, str]:
    paths = [path for path in root.rglob("*") if path.is_file()]
    return {f"/memories/{path.relative_to(root)}": path.read_text() for path in paths}
