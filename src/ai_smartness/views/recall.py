"""A recall as the page that an agent or a person reads, and as a line of the recall log.

The page quotes sentences, grouped by thread, and stays within a size: more lines say more than
longer ones. An agent's page stands between the memory marks, so that capture never stores it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import accumulate, pairwise

from ai_smartness.model.search import (
    Hit,
    RecalledBridge,
    RecalledLine,
    RecalledThread,
    RecallResult,
)
from ai_smartness.model.thread import Status, short_thread_id
from ai_smartness.search.query_parts import query_parts
from ai_smartness.text.display import (
    one_line,
    short_date,
    shortened_text,
    speaker_label,
    time_ago,
)
from ai_smartness.text.markers import STALE_NOTE, marked_text

__all__ = ["recall_log_line", "recall_page", "recall_page_for_people"]

LIKELY_SHARE = 0.78
"""How likely the answer should stand on a page: a page is short if its first lines surely answer,
and longer if many may. Chosen on the prompts of `training/projects.jsonl` and `fresh.jsonl`."""

LEAST_CHARACTERS, MOST_CHARACTERS = 1_900, 4_000
"""Of a page: 475 to 1,000 tokens."""

PART_CHARACTERS = 600  # more for each part of a question that asks several things
FRAME_CHARACTERS = 350  # around the lines of a page
LINE_FRAME_CHARACTERS = 30  # around the text of a line: its date, speaker and thread
SURENESS = 3  # the power of its score by which the chance of a line grows, see `line_ranking`
WEAK_NOTE = "Nothing matches well; these lines are the nearest."
FEWEST_LINES = 6  # that a person reads if there are: what changed a fact may match less well
WEAKER_SHARE = 0.35  # of the best line's score; further lines below it seldom answer
CHANGED_SHARE = 0.2  # the same for a line that replaced another
"""All three were chosen on the prompts of `training/projects.jsonl`."""

HEADED_MESSAGES = 4  # of a thread, from which its title costs less than an id on every line
LINES_OF_MESSAGE = 4  # quoted of one message, so that a long report leaves room for others
QUERY_CHARACTERS = 80  # of the question in the heading
TITLE_CHARACTERS = 32  # of a thread whose lines are quoted
MESSAGE_CHARACTERS = 400  # of a message of a thread that is recalled by its id
SUMMARY_CHARACTERS = 600


def recall_path_call(query: str) -> str:
    """Write the `Read` call that asks a question, as readable as it was typed."""
    return f'Read(".ai/recall/{query}")'


def recall_command(query: str) -> str:
    """Write the command that asks a question."""
    return f"`ais recall {query}`"


def recall_page(recalled: RecallResult, ask: Callable[[str], str] = recall_path_call) -> str:
    """Return the whole answer; `ask` writes how its reader asks the next question."""
    return marked_text("\n".join([*_head_lines(recalled), STALE_NOTE, *_body_lines(recalled, ask)]))


def recall_page_for_people(recalled: RecallResult, *, is_whole: bool = False) -> str:
    """Return the answer for a terminal: without marks, and without notes for an agent.

    It ends where the lines stop to answer, unless it is to be whole: a person skips nothing.
    """
    answering = recalled.lines if is_whole else tuple(_answering_lines(recalled))
    left_out = len(recalled.lines) - len(answering)
    shown = replace(recalled, lines=answering)
    lines = [*_head_lines(shown), *_body_lines(shown, recall_command)]
    if left_out:
        weaker = "1 weaker line is" if left_out == 1 else f"{left_out} weaker lines are"
        shows = "shows it" if left_out == 1 else "shows them"
        lines.insert(len(lines) - 1, f"{weaker} left out; `--all` {shows}.")
    return "\n".join(lines)


def _answering_lines(recalled: RecallResult) -> Iterator[RecalledLine]:
    """Yield the first lines, and the further ones that match about as well as the best."""
    best = max((line.score for line in recalled.lines), default=0.0)
    for place, line in enumerate(recalled.lines):
        share = CHANGED_SHARE if line.superseded else WEAKER_SHARE
        if place < FEWEST_LINES or line.score >= share * best:
            yield line


def recall_log_line(recalled: RecallResult) -> str:
    """Return a recall's line in the log."""
    reactivated = sum(thread.reactivated for thread in recalled.threads)
    return (
        f'[{recalled.at:%Y-%m-%d %H:%M:%S}] RECALL "{one_line(recalled.query)}" → '
        f"{len(recalled.threads)} threads, {len(recalled.bridges)} bridges, "
        f"{reactivated} reactivated"
    )


