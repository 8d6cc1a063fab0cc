"""Facts and questions in many languages, and the translated messages of Django to hide them among.

The facts are our own. Django's messages are never stored: its wheel is downloaded into a temporary
folder and read there.
"""

import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["ENGLISH", "LanguageFact", "catalogue_texts", "django_messages", "language_facts"]

ENGLISH = "en"
DJANGO = "django==5.2.*"
DJANGO_LOCALES = {"pt": "pt_BR", "zh": "zh_Hans"}  # where its name for a language is another
MIN_LETTERS = 12  # of an English message: shorter ones are labels of a button

_FACTS = Path(__file__).with_suffix(".txt")
_MAGIC = 0x950412DE


class LanguageFact(NamedTuple):
    """A fact, and a question that it answers."""

    text: str
    question: str


def language_facts() -> dict[str, list[LanguageFact]]:
    """Return the facts of each language; the same place means the same fact."""
    facts: dict[str, list[LanguageFact]] = {}
    for line in _FACTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            language = line.strip("[]")
            facts[language] = []
        elif line and not line.startswith("#"):
            text, _, question = line.partition(" | ")
            facts[language].append(LanguageFact(text, question))
    return facts


def django_messages(languages: list[str]) -> dict[str, list[str]]:
    """Return Django's messages in each language, in the same order; none if it cannot be had."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, DJANGO]
        subprocess.run(command, check=False, capture_output=True)
        wheels = list(Path(folder).glob("*.whl"))
        if not wheels:
            return {}
        with zipfile.ZipFile(wheels[0]) as wheel:
            return {language: _messages(wheel, language) for language in languages}


def _messages(wheel: zipfile.ZipFile, language: str) -> list[str]:
    """Return the translations of one language; of English, the originals of the German ones."""
    locale = DJANGO_LOCALES.get(language, "de" if language == ENGLISH else language)
    texts: dict[str, None] = {}
    for name in sorted(wheel.namelist()):
        if name.endswith(f"/locale/{locale}/LC_MESSAGES/django.mo"):
            for original, translation in catalogue_texts(wheel.read(name)):
                if len(original) >= MIN_LETTERS and translation:
                    texts[original if language == ENGLISH else translation] = None
    return list(texts)


def catalogue_texts(catalogue: bytes) -> Iterator[tuple[str, str]]:
    """Yield the plain texts of a compiled message catalogue, each with its translation."""
    magic, _, count, originals, translations = struct.unpack_from("<5I", catalogue)
    if magic != _MAGIC:
        return
    for number in range(count):
        original = _text_at(catalogue, originals + 8 * number)
        # The first entry describes the file; plurals and contexts have marks in their texts.
        if original and "\0" not in original and "\4" not in original:
            yield original, _text_at(catalogue, translations + 8 * number)


def _text_at(catalogue: bytes, place: int) -> str:
    length, start = struct.unpack_from("<2I", catalogue, place)
    return catalogue[start : start + length].decode("utf-8")
