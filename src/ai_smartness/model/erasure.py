"""Deletion: the messages to forget, the effect, and secrets that should be forgotten."""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b

from ai_smartness.model.event import Event

__all__ = [
    "FORGOTTEN_TEXT",
    "SHARED_PLACE",
    "ForgetResult",
    "Selection",
    "StoredSecret",
    "Trace",
    "contained_words",
    "described_secret",
    "distinctive_words",
    "forgotten_hash",
    "salted_hash",
]


FORGOTTEN_TEXT = "(forgotten)"  # replaces forgotten words

SHARED_PLACE = "what you share with your team (`ais unshare`)"
"""The place of a trace that only taking it back removes."""

MIN_WORD_CHARACTERS = 4
"""A shorter word is in any file by chance. A character of other scripts says more."""

MIN_WORD_CHARACTERS_OTHER_SCRIPT = 2

MIN_NUMBER_CHARACTERS = 8
"""A word without two letters in a row: shorter numbers occur by chance among packed ones."""

FEW_WORDS_LIMIT = 200
DIGEST_BYTES = 12

_WORD = re.compile(r"\w{2,}")
_LETTERS = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The messages to forget: those that meet all criteria.

    `matching` is a text that a message contains, ignoring case. Without a project, all projects
    are searched. `messages` are full ids.
    """

    project: str | None = None
    messages: tuple[str, ...] = ()
    thread: str | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    matching: str | None = None

    @property
    def is_whole_project(self) -> bool:
        """Say whether a whole project is selected."""
        narrowed = (self.thread, self.session, self.since, self.until, self.matching)
        return self.project is not None and not self.messages and not any(narrowed)


@dataclass(frozen=True, slots=True)
class Trace:
    """A forgotten word that is still somewhere."""

    place: str
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetResult:
    """The effect of a deletion, or of its dry run.

    `threads` counts the threads that lost their last message, `described` those that got a new
    description. `files` says what was done to each file beside the store. `words` counts the
    words that only forgotten messages held: all `read` bytes were searched for them, and `left`
    names those found, which should be none. `kept` counts words that other messages hold too, or
    that the program itself writes. `interrupted` says that this finished an earlier deletion.
    `unreached` says where a server may still keep them, which nobody has searched.
    """

    messages: int
    threads: int = 0
    described: int = 0
    compactions: int = 0
    changes: int = 0
    projects: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[Event, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    words: int = 0
    kept: int = 0
    read: int = 0
    left: tuple[Trace, ...] = ()
    dry_run: bool = False
    interrupted: bool = False
    unreached: tuple[str, ...] = ()


def distinctive_words(text: str) -> set[str]:
    """Return the words of a text that do not occur by chance, in lower case."""
    return {word for word in set(_WORD.findall(text.casefold())) if _is_distinctive(word)}


def forgotten_hash(project: str, event_id: str) -> bytes:
    """Return the hash that stands for a deleted message; it cannot be reversed."""
    digest = blake2b(f"{project}\x1f{event_id}".encode(), digest_size=16).digest()
    # No byte is a letter: a search of the raw file never takes it for a word.
    return bytes(byte | 0x80 for byte in digest)


def salted_hash(salt: str, text: str) -> str:
    """Return the hash of a word, an id or a name that is being forgotten."""
    whole = text.encode("utf-8", "surrogatepass")
    return blake2b(whole, key=bytes.fromhex(salt), digest_size=DIGEST_BYTES).hexdigest()


def contained_words(words: AbstractSet[str], text: str) -> set[str]:
    """Return the words that a text contains, ignoring case."""
    folded = text.casefold()
    near = words if len(words) > FEW_WORDS_LIMIT else {word for word in words if word in folded}
    # Splitting a text costs more than searching it for a few words.
    return {*near} & set(_WORD.findall(folded)) if near else set()


def _is_distinctive(word: str) -> bool:
    if not word.isascii():
        return len(word) >= MIN_WORD_CHARACTERS_OTHER_SCRIPT
    least = MIN_WORD_CHARACTERS if _LETTERS.search(word) else MIN_NUMBER_CHARACTERS
    return len(word) >= least


SHOWN_CHARACTERS = 3  # enough to recognize the service, and too few to be of use to anybody


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSecret:
    """One secret in the store or in a file beside it, without the secret itself.

    `where` is the text that holds it, such as a message or a title; `id` names the message,
    thread, change or file.
    """

    kind: str
    where: str
    id: str
    begins: str
    length: int
    project: str = ""


def described_secret(
    kind: str, secret: str, *, where: str, id_: str, project: str = ""
) -> StoredSecret:
    """Describe a secret without revealing it."""
    begins = secret[:SHOWN_CHARACTERS] if len(secret) > 4 * SHOWN_CHARACTERS else ""
    return StoredSecret(
        kind=kind, where=where, id=id_, begins=begins, length=len(secret), project=project
    )
