"""Fill the room that statements leave in a brief with what the user said last.

A change of mind is not always recognised as a statement: "cars are 38 from today, diesel again".
In a young project the brief has room for it, and no outdated line stands there alone.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from ai_smartness.inject.brief_lines import shortened_at_clause
from ai_smartness.inject.inject import PromptTurn
from ai_smartness.model.event import Event, is_by_agent, is_pin
from ai_smartness.model.search import Hit
from ai_smartness.model.thread import Status
from ai_smartness.ports import ThreadStore
from ai_smartness.search.answer_lines import letters_only
from ai_smartness.search.rank import hit_from_event
from ai_smartness.search.rejected_sentences import rejected_hashes, without_rejected
from ai_smartness.text.display import short_date
from ai_smartness.text.stretches import ends_with_question, message_stretches, telling_word_count
from ai_smartness.text.token_count import estimate_tokens

__all__ = ["UserRemark", "latest_remarks", "written_remarks"]

HEADING = "Also said by the user, the latest first:"
LATEST_EVENTS = 200  # of the project, among which remarks are looked for
TELLING_WORDS = 3  # fewer say nothing without what was said before them
REMARK_CHARACTERS = 180
MOST_REMARKS = 8  # most of what a user says is an order, and is done


@dataclass(frozen=True, slots=True)
class UserRemark:
    """What a message of the user says beside its statements."""

    event: Event
    text: str


def latest_remarks(
    store: ThreadStore, turn: PromptTurn, quoted: Collection[int]
) -> Iterator[UserRemark]:
    """Yield what the user said in other sessions, the latest first.

    Statements are left out, also those that no longer hold, and the messages in `quoted`.
    """
    project = turn.session.project
    first = max(0, store.events.last_seq(project) - LATEST_EVENTS)
    events = {
        event.seq: event
        for event in store.events.after_seq(project, first, LATEST_EVENTS)
        if event.session != turn.session.id and event.seq not in quoted and _is_spoken(event)
    }
    threads = store.threads.by_id({event.thread_id for event in events.values()})
    statements = store.statements.of_events(events)
    hits = [hit_from_event(events[seq]) for seq in sorted(events, reverse=True)]
    for hit in without_rejected(hits, rejected_hashes(store, turn.projects)):
        stated = {letters_only(statement.text) for statement in statements.get(hit.seq, ())}
        text = " ".join(_remark_stretches(hit, stated))
        if text and threads[hit.thread_id].status is not Status.ARCHIVED:
            yield UserRemark(events[hit.seq], shortened_at_clause(text, REMARK_CHARACTERS))


def written_remarks(
    remarks: Iterator[UserRemark], tokens: int, turn: PromptTurn
) -> tuple[str, list[UserRemark]]:
    """Write as many remarks as there is room for, each on its line."""
    lines, written = [HEADING], list[UserRemark]()
    for remark in islice(remarks, MOST_REMARKS):
        line = f"- {short_date(remark.event.at, turn.now)}: {remark.text}"
        if estimate_tokens("\n".join([*lines, line])) > tokens:
            break
        lines.append(line)
        written.append(remark)
    return "\n".join(lines) if written else "", written


def _is_spoken(event: Event) -> bool:
    return not is_by_agent(event) and not is_pin(event)


def _remark_stretches(hit: Hit, stated: Collection[str]) -> Iterator[str]:
    """Yield the stretches of a message that tell something and state nothing."""
    for stretch in message_stretches(hit.text, hit.role):
        words = letters_only(stretch)
        is_stated = any(one in words or words in one for one in stated)
        is_telling = telling_word_count(stretch) >= TELLING_WORDS
        if is_telling and not is_stated and not ends_with_question(stretch):
            yield stretch
