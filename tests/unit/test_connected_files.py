"""Our entries in clients' files: added once, recognised, and removed without a trace."""

import json
from pathlib import Path

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.clients.client import InstallTarget
from ai_smartness.clients.codex.codex_files import CodexServer, codex_hooks
from ai_smartness.clients.connected_file import (
    ConnectedFile,
    FileConnectPlan,
    plan_connect,
    plan_disconnect,
)
from ai_smartness.clients.json_entries import HooksPart, JsonEntries, ServerPart
from ai_smartness.clients.own_file import OwnFile
from ai_smartness.clients.registry import CLIENTS, TOOL_CLIENTS, load_client
from ai_smartness.model.errors import RefusedError

SERVER: dict[str, object] = {"command": "/v/bin/python", "args": ["-m", "ai_smartness", "mcp"]}
ENTRIES = JsonEntries(HooksPart(codex_hooks(Path("/m"))), ServerPart("mcpServers", SERVER))

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
servers = st.dictionaries(st.sampled_from(["theirs", "other"]), st.just({"command": "x"}))
settings = st.fixed_dictionaries(
    {},
    optional={
        "mcpServers": servers,
        "hooks": st.fixed_dictionaries(
            {},
            optional={
                "Stop": st.lists(st.just({"hooks": [{"type": "command", "command": "true"}]}))
            },
        ),
        "else": values,
    },
)
indents = st.sampled_from([None, 1, 2, 4, "\t"])


@given(settings, indents)
def test_json_entries_are_added_once_and_removed_completely(
    before: dict[str, object], indent: int | str | None
) -> None:
    text = json.dumps(before, indent=indent)

    added = ENTRIES.text_with_ours(text)

    assert ENTRIES.text_with_ours(added) == added
    left = ENTRIES.text_without_ours(added, text)
    assert (json.loads(left) if left else {}) == before


@given(st.dictionaries(st.from_regex(r"\A[a-z]{1,6}\Z"), st.integers() | st.text(max_size=9)))
def test_toml_entries_are_added_once_and_removed_completely(before: dict[str, object]) -> None:
    text = "# mine\n" + tomlkit.dumps(before)
    entries = CodexServer(SERVER, Path("/nowhere/hooks.json"))

    added = entries.text_with_ours(text)

    assert entries.text_with_ours(added) == added
    assert added.startswith(text)
    assert tomlkit.parse(entries.text_without_ours(added, text)).unwrap() == before


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"hooks": 3}', "[]", "{", "// no"])
def test_settings_of_an_odd_shape_are_refused(text: str) -> None:
    with pytest.raises(RefusedError):
        ENTRIES.text_with_ours(text)


def test_a_server_of_somebody_else_under_our_name_is_refused() -> None:
    theirs = json.dumps({"mcpServers": {"ai_smartness": {"command": "theirs"}}})

    with pytest.raises(RefusedError, match="not ours"):
        ENTRIES.text_with_ours(theirs)


def test_a_file_of_somebody_else_under_our_name_is_refused() -> None:
    with pytest.raises(RefusedError, match="not ours"):
        OwnFile("// ai_smartness/entrypoints/hooks/main.py").text_with_ours("// theirs")


@pytest.mark.parametrize("name", [name for name in CLIENTS if name != "claude-code"])
def test_a_clients_files_are_as_before_after_connecting_twice_and_disconnecting(
    name: str, tmp_path: Path
) -> None:
    home = tmp_path / "memory"
    home.mkdir()
    client = load_client(name)
    target = InstallTarget(home, {"AIS_CLIENTS_HOME": str(tmp_path / "user"), "PATH": ""})
    files: list[ConnectedFile] = [*client.connected_files(target)]  # type: ignore[attr-defined]

    def connect() -> int:
        edits = plan_connect(target, name, files)
        list(FileConnectPlan(home, "", "", files, edits).apply())
        return len(edits)

    assert connect() == len(files)
    assert connect() == 0
    list(plan_disconnect(target, "", files).apply())

    assert [path for path in (tmp_path / "user").rglob("*") if path.is_file()] == []
    assert not (home / "installed.json").exists()


@pytest.mark.parametrize("name", TOOL_CLIENTS)
def test_a_client_with_tools_alone_is_connected_by_its_file_or_told_what_to_add(
    name: str, tmp_path: Path
) -> None:
    home = tmp_path / "memory"
    home.mkdir()
    target = InstallTarget(home, {"AIS_CLIENTS_HOME": str(tmp_path)})

    steps = list(load_client(name).plan_install(target).apply())

    written = [path for path in tmp_path.rglob("*.json") if path.parent != home]
    texts = [path.read_text() for path in written] or [line for _, line in steps]
    assert any('"ai_smartness"' in text and '"mcp"' in text for text in texts)
