"""Titles, topics and summaries of some threads of a file of conversations, to be read.

Takes a file of the recall sets' format (gzipped JSON lines), each session of it
as a thread, and describes them as capture would: as they grow, one project a line.
"""

import argparse
import gzip
import json
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

from ai_smartness.describe.description import Description, ThreadDescriber
from ai_smartness.describe.parse_message import ThreadLine

FIRST_CHARACTERS = 160


@dataclass
class Project:
    """One conversation of the file, its sessions described as threads."""

    name: str
    describer: ThreadDescriber = field(default_factory=ThreadDescriber)
    described: dict[str, Description] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)
    messages: int = 0
    changes: int = 0
    seconds: float = 0.0


def main() -> None:
    """Describe every thread and print some of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--threads", type=int, default=30, help="how many to print")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    given = parser.parse_args()
    with gzip.open(given.file, "rt", encoding="utf-8") as lines:
        projects = [described(json.loads(line)) for line in lines]
    pool = [(project, thread) for project in projects for thread in project.described]
    for project, thread in random.Random(given.seed).sample(pool, min(given.threads, len(pool))):
        show(project, thread)
    for project in projects:
        show_totals(project)


def described(conversation: dict[str, object]) -> Project:
    """Feed one conversation to a describer and describe each thread whenever it is due."""
    project = Project(str(conversation.get("conv")))
    corpus = conversation.get("corpus")
    if not isinstance(corpus, list):
        sys.exit("No `corpus` in that file: give one of the recall sets.")
    started = process_time()
    for message in corpus:
        add(project, message["session"], message["role"], message["text"])
    for thread in project.described:
        describe(project, thread)
    project.seconds = process_time() - started
    return project


def add(project: Project, thread: str, role: str, text: str) -> None:
    """Note one message, and describe its thread if that is due."""
    project.messages += 1
    project.first.setdefault(thread, text)
    by_agent = role in {"assistant", "tool"}
    if project.describer.add(thread, ThreadLine(role, text, by_agent=by_agent)):
        describe(project, thread)


def describe(project: Project, thread: str) -> None:
    """Describe a thread anew, among the titles of the others."""
    former = project.described[thread].title if thread in project.described else ""
    taken = {known.title for other, known in project.described.items() if other != thread}
    description = project.describer.description_of(thread, former, taken)
    project.changes += bool(former) and description.title != former
    project.described[thread] = description


def show(project: Project, thread: str) -> None:
    """Print what a thread is called, is about and comes to, beside what it began with."""
    description = project.described[thread]
    print(f"\n{description.title}\n  topics  {', '.join(description.topics)}")
    for line in description.summary.splitlines():
        print(f"  {line}")
    began = " ".join(project.first[thread].split())
    print(f"  ({project.name}; began with: {began[:FIRST_CHARACTERS]})")


def show_totals(project: Project) -> None:
    """Print how many titles are shared, how often titles changed, and what it cost."""
    titles = Counter(description.title for description in project.described.values())
    shared = [title for title, times in titles.items() if times > 1]
    print(
        f"\n{project.name}: {len(titles)} titles, shared {shared or 'none'}, "
        f"{project.changes / len(project.described):.1f} changes a thread, "
        f"{project.seconds / project.messages * 1e6:.0f} µs of processor a message in all",
    )


if __name__ == "__main__":
    main()
