"""What people see in a terminal: titles, short ids, whole words, a pager, and no stray colours."""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ai_smartness import Memory, Message
from ai_smartness.entrypoints.cli.main import ais as command
from ai_smartness.entrypoints.cli.pager import pager_command
from ai_smartness.entrypoints.cli.thread_names import ThreadNames
from ai_smartness.model.short_ids import short_id
from builders import said
from command_line import ais, captured, standing_in_a_project, three_threads
from terminal import terminal, without_control

WORDS = (
    "The refresh token of the checkout lives for thirty minutes, and the session for a day. " * 9
)
READING = (
    ("threads",),
    ("recall", "refresh", "token"),
    ("search", "refresh", "token"),
    ("statements",),
    ("bridges",),
    ("suggestions",),
    ("handoff",),
    ("status",),
    (),
)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = standing_in_a_project(tmp_path, monkeypatch)
    monkeypatch.setenv("PAGER", "cat")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return root


def a_short_id(project: Path) -> str:
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        return memory.threads()[0].id[-6:]


def screen_of(*args: str, columns: int, **env: str) -> str:
    with terminal(*args, columns=columns, **env) as screen:
        assert screen.end() == 0
        # Before the last line that was erased, there is a progress bar.
        return without_control(screen.raw.rpartition(b"\x1b[2K")[2])


@pytest.mark.parametrize("columns", [80, 120])
def test_long_text_is_wrapped_between_words(project: Path, columns: int) -> None:
    captured(project, said(WORDS, id_="m1", session="s1"))
    every = set(WORDS.split())

    shown = screen_of("threads", "show", a_short_id(project), "--full", columns=columns)

    lines = shown.partition("session s1")[2].splitlines()
    assert max(map(len, lines)) <= columns
    assert {word for line in lines for word in line.split()} == every


@pytest.mark.parametrize("args", READING, ids=" ".join)
def test_no_line_is_wider_than_the_screen_and_no_word_is_broken(
    project: Path, args: Sequence[str]
) -> None:
    three_threads(project)
    captured(project, said(WORDS, id_="m9", session="s9"))
    plain = set(ais(*args).stdout.split())
    plain |= {word.rstrip(",") for word in plain}  # a screen leaves out the session behind a comma

    lines = screen_of(*args, columns=80).splitlines()

    assert max(map(len, lines)) <= 80
    # A cell that is cut ends in an ellipsis; every other word is one of the whole output.
    # So is a path that is longer than a line.
    long = "".join(word for word in plain if len(word) > 60)
    broken = {word for line in lines for word in line.split()} - plain
    assert {word for word in broken if not word.endswith("…") and word not in long} == set()


def test_each_thread_has_one_line_with_its_title_first(project: Path) -> None:
    three_threads(project)
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        titles = {thread.title: thread.id[-6:] for thread in memory.threads()}

    head, *lines = screen_of("threads", columns=80).splitlines()

    assert head.split() == ["title", "id", "weight", "last", "active", "status"]
    for title, short in titles.items():
        (line,) = [line for line in lines if line.startswith(title)]
        assert short in line.split()


def test_what_is_named_by_titles_has_no_whole_id(project: Path) -> None:
    three_threads(project)
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        first, second = (thread.id for thread in memory.threads()[:2])
        title = memory.thread(second).title
    assert ais("threads", "merge", first[-6:], second[-6:]).exit_code == 0

    for args in (("log",), ("log", "--oneline"), ("suggestions",), ("bridges",), ("why",)):
        assert "thread_2" not in ais(*args).stdout, args
    assert f"“{title}” [{second[-6:]}]" in ais("log").stdout


def test_the_whole_id_is_shown_where_two_threads_share_the_short_one(project: Path) -> None:
    three_threads(project)
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        threads = memory.threads()
        one, other = threads[0].id, f"thread_20200101_000000_{threads[0].id[-6:]}"
        names = ThreadNames(memory, [*threads, replace(threads[1], id=other)])

        assert names.short_id(threads[2].id) == threads[2].id[-6:]
        assert [names.short_id(id_) for id_ in (one, other)] == [one, other]


def test_without_colour_no_escape_is_written(project: Path) -> None:
    three_threads(project)

    for args in (("suggestions",), ("doctor",), ("log",)):
        with terminal(*args, NO_COLOR="1") as screen:
            screen.end()
        assert not re.search(rb"\x1b\[[0-9;]*m", screen.raw), args


def test_long_output_goes_through_the_pager_and_short_output_does_not(
    project: Path, tmp_path: Path
) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED; cat\n")
    pager.chmod(0o755)
    captured(project, *(said(f"{WORDS} {n}", id_=f"m{n}", session="s1") for n in range(9)))

    long = screen_of("threads", "show", a_short_id(project), columns=80, PAGER=str(pager))
    short = screen_of("threads", columns=80, PAGER=str(pager))

    assert long.startswith("PAGED")
    assert "m8" in long
    assert "PAGED" not in short


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"PAGER": "cat"}, []),
        ({"PAGER": ""}, []),
        ({"PAGER": "no-such-pager"}, []),
        ({"PAGER": "'"}, []),
        ({"PAGER": "sh -x"}, ["sh", "-x"]),
    ],
)
def test_the_pager_is_the_users(variables: dict[str, str], expected: list[str]) -> None:
    assert pager_command({"PATH": os.environ["PATH"], **variables}) == expected


