"""What clients do to the daemon, and how little it minds."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ai_smartness.entrypoints.daemon.client import NoAnswerError, read_line, request_line
from ai_smartness.settings.paths import HomePaths
from daemons import PATIENCE_SECONDS, asked, captured, here, record

KEYS = "the JWT signing keys live in vault, see config/jwt_keys.yaml"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    monkeypatch.delenv("AIS_HOME", raising=False)
    with here(tmp_path / "home"):
        yield tmp_path / "home"


def connected(home: Path) -> socket.socket:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.settimeout(PATIENCE_SECONDS)
    line.connect(HomePaths(str(home)).socket)
    return line


def answer_to(home: Path, sent: bytes) -> "dict[str, object]":
    with connected(home) as line:
        line.sendall(sent)
        said = b""
        while not said.endswith(b"\n"):
            piece = line.recv(65536)
            assert piece, said
            said += piece
    return read_line(said)


@pytest.mark.parametrize(
    "sent",
    [
        b"\n",
        b"hello\n",
        b"\xff\xfe\x00\n",
        b"[1]\n",
        b"[" * 100_000 + b"\n",
        b'{"v": 1}\n',
        b'{"v": 1, "verb": "explode"}\n',
        b'{"v": 1, "verb": 7}\n',
        b'{"v": "1", "verb": "ping"}\n',
        b'{"verb": "ping"}\n',
        request_line("inject", cwd=7, text="x"),
        request_line("inject", cwd="relative", text="x"),
        request_line("inject", cwd="/no\0where", text="x"),
        request_line("inject", cwd="/", text=["x"]),
        request_line("drain", seconds="soon"),
    ],
)
def test_what_is_no_request_is_refused_and_the_next_one_is_answered(
    home: Path, sent: bytes
) -> None:
    assert answer_to(home, sent)["ok"] is False

    assert asked(home, "ping")["ok"] is True


def test_those_who_hang_up_or_say_nothing_disturb_nobody(home: Path) -> None:
    silent = [connected(home) for _ in range(30)]
    for each in silent[:10]:
        each.close()
    for each in silent[10:20]:
        each.sendall(b'{"v": 1, "verb": "pi')

    assert asked(home, "ping")["ok"] is True

    # Each is let go of in time: the other side closes it.
    for each in silent[10:]:
        assert each.recv(1) == b""
        each.close()


def test_one_who_does_not_read_its_answer_disturbs_nobody(home: Path) -> None:
    with connected(home) as line:
        line.sendall(request_line("status"))

        assert asked(home, "ping")["ok"] is True


def test_forty_megabytes_are_refused(home: Path) -> None:
    with connected(home) as line, pytest.raises(OSError, match=r"(?i)reset|pipe"):
        line.sendall(b"x" * 40_000_000)

    assert asked(home, "ping")["ok"] is True


def test_a_prompt_of_twenty_megabytes_is_asked_with_its_ends(home: Path, tmp_path: Path) -> None:
    captured(home, record(tmp_path, "r1", KEYS))
    asked(home, "drain", seconds=30)

    prompt = f"where do the JWT signing keys live? {'x' * 20_000_000}"
    said = asked(home, "inject", cwd=str(tmp_path), session="s2", text=prompt)

    assert KEYS in str(said["text"])


def test_a_prompt_gets_what_another_session_said(home: Path, tmp_path: Path) -> None:
    captured(home, record(tmp_path, "r1", KEYS))
    asked(home, "drain", seconds=30)

    question = "where do the JWT signing keys live?"
    said = asked(home, "inject", cwd=str(tmp_path), session="s2", text=question)
    again = asked(home, "inject", cwd=str(tmp_path), session="s2", text=question)
    read = asked(home, "read", cwd=str(tmp_path), session="s2", path=f".ai/recall/{question}")

    assert KEYS in str(said["text"])
    assert ("in_sight" in said, again.get("in_sight")) == (False, True)
    assert again["text"] == ""
    assert KEYS in str(read["text"])


def test_a_virtual_read_that_means_nothing_is_answered_all_the_same(
    home: Path, tmp_path: Path
) -> None:
    said = asked(home, "read", cwd=str(tmp_path), session="s2", path=".ai/merge/only-one")

    assert "takes two threads" in str(said["text"])


def test_a_greeting_after_a_compaction_says_where_the_session_stood(
    home: Path, tmp_path: Path
) -> None:
    captured(
        home,
        record(tmp_path, "r1", KEYS),
        record(tmp_path, "mark", "", mark="compact", type="NOTE"),
    )
    asked(home, "drain", seconds=30)

    said = asked(home, "greet", cwd=str(tmp_path), session="s1", source="compact")

    assert "Where this session stood" in str(said["text"])
    assert KEYS in str(said["text"])


def test_it_says_what_it_has_done(home: Path, tmp_path: Path) -> None:
    captured(home, record(tmp_path, "r1"), record(tmp_path, "r2"))
    asked(home, "drain", seconds=30)

    status = asked(home, "status")

    assert (status["drained"], status["left"], status["last_error"]) == (2, 0, "")


def test_an_unknown_verb_is_named(home: Path) -> None:
    with pytest.raises(NoAnswerError, match="there is no verb 'explode'"):
        asked(home, "explode")
