"""The hook and a daemon that answers, is late, makes no sense or is gone."""

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ai_smartness.clients.hook_event import HookEvent
from ai_smartness.clients.registry import load_client
from ai_smartness.entrypoints.daemon.client import (
    DaemonCall,
    NoAnswerError,
    NoDaemonError,
    answer_line,
    ask_daemon,
    read_line,
)
from ai_smartness.entrypoints.daemon.spawn import spawn_daemon, spawn_detached, stop_daemon
from ai_smartness.entrypoints.hooks.turn import HookTurn
from ai_smartness.settings.paths import HomePaths
from daemons import PATIENCE_SECONDS, running
from hooking import an_event, hooked, keep_alone, kept_in, log_of, took_ms

DEADLINE_MS = 1_000
ALL_THE_TIME_MS = 30_000
"""For who is answered: on a busy machine even a start of Python may take the usual deadline."""

MARGIN_MS = 5_000
"""Not to measure speed on a busy machine, but to tell a bounded wait from one without end."""

PROMPT = an_event("UserPromptSubmit", prompt="which <private>SECRET</private> port?", cwd="/")
READ = an_event(
    "PreToolUse", tool_name="Read", tool_use_id="t1", tool_input={"file_path": "/p/.ai/help"}
)

Behaviour = Callable[[socket.socket], None]


@contextmanager
def a_daemon(home: Path, behaviour: Behaviour) -> Iterator[None]:
    """Listen where the daemon would, and treat each caller so."""
    (home / "run").mkdir(mode=0o700, parents=True, exist_ok=True)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(HomePaths(str(home)).socket)
    listening.listen()

    def serve() -> None:
        while True:
            try:
                caller, _ = listening.accept()
            except OSError:
                return
            with caller:
                behaviour(caller)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
        listening.close()


def line_from(caller: socket.socket) -> bytes:
    whole = b""
    while not whole.endswith(b"\n"):
        whole += caller.recv(65_536)
    return whole


def answering(text: str, asked: list[dict[str, object]]) -> Behaviour:
    def behave(caller: socket.socket) -> None:
        asked.append(read_line(line_from(caller)))
        caller.sendall(answer_line(text=text))

    return behave


def confirmed(text: str, lines: list[bytes]) -> Behaviour:
    """Answer, and keep what the hook says then until it hangs up."""

    def behave(caller: socket.socket) -> None:
        line_from(caller)
        caller.sendall(answer_line(text=text))
        with caller.makefile("rb") as rest:
            lines.append(rest.read())

    return behave


def until_it_leaves(caller: socket.socket) -> None:
    """Never answer."""
    while caller.recv(65_536):
        pass


def until_a_daemon_answers(paths: HomePaths) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            ask_daemon(paths, "status", until=until)
        except NoDaemonError:
            assert time.monotonic() < until, "no daemon came"
        else:
            return


def closing(caller: socket.socket) -> None:
    line_from(caller)


def saying(words: bytes) -> Behaviour:
    def behave(caller: socket.socket) -> None:
        line_from(caller)
        caller.sendall(words)

    return behave


def test_what_the_daemon_says_is_put_before_the_prompt(tmp_path: Path) -> None:
    asked: list[dict[str, object]] = []

    with a_daemon(tmp_path, answering("PORT 8899", asked)):
        ran = hooked(tmp_path, PROMPT)

    assert ran.answer == {
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "additionalContext": "PORT 8899",
        }
    }
    assert asked == [
        {
            "v": 1,
            "verb": "inject",
            "cwd": "/",
            "session": "s1",
            "text": "which  port?",
            "confirms": True,
        }
    ]
    assert log_of(tmp_path)[-1]["by"] == "daemon"


def test_the_log_says_that_the_prompt_did_not_look_like_it_needs_memory(tmp_path: Path) -> None:
    with a_daemon(tmp_path, saying(answer_line(text="", unneeded=True))):
        ran = hooked(tmp_path, PROMPT, environ={"AIS_HOOK_DEADLINE_MS": str(ALL_THE_TIME_MS)})

    assert ran.printed == b""
    assert log_of(tmp_path)[-1]["unneeded"] == "True"


def test_the_log_says_that_the_session_sees_the_answer_already(tmp_path: Path) -> None:
    with a_daemon(tmp_path, saying(answer_line(text="", in_sight=True))):
        ran = hooked(tmp_path, PROMPT, environ={"AIS_HOOK_DEADLINE_MS": str(ALL_THE_TIME_MS)})

    assert ran.printed == b""
    assert log_of(tmp_path)[-1]["in_sight"] == "True"
    assert log_of(tmp_path)[-1]["by"] == "daemon"


def test_the_daemon_learns_that_its_answer_was_printed(tmp_path: Path) -> None:
    lines: list[bytes] = []

    with a_daemon(tmp_path, confirmed("PORT 8899", lines)):
        hooked(tmp_path, PROMPT)
        hooked(tmp_path, an_event("SessionStart", source="startup", cwd="/"))

    assert [read_line(line) for line in lines] == 2 * [{"v": 1, "verb": "shown"}]


