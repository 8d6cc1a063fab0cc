"""A hook that cannot keep an event says so once, and counts it; the agent's turn goes on."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ai_smartness.entrypoints.daemon.inbox import append_record, lost_events
from command_line import ais, standing_in_a_project
from hooking import HOOK, Ran, an_event, hooked, keep_alone, kept_in

LIMIT_BLOCKS = 8  # of 512 bytes: no file may grow beyond 4 KB
LIMITED = ["sh", "-c", f'ulimit -f {LIMIT_BLOCKS} && exec "$@"', "sh", *HOOK]


def prompt(text: str, number: int) -> dict[str, object]:
    return an_event("UserPromptSubmit", prompt=text, prompt_id=f"p{number}")


def notice(ran: Ran) -> str:
    """Return what the person is shown; nothing else but the answer may be printed."""
    assert ran.is_harmless
    return str(ran.answer.get("systemMessage", "")) if ran.printed else ""


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a small file system that the test can fill."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "none", str(folder)]
    if (
        not shutil.which("mount")
        or subprocess.run(mount, check=False, capture_output=True).returncode
    ):
        pytest.skip("a file system can only be mounted by root")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> None:
    with suppress(OSError), (folder / "filler").open("wb", 0) as file:
        while True:
            file.write(b"x" * 4096)


def test_on_a_full_disk_the_person_is_told_once_and_every_loss_is_counted(full_disk: Path) -> None:
    home = full_disk / "home"
    hooked(home, prompt("before", 0))
    fill(full_disk)

    shown = [notice(hooked(home, prompt(f"lost {n} " + "y" * 9_000, n))) for n in range(1, 4)]

    assert "No space left on device" in shown[0]
    assert "`ais doctor`" in shown[0]
    assert shown[1:] == ["", ""]
    assert lost_events(str(home / "run"))[0] == 3


def test_with_room_again_prompts_are_kept_again_and_none_is_half(full_disk: Path) -> None:
    home = full_disk / "home"
    hooked(home, prompt("before", 0))
    fill(full_disk)
    hooked(home, prompt("lost " + "y" * 9_000, 1))
    (full_disk / "filler").unlink()

    after = hooked(home, prompt("after", 2))

    assert notice(after) == ""
    assert [record["text"] for record in kept_in(home)] == ["before", "after"]


def test_where_not_even_the_count_can_be_written_each_loss_is_told(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file where the folder should be")

    shown = [notice(hooked(home, prompt("lost", n))) for n in range(2)]

    assert all("could not keep this" in text for text in shown)


def test_a_limit_on_the_size_of_files_is_told_and_shown_by_status_and_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing_in_a_project(tmp_path, monkeypatch)
    home = Path(os.environ["AIS_HOME"])
    assert ais("init").exit_code == 0
    assert "could not be kept" not in ais("status").stdout

    ran = hooked(home, prompt("y" * 9_000, 1), command=LIMITED)
    more = hooked(home, prompt("y" * 9_000, 2), command=LIMITED)

    assert "File too large" in notice(ran)
    assert notice(more) == ""
    assert "2 events could not be kept" in ais("status").stdout
    assert json.loads(ais("status", "--json").stdout)["lost_events"] == 2
    (found,) = [
        item for item in json.loads(ais("doctor", "--json").stdout) if item["check"] == "lost"
    ]
    assert not found["ok"]
    assert "`ais import`" in found["found"]


def test_a_loss_that_cannot_be_shown_is_told_with_the_next_prompt(tmp_path: Path) -> None:
    home = tmp_path / "home"
    keep_alone(home)
    ended = an_event("SessionEnd", reason="x" * 9_000)
    assert notice(hooked(home, ended, command=LIMITED)) == ""

    assert "could not keep" in notice(hooked(home, prompt("y" * 9_000, 1), command=LIMITED))
    assert lost_events(str(home / "run"))[0] == 2


def test_after_a_failed_write_the_inbox_ends_where_it_did(full_disk: Path) -> None:
    inbox = full_disk / "inbox"
    inbox.mkdir(mode=0o700)
    append_record(str(inbox), {"text": "before"})
    size = (inbox / "events.jsonl").stat().st_size
    fill(full_disk)

    with pytest.raises(OSError, match="No space left"):
        append_record(str(inbox), {"text": "y" * 9_000})

    assert (inbox / "events.jsonl").stat().st_size == size


def test_the_answer_to_a_prompt_comes_with_the_notice(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file where the folder should be")
    start = an_event("SessionStart", source="startup")

    assert notice(hooked(home, start)) == ""
