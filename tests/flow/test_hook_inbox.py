"""The inbox: many write, one takes away, and every record is there once."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

from ai_smartness.entrypoints.daemon import inbox

WRITERS = 8
RECORDS = 60

WRITE = """
import sys
from ai_smartness.entrypoints.daemon import inbox
folder, writer, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(count):
    inbox.append_record(folder, {"writer": writer, "number": number, "text": "x" * 5_000})
"""


def test_eight_writers_and_a_taker_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    folder = str(tmp_path)
    arguments = [
        (sys.executable, "-c", WRITE, folder, str(n), str(RECORDS)) for n in range(WRITERS)
    ]
    writers = [subprocess.Popen(each) for each in arguments]
    found = list[tuple[object, object]]()

    def drain() -> None:
        for name, records, broken in inbox.taken_files(folder):
            assert broken == []
            found.extend((record["writer"], record["number"]) for record in records)
            inbox.remove_file(folder, name)

    while any(writer.poll() is None for writer in writers):
        drain()
    drain()

    assert [writer.returncode for writer in writers] == [0] * WRITERS
    assert set(Counter(found).values()) == {1}
    assert len(found) == WRITERS * RECORDS
    for writer in range(WRITERS):
        numbers = [number for each, number in found if each == str(writer)]
        assert numbers == list(range(RECORDS))


def test_what_was_taken_and_not_finished_is_given_again(tmp_path: Path) -> None:
    folder = str(tmp_path)
    inbox.append_record(folder, {"n": 1})
    first = next(inbox.taken_files(folder))
    inbox.append_record(folder, {"n": 2})

    again = list(inbox.taken_files(folder))

    assert again[0] == first
    assert [records for _, records, _ in again] == [[{"n": 1}], [{"n": 2}]]


def test_half_a_line_costs_no_other(tmp_path: Path) -> None:
    inbox.append_record(str(tmp_path), {"n": 1})
    with (tmp_path / inbox.OPEN_FILE).open("ab") as file:
        file.write(b'{"n": 2, "te\xff')
    inbox.append_record(str(tmp_path), {"n": 3})

    ((_, records, broken),) = inbox.taken_files(str(tmp_path))

    assert (records, broken) == ([{"n": 1}, {"n": 3}], [b'{"n": 2, "te\xff'])