def test_a_daemon_that_waits_for_no_confirmation_is_no_trouble(tmp_path: Path) -> None:
    with a_daemon(tmp_path, answering("PORT 8899", [])):
        ran = [hooked(tmp_path, PROMPT) for _ in range(5)]

    assert all("PORT 8899" in str(each.output["additionalContext"]) for each in ran)
    assert [line for line in log_of(tmp_path) if "trouble_answer" in line] == []


def test_an_answer_that_comes_before_the_deadline_is_taken(tmp_path: Path) -> None:
    lines: list[bytes] = []
    patience = time.monotonic() + 60

    with a_daemon(tmp_path, confirmed("PORT 8899", lines)):
        paths = HomePaths(str(tmp_path))
        turn = HookTurn(load_client(), HookEvent(PROMPT), paths, patience, keywords_from=0.0)
        answer = turn.answer_prompt()
        turn.confirm_printed()
        turn.close()

    assert answer == load_client().context_answer("UserPromptSubmit", "PORT 8899")
    assert turn.answered_by == "daemon"
    assert read_line(lines[0])["verb"] == "shown"


def test_a_call_that_is_late_can_be_waited_for_again(tmp_path: Path) -> None:
    is_waited_for = threading.Event()

    def behave(caller: socket.socket) -> None:
        line_from(caller)
        is_waited_for.wait()
        caller.sendall(answer_line(text="PORT 8899"))

    with a_daemon(tmp_path, behave):
        call = DaemonCall(HomePaths(str(tmp_path)), "inject", time.monotonic() + 60)
        with pytest.raises(NoAnswerError, match="late"):
            call.wait_for_answer(time.monotonic())
        is_waited_for.set()
        answer = call.wait_for_answer(time.monotonic() + 60)
        call.close()

    assert answer["text"] == "PORT 8899"


def test_when_the_daemon_has_nothing_to_say_nothing_is_printed(tmp_path: Path) -> None:
    with a_daemon(tmp_path, answering("", [])):
        assert hooked(tmp_path, PROMPT).printed == b""


def test_a_session_is_greeted_by_the_daemon(tmp_path: Path) -> None:
    asked: list[dict[str, object]] = []

    with a_daemon(tmp_path, answering("welcome", asked)):
        ran = hooked(tmp_path, an_event("SessionStart", source="compact", cwd="/"))

    assert ran.output == {"hookEventName": "SessionStart", "additionalContext": "welcome"}
    assert (asked[0]["verb"], asked[0]["source"]) == ("greet", "compact")
    assert [record["mark"] for record in kept_in(tmp_path)] == ["compact"]


def test_without_a_daemon_a_session_is_told_how_to_ask(tmp_path: Path) -> None:
    ran = hooked(tmp_path, an_event("SessionStart", source="startup"))

    assert ".ai/recall/" in str(ran.output["additionalContext"])


def test_a_text_that_the_client_would_put_away_is_cut(tmp_path: Path) -> None:
    block = "<ai-smartness-memory>\n" + "line\n" * 5_000 + "</ai-smartness-memory>"

    with a_daemon(tmp_path, answering(block, [])):
        shown = str(hooked(tmp_path, PROMPT).output["additionalContext"])

    assert len(shown) < 10_000
    assert shown.endswith("\n</ai-smartness-memory>")


def test_a_virtual_read_is_what_the_daemon_says(tmp_path: Path) -> None:
    asked: list[dict[str, object]] = []

    with a_daemon(tmp_path, answering("# Help \ud83d\n", asked)):
        hooked(tmp_path, READ)

    (file,) = (tmp_path / "recalls").iterdir()
    assert file.read_text() == "# Help ?"
    assert (asked[0]["verb"], asked[0]["path"]) == ("read", "/p/.ai/help")


@pytest.mark.parametrize(
    ("behaviour", "by"),
    [
        (until_it_leaves, "words:late"),
        (closing, "words:gone"),
        (saying(b"garbage\n"), "words:garbled"),
        (saying(b"\xff\xfe\n"), "words:garbled"),
        (saying(b"[]\n"), "words:garbled"),
        (saying(b"{}\n"), "words:refused"),
        (saying(b'{"v": 1, "ok": true, "te'), "words:gone"),
        (saying(b'{"v": 1, "ok": true, "text": 7}\n'), "daemon"),
        (saying(answer_line(ok=False, error="busy")), "words:busy"),
        (saying(b'{"v": 99, "ok": true, "text": "from the future"}\n'), "words:refused"),
    ],
)
def test_whatever_the_daemon_does_the_turn_goes_on_in_time(
    tmp_path: Path, behaviour: Behaviour, by: str
) -> None:
    deadline = DEADLINE_MS if behaviour is until_it_leaves else ALL_THE_TIME_MS

    with a_daemon(tmp_path, behaviour):
        ran = hooked(tmp_path, PROMPT, environ={"AIS_HOOK_DEADLINE_MS": str(deadline)})

    assert (ran.code, ran.printed, ran.complained) == (0, b"", b"")
    assert log_of(tmp_path)[-1]["by"] == by
    assert took_ms(tmp_path) < DEADLINE_MS + MARGIN_MS
    assert len(kept_in(tmp_path)) == 1


