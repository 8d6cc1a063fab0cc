"""Made-up conversations of any length: the same for the same seed."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pydoc_data.topics import topics
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.model.event import Message

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SESSION_MESSAGES", "START", "messages", "queries", "vectors"]

VOCABULARY = 60_000
SESSION_MESSAGES = 40
SUBJECT_WORDS = 30
SENTENCE_WORDS = 12
SUBJECT_SHARE = 0.3
START = datetime(2025, 1, 1, tzinfo=UTC)


def messages(count: int, seed: int = 1) -> Iterator[Message]:
    """Yield messages whose words are as unevenly common as those of real text.

    Every session has a subject: some words that come back in it.
    """
    chance = np.random.default_rng(seed)
    vocabulary = _vocabulary(chance)
    lengths = np.clip(chance.lognormal(3.2, 0.8, count), 3, 400).astype(int)
    subject = vocabulary[:SUBJECT_WORDS]
    for number, length in enumerate(lengths):
        if number % SESSION_MESSAGES == 0:
            subject = vocabulary[chance.integers(0, VOCABULARY, SUBJECT_WORDS)]
        words = vocabulary[chance.zipf(1.25, int(length)) % VOCABULARY]
        about = chance.random(int(length)) < SUBJECT_SHARE
        words[about] = subject[chance.integers(0, SUBJECT_WORDS, int(about.sum()))]
        written = [
            f"{word}." if (place + number) % SENTENCE_WORDS == 0 else word
            for place, word in enumerate(words, 1)
        ]
        yield Message(
            id=f"m{number}",
            session=f"s{number // SESSION_MESSAGES}",
            role=("user", "assistant")[number % 2],
            text=" ".join(written),
            at=START + timedelta(seconds=20 * number),
        )


def queries(count: int, among: int, seed: int = 1) -> list[str]:
    """Return questions made of some words of one message each, common and rare ones."""
    chance = np.random.default_rng(seed + 1)
    wanted = sorted(int(each) for each in chance.integers(0, min(among, 20_000), count))
    texts = {n: m.text for n, m in enumerate(messages(max(wanted) + 1, seed)) if n in set(wanted)}
    found = []
    for number in wanted:
        words = [word.removesuffix(".") for word in texts[number].split()]
        picked = chance.permutation(len(words))[: chance.integers(3, 9)]
        found.append(" ".join(words[n] for n in sorted(picked)))
    return found


def vectors(count: int, dimension: int, seed: int = 1) -> "Iterator[NDArray[np.float32]]":
    """Yield blocks of unit vectors in clusters, as subjects are."""
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(2_000, dimension)).astype(np.float32)
    for start in range(0, count, 20_000):
        size = min(20_000, count - start)
        rows = centres[chance.integers(0, len(centres), size)]
        rows = rows + 0.9 * chance.normal(size=rows.shape).astype(np.float32)
        yield (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def _vocabulary(chance: np.random.Generator) -> "NDArray[np.str_]":
    """Return English words, those of Python's own manual, and names and paths made of two of them.

    Random letters would be taken for another language.
    """
    common = Counter(re.findall(r"\b[a-z]{2,}\b", " ".join(topics.values())))
    plain = [word for word, _ in common.most_common()]
    words = dict.fromkeys(plain)
    while len(words) < VOCABULARY:
        one, other = (plain[int(number)] for number in chance.integers(0, len(plain), 2))
        forms = (f"{one}_{other}", f"{one}{other.title()}", f"src/{one}/{other}.py")
        words[forms[len(words) % len(forms)]] = None
    return np.array(list(words))
