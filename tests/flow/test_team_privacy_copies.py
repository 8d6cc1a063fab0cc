"""What copies a memory, and the page that follows one, keep to one's own."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from ai_smartness.entrypoints.web import live
from ai_smartness.entrypoints.web.live import NEW_TURN, STILL_THERE, turn_events
from ai_smartness.entrypoints.web.memories import OpenMemories
from command_line import ais, standing_in_a_project
from postgres_server import installed_programs
from two_people import SHOP, Person, shared_server
from two_projects import PANGOLIN, filled

ZEBRA = "zebra"


@pytest.fixture
def people() -> Iterator[tuple[Person, Person]]:
    """Return Anna and Ben, who share nothing."""
    with shared_server() as server:
        anna, ben = server.added("anna"), server.added("ben")
        for person, word in ((anna, PANGOLIN), (ben, ZEBRA)):
            with person.memory() as memory:
                filled(memory, word)
        yield anna, ben


@pytest.fixture
def root(people: tuple[Person, Person], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where Ben stands: a folder of the project."""
    folder = standing_in_a_project(tmp_path, monkeypatch)
    people[1].write_settings(tmp_path / "home")
    monkeypatch.setenv("AIS_HOME", str(tmp_path / "home"))
    assert ais("project", "link", SHOP).exit_code == 0
    return folder


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the programs of the server first on the PATH."""
    folder = installed_programs()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


@pytest.mark.usefixtures("root")
def test_a_backup_is_of_ones_own_memory(tmp_path: Path, programs: Path) -> None:
    made = ais("backup", "--to", str(tmp_path / "backups"))

    assert made.exit_code == 0, made.output
    (dump,) = (tmp_path / "backups").glob("*.dump")
    read = [str(programs / "pg_restore"), "--file=-", str(dump)]
    rows = subprocess.run(read, capture_output=True, text=True, check=True).stdout
    assert ZEBRA in rows
    assert PANGOLIN not in rows
    assert "anna" not in rows


@pytest.mark.usefixtures("root")
def test_a_move_takes_ones_own_memory(people: tuple[Person, Person]) -> None:
    ben = people[1]
    with shared_server() as other:
        there = other.person("ais")

        moved = ais("move", "--to", there.url)

        assert moved.exit_code == 0, moved.output
        with there.memory() as memory:
            lines: list[str] = []
            memory.export(lines.append)
    with ben.memory() as memory:
        own: list[str] = []
        memory.export(own.append)
    assert PANGOLIN not in "".join(lines)
    assert len(lines) == len(own)


@pytest.mark.usefixtures("root")
def test_an_import_does_not_tell_that_another_person_has_the_same(
    people: tuple[Person, Person], tmp_path: Path
) -> None:
    lines: list[str] = []
    with people[0].memory() as memory:
        memory.export(lines.append)
    (tmp_path / "annas.jsonl").write_text("".join(lines))

    planned = ais(
        *("import", "--from", "export", "--dry-run", "--json", str(tmp_path / "annas.jsonl"))
    )

    events = [json.loads(line).get("event") for line in lines]
    said = sum(bool(event) and event["type"] != "COMPACTION" for event in events)
    assert json.loads(planned.output)["projects"] == {
        SHOP: {"added": said, "known": 0, "sessions": 1}
    }
    assert said > 0


def test_an_open_page_does_not_tell_that_another_person_has_gone_on(
    people: tuple[Person, Person],
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Every look of the page is told, at once.
    monkeypatch.setattr(live, "POLL_SECONDS", 0)
    monkeypatch.setattr(live, "QUIET_POLLS", 1)
    anna, ben = people
    memories = OpenMemories(str(tmp_path / "home"), str(root), SHOP)

    def asks(person: Person, word: str) -> None:
        with person.memory() as memory:
            memory.inject(f"how often do the {word} keys rotate?", session=uuid4().hex)

    async def heard() -> AsyncIterator[str]:
        events = turn_events(memories, SHOP)
        yield await anext(events)
        asks(anna, PANGOLIN)
        yield await anext(events)
        asks(ben, ZEBRA)
        yield await anext(events)
        await events.aclose()  # type: ignore[attr-defined]

    async def all_heard() -> list[str]:
        return [event async for event in heard()]

    assert asyncio.run(all_heard()) == [STILL_THERE, STILL_THERE, NEW_TURN]