@pytest.mark.parametrize(
    "behaviour",
    [
        until_it_leaves,
        closing,
        saying(b"garbage\n"),
        saying(answer_line(ok=False, error="what session s1 said is not stored yet")),
    ],
)
def test_whatever_the_daemon_does_a_compacted_session_is_handed_over(
    tmp_path: Path, behaviour: Behaviour
) -> None:
    hooked(tmp_path, an_event("UserPromptSubmit", prompt="never log a token", cwd="/"))

    with a_daemon(tmp_path, behaviour):
        event = an_event("SessionStart", source="compact", cwd="/")
        ran = hooked(tmp_path, event, environ={"AIS_HOOK_DEADLINE_MS": "3000"})

    assert "never log a token" in str(ran.output["additionalContext"])
    assert took_ms(tmp_path) < 1.2 * 3000 + MARGIN_MS


@pytest.mark.parametrize("behaviour", [until_it_leaves, closing, saying(b"garbage\n")])
def test_whatever_the_daemon_does_a_read_is_answered_with_words(
    tmp_path: Path, behaviour: Behaviour
) -> None:
    with a_daemon(tmp_path, behaviour):
        ran = hooked(tmp_path, READ, environ={"AIS_HOOK_DEADLINE_MS": "5"})

    assert ran.output["permissionDecision"] == "allow"
    (file,) = (tmp_path / "recalls").iterdir()
    assert "memory" in file.read_text()


def test_a_socket_that_nobody_listens_at_is_as_none(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(HomePaths(str(tmp_path)).socket)

    assert hooked(tmp_path, PROMPT).printed == b""
    assert log_of(tmp_path)[-1]["by"] == "words:stale"


def test_a_file_where_the_socket_should_be_is_not_talked_to(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    Path(HomePaths(str(tmp_path)).socket).touch()

    assert hooked(tmp_path, PROMPT).printed == b""
    assert log_of(tmp_path)[-1]["by"] == "words:stranger"


def test_a_socket_in_a_folder_that_others_write_to_is_not_talked_to(tmp_path: Path) -> None:
    with a_daemon(tmp_path, answering("from a stranger", [])):
        (tmp_path / "run").chmod(0o777)
        with pytest.raises(NoDaemonError, match="stranger"):
            ask_daemon(HomePaths(str(tmp_path)), "ping", until=float("inf"))
        (tmp_path / "run").chmod(0o700)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a socket away")
def test_a_socket_of_somebody_else_is_not_talked_to(tmp_path: Path) -> None:
    with a_daemon(tmp_path, answering("from a stranger", [])):
        os.chown(HomePaths(str(tmp_path)).socket, 12_345, -1)
        ran = hooked(tmp_path, PROMPT)

    assert ran.printed == b""


def test_a_daemon_that_was_started_just_now_is_not_started_again(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    (tmp_path / "run" / "starting").touch()

    assert spawn_daemon(HomePaths(str(tmp_path))) is False


def test_what_is_started_lives_in_a_session_of_its_own_with_nothing_of_ours(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = 'ls -l /proc/$$/fd >/dev/null; echo "$(cat /proc/$$/stat) $MARK" >"$0"'

    spawn_detached(["/bin/sh", "-c", script, str(pipe)], {"MARK": "marked", "PATH": os.defpath})

    told = pipe.read_text().split()
    os.wait()
    number, session = told[0], told[5]
    assert number == session
    assert told[-1] == "marked"


def test_a_request_is_one_line_of_json(tmp_path: Path) -> None:
    asked: list[dict[str, object]] = []
    text = "two\nlines \u2028 and \ud83d half"

    with a_daemon(tmp_path, answering("ok", asked)):
        hooked(tmp_path, an_event("UserPromptSubmit", prompt=text))

    assert json.loads(json.dumps(asked[0]["text"])) == text


def test_after_a_quick_stop_the_next_hook_starts_the_daemon_again(tmp_path: Path) -> None:
    paths = HomePaths(str(tmp_path))
    with running(tmp_path):
        # As the hook leaves it that has spawned this daemon.
        keep_alone(tmp_path)
        assert stop_daemon(paths, PATIENCE_SECONDS)

        hooked(tmp_path, PROMPT, environ={"AIS_EMBEDDER_MODEL": "none"}, alone=False)

        assert log_of(tmp_path)[-1]["started"] == "True"
        until_a_daemon_answers(paths)
        assert stop_daemon(paths, PATIENCE_SECONDS)