def _head_lines(recalled: RecallResult) -> Iterator[str]:
    yield f"# Memory Recall: {shortened_text(one_line(recalled.query), QUERY_CHARACTERS)}"


def _body_lines(recalled: RecallResult, ask: Callable[[str], str]) -> Iterator[str]:
    if recalled.lines:
        yield from _answer_page(recalled, ask)
    elif recalled.threads:
        yield from _thread_page(recalled)
    else:
        yield from _nothing_lines(recalled, ask)


_MessageLines = dict[int, list[RecalledLine]]
"""The lines of a thread that fit on the page, by the `seq` of their message."""


def _answer_page(recalled: RecallResult, ask: Callable[[str], str]) -> Iterator[str]:
    before = ["", WEAK_NOTE] if recalled.is_weak else []
    after = f"Next: {ask(short_thread_id(recalled.lines[0].thread_id))} shows a thread in full."
    fixed = [*_head_lines(recalled), STALE_NOTE, *before, "", "", after, marked_text("")]
    yield from before
    yield ""
    yield from _fitting_lines(recalled, page_characters(recalled) - _size(fixed))
    yield after


def page_characters(recalled: RecallResult) -> int:
    """Return how long the page of an answer may be."""
    likely = sum(len(line.text) + LINE_FRAME_CHARACTERS for line in _likely_lines(recalled.lines))
    parts = PART_CHARACTERS * len(query_parts(recalled.query))
    return min(max(FRAME_CHARACTERS + likely + parts, LEAST_CHARACTERS), MOST_CHARACTERS)


def _likely_lines(lines: Sequence[RecalledLine]) -> Sequence[RecalledLine]:
    """Return the first lines, as many as it takes for one of them to be the answer most likely."""
    chances = [line.score**SURENESS for line in lines]
    wanted = LIKELY_SHARE * sum(chances)
    count = next((n for n, chance in enumerate(accumulate(chances), 1) if chance >= wanted), 0)
    return lines[:count]


def _fitting_lines(recalled: RecallResult, room: int) -> Iterator[str]:
    """Write the lines that fit, by thread, the thread with the best line first."""
    threads = {match.thread.id: match for match in recalled.threads}
    groups: dict[str, _MessageLines] = {}
    told_orders = set[int]()
    for candidate in recalled.lines:
        line = _without_quoted_order(candidate, groups.values())
        thread, group = threads[line.thread_id], groups.get(line.thread_id, {})
        quoted = group.get(line.seq, [])
        if len(quoted) >= LINES_OF_MESSAGE or line.seq in told_orders:
            continue
        longer = group | {line.seq: [*quoted, line]}
        cost = _size(_group_lines(thread, longer, recalled.at)) - _size(
            _group_lines(thread, group, recalled.at)
        )
        if cost <= room or not groups:
            room -= cost
            groups[line.thread_id] = longer
            told_orders.add(line.order_seq if line.order else 0)
    before = ""
    for id_, group in groups.items():
        for written in _group_lines(threads[id_], group, recalled.at):
            if written or before:
                yield written
            before = written
    if before:
        yield ""


def _without_quoted_order(line: RecalledLine, groups: Iterable[_MessageLines]) -> RecalledLine:
    """Return a line without its order if that stands on the page itself."""
    is_quoted = any(line.order_seq in messages for messages in groups)
    return replace(line, order="") if is_quoted else line


def _group_lines(recalled: RecalledThread, group: _MessageLines, now: datetime) -> Iterator[str]:
    """Write the lines of a thread, newest first; a few of them name their thread at their end."""
    messages = [group[seq] for seq in sorted(group, reverse=True)]
    if len(messages) < HEADED_MESSAGES and not recalled.changed_files:
        for lines in messages:
            first, *rest = _message_lines(lines, now)
            yield f"{first} ({_thread_notes(recalled, short_thread_id(recalled.thread.id))})"
            yield from rest
    elif messages:
        yield ""
        yield from _heading_lines(recalled, short_thread_id(recalled.thread.id))
        for lines in messages:
            yield from _message_lines(lines, now)
        yield ""


