"""Find out, without a language model, whether memory that was shown to an agent was used.

Names from it that come back in the agent's answer or tool calls, and that the prompt did
not contain, were taken from it. A used thread is rated as useful.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from ai_smartness.capture.mentions import extract_mentions
from ai_smartness.model.event import EventType, is_by_agent
from ai_smartness.model.session import LedgerEntry
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.rate import rated_thread, usage_rating

__all__ = ["record_usage", "unused_entries", "was_used"]

RARE_WORD_CHARACTERS = 7  # a shorter word comes back by chance
MIN_SHARED_WORDS = 3  # words that must come back if no name does
MAX_READ_CHARACTERS = 20_000
RECENT_EVENTS = 50  # events of a session in which memory may come back

AGENT_ACTIONS = frozenset({EventType.AGENT_MESSAGE, EventType.TOOL_CALL})
"""Events that show use. A tool would have given its result anyway."""

_WORD = re.compile(rf"[^\W\d_]{{{RARE_WORD_CHARACTERS},}}")


def unused_entries(store: ThreadStore, project: str, session: str) -> list[LedgerEntry]:
    """Return what a session was shown last, as far as it has not come back yet."""
    unused = [entry for entry in store.ledger.shown_entries(project, session) if not entry.used]
    return [entry for entry in unused if entry.turn == unused[0].turn]


def record_usage(
    store: ThreadStore,
    project: str,
    session: str,
    entries: Sequence[LedgerEntry],
    now: datetime,
) -> None:
    """Rate the threads of entries that came back in what their session did since."""
    if not entries:
        return
    through = entries[0].through
    latest, shown = store.read_together(
        partial(store.events.latest_of_session, project, session, RECENT_EVENTS),
        partial(store.events.by_seq, sorted({seq for entry in entries for seq in entry.seqs})),
    )
    actions = [event for event in latest if event.seq > through and event.type in AGENT_ACTIONS]
    # The session knew these words without being shown anything.
    known = [event for event in latest if event.seq <= through or not is_by_agent(event)]
    prompt, answer = ("\n".join(event.text for event in events) for events in (known, actions))
    used = [
        entry.thread_id
        for entry in entries
        if was_used((shown[seq].text for seq in entry.seqs if seq in shown), prompt, answer)
    ]
    if not used:
        return
    with store.unit(project, *{event.project for event in shown.values()}):
        # A split that was undone since is still in the ledger, but its threads are gone.
        for thread in store.threads.by_id(used).values():
            store.threads.save(rated_thread(thread, usage_rating(now)))
        store.ledger.mark_used(project, session, entries[0].turn, used)


def was_used(shown_texts: Iterable[str], prompt: str, answer: str) -> bool:
    """Say whether texts that were shown come back in an answer."""
    text, answer = "\n".join(shown_texts), answer[:MAX_READ_CHARACTERS]
    names = _named_things(text) - _named_things(prompt)
    if any(name in answer for name in names):
        return True
    words = _rare_words(text) - _rare_words(prompt)
    return len(words & _rare_words(answer)) >= min(MIN_SHARED_WORDS, max(1, len(words)))


def _named_things(text: str) -> set[str]:
    mentions = extract_mentions(text)
    return {*(place.path for place in mentions.paths), *mentions.identifiers, *mentions.urls}


def _rare_words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}
