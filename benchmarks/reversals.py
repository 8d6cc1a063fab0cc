"""Which reversals of whole projects the memory finds, and at which step it loses the others.

Each project is captured session by session, as `moments` does. Its `supersedes` names the pairs of
messages in which the later one changes what the earlier one said, so that every other pair of
statements is a negative, at the base rate of real work. `holds` names pairs that look like a change
and are none: another object, a question, an example. `scripts/fit` prints the same figures for
models that have not seen the writer.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ai_smartness import Memory
from ai_smartness.model.statement import Statement, sentence_hash
from kit.timing import print_table
from moments import project_messages, read_lines, store

QUOTED_SHARE = 0.6  # of a phrase's words: the sentence that has them is the one that it quotes
HALVES = ("first half", "second half")
STEPS = ("found", "by another message", "not linked", "new is no statement", "old is no statement")


@dataclass(frozen=True, slots=True)
class Link:
    """A statement, the later one that superseded it, and the messages of the two."""

    older: Statement
    newer: Statement
    messages: tuple[str, str]


def main() -> None:
    """Capture every project and print what was found of its reversals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="one project a line, as JSON, plain or gzipped")
    parser.add_argument("--halves", action="store_true", help="count every other project apart")
    parser.add_argument("--show", action="store_true", help="print every reversal and wrong link")
    options = parser.parse_args()
    steps: dict[str, Counter[str]] = {}
    links: dict[str, Counter[bool]] = {}
    held: dict[str, Counter[bool]] = {}
    for number, project in enumerate(read_lines(options.file)):
        print(f"\r… project {number + 1}", end="", file=sys.stderr, flush=True)
        messages, found = captured_project(project)
        writer = HALVES[number % 2] if options.halves else project["writer"]
        judged = list(judged_reversals(project, messages, found))
        wrong = [link for link in found if not is_labelled(project, link)]
        steps.setdefault(writer, Counter()).update(step for step, _ in judged)
        links.setdefault(writer, Counter()).update({True: len(found) - len(wrong)})
        links[writer][False] += len(wrong)
        held.setdefault(writer, Counter()).update(ended_look_alikes(project, found))
        if options.show:
            show_project(project["project"], judged, wrong)
    print(file=sys.stderr)
    show_figures(steps, links, held)


def captured_project(project: dict[str, Any]) -> tuple[dict[str, list[Statement]], list[Link]]:
    """Capture a project; return its statements by message, and the links between them."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "memory.db", project=project["project"], home=folder) as memory,
    ):
        store(memory, project_messages(project))
        statements = {one.id: one for one in memory.statements(superseded=True)}
        ids = [message["id"] for session in project["sessions"] for message in session["messages"]]
        message_ids = {memory.message(id_).seq: id_ for id_ in ids}
    by_message: dict[str, list[Statement]] = {}
    for one in statements.values():
        by_message.setdefault(message_ids[one.seq], []).append(one)
    links = [
        Link(one, newer, (message_ids[one.seq], message_ids[newer.seq]))
        for one in statements.values()
        if one.superseded_by and (newer := statements.get(one.superseded_by))
    ]
    return by_message, links


def judged_reversals(
    project: dict[str, Any], messages: dict[str, list[Statement]], links: Sequence[Link]
) -> Iterator[tuple[str, str]]:
    """Say of each reversal how far the memory came with it."""
    for earlier, old, later, new in project["supersedes"]:
        older = [one for one in messages.get(earlier, ()) if quotes(one.text, old)]
        newer = [one for one in messages.get(later, ()) if quotes(one.text, new)]
        of_older = [link for link in links if link.older in older]
        if not older:
            step = "old is no statement"
        elif any(link.messages == (earlier, later) for link in of_older):
            step = "found"
        elif not newer:
            step = "new is no statement"
        else:
            step = "by another message" if of_older else "not linked"
        yield step, f"{old} => {new}"


def ended_look_alikes(project: dict[str, Any], links: Sequence[Link]) -> list[bool]:
    """Say of each pair that looks like a change whether the memory took it for one."""
    return [
        any(link.messages == (earlier, later) and quotes(link.older.text, old) for link in links)
        for earlier, old, later, _ in project.get("holds", ())
    ]


def is_labelled(project: dict[str, Any], link: Link) -> bool:
    """Say whether a link joins two messages of a reversal."""
    return any((pair[0], pair[2]) == link.messages for pair in project["supersedes"])


def quotes(sentence: str, phrase: str) -> bool:
    """Say whether a sentence has most words of a labelled phrase."""
    words = set(phrase.casefold().split())
    shared = words & set(sentence.casefold().split())
    is_same = sentence_hash(sentence) == sentence_hash(phrase)
    return is_same or len(shared) >= QUOTED_SHARE * len(words)


def show_project(name: str, judged: Sequence[tuple[str, str]], wrong: Sequence[Link]) -> None:
    """Print the reversals of a project with their step, then its wrong links."""
    for step, phrases in judged:
        print(f"{name}: {step}: {phrases}")
    for link in wrong:
        print(f"{name}: wrong: {link.older.text} => {link.newer.text}")


def show_figures(
    steps: dict[str, Counter[str]], links: dict[str, Counter[bool]], held: dict[str, Counter[bool]]
) -> None:
    """Print how many reversals were found, lost at each step, and how many links are right."""
    rows = []
    for writer in (*sorted(steps), "all"):
        here = sum(steps.values(), Counter()) if writer == "all" else steps[writer]
        linked = sum(links.values(), Counter()) if writer == "all" else links[writer]
        ended = sum(held.values(), Counter()) if writer == "all" else held[writer]
        count, linked_count = here.total(), linked.total()
        recall, precision = here["found"] / count, linked[True] / max(1, linked_count)
        row = [writer, f"{count}", *(f"{here[step]}" for step in STEPS)]
        row += [f"{recall:.3f}", f"{linked_count}", f"{precision:.3f}"]
        rows.append([*row, f"{ended[True]} of {ended.total()}"])
    columns = ["", "reversals", *STEPS, "recall", "links", "precision", "look-alikes ended"]
    print_table("Reversals of whole projects.", columns, rows)


if __name__ == "__main__":
    main()
