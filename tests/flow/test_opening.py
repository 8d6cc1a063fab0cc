"""Files from other times and other programs, and files that are not well."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ai_smartness.adapters.sqlite.migrations import MIGRATIONS, Migration
from ai_smartness.adapters.sqlite.open_database import open_database
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.memory import Memory
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.model.event import Message
from builders import a_memory, said

LATER = (*MIGRATIONS, Migration(MIGRATIONS[-1].number + 1, "a test", ("CREATE TABLE later (x)",)))


def test_an_older_file_is_copied_and_then_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with a_memory(path) as memory:
        memory.capture(said("from before", id_="m1"))

    database = open_database(path, migrations=LATER)

    assert database.first_number("PRAGMA user_version") == LATER[-1].number
    assert database.all("SELECT * FROM later") == []
    assert database.all("SELECT id FROM events") == [("m1",)]
    database.close()
    (copy,) = tmp_path.glob("memory.db.before-*")
    assert copy.stat().st_mode & 0o777 == 0o600
    with a_memory(copy) as before:
        assert before.message("m1").text == "from before"


def test_an_upgrade_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with a_memory(path) as memory:
        memory.capture(said("from before", id_="m1"))
    broken = Migration(LATER[-1].number, "a test", ("CREATE TABLE later (x)", "NONSENSE"))

    with pytest.raises(StoreError, match="NONSENSE"):
        open_database(path, migrations=(*MIGRATIONS, broken))

    with a_memory(path) as memory:
        assert memory.message("m1").text == "from before"


def test_a_newer_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_database(path, migrations=LATER).close()
    before = path.read_bytes()

    with pytest.raises(StoreError, match=r"newer ai_smartness.*pip install --upgrade"):
        SqliteStore.open(path)

    assert path.read_bytes() == before


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(StoreError, match="another program"):
        SqliteStore.open(path)

    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary " * 100)

    with pytest.raises(StoreError, match="not an SQLite file"):
        SqliteStore.open(path)

    assert path.read_text() == "dear diary " * 100


def test_a_folder_given_as_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"is a folder.*memory\.db"):
        SqliteStore.open(tmp_path)


def test_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match=r"file is a file, not a folder.*--home"):
        SqliteStore.open(tmp_path / "file" / "memory.db")


LOOKS = """
import sqlite3, sys
looking = sqlite3.connect(sys.argv[1])
print(looking.execute("SELECT count(*) FROM events").fetchone()[0])
looking.close()
"""


def test_a_file_that_is_opened_twice_loses_nothing_to_another_process(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"

    def seen_by_another() -> int:
        done = subprocess.run([sys.executable, "-c", LOOKS, path], capture_output=True, check=True)
        return int(done.stdout)

    with a_memory(path) as first, a_memory(path) as second:
        first.capture(said("before", id_="m1"))
        assert seen_by_another() == 1
        first.capture(said("after", id_="m2"))
        second.capture(said("from the other", id_="m3"))

        assert seen_by_another() == 3


def test_a_damaged_page_is_named_and_the_file_kept(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with a_memory(path) as memory:
        memory.capture([said(f"line {n} " * 50, id_=f"m{n}") for n in range(500)])
    content = bytearray(path.read_bytes())
    for page in range(8, len(content) // 4096):
        content[page * 4096 : page * 4096 + 200] = b"\xde" * 200
    path.write_bytes(content)

    def use() -> None:
        with a_memory(path) as memory:
            memory.capture([said("line", id_=f"n{n}") for n in range(500)])
            memory.search("line")

    with pytest.raises(StoreError, match=r"damaged.*keep the file"):
        use()

    assert len(path.read_bytes()) == len(content)


FULL = """
import sys
from pathlib import Path
from builders import a_memory, said
from ai_smartness.model.errors import StoreError
path = Path(sys.argv[1])
kept = 0
try:
    for batch in range(10_000):
        with a_memory(path) as memory:
            memory.capture([said("x" * 2_000, id_=f"m{batch}-{n}") for n in range(5)])
        kept += 5
except StoreError as error:
    print(error)
with a_memory(path) as memory:
    held = sum(len(memory.all_events(thread.id)) for thread in memory.threads())
    assert held == kept, (held, kept)
    assert memory.search("x" * 2_000, limit=1, wait=False)
