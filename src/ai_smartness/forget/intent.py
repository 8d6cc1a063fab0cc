"""The intent to forget, written down before anything is deleted, so that it survives a kill.

It holds salted hashes only: of the messages, of the words that only they contain, and of the
names that selected them. Whoever finishes the deletion recognizes all of these where they still
occur, and nobody can read them in the intent. It is removed when the deletion is complete.
"""

import json
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ai_smartness.model.erasure import Selection, distinctive_words, salted_hash
from ai_smartness.model.errors import StoreError

__all__ = ["NOTHING_SELECTED", "ForgetIntent", "HashedTraces", "parsed_intent"]

NOTHING_SELECTED = Selection(messages=("",))
"""No message has an empty id: the hashes alone say what to delete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetIntent:
    """What is being forgotten, in hashes.

    `events` are the hashes under which a store remembers deleted messages; `ids` are those of
    messages, threads and waiting records. `names` are the project, thread and session of the
    selection, each by its field.
    """

    salt: str
    selection: str
    backups: str
    events: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    phrase: str = ""
    phrase_length: int = 0
    messages: int = 0
    names: dict[str, str] = field(default_factory=dict)
    since: str = ""
    until: str = ""
    has_more: bool = False

    @classmethod
    def of(cls, selection: Selection, asked: Selection, backups: str) -> "ForgetIntent":
        """Return the intent of a selection, before its messages are known.

        `asked` is the selection as it was given, before its ids were completed.
        """
        salt = secrets.token_hex(16)
        phrase = " ".join((selection.matching or "").casefold().split())
        names = {name: getattr(selection, name) for name in ("project", "thread", "session")}
        return cls(
            salt=salt,
            selection=salted_hash(salt, repr(asked)),
            backups=backups,
            phrase=salted_hash(salt, phrase) if phrase else "",
            phrase_length=len(phrase),
            names={name: salted_hash(salt, value) for name, value in names.items() if value},
            since=selection.since.isoformat() if selection.since else "",
            until=selection.until.isoformat() if selection.until else "",
            has_more=bool(selection.messages or selection.matching),
        )

    def completed(
        self, messages: int, events: Iterable[bytes], ids: Iterable[str], words: Iterable[str]
    ) -> "ForgetIntent":
        """Return the intent with what was found: messages, ids and words."""
        return replace(
            self,
            messages=messages,
            events=frozenset(event.hex() for event in events),
            ids=frozenset(salted_hash(self.salt, id_) for id_ in ids),
            words=frozenset(salted_hash(self.salt, word) for word in words),
        )

    def is_of(self, asked: Selection) -> bool:
        """Say whether somebody selects the same again."""
        return self.selection == salted_hash(self.salt, repr(asked))

    def __contains__(self, id_: object) -> bool:
        """Say whether an id is one of the forgotten ones."""
        return isinstance(id_, str) and salted_hash(self.salt, id_) in self.ids

    @property
    def event_hashes(self) -> frozenset[bytes]:
        """The hashes of the messages, as a store keeps them."""
        return frozenset(bytes.fromhex(event) for event in self.events)

    def remaining_selection(self, names: Iterable[str]) -> Selection:
        """Return the selection, as far as the store still has the names; else nothing.

        Messages that were selected by id or by a phrase are known by their hashes.
        """
        lines = (name for text in names for name in text.split("\n"))
        by_hash = {salted_hash(self.salt, name): name for name in lines}
        if self.has_more or not all(hash_ in by_hash for hash_ in self.names.values()):
            return NOTHING_SELECTED
        selection = Selection(
            since=datetime.fromisoformat(self.since) if self.since else None,
            until=datetime.fromisoformat(self.until) if self.until else None,
            **{name: by_hash[hash_] for name, hash_ in self.names.items()},  # type: ignore[arg-type] # texts
        )
        return selection if selection != Selection() else NOTHING_SELECTED

    def as_text(self) -> str:
        """Return the intent as JSON."""
        names = self.__slots__
        values = {name: getattr(self, name) for name in names}
        return json.dumps(
            {name: sorted(v) if isinstance(v, frozenset) else v for name, v in values.items()}
        )


def parsed_intent(text: str) -> ForgetIntent | None:
    """Read an intent; None for one whose writer was killed: nothing was deleted by it."""
    try:
        values = json.loads(text)
    except ValueError:
        return None
    try:
        fields: dict[str, Any] = {
            name: frozenset(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        return ForgetIntent(**fields)
    except (TypeError, AttributeError) as error:
        msg = (
            "a deletion was interrupted, and another version of ai_smartness wrote down what is "
            "left to do. Install that version again, and run any command with it."
        )
        raise StoreError(msg) from error


class HashedTraces:
    """Recognizes forgotten words, and the phrase that selected them, by their hashes."""

    def __init__(self, intent: ForgetIntent, words: frozenset[str] | None = None) -> None:
        self._intent = intent
        self._hashes: dict[str, str] = {}
        self.words = intent.words if words is None else words

    @property
    def salt(self) -> str:
        """The salt of the hashes."""
        return self._intent.salt

    def are_in(self, text: str) -> bool:
        """Say whether a text holds any of them."""
        return any(True for _ in self._hashes_in(text)) or self._has_phrase(text)

    def without_words_of(self, texts: Iterable[str]) -> "HashedTraces":
        """Return those whose words are in none of the texts."""
        words = set(self.words)
        for text in texts:
            words.difference_update(self._hashes_in(text))
        return HashedTraces(self._intent, frozenset(words))

    def _hashes_in(self, text: str) -> Iterator[str]:
        for word in distinctive_words(text) if self.words else ():
            if word not in self._hashes:
                self._hashes[word] = salted_hash(self.salt, word)
            if self._hashes[word] in self.words:
                yield self._hashes[word]

    def _has_phrase(self, text: str) -> bool:
        length = self._intent.phrase_length
        if not length:
            return False
        folded = " ".join(text.casefold().split())
        starts = range(len(folded) - length + 1)
        return any(
            salted_hash(self.salt, folded[start : start + length]) == self._intent.phrase
            for start in starts
        )
