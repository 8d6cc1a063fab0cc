"""Every language model that can be configured, and all the ways it can disappoint."""

import json
import os
import select
import socket
from pathlib import Path
from typing import Any

import pytest

from ai_smartness.adapters.llm import ChosenModel, chosen_model
from ai_smartness.adapters.llm.claude_program import HOOK_RUNNING
from ai_smartness.entrypoints.daemon import spawn
from ai_smartness.model.errors import AisError, RefusedError, StoreError
from ai_smartness.ports import Completion
from ai_smartness.settings.schema import LlmSettings
from fake_claude import fake_claude
from llm_server import SUMMARY, Heard, Reply, llm_server

KEY = "sk-sesame-0123456789"
KEYS = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY}

PATHS = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions", "ollama": "/api/chat"}
served = pytest.mark.parametrize("provider", list(PATHS))


def model(provider: str, server: Heard | str, **more: Any) -> ChosenModel:  # noqa: ANN401 - settings
    url = server if isinstance(server, str) else server.url
    base = f"{url}/v1" if provider == "openai" else url
    choice = LlmSettings(provider=provider, model="m", base_url=base, **more)
    made = chosen_model(choice, KEYS)
    assert made is not None
    return made


def is_gone(pid: int) -> bool:
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], 10)[0])
    finally:
        os.close(watched)


def claude(environ: dict[str, str], **more: Any) -> ChosenModel:  # noqa: ANN401 - settings
    made = chosen_model(LlmSettings(provider="claude", **more), environ)
    assert made is not None
    return made


def test_without_a_provider_there_is_no_model() -> None:
    assert chosen_model(LlmSettings(), KEYS) is None


@served
def test_an_answer_comes_with_the_tokens_that_the_api_reports(provider: str) -> None:
    with llm_server() as server:
        answer = model(provider, server).complete("sum it up", 300)

    assert answer == Completion(SUMMARY, 1_000, 50)
    (asked,) = server.requests
    assert asked.path == PATHS[provider]
    assert asked.prompt == "sum it up"
    assert asked.body["model"] == "m"


@served
def test_an_api_that_reports_no_tokens_leaves_the_counting_to_us(provider: str) -> None:
    with llm_server(usage=False) as server:
        answer = model(provider, server).complete("sum it up", 300)

    assert answer == Completion(SUMMARY, None, None)


def test_each_api_is_asked_for_no_more_than_the_limit() -> None:
    with llm_server() as server:
        for provider in PATHS:
            model(provider, server, max_tokens=100).complete("sum it up", 300)

    anthropic, openai, ollama = (request.body for request in server.requests)
    assert anthropic["max_tokens"] == openai["max_tokens"] == 100
    assert ollama["options"]["num_predict"] == 100
    assert ollama["stream"] is False


def test_ollama_is_given_a_window_for_the_whole_prompt() -> None:
    with llm_server() as server:
        model("ollama", server).complete("words " * 10_000, 500)

    assert server.requests[0].body["options"]["num_ctx"] >= 60_000 / 4 + 500


