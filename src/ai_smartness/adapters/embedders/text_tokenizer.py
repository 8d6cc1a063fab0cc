"""The tokenizer of a model, read from its `tokenizer.json`.

Our own reads the kind that BERT models have, among them all of the catalogue. Any other kind is
read by the package `tokenizers`, which an extra installs.
"""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from ai_smartness.adapters.embedders.wordpiece import WordPieceTokenizer
from ai_smartness.model.errors import StoreError

__all__ = ["TextTokenizer", "open_tokenizer"]


class TextTokenizer(Protocol):
    """What turns text into the numbers that a model reads."""

    head: list[int]
    """The tokens before every text."""

    tail: list[int]
    """The tokens after every text."""

    def token_ids(self, text: str) -> list[int]:
        """Return the tokens of a text, without those around it."""

    def pair_ids(self, first: str, second: str, limit: int) -> tuple[list[int], list[int]]:
        """Return the tokens of two texts, and which text each is of; the longer one is cut."""


class LibraryTokenizer:
    """A tokenizer of any kind, by the package `tokenizers`."""

    def __init__(self, text: str) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_str(text)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.head, self.tail = self._added_ends()

    def token_ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def pair_ids(self, first: str, second: str, limit: int) -> tuple[list[int], list[int]]:
        self._tokenizer.enable_truncation(limit)
        pair = self._tokenizer.encode(first, second)
        return list(pair.ids), list(pair.type_ids)

    def _added_ends(self) -> tuple[list[int], list[int]]:
        sample = self._tokenizer.encode("a")
        inner = [number for number, added in enumerate(sample.special_tokens_mask) if not added]
        ids = list(sample.ids)
        return (ids[: inner[0]], ids[inner[-1] + 1 :]) if inner else (ids, [])


def open_tokenizer(path: Path) -> TextTokenizer:
    """Read a tokenizer, without padding and without cutting texts."""
    try:
        text = path.read_text(encoding="utf-8")
        file = json.loads(text)
        if WordPieceTokenizer.can_read(file):
            return WordPieceTokenizer(file)
        if find_spec("tokenizers"):
            return LibraryTokenizer(text)
    except Exception as error:
        msg = f"cannot read {path}: {error}. Put the tokenizer.json of a fast tokenizer there."
        raise StoreError(msg) from error
    msg = (
        f"cannot read {path}: it is not the tokenizer of a BERT model, and the package "
        "`tokenizers`, which reads others, is not installed. "
        "Run `pip install 'ai-smartness[tokenizers]'`."
    )
    raise StoreError(msg)
