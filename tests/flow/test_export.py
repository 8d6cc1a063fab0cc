"""Take a memory out as JSON lines, and in again."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ai_smartness.model.erasure import forgotten_hash
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import EventType, Message
from ai_smartness.ports import ThreadStore
from builders import NOON, a_memory, said
from command_line import ais, captured, standing_in_a_project, three_threads
from engines import open_store
from roaming_machine import exported, opened, seen, taken_in

pytestmark = pytest.mark.every_engine


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def a_store(*messages: Message, project: str = "demo") -> ThreadStore:
    store = open_store()
    opened(store, project).capture(messages)
    return store


def lines_of(file: bytes) -> list[dict[str, dict[str, object]]]:
    return [json.loads(line) for line in file.splitlines()]


def test_the_first_line_says_what_there_is() -> None:
    store = a_store(said("rotate the keys", id_="m1"), said("basket", id_="m2", session="s2"))

    header, *rest = lines_of(exported(store))

    about = header["ai_smartness export"]
    assert about["version"] == 2
    assert about["projects"] == ["demo"]
    counts = about["counts"]
    assert isinstance(counts, dict)
    assert counts["event"] == 2
    assert sum(counts.values()) == len(rest)


@pytest.mark.file_store
def test_an_export_through_the_command_line_comes_back_in_another_home(
    project: Path, tmp_path: Path
) -> None:
    three_threads(project)
    ais("pin", "We deploy on Tuesdays")
    ais("focus", "JWT")
    file = tmp_path / "memory.jsonl"

    ran = ais("export", str(file))
    back = ais("import", "--trust", str(file), AIS_HOME=str(tmp_path / "other"))

    assert ran.exit_code == 0, ran.output
    assert back.exit_code == 0, back.output
    assert "5 events" in back.stdout
    assert file.stat().st_mode & 0o777 == 0o600
    again = ais("export", "-", AIS_HOME=str(tmp_path / "other"))
    assert again.stdout_bytes == file.read_bytes()
    assert "数据库连接池太小了" in ais("search", "数据库", AIS_HOME=str(tmp_path / "other")).stdout


@pytest.mark.file_store
def test_importing_it_again_adds_nothing(project: Path, tmp_path: Path) -> None:
    three_threads(project)
    ais("export", str(tmp_path / "memory.jsonl"))

    told = json.loads(ais("import", "--trust", str(tmp_path / "memory.jsonl"), "--json").stdout)

    assert told["added"] == {}
    assert told["known"]["event"] == 4


@pytest.mark.file_store
def test_a_dry_run_says_what_would_come_and_stores_nothing(project: Path, tmp_path: Path) -> None:
    three_threads(project)
    ais("export", str(tmp_path / "memory.jsonl"))
    other = str(tmp_path / "other")

    told = json.loads(
        ais("import", str(tmp_path / "memory.jsonl"), "--dry-run", "--json", AIS_HOME=other).stdout
    )

    assert told["added"]["event"] == 4
    assert len(lines_of(ais("export", AIS_HOME=other).stdout_bytes)) == 1


@pytest.mark.file_store
def test_one_project_can_be_exported_alone(project: Path) -> None:
    three_threads(project)
    captured("elsewhere", said("of another project", id_="o1"))

    alone = lines_of(ais("export", "--project", "elsewhere").stdout_bytes)
    before = lines_of(ais("--project", "elsewhere", "export", "-").stdout_bytes)
    every = lines_of(ais("export", "--all").stdout_bytes)

    assert alone == before
    assert [each["event"]["id"] for each in alone if "event" in each] == ["o1"]
    assert len([each for each in every if "event" in each]) == 5
    assert ais("export", "--all", "--project", "elsewhere").exit_code == 2


@pytest.mark.file_store
def test_a_file_of_something_else_is_not_written_over(project: Path, tmp_path: Path) -> None:
    three_threads(project)
    (tmp_path / "diary.txt").write_text("dear diary")

    ran = ais("export", str(tmp_path / "diary.txt"))

    assert ran.exit_code == 1
    assert "it is not an export" in ran.stderr
    assert (tmp_path / "diary.txt").read_text() == "dear diary"
    ais("export", str(tmp_path / "memory.jsonl"))
    assert ais("export", str(tmp_path / "memory.jsonl")).exit_code == 0
    assert sorted(each.name for each in tmp_path.glob("*m*")) == ["home", "memory.jsonl"]


def test_what_is_new_is_added_to_what_is_there() -> None:
    there = a_store(said("rotate the keys", id_="m1"))
    before = exported(there)
    opened(there, "demo").capture(said("and the tokens too", id_="m2", minute=1))
    here = open_store()
    opened(here, "mine").capture(said("my own", id_="x"))
    taken_in(here, before)

    done = taken_in(here, exported(there))

    assert done.added == {"event": 1}
    assert seen(here, "demo") == seen(there, "demo")
    assert len(seen(here, "mine")) == 1


def test_what_is_described_here_is_left_as_it_is() -> None:
    there = a_store(said("rotate the keys", id_="m1"))
    (id_,) = seen(there, "demo")
    here = open_store()
    taken_in(here, exported(there))
    opened(here, "demo").rename(id_, "My own title")
    opened(there, "demo").archive(id_)

    done = taken_in(here, exported(there))

    assert done.left_out == {"change": 1}
    thread = here.threads.get(id_)
    assert (thread.title, thread.status.value) == ("My own title", "active")


def test_an_archived_thread_that_is_taken_in_beside_others_stays_archived() -> None:
    there = a_store(said("rotate the keys", id_="m1"))
    (id_,) = seen(there, "demo")
    opened(there, "demo").archive(id_)
    here = a_store(said("my own", id_="x"), project="mine")

    taken_in(here, exported(there))
    opened(here, "demo").tell()

    assert here.threads.get(id_).status.value == "archived"


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({"text": "other words"}, "message m1 has a different text here"),
        (
            {"role": "assistant", "session": "s9"},
            "message m1 has a different session and role here",
        ),
    ],
)
def test_the_same_id_with_other_content_is_refused_and_nothing_is_stored(
    change: dict[str, str], because: str
) -> None:
    here = a_store(said("rotate the keys", id_="m1"), said("mine", id_="m0", session="s0"))
    before = exported(here)
    lines = lines_of(before)
    for line in lines:
        if line.get("event", {}).get("id") == "m1":
            line["event"] |= change
        elif "event" in line:
            line["event"]["id"] = "new"
    file = b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    with pytest.raises(RefusedError, match=rf"{because}.*ais --home FOLDER import FILE"):
        taken_in(here, file)

    assert exported(here) == before


def test_memories_that_have_diverged_are_not_mixed() -> None:
    there = a_store(said("rotate the keys", id_="m1"), said("basket VAT", id_="m2", session="s2"))
    file = exported(there)
    one, other = sorted(seen(there, "demo"))
    opened(there, "demo").merge(one, other)
    before = exported(there)

    with pytest.raises(RefusedError, match="have diverged"):
        taken_in(there, file)

    assert exported(there) == before


def test_a_file_that_was_cut_off_is_refused_and_nothing_is_stored() -> None:
    file = exported(a_store(said("rotate the keys", id_="m1"), said("basket", id_="m2")))
    lines = file.splitlines(keepends=True)
    here = open_store()
    empty = exported(here)

    for kept in range(1, len(lines)):
        with pytest.raises(RefusedError, match=r"truncated or changed, and holds \d"):
            taken_in(here, b"".join(lines[:kept]))
    with pytest.raises(RefusedError, match=rf"line {len(lines)} is not a record"):
        taken_in(here, file[:-10])
    with pytest.raises(RefusedError, match="it is not an export"):
        taken_in(here, b"")

    assert exported(here) == empty


def test_an_export_of_the_format_before_is_taken_in() -> None:
    file = exported(a_store(said("rotate the keys", id_="m1")))
    before = file.replace(b'"version":2', b'"version":1').replace(b'"review":0,', b"")
    assert before != file
    store = open_store()

    loaded = taken_in(store, before.replace(b',"reviews":[]', b""))

    assert loaded.added["event"] == 1
    assert exported(store) == file


def test_an_export_from_the_future_is_refused() -> None:
    file = exported(a_store()).replace(b'"version":2', b'"version":3')

    with pytest.raises(RefusedError, match=r"newer ai_smartness.*pip install --upgrade"):
        taken_in(open_store(), file)


def test_a_line_of_no_known_kind_is_refused() -> None:
    file = exported(a_store(said("rotate", id_="m1"))) + b'{"unicorn":{}}\n'

    with pytest.raises(RefusedError, match="is not a record of an export"):
        taken_in(open_store(), file)


@pytest.mark.parametrize(
    ("place", "text", "because"),
    [
        (
            0,
            b'{"ai_smartness export": {"version": 2, "projects": [], "counts": {"event": null}}}',
            "",
        ),
        (0, b'{"ai_smartness export": {"version": 2, "projects": [], "counts": []}}', ""),
        (0, b"[" * 100_000, "its first line is not the header"),
        (1, b'{"thread": ' * 5_000, "line 2 is not a record"),
        (1, b'{"bridge": {"weight": 1%s}}' % (b"0" * 400), "line 2 is not a record"),
    ],
)
def test_a_line_that_python_stumbles_over_is_refused_like_any_other(
    place: int, text: bytes, because: str
) -> None:
    lines = exported(a_store(said("rotate", id_="m1"))).splitlines(keepends=True)
    lines[place] = text + b"\n"

    with pytest.raises(RefusedError, match=f"(?i){because}"):
        taken_in(open_store(), b"".join(lines))


def test_a_change_that_moved_a_message_which_is_not_there_cannot_be_undone() -> None:
    here = a_store(said("rotate the keys", id_="m1"), said("a logo", id_="m2", session="s2"))
    memory = opened(here, "demo")
    first, second = (memory.message(id_).thread_id for id_ in ("m1", "m2"))
    memory.merge(first, second)
    seq = memory.message("m2").seq
    there = open_store()
    moved = f'"seqs":[{seq}]'.encode()
    file = exported(here)
    assert moved in file
    taken_in(there, file.replace(moved, b'"seqs":[99]'))

    with pytest.raises(RefusedError, match="a message that it moved is not in this memory"):
        opened(there, "demo").undo()


def test_what_was_forgotten_here_does_not_come_back() -> None:
    here = a_store(said("rotate the keys", id_="m1"), said("the basket", id_="m2", session="s2"))
    file = exported(here)
    marked = open_store()
    marked.transfer.add_forgotten_hashes([forgotten_hash("demo", "m2").hex()])

    done = taken_in(marked, file)

    assert done.left_out == {"event": 1}
    assert [id_ for ids in seen(marked, "demo").values() for id_ in ids] == ["m1"]
    assert marked.transfer.forgotten_hashes() == [forgotten_hash("demo", "m2").hex()]


def test_a_secret_in_a_file_by_another_hand_is_not_stored() -> None:
    secret = "AKIA" + "QYLPMN5HNMVZ7TXC"
    file = exported(a_store(said("the key is here", id_="m1")))
    file = file.replace(b"the key is here", f"aws_access_key_id = {secret}".encode())
    here = open_store()

    taken_in(here, file)

    assert secret.encode() not in exported(here)
    assert b"[redacted:" in exported(here)


def test_numbers_that_are_taken_meanwhile_are_not_taken_twice() -> None:
    there = a_store(*(said(f"line {n}", id_=f"m{n}") for n in range(20)))
    here = open_store()
    taken_in(here, exported(there))

    opened(here, "mine").capture(said("my own", id_="x"))

    assert here.events.get("mine", "x").seq > there.events.last_seq("demo")


def test_a_compaction_says_the_same_where_it_is_numbered_anew() -> None:
    there = a_store(*(said(f"line {n} about JWT tokens " * 30, id_=f"m{n}") for n in range(30)))
    (id_,) = seen(there, "demo")
    opened(there, "demo").condense(id_, "digest", target=500)
    here = a_store(said("my own", id_="x"), project="mine")

    taken_in(here, exported(there))

    ours, theirs = (opened(each, "demo").events(id_) for each in (here, there))
    assert [(event.id, event.text) for event in ours] == [
        (event.id, event.text) for event in theirs
    ]
    assert len(ours) < 30
    (made,) = here.events.compactions_of(id_)
    assert made.type is EventType.COMPACTION


def test_a_memory_can_be_exported_while_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "memory"
    with a_memory(path) as memory:
        memory.capture([said(f"line {n}", id_=f"m{n}") for n in range(1_500)])
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITES, path],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        try:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"going\n"
            lines: list[str] = []
            header = memory.export(lines.append)
            assert writer.poll() is None
        finally:
            writer.kill()
            writer.communicate()

    events = [json.loads(line)["event"] for line in lines if line.startswith('{"event"')]
    assert len(events) == header.counts["event"]
    written = [event["id"] for event in events if event["id"].startswith("w")]
    assert written == [f"w{n}" for n in range(len(written))]
    with a_memory() as empty:
        assert empty.take_in(line.encode() for line in lines).added["event"] == len(events)


WRITES = """
import sys
from pathlib import Path
from ai_smartness.model.event import Message
from builders import a_memory
with a_memory(Path(sys.argv[1]), embedder=lambda: None) as memory:
    for number in range(100_000):
        memory.capture(Message(id=f"w{number}", session="w", text=f"written {number}"))
        if number == 5:
            print("going", flush=True)
