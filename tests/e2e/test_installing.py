"""Installed, our hooks and tools stand beside everybody's; taken out, they leave no trace."""

import json
from pathlib import Path

import pytest

from e2e.scripted_model import ScriptedModel, says, uses
from e2e.site import Site
from e2e.told import DECISION, FACT, QUESTION, UNRELATED, brief_of, decide

THEIR_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")
THEIRS = "a hook of somebody else was here"


def hooks_of_theirs(site: Site) -> dict[str, object]:
    """Register somebody's hooks: each leaves a note that it ran, and some speak to the model."""
    hooks: dict[str, object] = {}
    for event in THEIR_EVENTS:
        said = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": THEIRS}}
        speak = f"; echo '{json.dumps(said)}'" if event != "Stop" else ""
        command = f"cat >> '{site.folder}/{event}.ran'{speak}"
        hooks[event] = [{"hooks": [{"type": "command", "command": command, "timeout": 5}]}]
    return hooks


def written(path: Path, text: str) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path.read_bytes()


def test_hooks_of_others_still_run_beside_ours(bare_site: Site) -> None:
    site = bare_site
    written(site.project_settings, json.dumps({"hooks": hooks_of_theirs(site)}))
    site.ais("init", "--yes")
    decide(site)

    model = site.says(
        QUESTION,
        uses("Read", file_path=f".ai/recall/{QUESTION}"),
        says("Every 30 days."),
    )

    request = model.requests[-1]
    assert request.text.count(THEIRS) == 3
    assert all((site.folder / f"{each}.ran").exists() for each in THEIR_EVENTS)
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
    bare_site: Site,
    text: str | None,
    *,
    of_user: bool,
) -> None:
    site = bare_site
    path = site.user_settings if of_user else site.project_settings
    before = None if text is None else written(path, text)

    site.ais("init", "--yes", *(["--user"] if of_user else []))
    between = path.read_bytes()
    site.ais("uninstall", "--yes")

    assert between != before
    assert (path.read_bytes() if path.exists() else None) == before


def tools_of(model: ScriptedModel) -> set[str]:
    """Return which tools of ours the model was given, without having to look for them."""
    tools = model.requests[0].body["tools"]
    return {each["name"].rpartition("__")[2] for each in tools if "ai_smartness" in each["name"]}


@pytest.mark.parametrize("of_user", [True, False], ids=["user", "project"])
def test_the_tools_are_at_hand_and_may_be_called_without_a_question(
    bare_site: Site,
    *,
    of_user: bool,
) -> None:
    site = bare_site
    site.ais("init", "--yes", *(["--user"] if of_user else []))

    pin = uses("mcp__ai_smartness__ai_pin", content=DECISION, title="Key rotation")
    model = site.says("remember that", pin, says("Done."))

    assert {"ai_recall", "ai_pin", "ai_compact", "ai_undo"} <= tools_of(model)
    result = model.requests[-1].result
    assert not result.is_error, result.text
    assert "Pinned as thread_" in result.text
    assert FACT in site.ais("recall", QUESTION)


def test_in_a_folder_below_the_project_the_tools_are_there_too(site: Site) -> None:
    below = site.project / "src" / "deep"
    below.mkdir(parents=True)
    site.project = below

    model = site.says("hello", says("Hello."))

    assert "ai_recall" in tools_of(model)


def test_the_permission_alone_is_enough_where_its_user_trusts_the_settings(
    site: Site,
) -> None:
    settings = json.loads(site.project_settings.read_text())
    site.project_settings.write_text("{}")
    written(site.user_settings, json.dumps({"permissions": settings["permissions"]}))

    pin = uses("mcp__ai_smartness__ai_pin", content=DECISION)
    model = site.says("remember that", pin, says("Done."))

    assert not model.requests[-1].result.is_error


@pytest.mark.parametrize("of_user", [True, False], ids=["user", "project"])
def test_what_the_client_keeps_of_itself_survives_coming_and_going(
    bare_site: Site,
    *,
    of_user: bool,
) -> None:
    site = bare_site
    config = site.config / ".claude.json"
    site.says("hello", says("Hello."))
    before = config.read_bytes()

    site.ais("init", "--yes", *(["--user"] if of_user else []))
    between = config.read_bytes()
    site.ais("uninstall", "--yes")
    after = config.read_bytes()
    site.ais("init", "--yes", *(["--user"] if of_user else []))
    listed = site.claude("mcp", "list")
    site.says("hello again", says("Hello."))
    site.ais("uninstall", "--yes")

    assert b"ai_smartness" in between
    assert after == before
    assert "ai_smartness" in listed
    left = json.loads(config.read_bytes())
    assert "ai_smartness" not in json.dumps(left)
    assert set(json.loads(before)) <= set(left)


def test_a_memory_that_was_uninstalled_is_silent_and_kept(site: Site) -> None:
    decide(site)
    site.ais("uninstall", "--yes")

    model = site.says(QUESTION, says("I do not know."))

    (request,) = model.requests
    assert request.greetings == []
    assert request.shown == []
    assert site.at_work() == []
    assert FACT in site.ais("search", QUESTION)


def test_installed_for_all_projects_it_works_in_each(bare_site: Site) -> None:
    site = bare_site
    site.ais("init", "--yes", "--user")
    decide(site)

    model = site.says(QUESTION, says("Every 30 days."))

    assert FACT in brief_of(model.requests[0])
    assert not site.project_settings.exists()


def test_a_plugin_does_the_same_without_any_settings(bare_site: Site) -> None:
    site = bare_site
    plugin = site.folder / "plugin"
    site.ais("init", "--yes", "--no-hooks")
    site.ais("plugin", str(plugin))
    loaded = ("--plugin-dir", str(plugin))
    recall = uses("Read", file_path=f".ai/recall/{QUESTION}")

    decide(site, args=loaded)
    model = site.says(QUESTION, recall, says("Every 30 days."), args=loaded)
    unrelated = site.says(UNRELATED, says("Drops on the old roof."), args=loaded)

    first, second = model.requests
    assert FACT in brief_of(first)
    assert not second.result.is_error
    assert FACT in second.result.text
    assert unrelated.requests[0].shown == []
    assert {"ai_recall", "ai_pin"} <= tools_of(model)
    assert not site.user_settings.exists()
    assert not site.project_settings.exists()


def test_the_tools_of_the_plugin_may_be_called_without_a_question(
    bare_site: Site,
) -> None:
    site = bare_site
    plugin = site.folder / "plugin"
    site.ais("init", "--yes", "--no-hooks")
    site.ais("plugin", str(plugin))

    pin = uses("mcp__plugin_ai-smartness_ai_smartness__ai_pin", content=DECISION)
    model = site.says("remember that", pin, says("Done."), args=("--plugin-dir", str(plugin)))

    result = model.requests[-1].result
    assert not result.is_error, result.text
    assert FACT in site.ais("recall", QUESTION)


def test_the_client_finds_nothing_wrong_with_the_plugin(bare_site: Site) -> None:
    site = bare_site
    site.ais("plugin", str(site.folder / "plugin"))

    said = site.claude("plugin", "validate", str(site.folder / "plugin"))

    assert "Validation passed" in said


def test_doctor_proves_that_the_hooks_fire_without_a_model(site: Site) -> None:
    proof = site.ais("doctor", "--prove")

    assert "Claude Code was started for one prompt, and ran our hook" in proof
    assert not list(site.memory.glob("inbox/*")), "nothing of the proof is captured"
