"""Where the subject of a thread changes, against known boundaries: Pk and WindowDiff.

Takes files of dialogues (`utterances`, each with a `boundary` of 1 where a subject begins) or of
sessions (`corpus`), which are put end to end, three to a thread. In both measures a window of half
the mean true length of a subject (at least 2 messages) slides over a thread: Pk is how often it is
wrong about whether its ends are on one subject, WindowDiff how often about the number of changes.
"""

import argparse
import gzip
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ai_smartness.suggest.split_candidates import (
    LEAST_MESSAGES,
    LEAST_PART_MESSAGES,
    ThreadMessages,
    split_candidate,
)
from ai_smartness.threads.split_proposal import (
    SegmentMessage,
    SegmentRules,
    proposed_parts,
    segment_messages,
    topic_segments,
)
from kit.filled import a_thread
from kit.made_up import START, messages, vectors
from kit.timing import print_table, took
from place import Line, Talk, Vectors, as_event, boundary_errors, embedded, flat, joined, sessions

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNRELATED_COSINE = 0.62
"""Of the default model, whose vectors are taken."""
SESSIONS_JOINED = 3
SESSION_MESSAGES = 60
LEAST_SESSION = 6
LEAST_ALONE = 8
"""Messages of a subject that is asked whether it stays whole."""
WHOLE_COUNTS = 0.5
"""When constants are chosen: a single subject cut is half as bad as a window judged wrongly."""
TILE_MESSAGES = 3
MADE_UP_MESSAGES = 5_000
MADE_UP_DIMENSION = 384
COLUMNS = ["", "Pk", "WindowDiff", "subjects", "single subjects cut", "ms a thread"]


@dataclass(frozen=True)
class Thread:
    """Messages in their order, and where a subject begins."""

    said: list[SegmentMessage]
    begins: list[int]
    half: int
    vectors: "list[NDArray[np.float32]]" = field(default_factory=list, repr=False)

    def part(self, start: int, end: int) -> "Thread":
        """Return one stretch as a thread on one subject."""
        return Thread(self.said[start:end], [], self.half, self.vectors[start:end])


Rule: TypeAlias = Callable[[Thread], list[int]]


