"""How our tools are registered with a client and allowed, and taken out again."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.entrypoints.installing import permission, server
from ai_smartness.entrypoints.installing.entries import Program
from ai_smartness.entrypoints.installing.json_text import edited, read
from ai_smartness.entrypoints.installing.plan import applied
from ai_smartness.model.errors import RefusedError

OURS = server.server(Program("/v/bin/python", "/s/main.py", "/home/me/my data"))
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
rules = st.lists(st.sampled_from(["Bash(ls:*)", "mcp__other", permission.RULE]), max_size=3)
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
    ]
)


def test_the_server_is_started_by_this_python_for_this_memory_wherever_it_runs() -> None:
    assert OURS == {
        "type": "stdio",
        "command": "/v/bin/python",
        "args": ["-E", "-P", "-m", "ai_smartness", "--home", "/home/me/my data", "mcp"],
        "alwaysLoad": True,
    }
    assert server.is_ours(OURS)


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
    entry: object, *, ours: bool
) -> None:
    assert server.is_ours(entry) is ours


@given(configs, places, layouts)
def test_registered_and_taken_out_again_a_file_is_the_same_byte_for_byte(
    config: dict[str, Any], place: str | None, layout: Callable[[Any], str]
) -> None:
    text = layout(config)
    steps = server.steps_in(config, place, OURS)

    there = edited(text, steps)
    out = server.steps_out(read(there), place, server.made_by(steps, place))

    assert server.entry_at(read(there), place) == OURS
    assert edited(there, out) == text


@given(configs, places, layouts, theirs)
def test_what_the_client_wrote_meanwhile_stays_whatever_it_was(
    config: dict[str, Any], place: str | None, layout: Callable[[Any], str], more: dict[str, Any]
) -> None:
    steps = server.steps_in(config, place, OURS)
    there = {**more, **applied(config, steps), "numStartups": 7}

    out = server.steps_out(there, place, server.made_by(steps, place))
    after = read(edited(layout(there), out))

    assert after == {**more, **config, "numStartups": 7}


@given(configs, st.permutations([None, HERE]))
def test_two_places_do_not_touch_each_other(
    config: dict[str, Any], order: list[str | None]
) -> None:
    text, made = json.dumps(config, indent=2), {}
    for place in order:
        steps = server.steps_in(read(text), place, OURS)
        made[place] = server.made_by(steps, place)
        text = edited(text, steps)

    first, second = order
    without_first = edited(text, server.steps_out(read(text), first, made[first]))

    assert list(server.places_of_ours(read(without_first))) == [second]


@given(configs, places)
def test_an_older_entry_of_ours_is_replaced(config: dict[str, Any], place: str | None) -> None:
    old: server.Server = {"command": "ais", "args": ["mcp"]}
    there = applied(config, server.steps_in(config, place, old))

    again = applied(there, server.steps_in(there, place, OURS))

    assert again == applied(config, server.steps_in(config, place, OURS))


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
        server.refuse_odd(config, HERE)


@given(settings, layouts)
def test_allowed_and_taken_out_again_settings_are_the_same_byte_for_byte(
    before: dict[str, Any], layout: Callable[[Any], str]
) -> None:
    text = layout(before)

    there = edited(text, permission.steps_in(before))
    after = edited(there, permission.steps_out(read(there), before))

    assert permission.is_in(read(there))
    assert after == text


@given(settings)
def test_a_permission_that_somebody_gave_before_us_stays(before: dict[str, Any]) -> None:
    given_before = applied(before, permission.steps_in(before))

    assert permission.steps_in(given_before) == []
    assert permission.steps_out(given_before, given_before) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ({"permissions": []}, "`permissions` is no object"),
        ({"permissions": {"allow": {}}}, "`permissions.allow` is no list"),
    ],
)
def test_permissions_of_another_shape_are_refused(text: dict[str, Any], said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        permission.refuse_odd(text)
