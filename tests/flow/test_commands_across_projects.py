"""No command takes an id of another project, unless that project is named."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click
import pytest

from ai_smartness import Memory
from ai_smartness.adapters.sqlite.store import SqliteStore
from command_line import ais, standing_in_a_project
from dump import dump
from snapshot_surfaces import commands
from two_projects import PANGOLIN, Ids, filled

COMMANDS: dict[str, list[Callable[[Ids, Ids], list[str]]]] = {
    "recall": [lambda _, theirs: [theirs.thread]],
    "statements confirm": [lambda _, theirs: [theirs.statement]],
    "statements correct": [lambda _, theirs: [theirs.statement, "--text", "x"]],
    "statements reject": [lambda _, theirs: [theirs.statement]],
    "statements show": [lambda _, theirs: [theirs.statement]],
    "threads archive": [lambda _, theirs: [theirs.thread]],
    "threads condense": [lambda _, theirs: [theirs.thread]],
    "threads kind": [lambda _, theirs: [theirs.thread, "decision"]],
    "threads merge": [
        lambda mine, theirs: [mine.thread, theirs.thread],
        lambda mine, theirs: [theirs.thread, mine.thread],
    ],
    "threads move": [
        lambda mine, theirs: [theirs.message, mine.thread],
        lambda mine, theirs: [mine.message, theirs.thread],
    ],
    "threads reactivate": [lambda _, theirs: [theirs.thread]],
    "threads rename": [lambda _, theirs: [theirs.thread, "x"]],
    "threads restore": [lambda _, theirs: [theirs.thread, "--before", theirs.compaction]],
    "threads show": [
        lambda _, theirs: [theirs.thread],
        lambda _, theirs: [theirs.thread, "--why"],
        lambda _, theirs: [theirs.thread, "--json"],
    ],
    "threads split": [lambda _, theirs: [theirs.thread]],
    "threads suspend": [lambda _, theirs: [theirs.thread]],
    "threads unlock": [lambda _, theirs: [theirs.thread]],
    "bridges add": [
        lambda mine, theirs: [mine.thread, "extends", theirs.thread],
        lambda mine, theirs: [theirs.thread, "extends", mine.thread],
    ],
    "bridges follow": [lambda _, theirs: [theirs.bridge]],
    "bridges list": [lambda _, theirs: [theirs.thread]],
    "bridges remove": [lambda _, theirs: [theirs.bridge]],
    "handoff": [lambda _, theirs: ["--session", theirs.session]],
    "log": [lambda _, theirs: [theirs.thread]],
    "focus": [lambda _, theirs: [theirs.thread]],
    "rate": [
        lambda _, theirs: [theirs.thread, "--useful"],
        lambda _, theirs: [theirs.message, "--useful"],
    ],
    "share": [lambda _, theirs: ["--git", theirs.statement]],
    "undo": [lambda _, theirs: [str(theirs.change)]],
    "forget message": [lambda _, theirs: [theirs.message, "--yes"]],
    "forget thread": [lambda _, theirs: [theirs.thread, "--yes"]],
}
OTHER_COMMANDS = {
    *("init", "tour", "status", "import", "completion", "help", "search", "statements list"),
    *("threads list", "why", "unfocus", "pin", "suggestions", "compact", "backup", "backup list"),
    *("restore", "export", "doctor", "forget matching", "forget project", "forget session"),
    *("forget time", "redact", "uninstall", "plugin", "mcp", "config get", "config list"),
    *("config path", "config set", "config show", "config unset", "model list", "model pull"),
    *("model remove", "model use", "daemon logs", "daemon restart", "daemon run", "daemon start"),
    *("daemon status", "daemon stop", "reindex", "project link", "project rename"),
    *("project show", "project unlink", "move", "off", "on", "unshare", "web"),
}
"""They take no id of a thread, message, statement, bridge or change."""


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