def main() -> None:
    """Measure each file, then the time that a long thread takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--no-vectors", action="store_true", help="by words alone")
    parser.add_argument("--cache", type=Path, help="a folder to keep the embeddings in")
    given = parser.parse_args()
    for path in given.files:
        talks = read(path)
        known = (
            {} if given.no_vectors else embedded([x.text for t in talks for x in t], given.cache)
        )
        plain = [as_thread(talk, number % 2) for number, talk in enumerate(talks)]
        whole = [
            replace(thread, vectors=[known[line.text] for line in talk])
            for thread, talk in zip(plain, talks, strict=True)
            if known
        ]
        print_table(f"{path.name}: where the subject changes.", COLUMNS, rows(plain, whole))
        if known:
            print_suggestions(path.name, talks, known)
    print("Other half: constants chosen on every other thread, measured on the rest.")
    print_long_thread()


def rows(plain: list[Thread], whole: list[Thread]) -> list[list[str]]:
    """Measure our rule and simpler ones."""
    count = sum(len(each.said) for each in plain)
    mean = round(count / sum(len(each.begins) + 1 for each in plain))
    # Where nobody says who speaks.
    anonymous = all(message.by_person for each in whole for message in each.said)
    turns = [replace(each, said=in_turns(each.said)) for each in whole if anonymous]
    return [
        measured("no boundary", plain, lambda _: []),
        measured(
            f"every {mean}th (the true mean)",
            plain,
            lambda t: [*range(0, len(t.said), mean)][1:],
        ),
        measured("lexical tiling", plain, tiled),
        *ours("ours, by words alone", plain),
        *(ours("ours", whole) if whole else []),
        *([measured("ours, speakers in turn", turns, by(SegmentRules()))] if turns else []),
    ]


def print_suggestions(name: str, talks: list[Talk], known: Vectors) -> None:
    """Say for how many threads of one subject, and of two, a split is suggested."""
    subjects_of = [
        [list(group) for _, group in groupby(talk, lambda line: line.label)] for talk in talks
    ]
    alone = [one for groups in subjects_of for one in groups if len(one) >= LEAST_ALONE]
    pairs = [
        [*one, *other]
        for groups in subjects_of
        for one, other in pairwise(groups)
        if min(len(one), len(other)) >= LEAST_PART_MESSAGES
        and len(one) + len(other) >= LEAST_MESSAGES
    ]
    for kind, threads in (("one subject", alone), ("two subjects", pairs)):
        suggested = sum(is_suggested(talk, known) for talk in threads)
        print(f"{name}: a split is suggested for {suggested} of {len(threads)} threads of {kind}")


def is_suggested(talk: Talk, known: Vectors) -> bool:
    """Say whether a split is suggested for a thread in which two speak in turn."""
    roles = {line.role for line in talk}
    lines = [
        replace(line, role=("user", "assistant")[number % 2]) if len(roles) == 1 else line
        for number, line in enumerate(talk)
    ]
    events = [as_event(line, number) for number, line in enumerate(lines)]
    rows_of = [known[line.text] for line in lines]
    parts = proposed_parts(events, rows_of, UNRELATED_COSINE)
    thread = a_thread("bench")
    return (
        split_candidate(thread, ThreadMessages(events, rows_of), parts, UNRELATED_COSINE)
        is not None
    )


# What there is to split.


def read(path: Path) -> list[Talk]:
    """Read the threads of a file, or stop with what is wrong."""
    if not path.is_file():
        sys.exit(f"There is no file {path}: give dialogues or sessions as gzipped JSON lines.")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        records: list[dict[str, Any]] = [json.loads(line) for line in file]
    match records:
        case [{"utterances": _, "boundary": _}, *_]:
            # Nobody says who speaks in these.
            return [[replace(line, role="user") for line in joined([each])] for each in records]
        case [{"corpus": _}, *_]:
            return [talk for each in records for talk in end_to_end(flat(sessions(each)))]
        case _:
            sys.exit(f"{path} has neither `utterances` with `boundary` nor a `corpus`.")


def end_to_end(talk: Talk) -> Iterable[Talk]:
    """Put a few sessions of a project one after the other, as if they were one thread.

    They are far apart in time: one session often goes on with the work of the last.
    """
    each = [list(lines)[:SESSION_MESSAGES] for _, lines in groupby(talk, lambda line: line.label)]
    longer = [lines for lines in each if len(lines) >= LEAST_SESSION]
    apart = len(longer) // SESSIONS_JOINED
    for first in range(apart):
        picked = longer[first::apart][:SESSIONS_JOINED]
        yield [line for lines in picked for line in lines]


def as_thread(talk: Talk, half: int) -> Thread:
    """Read a talk as a thread that is to be split."""
    events = [as_event(line, number) for number, line in enumerate(talk)]
    begins = [n for n, (one, other) in enumerate(pairwise(talk), 1) if one.label != other.label]
    return Thread(segment_messages(events), begins, half)


def in_turns(said: list[SegmentMessage]) -> list[SegmentMessage]:
    """Suppose that a person and an agent take turns."""
    return [replace(each, by_person=number % 2 == 0) for number, each in enumerate(said)]


def subjects(threads: list[Thread]) -> list[Thread]:
    """Take the longer subjects out of their threads."""
    return [
        each.part(start, end)
        for each in threads
        for start, end in pairwise([0, *each.begins, len(each.said)])
        if end - start >= LEAST_ALONE
    ]


# The rules.


def ours(name: str, threads: list[Thread]) -> list[list[str]]:
    """Measure our rule, as it is and with constants of the other half."""
    chosen = [best([each for each in threads if each.half != half]) for half in (0, 1)]
    return [
        measured(name, threads, by(SegmentRules())),
        measured(f"{name}, other half", threads, lambda t: by(chosen[t.half])(t)),
    ]


def by(rules: SegmentRules) -> Rule:
    """Return our rule with these constants."""
    return lambda thread: [
        each.start for each in topic_segments(thread.said, thread.vectors, UNRELATED_COSINE, rules)
    ][1:]


def best(threads: list[Thread]) -> SegmentRules:
    """Choose the constants that judge windows best and still leave a single subject whole."""
    alone = subjects(threads)

    def badness(rules: SegmentRules) -> float:
        return errors(threads, by(rules))[0] + WHOLE_COUNTS * cut_share(alone, by(rules))

    return min(candidates(), key=badness)


def candidates() -> Iterable[SegmentRules]:
    """List the constants to choose from, to both sides of those in use."""
    rules = SegmentRules()
    for words, strangers, penalty in product((0.67, 1.0, 1.5), (0.9, 1.0, 1.1), (0.7, 1.0, 1.4)):
        pull = replace(
            rules.pull,
            words=rules.pull.words * words,
            strangers=rules.pull.strangers * strangers,
            strangers_by_words=rules.pull.strangers_by_words * strangers,
        )
        yield replace(
            rules,
            pull=pull,
            penalty=rules.penalty * penalty,
            penalty_by_words=rules.penalty_by_words * penalty,
        )


def tiled(thread: Thread) -> list[int]:
    """Cut where the words change most, as TextTiling does: by the depth of the valleys."""
    counts = [Counter(each.words) for each in thread.said]
    alike = [
        cosine(
            sum(counts[max(0, gap - TILE_MESSAGES) : gap], Counter()),
            sum(counts[gap : gap + TILE_MESSAGES], Counter()),
        )
        for gap in range(1, len(counts))
    ]
    depths = [
        hill(alike[: gap + 1][::-1]) + hill(alike[gap:]) - 2 * height
        for gap, height in enumerate(alike)
    ]
    least = float(np.mean(depths) + np.std(depths) / 2) if depths else 0.0
    return [gap + 1 for gap, depth in enumerate(depths) if depth > least]


def hill(heights: Sequence[float]) -> float:
    """Climb as long as it does not go down, and say how high that is."""
    top = heights[0]
    for height in heights:
        if height < top:
            break
        top = height
    return top


def cosine(one: Counter[str], other: Counter[str]) -> float:
    """Compare two counts of words."""
    lengths = math.prod(math.sqrt(sum(n * n for n in each.values())) for each in (one, other))
    return sum(n * other[word] for word, n in one.items()) / lengths if lengths else 0.0


# How it is measured.


def measured(name: str, threads: list[Thread], rule: Rule) -> list[str]:
    """Apply a rule and return a row of the table: means over the threads."""
    spent_ms = took(lambda: [*map(rule, threads)]) * 1000 / len(threads)
    found = sum(len(rule(each)) + 1 for each in threads)
    there = sum(len(each.begins) + 1 for each in threads)
    pk, window_diff = errors(threads, rule)
    cut = cut_share(subjects(threads), rule)
    figures = [f"{pk:.3f}", f"{window_diff:.3f}", f"{found} of {there}", f"{cut:.0%}"]
    return [name, *figures, f"{spent_ms:.1f}"]


def errors(threads: list[Thread], rule: Rule) -> tuple[float, float]:
    """Return Pk and WindowDiff."""
    found = [
        boundary_errors(labels(each, each.begins), labels(each, rule(each))) for each in threads
    ]
    pk, window_diff = np.mean(found, axis=0)
    return float(pk), float(window_diff)


def labels(thread: Thread, begins: list[int]) -> list[int]:
    """Give each message the number of its subject."""
    return [sum(begin <= n for begin in begins) for n in range(len(thread.said))]


def cut_share(alone: list[Thread], rule: Rule) -> float:
    """Return how many of these single subjects are cut."""
    return sum(bool(rule(each)) for each in alone) / max(1, len(alone))


def print_long_thread() -> None:
    """Say how long a proposal takes for a long thread that is made up."""
    lines = [
        Line(each.text, each.role, START, each.session, None) for each in messages(MADE_UP_MESSAGES)
    ]
    events = [as_event(line, number) for number, line in enumerate(lines)]
    made_up = [row for block in vectors(MADE_UP_MESSAGES, MADE_UP_DIMENSION) for row in block]
    seconds = took(lambda: proposed_parts(events, made_up, 0.0))
    print(f"A proposal for {MADE_UP_MESSAGES:,} made-up messages: {seconds:.2f} s")


if __name__ == "__main__":
    main()
