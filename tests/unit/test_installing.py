"""What a client is given by its version, and how it is put into settings and taken out."""

import json
import re
import shlex
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.clients.claude_code.hooks import (
    CAPTURED_TOOLS,
    NEWEST_TESTED,
    hook_groups,
    refuse_odd_settings,
)
from ai_smartness.clients.client_files import dumped_like, parsed_json
from ai_smartness.clients.hook_groups import (
    HookGroups,
    has_exactly_our_hooks,
    has_our_hooks,
    is_our_hook,
    settings_with_hooks,
    settings_without_hooks,
)
from ai_smartness.clients.installed_program import ClientVersion
from ai_smartness.clients.own_program import OwnProgram
from ai_smartness.clients.tool_use import COMMAND_TOOLS, EDIT_TOOLS, IGNORED_TOOLS
from ai_smartness.model.errors import RefusedError

PROGRAM = OwnProgram(
    "/v/bin/python", "/s/ai_smartness/entrypoints/hooks/main.py", "/home/me/my data"
)
OURS = hook_groups(PROGRAM, NEWEST_TESTED)
EVERYWHERE_KNOWN = {
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
}

foreign_hooks = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.text(max_size=20)},
    optional={"timeout": st.integers(1, 600), "args": st.lists(st.text(max_size=5), max_size=2)},
)
foreign_groups = st.fixed_dictionaries(
    {"hooks": st.lists(foreign_hooks, max_size=3)}, optional={"matcher": st.text(max_size=10)}
)
events = st.sampled_from([*OURS, "Notification", "FutureEvent"])
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
foreign_events = st.dictionaries(
    events, st.lists(foreign_groups | anything, max_size=3), max_size=5
)
settings = st.builds(
    lambda rest, hooked: {**rest, **hooked},
    st.dictionaries(st.text(max_size=6).filter(lambda name: name != "hooks"), anything, max_size=4),
    st.just({}) | foreign_events.map(lambda found: {"hooks": found}),
)
layouts: st.SearchStrategy[Callable[[Any], str]] = st.sampled_from(
    [
        json.dumps,
        lambda value: json.dumps(value, separators=(",", ":")),
        lambda value: json.dumps(value, indent=2) + "\n",
        lambda value: json.dumps(value, indent="\t", ensure_ascii=True) + "\n\n",
        lambda value: json.dumps(value, indent=4).replace("\n", "\r\n") + "\r\n",
        lambda value: "\ufeff" + json.dumps(value, indent=3),
    ]
)


def _listed(found: object) -> list[dict[str, Any]]:
    assert isinstance(found, list)
    return found


def every_hook(groups: HookGroups) -> list[dict[str, Any]]:
    return [hook for each in groups.values() for group in each for hook in _listed(group["hooks"])]


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("2.1.325 (Claude Code)\n", ClientVersion(2, 1, 325)),
        ("claude 10.0.1-beta", ClientVersion(10, 0, 1)),
        ("who knows", None),
    ],
)
def test_a_version_is_read_from_what_the_client_says(
    said: str, version: ClientVersion | None
) -> None:
    assert ClientVersion.read(said) == version


@pytest.mark.parametrize("version", [ClientVersion(2, 0, 76), ClientVersion(2, 1, 100)])
def test_an_old_client_is_given_no_event_that_it_may_not_know(version: ClientVersion) -> None:
    assert set(hook_groups(PROGRAM, version)) == EVERYWHERE_KNOWN


def test_a_newer_client_is_given_the_later_events_too() -> None:
    later = {"PostToolUseFailure", "PostCompact", "SubagentStart"}

    assert set(hook_groups(PROGRAM, ClientVersion(2, 1, 101))) == EVERYWHERE_KNOWN | later


def test_before_the_exec_form_the_command_is_one_for_the_shell() -> None:
    (hook,) = every_hook({"": hook_groups(PROGRAM, ClientVersion(2, 1, 138))["Stop"]})

    assert "args" not in hook
    assert shlex.split(hook["command"]) == [
        "/v/bin/python",
        "-S",
        "-E",
        "-I",
        PROGRAM.main,
        "--home",
        "/home/me/my data",
    ]


def test_from_the_exec_form_on_nothing_is_quoted() -> None:
    (hook,) = every_hook({"": hook_groups(PROGRAM, ClientVersion(2, 1, 139))["Stop"]})

    assert hook["command"] == "/v/bin/python"
    assert hook["args"] == ["-S", "-E", "-I", PROGRAM.main, "--home", "/home/me/my data"]


@pytest.mark.parametrize(
    "version", [ClientVersion(2, 0, 76), ClientVersion(2, 1, 139), NEWEST_TESTED]
)
def test_every_hook_has_a_timeout_and_is_known_again(version: ClientVersion) -> None:
    found = every_hook(hook_groups(PROGRAM, version))

    assert all(0 < hook["timeout"] <= 10 and is_our_hook(hook) for hook in found)


def test_a_condition_is_given_only_to_clients_that_judge_it_rightly() -> None:
    def conditions(version: ClientVersion) -> list[str]:
        found = every_hook({"": hook_groups(PROGRAM, version)["PreToolUse"]})
        return [hook["if"] for hook in found if "if" in hook]

    assert conditions(ClientVersion(2, 1, 175)) == []
    assert conditions(ClientVersion(2, 1, 176)) == ["Read(**/.ai/**)", "Bash(*.ai/*)"]


