"""Append events to an inbox as fast as hooks could, one process for one session."""

import sys
from pathlib import Path

from ai_smartness.entrypoints.daemon.inbox import append_record
from daemons import record


def main(folder: str, project: str, session: str, events: int) -> None:
    """Write so many, numbered in order."""
    for number in range(events):
        text = f"{session} says {number}"
        append_record(folder, record(Path(project), f"{session}-{number}", text, session=session))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
