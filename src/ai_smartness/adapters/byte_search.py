"""Search the raw bytes of files for words, in a separate process.

Separate, because opening and closing a database's file beside SQLite releases every lock
that the process has on it. Run as `python -m ai_smartness.adapters.byte_search`, with
`{"files": [...], "words": [...]}` on its input, or the hashes of words and their salt.
"""

import json
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ai_smartness.model.erasure import distinctive_words, salted_hash

__all__ = ["ByteHit", "search_files", "search_hashes"]

CHUNK_BYTES = 1 << 22
OVERLAP_BYTES = 512  # a word on the border of two chunks is complete in one of them
MAX_SUBSTRING_WORDS = 64
"""The longest words are also searched as parts of words, because fields may be adjacent."""

CONTEXT_BYTES = 80
MAX_HITS = 200

_ASCII_WORD = re.compile(rb"[0-9a-z_]{4,}")


class ByteHit(NamedTuple):
    """A word that was found, its file, and the word with the letters that touch it."""

    file: str
    word: str
    around: str


def search_files(files: Collection[Path], words: Collection[str]) -> tuple[int, list[ByteHit]]:
    """Return the size of the files in bytes, and the hits of the words in them."""
    read, hits = _run_search(files, words=sorted(words))
    return read, [ByteHit(*hit) for hit in hits]


def search_hashes(
    files: Collection[Path], salt: str, hashes: Collection[str]
) -> tuple[int, list[tuple[str, str]]]:
    """Return the size of the files, and the whole words in them that have one of the hashes."""
    read, hits = _run_search(files, salt=salt, hashes=sorted(hashes))
    return read, [(hit[0], hit[1]) for hit in hits]


def _run_search(files: Collection[Path], **wanted: object) -> tuple[int, list[list[str]]]:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "ai_smartness.adapters.byte_search"],
        input=json.dumps({"files": [str(file) for file in files], **wanted}),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    result = json.loads(done.stdout)
    return result["read"], result["hits"]


def main() -> None:
    """Read a request from the input, and write the result to the output."""
    request = json.load(sys.stdin)
    wanted: WordForms | HashedForms
    if "hashes" in request:
        wanted = HashedForms(request["salt"], frozenset(request["hashes"]))
    else:
        wanted = WordForms(request["words"])
    read, hits = 0, list[ByteHit]()
    for name in request["files"]:
        try:
            with Path(name).open("rb") as file:
                for chunk in _overlapping_chunks(file.read):
                    read += len(chunk)
                    hits += wanted.find_hits(name, chunk)
        except FileNotFoundError:
            # Deleted meanwhile.
            continue
    json.dump({"read": read, "hits": list(dict.fromkeys(hits))[:MAX_HITS]}, sys.stdout)


def _overlapping_chunks(read: "object") -> Iterator[bytes]:
    before = b""
    while chunk := read(CHUNK_BYTES):  # type: ignore[operator] # a file's own
        yield before + chunk
        before = chunk[-OVERLAP_BYTES:]


class WordForms:
    """Words in their possible spellings."""

    def __init__(self, words: Sequence[str]) -> None:
        plain = [word for word in words if word.isascii()]
        others = [word for word in words if not word.isascii()]
        self._inside = {word.encode(): word for word in _longest_words(plain)}
        whole = {word.encode(): word for word in plain}
        self._whole = {form: word for form, word in whole.items() if form not in self._inside}
        self._inside.update(
            (form.encode("utf-8", "surrogatepass").lower(), word)
            for word in _longest_words(others)
            for form in _spellings_of(word)
        )

    def find_hits(self, name: str, chunk: bytes) -> list[ByteHit]:
        """Return the words that occur in some bytes."""
        small = chunk.lower()
        hits = list[ByteHit]()
        if self._whole and not self._whole.keys().isdisjoint(_ASCII_WORD.findall(small)):
            hits += (
                _hit_with_context(name, self._whole[match[0]], chunk, match.start(), match.end())
                for match in _ASCII_WORD.finditer(small)
                if match[0] in self._whole
            )
        for form, word in self._inside.items():
            start = small.find(form)
            while start >= 0 and len(hits) < MAX_HITS:
                hits.append(_hit_with_context(name, word, chunk, start, start + len(form)))
                start = small.find(form, start + 1)
        return hits


class HashedForms:
    """Words of which only the hashes are known."""

    def __init__(self, salt: str, hashes: frozenset[str]) -> None:
        self._salt = salt
        self._hashes = hashes

    def find_hits(self, name: str, chunk: bytes) -> list[ByteHit]:
        """Return the whole words in some bytes that have one of the hashes."""
        # The letter of an escaped line break in JSON is no part of the word after it.
        text = re.sub(r"\\[nrtbf]", " ", chunk.decode("utf-8", "replace"))
        text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
        return [
            ByteHit(name, word, word)
            for word in sorted(distinctive_words(text))
            if salted_hash(self._salt, word) in self._hashes
        ]


def _longest_words(words: Sequence[str]) -> list[str]:
    return sorted(words, key=lambda word: (-len(word), word))[:MAX_SUBSTRING_WORDS]


def _spellings_of(word: str) -> set[str]:
    """Return a word in other cases, and escaped as in JSON."""
    written = {word, word.upper(), word.title(), word.capitalize()}
    return written | {json.dumps(form)[1:-1] for form in written}


def _hit_with_context(name: str, word: str, chunk: bytes, start: int, end: int) -> ByteHit:
    """Return a hit with the letters that touch the word on either side."""
    before = chunk[max(0, start - CONTEXT_BYTES) : start].decode("utf-8", "replace")
    after = chunk[end : end + CONTEXT_BYTES].decode("utf-8", "replace")
    # The letter of an escaped line break in JSON is no part of the word after it.
    head = re.search(r"(?:(?<=\\)[nrtbf])?(\w*)\Z", before)
    tail = re.match(r"\w*", after)
    middle = chunk[start:end].decode("utf-8", "replace")
    return ByteHit(name, word, f"{head[1] if head else ''}{middle}{tail[0] if tail else ''}")


if __name__ == "__main__":
    main()
