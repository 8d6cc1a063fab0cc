"""How our tools are registered with a client and allowed, and taken out again."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.clients.claude_code.hooks import (
    PERMISSION_RULE,
    is_permitted,
    refuse_odd_settings,
    settings_with_permission,
    settings_without_permission,
)
from ai_smartness.clients.claude_code.register import (
    ServerEntry,
    config_with_server,
    config_without_server,
    missing_containers,
    our_places,
    refuse_odd_config,
    registered_entry,
    server_entry,
)
from ai_smartness.clients.own_program import OwnProgram, is_our_server
from ai_smartness.model.errors import RefusedError

OURS = server_entry(OwnProgram("/v/bin/python", "/s/main.py", "/home/me/my data"))
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
rules = st.lists(st.sampled_from(["Bash(ls:*)", "mcp__other", PERMISSION_RULE]), max_size=3)
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


def test_the_server_is_started_by_this_python_for_this_memory_wherever_it_runs() -> None:
    assert OURS == {
        "type": "stdio",
        "command": "/v/bin/python",
        "args": ["-E", "-P", "-m", "ai_smartness", "--home", "/home/me/my data", "mcp"],
        "alwaysLoad": True,
    }
    assert is_our_server(OURS)


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
    assert is_our_server(entry) is ours


@given(configs, places)
def test_registered_and_taken_out_again_a_configuration_is_the_same(
    config: dict[str, Any], place: str | None
) -> None:
    there = config_with_server(config, place, OURS)

    assert registered_entry(there, place) == OURS
    assert config_without_server(there, place, missing_containers(config, place)) == config


@given(configs, places, theirs)
def test_what_the_client_wrote_meanwhile_stays_whatever_it_was(
    config: dict[str, Any], place: str | None, more: dict[str, Any]
) -> None:
    there = {**more, **config_with_server(config, place, OURS), "numStartups": 7}

    after = config_without_server(there, place, missing_containers(config, place))

    assert after == {**more, **config, "numStartups": 7}


@given(configs, st.permutations([None, HERE]))
def test_two_places_do_not_touch_each_other(
    config: dict[str, Any], order: list[str | None]
) -> None:
    first, second = order
    created = missing_containers(config, first)
    both = config_with_server(config_with_server(config, first, OURS), second, OURS)

    without_first = config_without_server(both, first, created)

    assert list(our_places(without_first)) == [second]


@given(configs, places)
def test_an_older_entry_of_ours_is_replaced(config: dict[str, Any], place: str | None) -> None:
    old: ServerEntry = {"command": "ais", "args": ["mcp"]}
    there = config_with_server(config, place, old)

    assert config_with_server(there, place, OURS) == config_with_server(config, place, OURS)


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
        refuse_odd_config(config, HERE)


@given(settings)
def test_allowed_and_taken_out_again_settings_are_the_same(before: dict[str, Any]) -> None:
    there = settings_with_permission(before)

    assert is_permitted(there)
    assert settings_without_permission(there, before) == before


@given(settings)
def test_a_permission_that_somebody_gave_before_us_stays(before: dict[str, Any]) -> None:
    allowed_before = settings_with_permission(before)

    assert settings_with_permission(allowed_before) == allowed_before
    assert settings_without_permission(allowed_before, allowed_before) == allowed_before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ({"permissions": []}, "`permissions` is no object"),
        ({"permissions": {"allow": {}}}, "`permissions.allow` is no list"),
    ],
)
def test_permissions_of_another_shape_are_refused(text: dict[str, Any], said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        refuse_odd_settings(text, {})
