"""The processes that were started for a folder: who they are, and their end."""

import os
import re
import select
from contextlib import suppress
from pathlib import Path

__all__ = ["at_work", "ended"]


def at_work(folder: Path, word: str = "") -> list[int]:
    """Name the processes whose command speaks of a folder, and has a certain word."""
    mine = re.compile(rb"(^|[\0=])" + re.escape(bytes(folder)) + rb"[/\0]")
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            command = each.read_bytes()
            if mine.search(command) and (not word or word.encode() in command.split(b"\0")):
                found.append(int(each.parent.name))
    return sorted(found)


def ended(pid: int, seconds: float) -> bool:
    """Wait so long for the end of a process, and say whether it came."""
    with suppress(ProcessLookupError):
        watched = os.pidfd_open(pid)
        try:
            return bool(select.select([watched], [], [], seconds)[0])
        finally:
            os.close(watched)
    return True
