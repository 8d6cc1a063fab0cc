"""Search a store and every file of a memory for words that should be gone.

In a log or another text, only a whole word is a trace. In a store, fields may be adjacent, so a
word may also be part of another there.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ai_smartness.forget.rewrite import Traces
from ai_smartness.model.erasure import Trace, distinctive_words
from ai_smartness.ports import ThreadStore
from ai_smartness.ports.erasure import MemoryFiles

__all__ = ["ErasureProof"]


@dataclass(frozen=True, slots=True)
class ErasureProof:
    """The traces to search for in a store and in each copy, and the program's own words."""

    store: ThreadStore
    traces: Traces
    copies: Mapping[Path, Traces]
    own_words: frozenset[str]

    def traces_in_store(self) -> list[Trace]:
        """Return the words that a table or an index still holds."""
        words = self.traces.words
        return self.store.erasure.remaining_traces(words) if words else []

    def traces_in_files(
        self, files: MemoryFiles, store_files: Collection[Path]
    ) -> tuple[int, list[Trace]]:
        """Search the raw bytes of every file; return how many bytes, and the words in them.

        `store_files` are those of the store itself.
        """
        others = [path for path in files.all() if path not in self.copies]
        wanted = [(others, self.traces), *(([copy], one) for copy, one in self.copies.items())]
        size, hits, hashed = 0, list[tuple[str, str, str]](), set[Trace]()
        for paths, traces in wanted:
            if traces.words:
                read, found = files.search_bytes(paths, traces.words)
                size, hits = size + read, [*hits, *found]
            if traces.hashed is not None and traces.hashed.words:
                read, words = files.search_hashes(paths, traces.hashed.salt, traces.hashed.words)
                size, hashed = size + read, hashed.union(Trace(*word) for word in words)
        indexed = {*store_files, *self.copies}
        actual = self._actual_traces(hits, indexed) if hits else []
        return size, [*actual, *sorted(hashed, key=lambda trace: (trace.place, trace.word))]

    def _actual_traces(
        self, hits: list[tuple[str, str, str]], indexed: Collection[Path]
    ) -> list[Trace]:
        """Return the hits that are neither part of a remaining word nor the stem of one."""
        parts = {word for _, word, around in hits if around.casefold() != word}
        longer_words = self._longer_words(parts) if parts else set[str]()
        # An index holds words by their stems, which may be other words.
        stems = self.store.erasure.indexed_terms({word for _, word, _ in hits})
        traces = {
            Trace(file, word)
            for file, word, around in hits
            if not (word in stems if Path(file) in indexed else _is_part(word, around))
            and not any(_is_part_of(word, around.casefold(), longer) for longer in longer_words)
        }
        return sorted(traces, key=lambda trace: (trace.place, trace.word))

    def _longer_words(self, words: Collection[str]) -> set[str]:
        """Return the remaining words that contain one of these words."""
        return {
            longer
            for text in self._remaining_texts()
            if any(word in text.casefold() for word in words)
            for longer in distinctive_words(text)
            if any(word in longer and word != longer for word in words)
        }

    def _remaining_texts(self) -> Iterator[str]:
        yield " ".join(self.own_words)
        yield from self.store.erasure.stored_names()
        yield from self.store.erasure.event_texts()


def _is_part(word: str, around: str) -> bool:
    """Say whether a hit in a text is only part of another word."""
    folded = around.casefold()
    # Escaped letters are not spelled as in the word: such a hit counts.
    return word in folded and word != folded


def _is_part_of(word: str, around: str, longer: str) -> bool:
    """Say whether a hit continues as a longer word does, even if that is cut to its stem."""
    start = longer.find(word)
    if start < 0:
        return False
    end = start + len(word)
    with_before = longer[start - 1 : end] if start else ""
    with_after = longer[start : end + 1] if end < len(longer) else ""
    return bool(with_before and with_before in around) or bool(with_after and with_after in around)
