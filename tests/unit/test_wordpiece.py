"""Our tokenizer cuts texts as the package `tokenizers` does."""

import json
import sys
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from ai_smartness.adapters.embedders.text_tokenizer import LibraryTokenizer, open_tokenizer
from ai_smartness.adapters.embedders.wordpiece import WordPieceTokenizer
from ai_smartness.model.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = ("memory", "mem", "##ory", "##s", "re", "##dis", "un", "##able", "naive", "strasse")
LETTERS = "abcdefghijklmnopqrstuvwxyzäßøñ\u03c3жא中日本!#$%&()*+,-./:;<=>?@_`{|}~0123456789"
TEXTS = st.text(
    st.one_of(st.sampled_from(LETTERS + LETTERS.upper() + " \t\n"), st.characters(codec="utf-8")),
    max_size=60,
) | st.lists(st.sampled_from([*WORDS, *SPECIAL, "Unable", "REDIS"])).map(" ".join)


@cache
def theirs() -> Tokenizer:
    pieces = [*SPECIAL, *WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=SPECIAL[1]))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.add_special_tokens(list(SPECIAL))
    return tokenizer


@cache
def ours() -> WordPieceTokenizer:
    return WordPieceTokenizer(json.loads(theirs().to_str()))


def is_old(character: str) -> bool:
    """Say whether a character is as it was in 2002: the package knows no later ones."""
    old = unicodedata.ucd_3_2_0.category(character)
    return old not in {"Cn", "Cs"} and old == unicodedata.category(character)


@given(TEXTS.filter(lambda text: all(map(is_old, text))))
def test_a_text_gets_the_tokens_that_the_package_gives_it(text: str) -> None:
    assert ours().token_ids(text) == theirs().encode(text, add_special_tokens=False).ids


@given(TEXTS, TEXTS, st.integers(min_value=5, max_value=40))
def test_a_pair_is_cut_as_the_package_cuts_it(first: str, second: str, limit: int) -> None:
    first, second = ("".join(filter(is_old, text)) for text in (first, second))

    assert ours().pair_ids(first, second, limit) == LibraryTokenizer(theirs().to_str()).pair_ids(
        first, second, limit
    )


def test_every_character_separates_words_as_it_does_in_the_package() -> None:
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    texts = [f"un{character}Able" for character in characters if is_old(character)]

    batches = theirs().encode_batch(texts, add_special_tokens=False)

    different = [
        text
        for text, batch in zip(texts, batches, strict=True)
        if ours().token_ids(text) != batch.ids
    ]
    assert different == []


def test_the_tokens_around_a_text_are_those_of_the_file() -> None:
    library = LibraryTokenizer(theirs().to_str())

    assert (ours().head, ours().tail) == (library.head, library.tail) == ([2], [3])


def test_another_kind_of_tokenizer_says_what_to_install(
    tmp_path: "Path", monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tokenizer.json"
    Tokenizer(models.BPE({"a": 0}, [])).save(str(path))
    assert isinstance(open_tokenizer(path), LibraryTokenizer)

    monkeypatch.setitem(sys.modules, "tokenizers", None)  # as where it is not installed

    with pytest.raises(StoreError, match=r"pip install 'ai-smartness\[tokenizers\]'"):
        open_tokenizer(path)