def _size(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _heading_lines(
    recalled: RecalledThread, id_: str, title_characters: int = TITLE_CHARACTERS
) -> Iterator[str]:
    title = shortened_text(one_line(recalled.thread.title), title_characters)
    yield f"## {title} ({_thread_notes(recalled, id_)})"
    if recalled.changed_files:
        yield f"File changed since: {', '.join(map(one_line, recalled.changed_files))}"


def _thread_notes(recalled: RecalledThread, id_: str) -> str:
    notes = [id_]
    if recalled.thread.status is not Status.ACTIVE:
        notes.append(recalled.thread.status.value)
    if recalled.reactivated:
        notes.append("reactivated by this recall")
    return ", ".join(notes)


def _message_lines(lines: list[RecalledLine], now: datetime) -> Iterator[str]:
    """Write the lines of one message as one, and below it what they superseded."""
    if not lines:
        return
    ordered = sorted(lines, key=lambda line: line.place)
    pieces = [ordered[0].text]
    for before, line in pairwise(ordered):
        pieces += [line.text] if line.place == before.place + 1 else ["…", line.text]
    times = max(line.times for line in lines)
    last = short_date(lines[0].at, now)
    when = f"{last}" if times == 1 else f"{times} times, last {last}"
    order = next((f" (asked: {line.order})" for line in lines if line.order), "")
    yield f"- {when}, {_speaker(lines[0])}: {one_line(' '.join(pieces) + order)}"
    for older in (older for line in ordered for older in line.superseded):
        until = f"until {short_date(older.until, now)}" if older.until else _past(older, now)
        yield f"  - {until}, {_speaker(older)}: {one_line(older.text)}"


def _speaker(line: RecalledLine) -> str:
    return speaker_label(line.role, line.origin)


def _past(line: RecalledLine, now: datetime) -> str:
    return f"before, on {short_date(line.at, now)}"


def _nothing_lines(recalled: RecallResult, ask: Callable[[str], str]) -> Iterator[str]:
    yield ""
    yield "Nothing in this memory answers that."
    if recalled.topics:
        yield f"The nearest topics: {', '.join(map(one_line, recalled.topics))}."
        yield f"Next: {ask(one_line(recalled.topics[0]))}, or other words."
    else:
        yield "Next: try other words, or an identifier, a path or an error as it is written."


def _thread_page(recalled: RecallResult) -> Iterator[str]:
    """Write a thread that was recalled by its id, with its latest messages and its bridges."""
    for match in recalled.threads:
        yield ""
        thread = match.thread
        yield from _heading_lines(match, thread.id, len(thread.title) * 2)
        yield f"Weight: {thread.weight:.2f} | Topics: {', '.join(map(one_line, thread.topics))}"
        if thread.summary:
            yield f"Summary: {shortened_text(one_line(thread.summary), SUMMARY_CHARACTERS)}"
        yield f"Last active: {time_ago(thread.last_active, recalled.at)}"
        yield from map(_whole_message_line, match.messages)
    if recalled.bridges:
        yield ""
        yield f"## Related Bridges ({len(recalled.bridges)} found)"
        yield from map(_bridge_line, recalled.bridges)


def _whole_message_line(hit: Hit) -> str:
    text = one_line(shortened_text(" ".join(hit.text.split()), MESSAGE_CHARACTERS))
    return f"- {hit.id} [{hit.at:%Y-%m-%d %H:%M} {one_line(hit.origin or hit.role)}] {text}"


def _bridge_line(recalled: RecalledBridge) -> str:
    bridge = recalled.bridge
    because = f": {one_line(bridge.reason)}" if bridge.reason else ""
    return (
        f"- {one_line(recalled.source)} → {one_line(recalled.target)} "
        f"({bridge.relation.value.upper()}, weight: {bridge.weight:.2f}){because}"
    )