def test_one_matcher_finds_the_tools_before_conditions_and_no_others() -> None:
    (group,) = hook_groups(PROGRAM, ClientVersion(2, 1, 100))["PreToolUse"]
    matcher = re.compile(str(group["matcher"]))

    wanted = ["Read", "Bash", "mcp__ai_smartness__ai_pin", "mcp__plugin_x_ai_smartness__ai_recall"]
    assert [name for name in wanted if not matcher.search(name)] == []
    assert not any(map(matcher.search, ["NotebookRead", "BashOutput", "mcp__other__read"]))


def test_the_hook_runs_after_the_tools_it_keeps_and_not_after_noise() -> None:
    matcher = re.compile(CAPTURED_TOOLS)

    assert [
        name
        for name in (*EDIT_TOOLS, *COMMAND_TOOLS, "Read", "WebFetch")
        if not matcher.search(name)
    ] == []
    assert [name for name in IGNORED_TOOLS if matcher.search(name)] == []


@pytest.mark.parametrize("home", ["", "/home/\udcff"])
def test_a_path_that_is_no_text_is_refused(home: str) -> None:
    with pytest.raises(RefusedError, match="--home"):
        OwnProgram("/python", "/main.py", home)


@given(settings)
def test_what_is_put_in_and_taken_out_again_leaves_the_settings_as_they_were(
    before: dict[str, Any],
) -> None:
    there = settings_with_hooks(before, OURS)

    assert has_exactly_our_hooks(there, OURS)
    assert settings_without_hooks(there, before) == before


@given(settings)
def test_everybody_elses_entries_stay_where_they_are(before: dict[str, Any]) -> None:
    there = settings_with_hooks(before, OURS)

    rest = {name: value for name, value in there.items() if name != "hooks"}
    assert rest == {name: value for name, value in before.items() if name != "hooks"}
    for event, groups in before.get("hooks", {}).items():
        assert there["hooks"][event][: len(groups)] == groups


@given(settings)
def test_what_somebody_adds_meanwhile_stays(before: dict[str, Any]) -> None:
    there = deepcopy(settings_with_hooks(before, OURS))
    there["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "theirs"}]})
    there["hooks"]["SessionEnd"][-1]["hooks"].append({"type": "command", "command": "beside ours"})

    after = settings_without_hooks(there, before)

    assert not has_our_hooks(after)
    assert "theirs" in json.dumps(after["hooks"]["Stop"])
    assert after["hooks"]["SessionEnd"][-1]["hooks"] == [
        {"type": "command", "command": "beside ours"}
    ]


@given(settings, layouts)
def test_json_that_a_program_wrote_is_written_again_byte_for_byte(
    value: dict[str, Any], layout: Callable[[Any], str]
) -> None:
    text = layout(value or {"a": 1})

    assert dumped_like(parsed_json(text), text) == text


@given(settings, layouts)
def test_changed_json_keeps_its_indentation_line_ends_and_last_blanks(
    value: dict[str, Any], layout: Callable[[Any], str]
) -> None:
    text = layout(value or {"a": 1})

    changed = dumped_like({**value, "added": [1, 2]}, text)

    assert parsed_json(changed) == {**value, "added": [1, 2]}
    assert ("\r\n" in changed) == ("\r\n" in text)
    assert ("\n" in changed.strip()) == ("\n" in text.strip())
    assert changed[len(changed.rstrip()) :] == text[len(text.rstrip()) :]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", '{\n  "a": 1\n}\n'),
        ("{}", '{\n  "a": 1\n}'),
        ('{\n\t"b": {"c": 1}\n}\n', '{\n\t"a": 1\n}\n'),
    ],
)
def test_without_a_layout_json_is_indented_by_two_blanks(text: str, written: str) -> None:
    assert dumped_like({"a": 1}, text) == written


def test_half_of_a_surrogate_pair_is_written_as_an_escape() -> None:
    text = '{"a": "\\ud83d"}'

    assert dumped_like(parsed_json(text), text) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1]", "no object"),
        ('{"hooks": []}', "`hooks` is no object"),
        ('{"hooks": {"Stop": {}}}', "`hooks.Stop` is no list"),
    ],
)
def test_settings_of_another_shape_are_refused(text: str, said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        refuse_odd_settings(parsed_json(text), OURS)


@pytest.mark.parametrize("text", ["{,}", '{"a": 1} // why', '{"a": NaN}', "[" * 100_000, '{"a":'])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(RefusedError):
        parsed_json(text)


@pytest.mark.parametrize(
    "hook",
    [
        {"command": "/evil/not_ai_smartness/entrypoints/hooks/main.py"},
        {"command": "/evil.sh /x/ai_smartness/entrypoints/hooks/main.py.sh"},
        {"command": "python", "args": ["/x/ai_smartness/entrypoints/hooks/main.pyc"]},
        {"command": "echo 'see ai_smartness/entrypoints/hooks/main.py'"},
    ],
)
def test_a_hook_that_only_names_our_file_is_somebody_elses(hook: dict[str, object]) -> None:
    assert not is_our_hook(hook)