print("kept", kept)
"""


def in_a_small_disk(tmp_path: Path, script: str, options: str) -> str:
    """Run a script with a file system of its own mounted, gone when it ends."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = f'mount -t tmpfs -o {options} none "$1" && shift && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", mount, "sh", str(place)]
    allowed = subprocess.run([*command, "true"], capture_output=True, check=False)
    if allowed.returncode:
        pytest.skip(f"cannot mount a file system here: {allowed.stderr.decode().strip()}")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [*command, sys.executable, "-c", script, str(place / "memory.db")],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_full_disk_is_named_and_what_was_kept_stays(tmp_path: Path) -> None:
    said_there = in_a_small_disk(tmp_path, FULL, "size=2M")

    assert "disk" in said_there
    assert "Nothing was changed" in said_there
    assert int(said_there.split()[-1]) > 0


READ_ONLY = """
import subprocess, sys
from pathlib import Path
from builders import a_memory, said
from ai_smartness.model.errors import StoreError
path = Path(sys.argv[1])
with a_memory(path) as memory:
    memory.capture(said("hello", id_="m1"))
subprocess.run(["mount", "-o", "remount,ro", str(path.parent)], check=True)
try:
    with a_memory(path) as memory:
        memory.capture(said("lost?", id_="m2"))
except StoreError as error:
    print(error)
"""


def test_a_read_only_disk_is_named(tmp_path: Path) -> None:
    said_there = in_a_small_disk(tmp_path, READ_ONLY, "size=4M")

    assert "read-only" in said_there
    assert "--home" in said_there


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (Message(id="x" * 513, text="t"), "1 to 512 characters"),
        (Message(id="", text="t"), "cannot be a message's id"),
        (Message(id="a\x00b", text="t"), "no control characters"),
        (Message(id="m", text="t", session="s" * 513), "a message's session"),
        (Message(id="m", text="t", role=""), "a message's role"),
        (Message(id="m", text="t", payload={"x": object()}), "plain JSON"),
        (Message(id="m", text=b"bytes"), "must be text, not bytes"),  # type: ignore[arg-type]
    ],
)
def test_a_message_that_cannot_be_kept_is_refused_with_the_whole_call(
    message: Message, complaint: str
) -> None:
    with a_memory() as memory:
        with pytest.raises(RefusedError, match=complaint):
            memory.capture([said("good", id_="good"), message])

        assert memory.threads() == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("   ", "   "),
        ("a\x00b", "ab"),
        ("\ud800 lone", "\ufffd lone"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("🙂 é 中文", "🙂 é 中文"),
    ],
)
def test_odd_text_is_made_harmless_and_kept(text: str, kept: str) -> None:
    with a_memory() as memory:
        memory.capture(said(text, id_="m1"))

        assert memory.message("m1").text == kept
        memory.search(text)
        memory.reindex()


def test_ten_megabytes_of_text_are_kept_whole_and_found(tmp_path: Path) -> None:
    text = "needle " + "hay " * 2_500_000 + "tailword"
    with a_memory(tmp_path / "memory.db") as memory:
        memory.capture([said(text, id_="big"), said("small", id_="small")])

        assert memory.message("big").text == text
        assert memory.search("tailword", limit=1)[0].id == "big"


def test_ids_of_300_characters_are_kept() -> None:
    with a_memory() as memory:
        memory.capture(said("long id", id_="i" * 300))

        assert memory.search("long")[0].id == "i" * 300


def test_an_unknown_project_is_empty_and_reading_it_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with a_memory(path, project="never seen") as memory:
        assert memory.threads() == []
        assert memory.search("anything") == []
        assert memory.status().projects == ()


@pytest.mark.parametrize("spelling", [".", "../shop", "{shop}", "{shop}/src"])
def test_a_project_that_is_spelled_as_a_path_is_that_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelling: str
) -> None:
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    (shop / "src").mkdir()
    monkeypatch.chdir(shop)

    with Memory.open(project=spelling.format(shop=shop), home=tmp_path / "home") as memory:
        assert memory.project == str(shop)


@pytest.mark.parametrize("name", ["shop", "/gone/shop", "my shop/2"])
def test_any_other_text_is_the_name_of_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path)

    with Memory.open(project=name, home=tmp_path / "home") as memory:
        assert memory.project == name


def test_a_path_to_nowhere_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"no folder \./missing here"):
        Memory.open(project="./missing", home=tmp_path / "home")


def test_a_busy_file_is_named_as_busy(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    a_memory(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = SqliteStore.open(path, busy_timeout_ms=50)

    with pytest.raises(StoreError, match=r"busy.*busy_timeout_ms"), store.unit():
        pass

    other.close()
    store.close()


def test_an_event_can_never_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with a_memory(path) as memory:
        memory.capture(said("as it was", id_="m1"))
    connection = sqlite3.connect(path)

    with pytest.raises(sqlite3.IntegrityError, match="never changes"):
        connection.execute("UPDATE events SET text = 'as I like it'")

    connection.close()
