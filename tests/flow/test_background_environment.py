"""A session's environment, which its repository may have set, decides nothing for the others."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ai_smartness.adapters.embedders.model_cache import ModelCache
from ai_smartness.entrypoints.daemon.spawn import (
    HOOK_RUNNING_VARIABLE,
    start_and_wait,
    stop_daemon,
)
from ai_smartness.model.errors import StoreError
from ai_smartness.settings.background_environment import (
    RECORDED_VARIABLES,
    SESSION_VARIABLES,
    background_environment,
    record_environment,
)
from ai_smartness.settings.paths import HomePaths
from ai_smartness.settings.setting import SETTINGS
from command_line import ais, standing_in_a_project
from daemons import PATIENCE_SECONDS, asked
from embedding_server import embedding_server
from hooking import an_event, hooked
from mcp_serving import Site, text_of

HOSTILE = {
    "AIS_EMBEDDER_MODEL": "http://127.0.0.1:9/v1#m",
    "AIS_EMBEDDER_KEY": "sk-theirs",
    "AIS_LLM_PROVIDER": "openai",
    "AIS_LLM_BASE_URL": "http://127.0.0.1:9",
    "AIS_CLAUDE": "/repo/evil",
    "AIS_CACHE": "/repo/cache",
    "AIS_HOME": "/repo/home",
    "XDG_CONFIG_HOME": "/repo/config",
    "XDG_DATA_HOME": "/repo/data",
    "CLAUDE_CONFIG_DIR": "/repo/.claude",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "ALL_PROXY": "http://127.0.0.1:9",
    "HF_ENDPOINT": "http://127.0.0.1:9",
    "PYTHONPATH": "/repo",
    "PYTHONSTARTUP": "/repo/evil.py",
    "PYTHONHOME": sys.prefix,
    "PYTHONINSPECT": "1",
    "LD_LIBRARY_PATH": "/repo",
    "GIT_DIR": "/repo/.git",
    "GIT_SSH_COMMAND": "/repo/evil",
    "GIT_CONFIG_GLOBAL": "/repo/gitconfig",
    "SQLITE_TMPDIR": "/repo",
    "OPENSSL_CONF": "/repo/openssl.cnf",
    "ORT_DISABLE_TELEMETRY": "0",
    "PATH": f"/repo/bin:{os.defpath}",
    "TMPDIR": "/repo/tmp",
}


@contextmanager
def spawned(home: Path) -> Iterator[dict[str, str]]:
    """Have the daemon that a hook or a command has spawned; yield its environment."""
    try:
        pid = asked(home, "status")["pid"]
        pairs = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
        yield dict(pair.partition("=")[::2] for pair in pairs if pair)
    finally:
        stop_daemon(HomePaths(str(home)), PATIENCE_SECONDS)


needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc")


@needs_proc
def test_a_daemon_that_a_hook_starts_gets_nothing_of_the_session_but_a_few_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    for name in [*SESSION_VARIABLES]:
        monkeypatch.delenv(name, raising=False)
    for name, text in {**HOSTILE, "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, text)

    assert start_and_wait(HomePaths(str(home)), PATIENCE_SECONDS)

    with spawned(home) as environ:
        # Python sets LC_CTYPE itself where the language is not set.
        assert set(environ) - {"LC_CTYPE"} == {"HOME", "PATH", HOOK_RUNNING_VARIABLE}
        assert "/repo" not in environ["PATH"]


@needs_proc
def test_one_session_s_address_receives_nothing_of_another_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(tmp_path))
    with embedding_server() as server:
        monkeypatch.setenv("AIS_EMBEDDER_MODEL", server.url)
        assert start_and_wait(HomePaths(str(home)), PATIENCE_SECONDS)
        monkeypatch.delenv("AIS_EMBEDDER_MODEL")

        with spawned(home):
            other = an_event("UserPromptSubmit", prompt="our salaries", cwd=str(tmp_path / "b"))
            hooked(home, other, alone=False)
            asked(home, "drain", seconds=30)
            status = asked(home, "tool", name="ai_status", arguments={}, cwd=str(tmp_path / "b"))
            found = asked(
                home,
                "tool",
                name="ai_recall",
                arguments={"query": "salaries"},
                cwd=str(tmp_path / "b"),
            )

    assert server.sizes == []
    assert server.url not in json.dumps(status)
    assert "salaries" in str(found["text"])


def test_the_mcp_server_takes_no_address_from_the_session(tmp_path: Path) -> None:
    site = Site.under(tmp_path)
    site.told(m1="rotate the keys every month")
    with embedding_server() as server:
        site.extra["AIS_EMBEDDER_MODEL"] = server.url
        answer = site.called("ai_suggestions")
        found = site.called("ai_recall", query="keys")

    assert server.sizes == []
    assert not answer.is_error
    assert "rotate the keys" in text_of(found)


def test_the_users_own_folders_and_proxies_are_recorded_once_and_used_ever_after(
    tmp_path: Path,
) -> None:
    home, project = tmp_path / "home", tmp_path / "code"
    home.mkdir()
    users = {
        "HOME": "/home/ann",
        "PATH": f"{project}/node_modules/.bin:bin:/home/ann/bin:/usr/bin",
        "XDG_CONFIG_HOME": "/home/ann/settings",
        "CLAUDE_CONFIG_DIR": f"{project}/.claude",
        "HTTPS_PROXY": "http://proxy.example:3128",
        "HTTP_PROXY": "http://ann:password@proxy.example:3128",
        "AIS_EMBEDDER_MODEL": "http://127.0.0.1:9/v1#m",
    }

    record_environment(str(home), users, str(project))

    assert background_environment(str(home), {**HOSTILE, "HOME": "/repo", "LANG": "C.UTF-8"}) == {
        "HOME": "/home/ann",
        "PATH": "/home/ann/bin:/usr/bin",
        "XDG_CONFIG_HOME": "/home/ann/settings",
        "HTTPS_PROXY": "http://proxy.example:3128",
        "LANG": "C.UTF-8",
    }
    assert (home / "environment.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("record", [b"", b"[]", b"{", b'{"PATH": 7}', b"\xff", b"[" * 60_000])
def test_a_broken_record_counts_as_none(tmp_path: Path, record: bytes) -> None:
    (tmp_path / "environment.json").write_bytes(record)

    assert background_environment(str(tmp_path), {"HOME": "/home/ann"}) == background_environment(
        str(tmp_path / "nowhere"), {"HOME": "/home/ann"}
    )


def test_init_records_them_and_doctor_says_if_the_daemon_would_read_other_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing_in_a_project(tmp_path, monkeypatch)
    monkeypatch.delenv("AIS_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "mine"))
    assert ais("config", "set", "inject.floor", "0.5").exit_code == 0

    before = ais("doctor").stdout
    assert ais("init").exit_code == 0
    after = ais("doctor").stdout

    assert "Run `ais init` once to record yours" in before
    assert "to record yours" not in after
    (tmp_path / "other").mkdir()
    assert "your AIS_CACHE" in ais("doctor", AIS_CACHE=str(tmp_path / "other")).stdout


def test_no_variable_that_is_passed_on_is_a_setting_or_starts_a_program() -> None:
    settings = {setting.variable for setting in SETTINGS.values()}
    passed = {*SESSION_VARIABLES, *RECORDED_VARIABLES}

    assert not passed & settings
    assert not any(name.startswith(("LD_", "DYLD_", "PYTHON", "GIT_")) for name in passed)
    assert not any(name.endswith(("_KEY", "_TOKEN", "_ENDPOINT", "_URL")) for name in passed)


def test_a_repository_may_set_numbers_and_switches_and_no_text() -> None:
    texts = {setting.key for setting in SETTINGS.values() if isinstance(setting.default, str)}
    mine = {setting.key for setting in SETTINGS.values() if setting.user_only}

    assert texts <= mine


def test_the_key_of_a_server_comes_from_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("sk-mine\n")
    key.chmod(0o600)

    with embedding_server() as server:
        embedder = ModelCache(tmp_path).load_embedder(server.url, key_file=str(key))
        assert embedder
        embedder.query("keys")

    assert set(server.authorizations) == {"Bearer sk-mine"}
    key.chmod(0o644)
    with pytest.raises(StoreError, match="others can read"):
        ModelCache(tmp_path).load_embedder("http://127.0.0.1:9/v1#m", key_file=str(key))
    with pytest.raises(StoreError, match="cannot read the key"):
        ModelCache(tmp_path).load_embedder("http://127.0.0.1:9/v1#m", key_file="/nowhere")
