"""The facts of the benchmark of languages are complete, and no question repeats its fact."""

import struct

import pytest

from kit.language_facts import catalogue_texts, language_facts

FACTS = language_facts()


def test_there_are_thirty_facts_in_each_of_thirteen_languages() -> None:
    assert len(FACTS) == 13
    assert {len(facts) for facts in FACTS.values()} == {30}


@pytest.mark.parametrize("language", FACTS)
def test_every_fact_and_question_is_its_own(language: str) -> None:
    texts = [text for fact in FACTS[language] for text in fact]

    assert all(texts)
    assert len(set(texts)) == 60


def a_catalogue(texts: dict[bytes, bytes]) -> bytes:
    """Return a compiled message catalogue."""
    head, tables, strings = 20, b"", b""
    start = head + 16 * len(texts)
    for column in (texts.keys(), texts.values()):
        for text in column:
            tables += struct.pack("<2I", len(text), start + len(strings))
            strings += text + b"\0"
    counts = struct.pack("<5I", 0x950412DE, 0, len(texts), head, head + 8 * len(texts))
    return counts + tables + strings


def test_a_compiled_catalogue_is_read_without_plurals_and_contexts() -> None:
    catalogue = a_catalogue(
        {
            b"": b"Language: de",
            b"Save": "Größe sichern".encode(),
            b"one\0many": b"eins\0viele",
            b"month\4May": b"Mai",
        }
    )

    assert list(catalogue_texts(catalogue)) == [("Save", "Größe sichern")]
    assert list(catalogue_texts(b"\0" * 20)) == []