def test_alone_it_says_where_one_stands_and_three_things_to_do(project: Path) -> None:
    before = ais()
    three_threads(project)
    after = ais()

    assert before.stdout.startswith("There is no memory on this machine yet.\n")
    assert f"{project}: 4 messages in 3 threads.\n" in after.stdout
    for ran in (before, after):
        steps = ran.stdout.partition("\nNext:\n")[2].partition("\n\n")[0].splitlines()
        assert len(steps) == 3
        for step in steps:
            name = step.split()[1]
            assert name in command.list_commands(None)  # type: ignore[arg-type]


def test_ctrl_c_says_how_far_it_came_and_what_is_left(project: Path) -> None:
    now = datetime.now(UTC)
    lines = (
        Message(id=f"m{n}", session="s", text=f"{WORDS} {n}", at=now - timedelta(minutes=n))
        for n in range(400)
    )
    captured(project, *lines)

    with terminal("reindex") as screen:
        screen.until("%")
        screen.interrupt()
        code = screen.end()

    assert code == 130
    assert "interrupted while rebuilding" in screen.screen
    assert "The same command rebuilds the rest." in " ".join(screen.screen.split())


def test_a_change_is_told_by_titles_and_short_ids(project: Path) -> None:
    three_threads(project)
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        first, second, _ = (thread.id for thread in memory.threads())

    shown = screen_of("threads", "merge", first, second, columns=80)

    assert f"[{second[-6:]}] into “Rechnung” [{first[-6:]}]" in " ".join(shown.split())
    assert "thread_" not in shown


def test_topics_are_listed_as_a_whole_or_not_at_all(project: Path) -> None:
    text = "Move verifyLedger() and the invoice table from billing.py to ledger_store.py"
    captured(project, Message(id="m1", text=text, at=datetime.now(UTC)))
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.rename(memory.message("m1").thread_id, "The ledger")
        topics = {topic for thread in memory.threads() for topic in thread.topics}

    shown = screen_of("threads", columns=75)

    cells = re.findall(r"(?: ago|just now) {2,}(\S.*)$", shown, re.MULTILINE)
    assert cells
    assert all(topic in topics for cell in cells for topic in cell.strip().split(", "))


def test_a_long_path_in_a_statement_stays_in_its_column(project: Path) -> None:
    path = "docs/" + "very-long-name-" * 6 + "of-a-page.md"
    captured(project, said(f"From now on we keep the rules in {path} only.", id_="m1"))

    lines = screen_of("statements", columns=80).splitlines()

    assert max(map(len, lines)) <= 80
    assert all(line.startswith("  ") for line in lines[1:] if "-name-" in line)


def test_a_line_of_the_log_is_cut_to_the_terminal_and_whole_for_a_program(project: Path) -> None:
    captured(project, Message(id="m1", text="Rotate the keys", at=datetime.now(UTC)))
    title = "Keys that are rotated by hand every month until the vault can do it " * 2
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.rename(memory.message("m1").thread_id, title.strip())

    (line,) = screen_of("log", "--oneline", columns=80).splitlines()

    assert len(line) <= 80
    assert line.endswith("…")
    assert "vault can do it” now" in ais("log", "--oneline").stdout


@pytest.mark.parametrize("command", ["threads", "bridges", "project", "daemon", "forget"])
def test_the_help_of_a_group_cuts_no_sentence(command: str) -> None:
    assert "..." not in ais(command, "--help").stdout.replace("[ARGS]...", "")


def test_project_alone_shows_the_project_of_the_folder(project: Path) -> None:
    assert ais("project").stdout == ais("project", "show").stdout
    assert str(project) in ais("project").stdout


def test_the_models_fit_eighty_columns() -> None:
    lines = screen_of("model", columns=80).splitlines()

    assert any(line.startswith("potion-multilingual") for line in lines)
    assert max(map(len, lines)) <= 80


def test_a_message_is_named_by_its_short_id_which_every_command_takes(project: Path) -> None:
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.capture(Message(text="The ferry leaves pier seven at noon.", session="s1"))
        (thread,) = memory.threads()
        (message,) = memory.events(thread.id)
    short = short_id(message.id)

    found = screen_of("search", "ferry", columns=80)
    thread_page = screen_of("threads", "show", thread.id[-6:], columns=80)
    doomed = screen_of("forget", "message", short, "--dry-run", columns=80)

    assert len(short) == len("9c8ad2")
    assert f"message {short}\n" in found
    assert f"\n{short}  " in thread_page
    assert f"\n{short}  " in doomed
    assert all(message.id not in screen for screen in (found, thread_page, doomed))


def test_a_split_is_proposed_with_short_ids(project: Path) -> None:
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.capture(Message(text="The ferry leaves pier seven at noon.", session="s1"))
        (thread,) = memory.threads()
        memory.append(thread.id, Message(text="The bell of the chapel is cracked.", session="s1"))
        ids = [short_id(event.id) for event in memory.events(thread.id)]

    proposed = screen_of("threads", "split", thread.id[-6:], columns=120)
    part = f"Bell={ids[1]}"
    split = screen_of("threads", "split", thread.id[-6:], "--part", part, columns=120)

    assert proposed.startswith(f"{thread.title} [{thread.id[-6:]}], 2 messages\n")
    assert all(f"\n{one}  " in proposed for one in ids)
    assert "“Bell”" in split
