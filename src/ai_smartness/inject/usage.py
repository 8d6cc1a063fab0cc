"""Find out, without a language model, whether memory that was shown to an agent was used.

Names from it that come back in the agent's answer or tool calls, and that the prompt did
not contain, were taken from it. A used thread is rated as useful.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from ai_smartness.capture.mentions import extract_mentions
from ai_smartness.model.event import EventType, is_by_agent
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.rate import rated_thread, usage_rating

__all__ = ["record_usage", "was_used"]

RARE_WORD_CHARACTERS = 7  # a shorter word comes back by chance
MIN_SHARED_WORDS = 3  # words that must come back if no name does
MAX_READ_CHARACTERS = 20_000
RECENT_EVENTS = 50  # events of a session in which memory may come back

AGENT_ACTIONS = frozenset({EventType.AGENT_MESSAGE, EventType.TOOL_CALL})
"""Events that show use. A tool would have given its result anyway."""

_WORD = re.compile(rf"[^\W\d_]{{{RARE_WORD_CHARACTERS},}}")


def record_usage(store: ThreadStore, projects: Sequence[str], session: str, now: datetime) -> None:
    """Rate the threads last shown to a session that came back in what it did since.

    `projects` are those that it can see, its own first.
    """
    project = projects[0]
    unused = [entry for entry in store.ledger.shown_entries(project, session) if not entry.used]
    entries = [entry for entry in unused if entry.turn == unused[0].turn]
    if not entries:
        return
    through = entries[0].through
    latest = store.events.latest_of_session(project, session, RECENT_EVENTS)
    actions = [event for event in latest if event.seq > through and event.type in AGENT_ACTIONS]
    # The session knew these words without being shown anything.
    known = [event for event in latest if event.seq <= through or not is_by_agent(event)]
    prompt, answer = ("\n".join(event.text for event in events) for events in (known, actions))
    used = [
        entry.thread_id
        for entry in entries
        if was_used((e.text for e in store.events.by_seq(entry.seqs).values()), prompt, answer)
    ]
    if not used:
        return
    with store.unit(*projects):
        # A split that was undone since is still in the ledger, but its threads are gone.
        for id_ in filter(store.threads.has, used):
            store.threads.save(rated_thread(store.threads.get(id_), usage_rating(now)))
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