"""


@pytest.mark.file_store
def test_an_export_is_imported_alone_and_as_it_is(project: Path, tmp_path: Path) -> None:
    three_threads(project)
    file = tmp_path / "memory.jsonl"
    ais("export", str(file))

    assert "one file at a time" in ais("import", str(file), str(tmp_path)).stderr
    assert "one project" in ais("import", str(file), "--project", "x").stderr


@pytest.mark.file_store
def test_a_refusal_names_the_file(project: Path, tmp_path: Path) -> None:
    three_threads(project)
    file = tmp_path / "memory.jsonl"
    ais("export", str(file))
    file.write_bytes(file.read_bytes()[:-20])

    ran = ais("import", "--trust", str(file), AIS_HOME=str(tmp_path / "other"))

    assert ran.exit_code == 1
    assert f"cannot import {file}" in ran.stderr


def test_an_event_with_odd_words_comes_back_as_it_was() -> None:
    text = 'a "quote" \\ \u2028 \x85 \ufeff\t\r\n \U0001f600 {"event":{}}'
    message = replace(said(text, id_="m1"), payload={"tool": "x", "é": [1, 1.5, None, {"a": "\n"}]})
    there = a_store(message)
    here = open_store()

    taken_in(here, exported(there))

    assert here.events.get("demo", "m1") == there.events.get("demo", "m1")
    assert here.events.get("demo", "m1").at == NOON
