"""Tell an agent's report of a change with the order that it carried out.

"Changed in backoff.go, the last attempt lands at 71 h" is half of an exchange: how many attempts
there are was said by the user, in an order that names neither the file nor the subject.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ai_smartness.model.event import Event
from ai_smartness.model.search import RecalledLine
from ai_smartness.ports import ThreadStore
from ai_smartness.search.answer_lines import ASKED_MARK
from ai_smartness.statements.features import has_change_words
from ai_smartness.text.stretches import ends_with_question, message_stretches

__all__ = ["seqs_before", "with_orders"]

REPORTING_LINES = 30  # the best lines, of which some are shown
SHOWN_LINES = 12  # the best lines, whose messages need not be told again
MESSAGES_BACK = 5  # between an order and its report, the agent's tools among them
LONGEST_ORDER_CHARACTERS = 120  # a longer one costs too much room

_PAST_VERB = re.compile(r"(?:\w{2,}ed|done|set|cut|put|made|built|written|split)\b", re.IGNORECASE)
"""How a report begins: "Changed in …", "Set to 30"."""


def with_orders(store: ThreadStore, lines: Sequence[RecalledLine]) -> tuple[RecalledLine, ...]:
    """Return lines, best first, with what the user had ordered behind agents' reports."""
    reports = _change_reports(lines)
    events = store.events.by_seq(seqs_before(line.seq for line in reports)) if reports else {}
    told = {line.seq for line in lines[:SHOWN_LINES]}
    orders: dict[int, str] = {}
    for line in reports:
        order = _order_before(line.seq, events)
        text = _order_text(order, told) if order else ""
        if order and text:
            told.add(order.seq)
            orders[line.seq] = text
    return tuple(_told_lines(lines, orders))


def seqs_before(seqs: Iterable[int]) -> list[int]:
    """Return the numbers of messages and of those before them, among which orders are."""
    return sorted({seq - back for seq in seqs for back in range(MESSAGES_BACK + 1)})


def _change_reports(lines: Sequence[RecalledLine]) -> list[RecalledLine]:
    return [line for line in lines[:REPORTING_LINES] if _is_change_report(line)]


def _is_change_report(line: RecalledLine) -> bool:
    """Say whether an agent tells in a line what it changed."""
    is_by_agent = line.role == "assistant"
    return is_by_agent and bool(_PAST_VERB.match(line.text) or has_change_words(line.text))


def _order_before(seq: int, events: Mapping[int, Event]) -> Event | None:
    """Return the user's last message before a report; none if too much lies between them."""
    report = events.get(seq)
    before = (events.get(seq - back) for back in range(1, MESSAGES_BACK + 1))
    for event in before:
        if report is None or event is None or event.session != report.session:
            return None
        if event.role == "user":
            return event
    return None


def _order_text(order: Event, told: Collection[int]) -> str:
    text = " ".join(message_stretches(order.text, order.role))
    is_short = len(text) <= LONGEST_ORDER_CHARACTERS
    return text if is_short and order.seq not in told and not ends_with_question(text) else ""


def _told_lines(lines: Sequence[RecalledLine], orders: Mapping[int, str]) -> Iterator[RecalledLine]:
    waiting = dict(orders)
    for line in lines:
        order = waiting.pop(line.seq, "") if _is_change_report(line) else ""
        yield replace(line, text=f"{line.text}{ASKED_MARK}{order})") if order else line
