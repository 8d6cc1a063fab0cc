"""Installed, our hooks stand beside everybody else's; taken out, they leave no trace."""

import json
from pathlib import Path

import pytest

from e2e.desk import Desk
from e2e.scripted_model import says, uses
from e2e.told import FACT, QUESTION, UNRELATED, decide

THEIR_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")
THEIRS = "a hook of somebody else was here"


def hooks_of_theirs(desk: Desk) -> dict[str, object]:
    """Register somebody's hooks: each leaves a note that it ran, and some speak to the model."""
    hooks: dict[str, object] = {}
    for event in THEIR_EVENTS:
        said = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": THEIRS}}
        speak = f"; echo '{json.dumps(said)}'" if event != "Stop" else ""
        command = f"cat >> '{desk.folder}/{event}.ran'{speak}"
        hooks[event] = [{"hooks": [{"type": "command", "command": command, "timeout": 5}]}]
    return hooks


def written(path: Path, text: str) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path.read_bytes()


def test_hooks_of_others_still_run_beside_ours(bare_desk: Desk) -> None:
    desk = bare_desk
    written(desk.project_settings, json.dumps({"hooks": hooks_of_theirs(desk)}))
    desk.ais("init", "--yes")
    decide(desk)

    model = desk.says(
        QUESTION, uses("Read", file_path=f".ai/recall/{QUESTION}"), says("Every 30 days.")
    )

    request = model.requests[-1]
    assert request.text.count(THEIRS) == 3
    assert all((desk.folder / f"{each}.ran").exists() for each in THEIR_EVENTS)
    assert any(FACT in each for each in request.shown)
    assert not request.result.is_error
    assert FACT in request.result.text


THEIR_OWN_WAY = """\
{
    "permissions": {"allow": ["Bash(ls:*)"]},

    "hooks": {
\t"Stop": [ {"hooks": [{"type": "command", "command": "true"}]} ] }
}

"""


@pytest.mark.parametrize(
    "text",
    [
        None,
        "{}",
        '{"model":"opus","hooks":{}}',
        THEIR_OWN_WAY,
        '{\r\n  "env": {"A": "\\u00e9t\\u00e9"}\r\n}\r\n',
    ],
    ids=["no file", "empty", "one line", "their own way", "another line end"],
)
@pytest.mark.parametrize("of_user", [True, False], ids=["user", "project"])
def test_uninstalling_leaves_the_settings_byte_for_byte_as_they_were(
    bare_desk: Desk, text: str | None, *, of_user: bool
) -> None:
    desk = bare_desk
    path = desk.user_settings if of_user else desk.project_settings
    before = None if text is None else written(path, text)

    desk.ais("init", "--yes", *(["--user"] if of_user else []))
    between = path.read_bytes()
    desk.ais("uninstall", "--yes")

    assert between != before
    assert (path.read_bytes() if path.exists() else None) == before


def test_a_memory_that_was_uninstalled_is_silent_and_kept(desk: Desk) -> None:
    decide(desk)
    desk.ais("uninstall", "--yes")

    model = desk.says(QUESTION, says("I do not know."))

    (request,) = model.requests
    assert request.greetings == []
    assert request.shown == []
    assert desk.at_work() == []
    assert FACT in desk.ais("search", QUESTION)


def test_installed_for_all_projects_it_works_in_each(bare_desk: Desk) -> None:
    desk = bare_desk
    desk.ais("init", "--yes", "--user")
    decide(desk)

    model = desk.says(QUESTION, says("Every 30 days."))

    (shown,) = model.requests[0].shown
    assert FACT in shown
    assert not desk.project_settings.exists()


def test_a_plugin_does_the_same_without_any_settings(bare_desk: Desk) -> None:
    desk = bare_desk
    plugin = desk.folder / "plugin"
    desk.ais("init", "--yes", "--no-hooks")
    desk.ais("plugin", str(plugin))
    loaded = ("--plugin-dir", str(plugin))
    recall = uses("Read", file_path=f".ai/recall/{QUESTION}")

    decide(desk, args=loaded)
    model = desk.says(QUESTION, recall, says("Every 30 days."), args=loaded)
    unrelated = desk.says(UNRELATED, says("Drops on the old roof."), args=loaded)

    first, second = model.requests
    assert len(first.greetings) == 1
    (shown,) = first.shown
    assert FACT in shown
    assert not second.result.is_error
    assert FACT in second.result.text
    assert unrelated.requests[0].shown == []
    assert not desk.user_settings.exists()
    assert not desk.project_settings.exists()


def test_the_client_finds_nothing_wrong_with_the_plugin(bare_desk: Desk) -> None:
    desk = bare_desk
    desk.ais("plugin", str(desk.folder / "plugin"))

    said = desk.claude("plugin", "validate", str(desk.folder / "plugin"))

    assert "Validation passed" in said
