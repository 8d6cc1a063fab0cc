"""The MCP server on its line: what it says first, what it survives, how it ends."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ai_smartness.entrypoints.mcp.first_answers import META_PREFIX
from daemons import running
from mcp_serving import PATIENCE_SECONDS, Line, Site

META = {
    f"{META_PREFIX}/protocolVersion": "2026-07-28",
    f"{META_PREFIX}/clientInfo": {"name": "raw", "version": "1"},
    f"{META_PREFIX}/clientCapabilities": {},
}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site.under(tmp_path)


@pytest.fixture
def line(site: Site) -> Iterator[Line]:
    with site.line() as line:
        yield line


def call(line: Line, id_: int, name: str, **arguments: Any) -> None:  # noqa: ANN401 - JSON
    line.say("tools/call", id_, name=name, arguments=arguments)


def text_in(answer: dict[str, Any]) -> str:
    return str(answer["result"]["content"][0]["text"])


def test_what_is_asked_while_the_sdk_is_loaded_is_answered_once_each(line: Line) -> None:
    line.begin()
    call(line, 1, "ai_pin", content="first")
    call(line, 2, "ai_status")
    line.say("tools/list", 3)
    line.say("ping", 4)
    line.say("resources/list", 5)

    answers = {(heard := line.hear())["id"]: heard for _ in range(5)}

    assert set(answers) == {1, 2, 3, 4, 5}
    assert len(answers[3]["result"]["tools"]) == 13
    assert answers[4]["result"] == {}
    assert text_in(answers[1]).startswith("Pinned as ")


def test_the_first_answers_come_before_the_sdk_is_loaded(line: Line) -> None:
    call_id = 7
    client = {"name": "raw", "version": "1"}
    # The call is heard first and answered last: it waits for the SDK, the others do not.
    line.say("initialize", 0, protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
    call(line, call_id, "ai_status")
    line.say("tools/list", 1)

    order = [line.hear()["id"] for _ in range(3)]

    assert order == [0, 1, call_id]


def test_a_session_of_the_newer_era_needs_no_beginning(line: Line) -> None:
    line.say("server/discover", "probe-1", _meta=META)
    line.say("tools/list", 1, _meta=META)
    line.say("tools/call", 2, name="ai_status", arguments={}, _meta=META)

    probed, listed, status = (line.hear() for _ in range(3))

    assert probed["result"]["supportedVersions"] == ["2026-07-28"]
    assert len(listed["result"]["tools"]) == 13
    assert json.loads(text_in(status))["threads"] == 0


def test_a_client_that_probes_and_then_begins_in_the_old_way_is_served(line: Line) -> None:
    line.say("server/discover", "probe-1", _meta=META)
    line.hear()
    line.begin()
    call(line, 1, "ai_status")

    assert json.loads(text_in(line.hear()))["threads"] == 0


def test_an_unknown_version_is_left_to_the_sdk(line: Line) -> None:
    answer = line.begin("1999-01-01")

    assert answer["result"]["protocolVersion"] == "2025-11-25"


def test_a_request_before_the_beginning_is_refused_as_the_sdk_does(line: Line) -> None:
    line.say("tools/list", 1)

    assert "error" in line.hear()


@pytest.mark.parametrize("when", ["first", "later"])
def test_rubbish_disturbs_nobody(line: Line, when: str) -> None:
    rubbish = [b"\n", b"{\n", b"\xff\xfe\n", b"[]\n", b"null\n", b"[" * 100_000 + b"\n"]
    rubbish.append(b'{"jsonrpc": "2.0", "id": {"x": 1}, "method": "tools/list"}\n')
    if when == "first":
        for each in rubbish:
            line.write(each)
    line.begin()
    call(line, 1, "ai_status")
    for each in rubbish:
        line.write(each)
    call(line, 2, "ai_status")

    heard = {line.hear()["id"] for _ in range(2)}

    assert heard == {1, 2}


@pytest.mark.parametrize("megabytes", [1, 32, 70])
def test_a_line_of_any_length_is_answered_or_passed_over(line: Line, megabytes: int) -> None:
    line.begin()
    call(line, 1, "ai_recall", query="x" * (megabytes * 1_000_000))
    call(line, 2, "ai_status")

    heard = {line.hear()["id"]}
    if megabytes < 64:
        heard.add(line.hear()["id"])

    assert heard == ({1, 2} if megabytes < 64 else {2})


@pytest.mark.parametrize("how", ["at once", "greeted", "served"])
def test_it_ends_when_the_client_hangs_up(line: Line, how: str) -> None:
    if how != "at once":
        line.begin()
    if how == "served":
        call(line, 1, "ai_status")
        line.hear()

    assert line.hang_up() == (0, b"")


def test_it_ends_when_the_client_hangs_up_in_the_middle_of_calls(line: Line) -> None:
    line.begin()
    call(line, 1, "ai_status")
    line.hear()
    for number in range(2, 20):
        call(line, number, "ai_pin", content=f"fact {number}")
    line.write(b'{"jsonrpc": "2.0", "id": 99, "meth')

    assert line.hang_up() == (0, b"")


def test_it_ends_when_nobody_reads_its_answers(line: Line) -> None:
    line.begin()
    assert line.process.stdout
    line.process.stdout.close()
    for number in range(3):
        call(line, number, "ai_status")

    assert line.process.wait(PATIENCE_SECONDS) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("how", ["greeted", "served"])
def test_it_ends_when_it_is_told_to(line: Line, how: str, number: signal.Signals) -> None:
    line.begin()
    if how == "served":
        call(line, 1, "ai_status")
        line.hear()

    line.process.send_signal(number)

    assert line.ended() == (0, b"")


def test_what_is_done_without_a_daemon_starts_one_for_next_time(site: Site) -> None:
    (site.home / "run" / "starting").unlink()
    with site.line() as line:
        line.begin()
        call(line, 1, "ai_status")
        line.hear()

        assert (site.home / "run" / "starting").exists()
    stop = [sys.executable, "-m", "ai_smartness", "--home", str(site.home), "daemon", "stop"]
    subprocess.run(stop, check=True, capture_output=True, env=site.environment)


def test_a_daemon_that_ends_is_not_missed(site: Site) -> None:
    with running(site.home) as daemon, site.line() as line:
        line.begin()
        call(line, 1, "ai_pin", content="with the daemon")
        line.hear()
        daemon.kill()
        (site.home / "run" / "starting").touch()
        call(line, 2, "ai_recall", query="with the daemon")

        assert "with the daemon" in text_in(line.hear())


def test_a_folder_that_is_none_is_refused_in_words(site: Site) -> None:
    command = [sys.executable, "-m", "ai_smartness", "--project", "/nowhere", "mcp"]

    ran = subprocess.run(
        command,
        capture_output=True,
        check=False,
        env=site.environment,
        cwd=site.project,
    )

    assert ran.returncode == 1
    assert ran.stderr == (
        b"error: cannot serve /nowhere: it is not a folder. Give the folder of a project.\n"
    )


def test_the_beginning_loads_nothing_large() -> None:
    program = "import sys, ai_smartness.entrypoints.mcp.startup; print(*sys.modules)"

    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        text=True,
    )

    large = {"mcp", "anyio", "pydantic", "asyncio", "numpy", "sqlite3", "ai_smartness.memory"}
    assert large & set(ran.stdout.split()) == set()
