"""The language model on the command line: set, examined, asked, and seen in the log."""

import json
from pathlib import Path
from typing import Any

import pytest

from ai_smartness import Memory
from command_line import ais, standing_in_a_project
from fake_claude import fake_claude
from llm_server import SUMMARY, Heard, Reply, llm_server
from long_threads import a_long_thread

KEY = "sk-sesame-0123456789"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = standing_in_a_project(tmp_path, monkeypatch)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    return root


@pytest.fixture
def thread(project: Path, tmp_path: Path) -> str:
    with Memory.open(project=project, home=tmp_path / "home") as memory:
        return a_long_thread(memory)


def anthropic(server: Heard | str) -> dict[str, str]:
    return {
        "AIS_LLM_PROVIDER": "anthropic",
        "AIS_LLM_MODEL": "m",
        "AIS_LLM_BASE_URL": server if isinstance(server, str) else server.url,
        "ANTHROPIC_API_KEY": KEY,
    }


def examined(**env: str) -> dict[str, Any] | None:
    findings = json.loads(ais("doctor", "--json", **env).stdout)
    return next((each for each in findings if each["check"] == "language model"), None)


def test_an_unknown_provider_is_refused_when_it_is_configured() -> None:
    ran = ais("config", "set", "llm.provider", "oracle")

    assert ran.exit_code == 1
    assert "none, claude, anthropic, openai, ollama" in ran.output
    assert "llm.provider" in ais("status", AIS_LLM_PROVIDER="oracle").output


def test_a_project_cannot_turn_a_language_model_on(project: Path) -> None:
    (project / ".ai").mkdir()
    (project / ".ai" / "config.toml").write_text('[llm]\nprovider = "claude"\n')

    ran = ais("config", "get", "llm.provider")

    assert "ignored" in ran.stderr
    assert ran.stdout.strip() == "none"


def test_a_thread_is_summed_up_and_the_log_tells_of_the_call(thread: str) -> None:
    with llm_server() as server:
        ran = ais(
            "threads", "condense", thread, "--with", "llm-summary", "--target", "800",
            **anthropic(server),
        )  # fmt: skip

    assert ran.exit_code == 0, ran.output
    assert "instead" not in ran.output
    assert SUMMARY in ais("threads", "show", thread, "--working").stdout
    (call,) = [each for each in json.loads(ais("log", "--json").stdout) if each["verb"] == "llm"]
    assert call["arguments"]["tokens_in"] == 1_000
    assert "Asked m (anthropic) to condense" in ais("log").stdout
    assert KEY not in ran.output + ais("log", "--json").stdout
    assert ais("undo").stdout.startswith("Undid change")


def test_where_the_model_fails_the_command_goes_on_and_says_so(thread: str) -> None:
    with llm_server(Reply(429, b"{}")) as server:
        ran = ais(
            "threads", "condense", thread, "--with", "llm-summary", "--target", "800",
            **anthropic(server),
        )  # fmt: skip

    assert ran.exit_code == 0
    assert "Digest was used instead of llm-summary: cannot ask m at" in ran.stdout


def test_the_doctor_is_silent_on_a_model_that_is_not_configured() -> None:
    assert examined() is None


def test_the_doctor_says_which_model_there_is_and_what_it_took_without_asking_it(
    thread: str,
) -> None:
    with llm_server() as server:
        before = examined(**anthropic(server))
        args = ("threads", "condense", thread, "--with", "llm-summary", "--target", "800")
        ais(*args, **anthropic(server))
        after = examined(**anthropic(server))

    assert before is not None
    assert after is not None
    assert before["ok"]
    assert "anthropic m at http://127.0.0.1" in before["found"]
    assert "with the key in ANTHROPIC_API_KEY, within reach; 0 of 200,000" in before["found"]
    assert "1,050 of 200,000 tokens used today" in after["found"]
    assert KEY not in str(before)
    assert len(server.requests) == 1


def test_the_doctor_says_what_a_model_lacks(tmp_path: Path) -> None:
    with llm_server() as server:
        right = anthropic(server)
    fake = fake_claude(tmp_path)

    keyless = examined(**{**right, "ANTHROPIC_API_KEY": ""})
    gone = examined(**right)
    absent = examined(AIS_LLM_PROVIDER="claude")
    there = examined(AIS_LLM_PROVIDER="claude", AIS_CLAUDE=str(fake.program))

    for found, why in (
        (keyless, "no key in the variable ANTHROPIC_API_KEY"),
        (gone, "cannot be reached"),
        (absent, "there is no program claude"),
    ):
        assert found is not None
        assert not found["ok"]
        assert why in found["found"]
    assert there is not None
    assert there["ok"]
    assert "-p" not in fake.called["args"]
