"""No command takes an id of another project, unless that project is named."""

from contextlib import closing
from pathlib import Path

import click
import pytest

from ai_smartness import Memory
from ai_smartness.adapters.sqlite.store import SqliteStore
from command_line import ais, standing_in_a_project
from dump import dump
from foreign_ids import COMMANDS, OTHER_COMMANDS
from snapshot_surfaces import commands
from two_projects import PANGOLIN, filled


def test_every_command_is_listed_here() -> None:
    leaves = {
        " ".join(path)
        for path, command in commands()
        if path and not (isinstance(command, click.Group) and not command.params)
    }

    assert leaves == {*COMMANDS, *OTHER_COMMANDS}


def test_a_command_refuses_the_ids_of_another_project_unless_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = standing_in_a_project(tmp_path, monkeypatch)
    with Memory.open(project=root, home=tmp_path / "home") as memory:
        mine, theirs = filled(memory, "zebra"), filled(memory.seen_from("theirs"), PANGOLIN)
    store = SqliteStore.open(tmp_path / "home" / "memory.db")
    with closing(store):
        before = dump(store)
        for name, calls in COMMANDS.items():
            for arguments in calls:
                done = ais(*name.split(), *arguments(mine, theirs))

                assert done.exit_code in (1, 3), (name, done.output)
                words = done.output.replace(theirs.message, "").replace(theirs.session, "")
                assert PANGOLIN not in words, name
        assert dump(store) == before

    assert PANGOLIN in ais("--project", "theirs", "threads", "show", theirs.thread).output
