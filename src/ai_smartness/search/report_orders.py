"""Tell an agent's report of a change with the order that it carried out.

"Changed in backoff.go, the last attempt lands at 71 h" is half of an exchange: how many attempts
there are was said by the user, in an order that names neither the file nor the subject.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ai_smartness.model.event import Event
from ai_smartness.model.search import Hit, RecalledLine
from ai_smartness.ports import ThreadStore
from ai_smartness.search.rank import hit_from_event
from ai_smartness.search.rejected_sentences import rejected_hashes, without_rejected
from ai_smartness.statements.features import has_change_words
from ai_smartness.text.stretches import ends_with_question, message_stretches

__all__ = ["seqs_before", "with_orders"]

REPORTING_LINES = 30  # the best lines, of which some are shown
MESSAGES_BACK = 5  # between an order and its report, the agent's tools among them
LONGEST_ORDER_CHARACTERS = 120  # a longer one costs too much room

_PAST_VERB = re.compile(r"(?:\w{2,}ed|done|set|cut|put|made|built|written|split)\b", re.IGNORECASE)
"""How a report begins: "Changed in …", "Set to 30"."""


def with_orders(
    store: ThreadStore, projects: Sequence[str], lines: Sequence[RecalledLine]
) -> tuple[RecalledLine, ...]:
    """Return lines, best first, agents' reports with what the user had ordered.

    What a person has rejected is not told.
    """
    reports = [line for line in lines[:REPORTING_LINES] if _is_change_report(line)]
    if not reports:
        return tuple(lines)
    events = store.events.by_seq(seqs_before(line.seq for line in reports))
    before = {line.seq: _order_before(line.seq, events) for line in reports}
    rejected = rejected_hashes(store, projects)
    orders = {
        seq: order
        for seq, event in before.items()
        if event
        for order in without_rejected([hit_from_event(event)], rejected)
    }
    return tuple(_line_with_order(line, orders.get(line.seq)) for line in lines)


def seqs_before(seqs: Iterable[int]) -> list[int]:
    """Return the numbers of messages and of those before them, among which orders are."""
    return sorted({seq - back for seq in seqs for back in range(MESSAGES_BACK + 1)})


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


def _line_with_order(line: RecalledLine, order: Hit | None) -> RecalledLine:
    text = " ".join(message_stretches(order.text, order.role)) if order else ""
    if order is None or len(text) > LONGEST_ORDER_CHARACTERS or ends_with_question(text):
        return line
    return replace(line, order=text, order_seq=order.seq)
