"""How our tools are registered with a client and allowed, and taken out again."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.clients.claude_code import register as permission
from ai_smartness.clients.claude_code import register as server
from ai_smartness.clients.claude_code.hooks import HookProgram, applied_steps
from ai_smartness.clients.claude_code.settings_json import edited_json, parsed_json
from ai_smartness.model.errors import RefusedError

OURS = server.server_entry(HookProgram("/v/bin/python", "/s/main.py", "/home/me/my data"))
HERE = "/home/me/co de/ünï"

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
theirs = st.dictionaries(st.text(max_size=6), anything, max_size=3)
servers = st.dictionaries(st.sampled_from(["theirs", "other"]), anything, max_size=2)
projects = st.dictionaries(
    st.sampled_from([HERE, "/elsewhere"]),
    st.builds(lambda rest, held: {**rest, **held}, theirs, servers.map(lambda s: {"mcpServers": s}))
    | theirs,
    max_size=2,
)
configs = st.builds(
    lambda rest, *parts: {**rest, **{name: part for each in parts for name, part in each.items()}},
    theirs,
    st.just({}) | servers.map(lambda found: {"mcpServers": found}),
    st.just({}) | projects.map(lambda found: {"projects": found}),
)
places = st.sampled_from([None, HERE])
rules = st.lists(
    st.sampled_from(["Bash(ls:*)", "mcp__other", permission.PERMISSION_RULE]),
    max_size=3,
)
settings = st.builds(
    lambda rest, permissions: {**rest, **permissions},
    theirs.filter(lambda each: "permissions" not in each),
    st.just({})
    | st.builds(
        lambda rest, allow: {"permissions": {**rest, **allow}},
        st.dictionaries(st.sampled_from(["deny", "ask"]), rules, max_size=2),
        st.just({}) | rules.map(lambda found: {"allow": found}),
    ),
)
layouts: st.SearchStrategy[Callable[[Any], str]] = st.sampled_from(
    [
        json.dumps,
        lambda value: json.dumps(value, separators=(",", ":")),
        lambda value: json.dumps(value, indent=2),
        lambda value: json.dumps(value, indent="\t") + "\n\n",
        lambda value: json.dumps(value, indent=4).replace("\n", "\r\n") + "\r\n",
        lambda value: "\ufeff" + json.dumps(value, indent=3),
        lambda value: json.dumps(value, indent=2).replace("{}", "{ }").replace("[]", "[\n\n]"),
        lambda value: json.dumps(value).replace("{}", "{  }").replace("[]", "[ ]"),
    ],
)


def test_the_server_is_started_by_this_python_for_this_memory_wherever_it_runs() -> None:
    assert OURS == {
        "type": "stdio",
        "command": "/v/bin/python",
        "args": ["-E", "-P", "-m", "ai_smartness", "--home", "/home/me/my data", "mcp"],
        "alwaysLoad": True,
    }
    assert server.is_our_server(OURS)


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "ais", "args": ["mcp"]}, True),
        ({"command": "/opt/bin/ais", "args": ["--home", "/x", "mcp"]}, True),
        ({"command": "python", "args": ["-m", "ai_smartness", "mcp"], "env": {}}, True),
        ({"command": "python", "args": ["-m", "ai_smartness", "web"]}, False),
        ({"command": "npx", "args": ["-y", "somebody-elses-mcp"]}, False),
        ({"type": "http", "url": "http://localhost/ai_smartness"}, False),
        ({"command": "ais", "args": "mcp"}, False),
        ([], False),
        (None, False),
    ],
)
def test_an_entry_is_ours_by_what_it_starts_and_not_by_its_name(
    entry: object,
    *,
    ours: bool,
) -> None:
    assert server.is_our_server(entry) is ours


@given(configs, places, layouts)
def test_registered_and_taken_out_again_a_file_is_the_same_byte_for_byte(
    config: dict[str, Any],
    place: str | None,
    layout: Callable[[Any], str],
) -> None:
    text = layout(config)
    steps = server.registering_steps(config, place, OURS)

    there = edited_json(text, steps)
    out = server.unregistering_steps(
        parsed_json(there),
        place,
        server.created_holders(steps, place),
    )

    assert server.registered_entry(parsed_json(there), place) == OURS
    assert edited_json(there, out) == text


@given(configs, places, layouts, theirs)
def test_what_the_client_wrote_meanwhile_stays_whatever_it_was(
    config: dict[str, Any],
    place: str | None,
    layout: Callable[[Any], str],
    more: dict[str, Any],
) -> None:
    steps = server.registering_steps(config, place, OURS)
    there = {**more, **applied_steps(config, steps), "numStartups": 7}

    out = server.unregistering_steps(there, place, server.created_holders(steps, place))
    after = parsed_json(edited_json(layout(there), out))

    assert after == {**more, **config, "numStartups": 7}


@given(configs, st.permutations([None, HERE]))
def test_two_places_do_not_touch_each_other(
    config: dict[str, Any],
    order: list[str | None],
) -> None:
    text, made = json.dumps(config, indent=2), {}
    for place in order:
        steps = server.registering_steps(parsed_json(text), place, OURS)
        made[place] = server.created_holders(steps, place)
        text = edited_json(text, steps)

    first, second = order
    without_first = edited_json(
        text,
        server.unregistering_steps(parsed_json(text), first, made[first]),
    )

    assert list(server.our_places(parsed_json(without_first))) == [second]


@given(configs, places)
def test_an_older_entry_of_ours_is_replaced(config: dict[str, Any], place: str | None) -> None:
    old: server.ServerEntry = {"command": "ais", "args": ["mcp"]}
    there = applied_steps(config, server.registering_steps(config, place, old))

    again = applied_steps(there, server.registering_steps(there, place, OURS))

    assert again == applied_steps(config, server.registering_steps(config, place, OURS))


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ([], "holds no object"),
        ({"projects": []}, "`projects` is no object"),
        ({"projects": {HERE: 1}}, f"`{HERE}` is no object"),
        ({"projects": {HERE: {"mcpServers": []}}}, "`mcpServers` is no object"),
        ({"projects": {HERE: {"mcpServers": {"ai_smartness": {}}}}}, "is not ours"),
    ],
)
def test_a_file_of_servers_that_we_could_only_break_is_refused(config: object, said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        server.refuse_odd_config(config, HERE)


@given(settings, layouts)
def test_allowed_and_taken_out_again_settings_are_the_same_byte_for_byte(
    before: dict[str, Any],
    layout: Callable[[Any], str],
) -> None:
    text = layout(before)

    there = edited_json(text, permission.permission_steps(before))
    after = edited_json(there, permission.permission_removal_steps(parsed_json(there), before))

    assert permission.is_permitted(parsed_json(there))
    assert after == text


@given(settings)
def test_a_permission_that_somebody_gave_before_us_stays(before: dict[str, Any]) -> None:
    given_before = applied_steps(before, permission.permission_steps(before))

    assert permission.permission_steps(given_before) == []
    assert permission.permission_removal_steps(given_before, given_before) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ({"permissions": []}, "`permissions` is no object"),
        ({"permissions": {"allow": {}}}, "`permissions.allow` is no list"),
    ],
)
def test_permissions_of_another_shape_are_refused(text: dict[str, Any], said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        permission.refuse_odd_permissions(text)
