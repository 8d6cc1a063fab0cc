"""Which calls of tools ask something of the memory."""

import pytest

from ai_smartness.clients.hook_event import HookEvent
from ai_smartness.entrypoints.hooks.virtual_read import is_our_tool, requested_path
from hooking import an_event


def about(tool: str, **given: object) -> HookEvent:
    return HookEvent(an_event("PreToolUse", tool_name=tool, tool_input=given))


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cat .ai/recall/solana", ".ai/recall/solana"),
        ("cat '.ai/recall/solana validators'", ".ai/recall/solana validators"),
        ("cat .ai/recall/solana validators", ".ai/recall/solana validators"),
        ('cat "/p/.ai/recall/what\'s up?"', "/p/.ai/recall/what's up?"),
        ("  cat -n .ai/help", ".ai/help"),
        ("cat .ai/recall/what's up", ".ai/recall/what's up"),
        ("cat .ai/recall/x 2>/dev/null", ".ai/recall/x"),
        ("cat .ai/recall/x | head -20", ".ai/recall/x"),
        ("cat '.ai/recall/a;b|c&d'", ".ai/recall/a;b|c&d"),
    ],
)
def test_a_plain_cat_asks(command: str, path: str) -> None:
    assert requested_path(about("Bash", command=command)) == path


@pytest.mark.parametrize(
    "command",
    [
        "cat README.md",
        "cat .ai/config.toml",
        "cat .ai/recall/x; rm -rf /",
        "cat .ai/recall/x && make",
        "cat .ai/recall/x|sh",
        "cat .ai/recall/x\nrm -rf /",
        "cat .ai/recall/x > out",
        "echo .ai/recall/x",
        "cat",
        "",
    ],
)
def test_whatever_does_more_or_else_is_left_alone(command: str) -> None:
    assert requested_path(about("Bash", command=command)) == ""


def test_a_read_asks_and_an_edit_does_not() -> None:
    assert requested_path(about("Read", file_path="/p/.ai/recall/x")) == "/p/.ai/recall/x"
    assert requested_path(about("Read", file_path="/p/a.txt")) == ""
    assert requested_path(about("Edit", file_path="/p/.ai/recall/x")) == ""
    assert requested_path(about("Read", file_path=7)) == ""


@pytest.mark.parametrize(
    ("tool", "ours"),
    [
        ("mcp__ai_smartness__ai_recall", True),
        ("mcp__plugin_ai-smartness_ai_smartness__ai_pin", True),
        ("mcp__mem__ai_recall", False),
        ("mcp__evil_ai_smartness__ai_recall", False),
        ("mcp__ai_smartness_evil__ai_recall", False),
        ("mcp__ai-smartness__ai_recall", False),
        ("mcp__ai_smartness__ai_evil", False),
        ("mcp__ai_smartness__evil__ai_recall", False),
        ("mcp__plugin_evil_ai_smartness__ai_recall", False),
        ("mcp__AI_smartness__ai_recall", False),
        ("mcp__ai_smartness__ai_recall\n", False),
        ("Mcp__ai_smartness__ai_recall", False),
        ("mcp__ai_smartness__delete_all", False),
        ("ai_recall", False),
        ("", False),
    ],
)
def test_our_own_tools_are_known(tool: str, ours: bool) -> None:  # noqa: FBT001 - the example
    assert is_our_tool(about(tool)) is ours
