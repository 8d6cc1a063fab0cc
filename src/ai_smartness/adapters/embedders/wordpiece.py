"""Cut a text into the word pieces of a BERT model, as the package `tokenizers` does.

The models of our catalogue are of this kind. Reading their `tokenizer.json` here saves 40 MB of
packages. A test compares every letter and made-up texts with `tokenizers`.
"""

import re
import string
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

__all__ = ["TokenizerFile", "WordPieceTokenizer"]

TokenizerFile: TypeAlias = Mapping[str, Any]
"""The JSON of a `tokenizer.json`, as its library writes it."""

KNOWN_WORDS = 20_000  # words whose pieces are looked up once: most come back

CJK_RANGES = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""The ideographs that BERT reads one by one."""

WHITE_CONTROLS = "\t\n\r"  # the control characters that separate words
INVISIBLE_KINDS = frozenset({"Cc", "Cf", "Co", "Cs"})
REPLACEMENT = "\ufffd"


class WordPieceTokenizer:
    """The tokens of a BERT model that ignores case."""

    def __init__(self, file: TokenizerFile) -> None:
        model = file["model"]
        self._vocabulary: dict[str, int] = model["vocab"]
        self._unknown = self._vocabulary[model["unk_token"]]
        self._continuation: str = model["continuing_subword_prefix"]
        self._longest_word: int = model["max_input_chars_per_word"]
        self._added = {token["content"]: token["id"] for token in file["added_tokens"]}
        self._added_pattern = re.compile("|".join(map(re.escape, self._added)) or "(?!)")
        self.head, self.tail = _template_ends(file)
        self._known_word_ids = lru_cache(KNOWN_WORDS)(self._word_ids)

    @staticmethod
    def can_read(file: TokenizerFile) -> bool:
        """Say whether a `tokenizer.json` describes a tokenizer of this kind."""
        normalizer = file.get("normalizer") or {}
        return (
            file["model"].get("type") == "WordPiece"
            and normalizer.get("type") == "BertNormalizer"
            and all(normalizer.get(key) for key in ("clean_text", "lowercase"))
            and normalizer.get("handle_chinese_chars") is True
            and normalizer.get("strip_accents") in {None, True}
            and (file.get("pre_tokenizer") or {}).get("type") == "BertPreTokenizer"
            and _has_plain_template(file)
        )

    def token_ids(self, text: str) -> list[int]:
        """Return the tokens of a text, without those around it."""
        ids: list[int] = []
        start = 0
        for match in self._added_pattern.finditer(text):
            ids += self._plain_ids(text[start : match.start()])
            ids.append(self._added[match.group()])
            start = match.end()
        return ids + self._plain_ids(text[start:])

    def pair_ids(self, first: str, second: str, limit: int) -> tuple[list[int], list[int]]:
        """Return the tokens of two texts, and which text each is of; the longer one is cut."""
        room = limit - len(self.head) - 2 * len(self.tail)
        one, two = _longest_first_cut(self.token_ids(first), self.token_ids(second), room)
        opening = [*self.head, *one, *self.tail]
        return [*opening, *two, *self.tail], [0] * len(opening) + [1] * (len(two) + len(self.tail))

    def _plain_ids(self, text: str) -> list[int]:
        return [id_ for word in _separated_words(text) for id_ in self._known_word_ids(word)]

    def _word_ids(self, word: str) -> list[int]:
        """Return the longest pieces of a word, from its start; one unknown part spoils it all."""
        ids: list[int] = []
        start = 0
        while start < len(word) <= self._longest_word:
            prefix = self._continuation if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self._vocabulary), None)
            if end is None:
                return [self._unknown]
            ids.append(self._vocabulary[prefix + word[start:end]])
            start = end
        return ids or [self._unknown]


def _has_plain_template(file: TokenizerFile) -> bool:
    """Say whether a text gets one token before it and one after it, and a pair another behind."""
    pair = (file.get("post_processor") or {}).get("pair") or []
    kinds = [next(iter(part)) for part in pair]
    return kinds == ["SpecialToken", "Sequence", "SpecialToken", "Sequence", "SpecialToken"]


def _template_ends(file: TokenizerFile) -> tuple[list[int], list[int]]:
    special = file["post_processor"]["special_tokens"]
    first, *_, last = file["post_processor"]["pair"]
    return tuple(special[part["SpecialToken"]["id"]]["ids"] for part in (first, last))


def _longest_first_cut(
    first: list[int], second: list[int], room: int
) -> tuple[list[int], list[int]]:
    """Cut the longer of two texts, and both alike once they are equal."""
    if len(first) + len(second) <= room:
        return first, second
    shorter = min(len(first), len(second), room // 2)
    longer = room - shorter
    if len(first) > len(second):
        return first[:longer], second[:shorter]
    return first[:shorter], second[:longer]


def _separated_words(text: str) -> list[str]:
    cleaned = text.translate(_CLEANED)
    if not cleaned.isascii():
        cleaned = unicodedata.normalize("NFD", cleaned)
    return cleaned.translate(_LOWERED).split()


class _CleanedCharacters(dict[int, str]):
    """What each character becomes first: nothing, a space, or itself."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in WHITE_CONTROLS:
            cleaned = " "
        elif character == REPLACEMENT or unicodedata.category(character) in INVISIBLE_KINDS:
            cleaned = ""
        elif character.isspace():
            cleaned = " "
        elif any(low <= code <= high for low, high in CJK_RANGES):
            cleaned = f" {character} "
        else:
            cleaned = character
        self[code] = cleaned
        return cleaned


class _LoweredCharacters(dict[int, str]):
    """What each character becomes then: no accent, lower case, and punctuation stands alone."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = unicodedata.category(character)
        if kind == "Mn":
            lowered = ""
        elif kind[0] == "P" or character in string.punctuation:
            lowered = f" {character} "
        else:
            lowered = character.lower()
        self[code] = lowered
        return lowered


_CLEANED = _CleanedCharacters()
_LOWERED = _LoweredCharacters()