def test_the_key_is_sent_as_each_api_wants_it() -> None:
    with llm_server() as server:
        for provider in PATHS:
            model(provider, server).complete("sum it up", 300)

    anthropic, openai, ollama = (request.headers for request in server.requests)
    assert (anthropic["x-api-key"], anthropic["anthropic-version"]) == (KEY, "2023-06-01")
    assert openai["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(ollama)


def test_the_key_may_be_in_another_variable() -> None:
    with llm_server() as server:
        choice = LlmSettings(
            provider="ollama", model="m", base_url=server.url, key_variable="MY_KEY"
        )
        made = chosen_model(choice, {"MY_KEY": f" {KEY}\n"})
        assert made is not None
        made.complete("sum it up", 300)

    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@served
@pytest.mark.parametrize(
    ("reply", "kind", "why"),
    [
        (Reply(401, b'{"error":{"message":"bad key sk-sesame-0123456789"}}'), RefusedError, "401"),
        (Reply(404, b'{"error":"model m not found"}'), RefusedError, "(model m not found)"),
        (Reply(429, b'{"error":{"message":"slow down"}}'), RefusedError, "429"),
        (Reply(500, b"<html>"), RefusedError, "500"),
        (Reply(529, b'{"error":{"message":"overloaded"}}'), RefusedError, "(overloaded)"),
        (Reply(body=b"<html>hello</html>"), StoreError, "not one of the"),
        (Reply(body=b"[1, 2]"), StoreError, "not one of the"),
        (Reply(body=b'{"content":[3],"choices":[],"message":{}}'), StoreError, "not one of the"),
        (Reply(body=b"[" * 100_000), StoreError, "not one of the"),
        (Reply(body=b" " * 5_000_000), StoreError, "longer than 4,000,000 bytes"),
        (Reply(hangs=True), StoreError, "within 0.3 seconds"),
        (Reply(drips=True), StoreError, "within 0.3 seconds"),
        (Reply(breaks_off=True), StoreError, ""),
    ],
    ids=str,
)
def test_what_a_server_does_wrong_is_said_with_a_way_out_and_without_the_key(
    provider: str, reply: Reply, kind: type[AisError], why: str
) -> None:
    seconds = 0.3 if reply.hangs or reply.drips else 30.0
    with llm_server(reply) as server:
        asked = model(provider, server, timeout_seconds=seconds)
        with pytest.raises(kind) as error:
            asked.complete("sum it up", 300)

    said = str(error.value)
    assert said.startswith(f"cannot ask m at {server.url}")
    assert why in said
    assert KEY not in said
    assert said.endswith(".")
    assert len(server.requests) == 1


@served
def test_a_server_that_is_not_running_took_nothing(provider: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"

        with pytest.raises(RefusedError, match=r"cannot be reached: .*refused"):
            model(provider, url).complete("sum it up", 300)


def test_the_key_follows_no_redirect() -> None:
    with llm_server() as elsewhere:
        moved = Reply(307, b"", location=f"{elsewhere.url}/v1/messages")
        with llm_server(moved) as server, pytest.raises(RefusedError, match="answered 307"):
            model("anthropic", server).complete("sum it up", 300)

    assert elsewhere.requests == []


@pytest.mark.parametrize(
    ("choice", "environ", "why"),
    [
        (
            LlmSettings(provider="anthropic", model="m"),
            {},
            "no key in the variable ANTHROPIC_API_KEY",
        ),
        (LlmSettings(provider="anthropic"), KEYS, "no model is named"),
        (LlmSettings(provider="ollama"), {}, "no model is named"),
        (LlmSettings(provider="openai", model="m", base_url="localhost:1"), KEYS, "is no URL"),
        (LlmSettings(provider="openai", model="m", base_url="http://[1"), KEYS, "is no URL"),
        (LlmSettings(provider="openai", model="m", base_url="http://h:99999"), KEYS, "is no URL"),
        (LlmSettings(provider="openai", model="m", base_url="https://h/a b"), KEYS, "is no URL"),
        (LlmSettings(provider="openai", model="m", base_url="https://hä/"), KEYS, "is no URL"),
        (
            LlmSettings(provider="openai", model="m", base_url="file:///etc/passwd"),
            KEYS,
            "is no URL",
        ),
        (LlmSettings(provider="openai", model="m", base_url="http://u:sesame@h"), {}, "a password"),
        (
            LlmSettings(provider="openai", model="m", base_url="http://h.example"),
            KEYS,
            "in the clear",
        ),
        (
            LlmSettings(provider="anthropic", model="m", key_variable="sk-sesame"),
            {},
            "no name of a",
        ),
        (LlmSettings(provider="openai", model="m"), {"OPENAI_API_KEY": "a\nb"}, "is no key"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_set_right_is_refused_before_anything_is_sent(
    choice: LlmSettings, environ: dict[str, str], why: str
) -> None:
    made = chosen_model(choice, environ)
    assert made is not None

    for ask in (lambda: made.complete("sum it up", 300), made.check):
        with pytest.raises(RefusedError) as error:
            ask()
        assert why in str(error.value)
        assert "sesame" not in str(error.value)


@served
def test_a_check_finds_the_server_and_asks_it_nothing(provider: str) -> None:
    with llm_server() as server:
        said = model(provider, server).check()

    assert "within reach" in said
    assert KEY not in said
    assert server.requests == []
    with pytest.raises(StoreError, match="cannot be reached"):
        model(provider, server.url).check()


def test_a_key_is_not_shown_where_a_model_is_printed() -> None:
    made = model("anthropic", "http://127.0.0.1:1")

    assert KEY not in repr(vars(made))


def test_claude_is_asked_by_its_standard_input_and_counted_with_its_cache(tmp_path: Path) -> None:
    fake = fake_claude(tmp_path)

    answer = claude(fake.environ).complete("sum it up: ä", 300)

    assert answer == Completion("The goal: rotate the keys.", 1_007, 40)
    assert fake.called["prompt"] == "sum it up: ä"
    assert "sum it up: ä" not in fake.called["args"]
    assert "--model" not in fake.called["args"]


def test_claude_is_guarded_against_itself(tmp_path: Path) -> None:
    fake = fake_claude(tmp_path)
    inside = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1", "ANTHROPIC_BASE_URL": "http://x"}

    claude({**fake.environ, **inside}, model="haiku").complete("sum it up", 300)

    args, env = fake.called["args"], fake.called["env"]
    assert json.loads(args[args.index("--settings") + 1]) == {"disableAllHooks": True}
    assert args[args.index("--tools") + 1] == ""
    assert args[args.index("--model") + 1] == "haiku"
    assert {"-p", "--no-session-persistence", "--strict-mcp-config"} <= set(args)
    assert HOOK_RUNNING == spawn.HOOK_RUNNING_VARIABLE
    assert env[HOOK_RUNNING] == "1"
    assert env["ANTHROPIC_BASE_URL"] == "http://x"
    assert not {"CLAUDECODE", "CLAUDE_CODE_SESSION_ID"} & set(env)
    assert fake.called["found"] == []
    assert fake.called["cwd"] != str(Path.cwd())
    assert not Path(fake.called["cwd"]).exists()


@pytest.mark.parametrize(
    ("does", "kind", "why"),
    [
        ("print('hello')", RefusedError, "no answer (hello)"),
        ("sys.exit(3)", RefusedError, "code 3"),
        ("sys.exit('error: unknown option --tools')", RefusedError, "unknown option --tools"),
        ("print('{}')", RefusedError, "no answer"),
        ('print(\'{"result": 3, "usage": [1]}\')', RefusedError, "no answer"),
        ("print('{\"result\": null}')", RefusedError, "could not answer"),
        ("print('x' * 5_000_000)", StoreError, "longer than"),
    ],
)
def test_what_claude_does_wrong_is_said(
    tmp_path: Path, does: str, kind: type[AisError], why: str
) -> None:
    fake = fake_claude(tmp_path, does)

    with pytest.raises(kind) as error:
        claude(fake.environ).complete("sum it up", 300)

    assert why in str(error.value)


def test_claude_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    child = "child = subprocess.Popen(['/bin/sleep', '600'])"
    note = f"Path({str(tmp_path / 'child')!r}).write_text(str(child.pid))"
    fake = fake_claude(tmp_path, f"{child}\n{note}\nchild.wait()")

    with pytest.raises(StoreError, match="no whole answer within 5 seconds"):
        claude(fake.environ, timeout_seconds=5.0).complete("sum it up", 300)

    assert is_gone(int((tmp_path / "child").read_text()))


def test_claude_that_is_not_logged_in_took_nothing(tmp_path: Path) -> None:
    fake = fake_claude(
        tmp_path, is_error=True, result="Invalid API key · Please run /login", usage={}
    )

    with pytest.raises(RefusedError, match=r"could not answer .*Please run /login"):
        claude(fake.environ).complete("sum it up", 300)


def test_claude_that_failed_after_it_began_took_something(tmp_path: Path) -> None:
    fake = fake_claude(tmp_path, is_error=True, result="API Error")

    with pytest.raises(StoreError, match="API Error"):
        claude(fake.environ).complete("sum it up", 300)


def test_claude_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "claude").write_text("#!/nowhere/python\n")
    (tmp_path / "claude").chmod(0o755)

    for environ in (
        {"PATH": "/nowhere"},
        {"PATH": "/bin", "AIS_CLAUDE": ""},
        {"PATH": "/bin", "AIS_CLAUDE": '"'},
    ):
        with pytest.raises(RefusedError, match="there is no program claude"):
            claude(environ).complete("sum it up", 300)
    with pytest.raises(RefusedError, match="does not start"):
        claude({"PATH": str(tmp_path)}).complete("sum it up", 300)


def test_claude_may_be_named(tmp_path: Path) -> None:
    fake = fake_claude(tmp_path)
    named = {"PATH": os.environ["PATH"], "AIS_CLAUDE": f"{fake.program} --verbose"}

    said = claude(named).check()
    claude(named).complete("sum it up", 300)

    assert str(fake.program) in said
    assert fake.called["args"][:2] == ["--verbose", "-p"]
