"""What the version before (c1d61ba) left on a disk is read, searched, undone and taken out."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from compat_world import FIXTURES, PACKAGE, compat_world
from daemons import asked, running
from snapshot_surfaces import World

EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected.json").read_text())
MARK = "entrypoints/hooks/main.py"
OTHER_PACKAGE = "/opt/older/lib/python3.11/site-packages/ai_smartness"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with compat_world(tmp_path) as found:
        yield found


def data(world: World, *args: str) -> Any:  # noqa: ANN401 - any JSON
    ran = world.ais(*args, "--json")
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)


def our_hooks(path: Path) -> list[str]:
    found = json.loads(path.read_text())["hooks"]
    return [
        json.dumps(hook)
        for groups in found.values()
        for group in groups
        for hook in group["hooks"]
        if MARK in json.dumps(hook)
    ]


def changed_files(world: World) -> dict[str, str]:
    """Return the client's files, by their names, as they were before we were installed."""
    return {
        name: text.replace("@FOLDER@", str(world.folder))
        for name, text in EXPECTED["before"].items()
    }


def test_the_memory_has_the_threads_it_had(world: World) -> None:
    threads = data(world, "threads")

    # What was there is there with the same value; a later version may print more.
    pairs = zip(threads, EXPECTED["threads"], strict=True)
    assert [{name: now[name] for name in then} for now, then in pairs] == EXPECTED["threads"]


def test_the_memory_is_searched_as_before(world: World) -> None:
    found = data(world, "search", "refresh token")

    assert [hit["id"] for hit in found] == [hit["id"] for hit in EXPECTED["search"]]


def test_a_thread_is_recalled_and_read(world: World) -> None:
    thread = EXPECTED["threads"][0]["id"]

    assert thread in world.ais("recall", thread).stdout
    with world.memory() as memory:
        assert thread in memory.read_virtual(f".ai/recall/{thread}", "s9")
        assert "SQLite" in memory.inject("Do the orders stay in SQLite?", session="s9").text


def test_every_change_is_undone_the_latest_first(world: World) -> None:
    assert data(world, "log", "-n", "50") == EXPECTED["log"]

    undone = []
    while (ran := world.ais("undo")).exit_code == 0:
        undone.append(ran.stdout)

    assert len(undone) == len(EXPECTED["log"])
    assert world.ais("threads", "show", "@s5-01", "--json").exit_code == 0
    with world.memory() as memory:
        assert memory.message("s5-01").thread_id != memory.message("s1-01").thread_id
        assert memory.message("s1-10").thread_id == memory.message("s1-01").thread_id


def test_what_waits_in_the_inbox_is_stored(world: World) -> None:
    waiting = (world.home / "inbox" / "events.jsonl").read_text()
    ids = [json.loads(line)["id"] for line in waiting.splitlines() if line]

    with running(world.home):
        assert asked(world.home, "drain", seconds=30)["left"] == 0

    assert len(ids) == 2
    with world.memory() as memory:
        assert memory.message(ids[0]).text == "which port does Postgres listen on?"
        assert memory.message(ids[1]).session == "s6"


def test_the_settings_are_in_force(world: World) -> None:
    wanted = {
        "inject.floor": "0.3",
        "search.candidates": "50",
        "decay.half_life_days": "21.0",
        "inject.lines": "2",
    }

    for key, value in wanted.items():
        assert world.ais("config", "get", key).stdout.strip() == value
    assert world.ais("status").exit_code == 0


@pytest.mark.parametrize("package", [PACKAGE, OTHER_PACKAGE], ids=["in place", "moved"])
def test_hooks_that_are_there_are_not_written_twice(tmp_path: Path, package: str) -> None:
    with compat_world(tmp_path, package) as world:
        files = [world.project / ".claude" / "settings.local.json"]
        files.append(world.folder / "claude" / "settings.json")
        counts = [len(our_hooks(path)) for path in files]
        assert all(counts)
        world.clock.moment += timedelta(hours=1)

        assert world.ais("init", "--yes").exit_code == 0
        assert world.ais("init", "--user", "--yes").exit_code == 0

        assert [len(our_hooks(path)) for path in files] == counts
        assert all(PACKAGE in hook for path in files for hook in our_hooks(path))
        servers = json.loads((world.folder / "claude" / ".claude.json").read_text())
        assert set(servers["mcpServers"]) == {"theirs", "ai_smartness"}


def test_the_doctor_knows_the_hooks_for_ours(world: World) -> None:
    checks = json.loads(world.ais("doctor", "--json").stdout)
    found = {check["check"]: check for check in checks}

    assert found["hooks"]["ok"], found["hooks"]
    assert found["tools"]["ok"], found["tools"]
    assert "no settings" not in found["hooks"]["found"]


def test_an_init_again_changes_no_byte(world: World) -> None:
    files = [world.folder / name for name in EXPECTED["before"]]
    before = [path.read_bytes() for path in files]

    world.ais("init", "--yes")
    world.ais("init", "--user", "--yes")

    assert [path.read_bytes() for path in files] == before


@pytest.mark.parametrize("package", [PACKAGE, OTHER_PACKAGE], ids=["in place", "moved"])
def test_uninstalling_leaves_the_files_as_they_were(tmp_path: Path, package: str) -> None:
    with compat_world(tmp_path, package) as world:
        assert world.ais("uninstall", "--yes").exit_code == 0

        for name, text in changed_files(world).items():
            assert (world.folder / name).read_text() == text
        assert not (world.home / "installed.json").exists()
