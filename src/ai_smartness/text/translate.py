"""Word a question of another language in English, word by word, with a small glossary.

The notes of a project are often in English while a question is not, and a model of one language
reads the other badly. `glossary.tsv` has the words that developers use, in twelve languages. A word
that it does not know stays as it is: names and identifiers are the same in every language. Nothing
that is stored depends on the glossary.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import takewhile
from operator import eq
from pathlib import Path
from typing import TypeAlias

from ai_smartness.text.letter_ngrams import is_inflected_text
from ai_smartness.text.stopwords import OTHER_GRAMMAR

__all__ = ["english_wording", "language_of"]

MOST_CHARACTERS = 600  # a longer text is pasted, and no question
MOST_PHRASE_WORDS = 3  # "mise en production"
LONGEST_UNSPACED_WORD = 8  # of a language without spaces between words
LEAST_KNOWN_SHARE = 0.5  # of the words; below it the wording tells too little
KNOWN_QUESTIONS = 256
KNOWN_WORDS = 4_096

STEM_LETTERS = 4  # that two forms of a word share at least
MOST_ENDING_LETTERS = 4  # of a form in a text
MOST_DROPPED_LETTERS = 3  # of the form in the glossary
LEAST_STEM_SHARE = 0.6  # of the longer form
SHORTEST_COMPOUND = 8

_COMPOUNDING = ("de", "nl")
_LINKING_LETTERS = ("", "s", "n", "en", "e")
_UNSPACED = ("zh", "ja")
_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
}
_WORD = re.compile(r"[^\W_]+(?:[_./][^\W_]+)*")
_ASCII_OR_OTHER = re.compile(r"[A-Za-z0-9_./-]*[A-Za-z0-9]|[^\W_A-Za-z0-9]+")
_HIRAGANA_END = re.compile("[\u3040-\u309f]$")

_Entries: TypeAlias = Mapping[str, str]
"""English words by their translations into one language."""


@lru_cache(KNOWN_QUESTIONS)
def english_wording(text: str) -> str | None:
    """Return a question in English words, in its own order; nothing if it is English already.

    Nothing either if the glossary knows too few of its words.
    """
    language = language_of(text) if len(text) <= MOST_CHARACTERS else None
    if language is None:
        return None
    words = _separate_words(text, language)
    told = list(_translated_words(words, language))
    if sum(count for _, count in told) < LEAST_KNOWN_SHARE * len(words):
        return None
    return " ".join(english for english, _ in told) or None


def language_of(text: str) -> str | None:
    """Tell the language of a text by its script, or by whose words it has; none for English."""
    for language, letters in _SCRIPTS.items():
        if letters.search(text):
            return language
    if not is_inflected_text(text):
        return None
    words = _plain_words(text)
    known = {one: sum(word in _entries(one) for word in words) for one in _latin_languages()}
    return max(known, key=lambda one: known[one])


def _plain_words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _separate_words(text: str, language: str) -> list[str]:
    """Return the words of a text in lower case, identifiers whole."""
    if language not in _SCRIPTS:
        return _plain_words(text)
    parts = [part.casefold() for part in _ASCII_OR_OTHER.findall(text)]
    if language not in _UNSPACED:
        return parts
    return [word for part in parts for word in _unspaced_words(part, language)]


def _unspaced_words(text: str, language: str) -> Iterator[str]:
    """Yield the longest known words of a text without spaces, from its start."""
    if text.isascii():
        yield text
        return
    forms, start = _forms(language), 0
    while start < len(text):
        ends = range(min(len(text), start + LONGEST_UNSPACED_WORD), start, -1)
        end = next((end for end in ends if text[start:end] in forms), None)
        if end is not None:
            yield text[start:end]
        start = end or start + 1


def _translated_words(words: Sequence[str], language: str) -> Iterator[tuple[str, int]]:
    """Yield English for each word or phrase, and how many words of the glossary it is made of.

    An unknown word is yielded as it is, unless it only holds the sentence together.
    """
    place = 0
    while place < len(words):
        counts = range(min(MOST_PHRASE_WORDS, len(words) - place), 1, -1)
        phrases = {count: " ".join(words[place : place + count]) for count in counts}
        known = (count for count, phrase in phrases.items() if phrase in _entries(language))
        count, word = next(known, 1), words[place]
        english = _entries(language).get(phrases.get(count, "")) or _english_word(word, language)
        if english:
            yield english, count
        elif word not in OTHER_GRAMMAR:
            yield word, 0
        place += count


@lru_cache(KNOWN_WORDS)
def _english_word(word: str, language: str) -> str | None:
    forms = _forms(language)
    if language == "ko":  # what follows a word is written with it
        starts = (word[:end] for end in range(len(word), 0, -1))
        return next((forms[start] for start in starts if start in forms), None)
    return forms.get(word) or _word_of_stem(word, language) or _compound(word, language)


def _word_of_stem(word: str, language: str) -> str | None:
    """Return English for another form of a word: the one that shares the longest start."""
    near = [
        (shared, -len(form), form)
        for form in _forms_by_start(language).get(word[:STEM_LETTERS], ())
        if (shared := _shared_letters(form, word)) >= len(form) - MOST_DROPPED_LETTERS
        and shared >= len(word) - MOST_ENDING_LETTERS
        and shared >= LEAST_STEM_SHARE * max(len(form), len(word))
    ]
    return _entries(language)[max(near)[-1]] if near else None


def _shared_letters(one: str, other: str) -> int:
    """Count the letters with which both words begin."""
    return sum(takewhile(bool, map(eq, one, other)))


def _compound(word: str, language: str) -> str | None:
    """Return English for the two parts of a compound, such as "Integrationstests"."""
    if language not in _COMPOUNDING or len(word) < SHORTEST_COMPOUND:
        return None
    for end in range(len(word) - STEM_LETTERS, STEM_LETTERS - 1, -1):
        first, second = _compound_part(word[:end], language), _compound_part(word[end:], language)
        if first and second:
            return f"{first} {second}"
    return None


def _compound_part(part: str, language: str) -> str | None:
    entries = _entries(language)
    shorter = (part.removesuffix(letters) for letters in _LINKING_LETTERS)
    longer = (part + letters for letters in _LINKING_LETTERS)
    return next((entries[form] for form in (*shorter, *longer) if form in entries), None)


@cache
def _entries(language: str) -> _Entries:
    """Read the translations of one language; of several English words the most frequent one."""
    languages, *rows = _glossary()
    column = languages.index(language)
    entries: dict[str, str] = {}
    for row in rows:
        for translation in filter(None, row[column].split("/")):
            entries.setdefault(translation, row[0])
    return entries


@cache
def _forms(language: str) -> _Entries:
    """Return the entries of a language, and the stems of its verbs where endings are many."""
    entries = _entries(language)
    if language == "ko":
        stems = {
            form.removesuffix(ending): english
            for ending in ("하다", "다")
            for form, english in entries.items()
            if form.endswith(ending) and form != ending
        }
        return {**stems, **entries}
    if language == "ja":
        stems = {
            form[:-1]: english
            for form, english in entries.items()
            if _HIRAGANA_END.search(form[2:])
        }
        return {**stems, **entries}
    return entries


@cache
def _forms_by_start(language: str) -> Mapping[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for form in _entries(language):
        forms.setdefault(form[:STEM_LETTERS], []).append(form)
    return forms


@cache
def _latin_languages() -> tuple[str, ...]:
    return tuple(one for one in _glossary()[0][1:] if one not in _SCRIPTS)


@cache
def _glossary() -> list[list[str]]:
    """Return the rows of the glossary; the first has the languages."""
    text = Path(__file__).with_name("glossary.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
