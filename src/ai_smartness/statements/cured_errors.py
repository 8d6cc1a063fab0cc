"""Remember which errors of a session are cured: what is told of a later request cures another.

An error stays the last one that was seen until there is a new one. The agent's report on the next
request ("the old parser is gone") is no cure of it, unless somebody says that it still happens.
"""

import re
from collections.abc import Iterable

from ai_smartness.model.event import Event
from ai_smartness.model.statement import Speaker, Statement
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.conversation import event_speaker
from ai_smartness.statements.error_cures import ERROR_EVENTS

__all__ = ["CuredErrors"]

_STATED = re.compile(r" \(error: (.+)\)$", re.DOTALL)
_PERSISTS = re.compile(
    r"\b(?:still|again|same|nope|back|fail\w*|errors?|broken|crash\w*|dies|died"
    r"|d(?:id|o|oes)(?:n['’]?t| not) (?:help|work|fix|change|solve)\w*"
    r"|no luck|not (?:it|fixed|gone)|immer noch|wieder|hilft nicht|toujours|encore"
    r"|sigue|todavía|otra vez|снова)\b",
    re.IGNORECASE,
)


class CuredErrors:
    """The errors that have a cure, by session, each with the message that told it."""

    def __init__(self, store: ThreadStore, known: Iterable[Statement]) -> None:
        self._store = store
        self._seqs: dict[tuple[str, str], int] = {}
        for one in known:
            if found := _STATED.search(one.text):
                self._seqs[one.session, found[1]] = one.seq

    def is_cured_before(self, event: Event, error: str) -> bool:
        """Say whether an error has its cure from before what the event is about.

        If not, the event cures it.
        """
        key = event.session or "", error
        cured = self._seqs.get(key)
        if cured is not None and self._is_of_another_request(event, cured):
            return True
        self._seqs[key] = event.seq
        return False

    def _is_of_another_request(self, event: Event, cured: int) -> bool:
        asked: list[str] = []
        previous = event if event_speaker(event) is Speaker.USER else None
        previous = previous or self._store.events.previous_in_session(event)
        for _ in range(ERROR_EVENTS):
            if previous is None or previous.seq <= cured:
                break
            if event_speaker(previous) is Speaker.USER:
                asked.append(previous.text)
            previous = self._store.events.previous_in_session(previous)
        return bool(asked) and not any(map(_PERSISTS.search, asked))
