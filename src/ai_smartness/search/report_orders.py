"""Tell an agent's report of a change with the order that it carried out.

"Changed in backoff.go, the last attempt lands at 71 h" is half of an exchange: how many attempts
there are was said by the user, in an order that names neither the file nor the subject. If the
user only agreed ("fine, do that"), the agent's proposal is told instead.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ai_smartness.model.event import Event
from ai_smartness.model.search import Hit, RecalledLine
from ai_smartness.ports import ThreadStore
from ai_smartness.search.rank import hit_from_event
from ai_smartness.search.rejected_sentences import rejected_hashes, without_rejected
from ai_smartness.statements.features import has_change_words
from ai_smartness.text.stretches import ends_with_question, message_stretches, telling_word_count

__all__ = ["seqs_before", "with_orders"]

REPORTING_LINES = 30  # the best lines, of which some are shown
MESSAGES_BACK = 5  # between an order and its report, the agent's tools among them
LONGEST_ORDER_CHARACTERS = 120  # a longer one costs too much room
LONGEST_PROPOSAL_CHARACTERS = 200
CONSENT_CHARACTERS = 80  # who agrees in more words says something else, too

_PAST_VERB = re.compile(r"(?:\w{2,}ed|done|set|cut|put|made|built|written|split)\b", re.IGNORECASE)
"""How a report begins: "Changed in …", "Set to 30"."""

_CONSENT = re.compile(
    r"\b(?:agree|agreed|proceed|sounds good|try it|do (?:it|that|so)|go (?:ahead|for it)"
    r"|your (?:proposal|suggestion|reasoning)|as you (?:say|suggest|propose))\b",
    re.IGNORECASE,
)
_PROPOSAL = re.compile(
    r"\bi(?:'d| would| suggest| propose| recommend)\b|\b(?:shall|should) (?:i|we)\b|\bwe could\b"
    r"|\b(?:proposal|suggestion|plan):",
    re.IGNORECASE,
)


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
    before = {line.seq: _order_or_proposal(line.seq, events) for line in reports}
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
    return sorted({seq - back for seq in seqs for back in range(2 * MESSAGES_BACK + 1)})


def _is_change_report(line: RecalledLine) -> bool:
    """Say whether an agent tells in a line what it changed."""
    is_by_agent = line.role == "assistant"
    return is_by_agent and bool(_PAST_VERB.match(line.text) or has_change_words(line.text))


def _order_or_proposal(report_seq: int, events: Mapping[int, Event]) -> Event | None:
    """Return the user's last message before a report, or the proposal that it only agreed to."""
    order = _last_before(report_seq, events, is_by_user=True)
    if order is None or not _is_consent(order.text):
        return order
    proposal = _last_before(order.seq, events, is_by_user=False)
    return proposal if proposal and _PROPOSAL.search(proposal.text) else None


def _last_before(seq: int, events: Mapping[int, Event], *, is_by_user: bool) -> Event | None:
    """Return the user's or the agent's last message; none if too much lies between them."""
    first = events.get(seq)
    before = (events.get(seq - back) for back in range(1, MESSAGES_BACK + 1))
    for event in before:
        if first is None or event is None or event.session != first.session:
            return None
        if event.role == ("user" if is_by_user else "assistant"):
            return event
    return None


def _is_consent(text: str) -> bool:
    """Say whether somebody agrees and says nothing else: a number or a name would be an order."""
    if telling_word_count(text) == 0:
        return True
    is_short = len(text) <= CONSENT_CHARACTERS and not any(map(str.isdigit, text))
    return is_short and _CONSENT.search(text) is not None


def _line_with_order(line: RecalledLine, order: Hit | None) -> RecalledLine:
    if order is None:
        return line
    is_proposal = order.role != "user"
    stretches = message_stretches(order.text, order.role)
    text = " ".join(_proposing(stretches) if is_proposal else stretches)
    longest = LONGEST_PROPOSAL_CHARACTERS if is_proposal else LONGEST_ORDER_CHARACTERS
    if len(text) > longest or (not is_proposal and ends_with_question(text)):
        return line
    return replace(line, order=text, order_seq=order.seq)


def _proposing(stretches: Sequence[str]) -> Iterator[str]:
    """Yield the stretches that propose something; before "Shall I?" stands what is proposed."""
    for before, stretch in zip(("", *stretches), stretches, strict=False):
        if _PROPOSAL.search(stretch):
            if ends_with_question(stretch) and not _PROPOSAL.search(before):
                yield before
            yield stretch
