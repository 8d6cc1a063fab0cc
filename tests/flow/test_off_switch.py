"""Switched off, hooks record nothing and add nothing: here or everywhere, for a while or not."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness import Memory
from ai_smartness.clients.off_switch import (
    EVERYWHERE,
    OffPeriod,
    read_off_periods,
    save_off_periods,
    switched_off,
    switched_on,
)
from ai_smartness.clients.transcript_files import transcript_sources
from command_line import ais, standing_in_a_project
from hooking import an_event, hooked, kept_in, log_of

PROMPT = "the till uses port 8081"
HOUR = 3_600.0


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def kept_texts(folder: Path, **environ: str) -> list[object]:
    """Hand a prompt to the hook; return the texts in the inbox."""
    home = Path(os.environ["AIS_HOME"])
    event = an_event("UserPromptSubmit", prompt=PROMPT, cwd=str(folder))
    assert hooked(home, event, environ=environ).is_harmless
    return [record["text"] for record in kept_in(home)]


def test_off_nothing_is_recorded_and_on_again_it_is(project: Path) -> None:
    ais("off")
    while_off = kept_texts(project)
    ais("on")
    after = kept_texts(project)

    assert (while_off, after) == ([], [PROMPT])
    assert [run.get("off") for run in log_of(Path(os.environ["AIS_HOME"]))] == ["True", None]


def test_off_here_other_projects_go_on(project: Path, tmp_path: Path) -> None:
    ais("off", "--here")

    assert kept_texts(project) == []
    assert kept_texts(tmp_path) == [PROMPT]


def test_the_variable_switches_off_one_terminal(project: Path) -> None:
    assert kept_texts(project, AIS_OFF="1") == []
    assert kept_texts(project, AIS_OFF="0") == [PROMPT]


def test_a_virtual_path_is_still_answered(project: Path) -> None:
    ais("off")
    read = {"tool_name": "Read", "tool_input": {"file_path": f"{project}/.ai/help"}}
    event = an_event("PreToolUse", cwd=str(project), tool_use_id="t1", **read)

    output = hooked(Path(os.environ["AIS_HOME"]), event).output

    assert output["permissionDecision"] == "allow"


def test_status_says_that_it_is_off_and_until_when() -> None:
    told = ais("off", "--for", "2h").stdout

    assert "off in all projects, until 20" in told
    assert "switch     off everywhere, until 20" in ais("status").stdout
    assert json.loads(ais("on", "--json").stdout) == {"off": False, "why": ""}
    assert "switch" not in ais("status").stdout


def test_what_was_said_while_it_was_off_is_not_imported_later(
    project: Path, tmp_path: Path
) -> None:
    lines = [
        {
            "type": "user",
            "sessionId": "s",
            "cwd": str(project),
            "timestamp": datetime.fromtimestamp(at, UTC).isoformat(),
            "promptId": f"p{at}",
            "message": {"role": "user", "content": f"said at {at}"},
        }
        for at in (1_000, 2_000, 3_000)
    ]
    folder = tmp_path / "claude" / "projects" / "demo"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    home = os.environ["AIS_HOME"]
    Path(home).mkdir()
    save_off_periods(home, [OffPeriod(EVERYWHERE, 1_500, 2_500)])

    sources = transcript_sources(os.environ)
    with Memory.open(project=project, home=home) as memory:
        memory.import_history(sources, [*sources.live_sources()], home=home)
        found = [hit.text for hit in memory.search("said at", limit=9)]

    assert sorted(found) == ["said at 1000", "said at 3000"]


def test_a_damaged_file_switches_nothing_off(project: Path) -> None:
    home = Path(os.environ["AIS_HOME"])
    home.mkdir()
    (home / "off.json").write_text('{"periods": [3, {"from": "x"}')

    assert read_off_periods(str(home)) == []
    assert kept_texts(project) == [PROMPT]


times = st.floats(0, 1e9, allow_nan=False)


@given(st.lists(st.tuples(st.sampled_from(["*", "a", "b"]), times, times), max_size=5), times)
def test_switched_on_it_is_on_in_every_project(
    spans: list[tuple[str, float, float]], now: float
) -> None:
    periods = list[OffPeriod]()
    for project, start, length in spans:
        periods = switched_off(periods, project, min(start, now), min(start, now) + length)

    after = switched_on(periods, EVERYWHERE, now)

    assert not any(period.covers(name, now) for period in after for name in ("a", "b", "c"))
