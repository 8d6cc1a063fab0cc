"""Whether memory is put in front of the prompts that need it, and only those.

The conversation is lived through again: before each prompt the memory holds what
had been said by then, and `Memory.inject` is asked. A prompt's score is the
certainty that it needs what was found, whether it was shown or not. Threads get no titles
and messages no statements: they take most of the time, and the certainty does not read them.
"""

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.capture.capture import LIVE_MESSAGES, capture
from ai_smartness.inject.select import STANDING_REASONS
from ai_smartness.memory import Memory
from ai_smartness.memory.base import ignore_progress
from ai_smartness.ports import Progress
from ai_smartness.testing import SetClock
from kit.conversations import Conversation, Query
from kit.plain_search import Bm25, words
from kit.remembered import Known, embed_for_search, remembered, seen_with
from kit.scores import Floats, at_floor, auroc, false_at_recall

if TYPE_CHECKING:
    from ai_smartness.model.event import Message

__all__ = ["Prompts", "answerable", "bm25_prompts", "lived_through", "living", "summed"]


@dataclass(frozen=True)
class Prompts:
    """The scores of prompts that need memory and of those that do not, and which got any."""

    wanted: list[float]
    unwanted: list[float]
    wanted_spoken: list[bool]
    unwanted_spoken: list[bool]

    def add(self, other: "Prompts") -> None:
        """Take those of another conversation too."""
        self.wanted.extend(other.wanted)
        self.unwanted.extend(other.unwanted)
        self.wanted_spoken.extend(other.wanted_spoken)
        self.unwanted_spoken.extend(other.unwanted_spoken)


def lived_through(
    conversation: Conversation,
    embedder: Known | None,
    every: int = 1,
    progress: Progress = ignore_progress,
) -> Prompts:
    """Live through a conversation and ask for its prompts what would be put in front of them.

    Of both kinds of prompts, each `every`-th is asked. What was said since the last one is
    captured in one call, as if it had come in while the daemon was busy.
    """
    asked: dict[int, list[tuple[bool, Query]]] = defaultdict(list)
    for needs, queries in ((True, conversation.queries), (False, conversation.non_queries)):
        for query in answerable(queries)[::every]:
            asked[query.place].append((needs, query))
    found, clock, embedded = Prompts([], [], [], []), SetClock(), 0
    with living(conversation, embedder, clock) as memory:
        waiting: list[Message] = []
        for number, message in enumerate(conversation.messages):
            clock.set(message.at or clock())
            if asked[number] or len(waiting) == LIVE_MESSAGES:
                _capture_undescribed(memory, waiting)
                waiting = []
                progress(number, len(conversation.messages))
            if asked[number] and embedder is not None:
                embedded = embed_for_search(memory, embedder, embedded)
            for needs, query in asked[number]:
                _ask(memory, query, found, needs=needs)
            waiting.append(message)
    progress(len(conversation.messages), len(conversation.messages))
    return found


def _capture_undescribed(memory: Memory, messages: "Sequence[Message]") -> None:
    context = memory._capture_context()  # noqa: SLF001 # no verb does less
    capture(memory._store, memory._assign_state, messages, context, ignore_progress)  # noqa: SLF001


@contextmanager
def living(conversation: Conversation, embedder: Known | None, clock: SetClock) -> Iterator[Memory]:
    """Yield an empty memory in which a conversation is to be lived through."""
    nothing = Conversation(conversation.name, [], [], [])
    with tempfile.TemporaryDirectory() as folder:
        store = remembered(nothing, Path(folder) / "memory.db", [])
        yield seen_with(store, embedder, clock)
        store.close()


def answerable(queries: Sequence[Query]) -> list[Query]:
    """Leave out what was asked when there was nothing yet."""
    return [query for query in queries if query.cutoff]


def _ask(memory: Memory, query: Query, found: Prompts, *, needs: bool) -> None:
    injection = memory.inject(query.text, session=query.session)
    (found.wanted if needs else found.unwanted).append(injection.certainty)
    spoken = any(entry.reason not in STANDING_REASONS for entry in injection.entries)
    (found.wanted_spoken if needs else found.unwanted_spoken).append(spoken)


def bm25_prompts(conversation: Conversation, *, per_word: bool, every: int = 1) -> Prompts:
    """Score the prompts by BM25's best score among the messages before its session."""
    messages = conversation.messages
    bm25 = Bm25([message.id or "" for message in messages], [m.text for m in messages])

    def score(query: Query) -> float:
        best = max(bm25.scores(query.text, query.cutoff).values(), default=0.0)
        return best / (max(1, len(words(query.text))) if per_word else 1)

    kinds = (conversation.queries, conversation.non_queries)
    wanted, unwanted = ([score(query) for query in answerable(kind)[::every]] for kind in kinds)
    return Prompts(wanted, unwanted, [], [])


def summed(prompts: Prompts, floor: float) -> dict[str, object]:
    """Return the measures of a gate."""
    wanted, unwanted = np.array(prompts.wanted), np.array(prompts.unwanted)
    return {
        "AUROC": auroc(wanted, unwanted),
        "false at 80 % recall": false_at_recall(wanted, unwanted),
        **_spoken(prompts, wanted, unwanted, floor),
    }


def _spoken(
    prompts: Prompts,
    wanted: Floats,
    unwanted: Floats,
    floor: float,
) -> dict[str, tuple[float, float]]:
    if not prompts.wanted_spoken:
        return {}
    spoke = float(np.mean(prompts.wanted_spoken)), float(np.mean(prompts.unwanted_spoken))
    return {"at the floor": at_floor(wanted, unwanted, floor), "given memory": spoke}
