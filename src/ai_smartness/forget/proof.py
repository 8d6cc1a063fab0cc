"""Search a store and every file of a memory for words that should be gone."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ai_smartness.model.erasure import Trace, distinctive_words
from ai_smartness.ports import ThreadStore
from ai_smartness.ports.erasure import MemoryFiles

__all__ = ["ErasureProof"]


@dataclass(frozen=True, slots=True)
class ErasureProof:
    """What is searched for: words of the store, of each copy of it, and those of the program."""

    store: ThreadStore
    words: frozenset[str]
    copies: Mapping[Path, frozenset[str]]
    own_words: frozenset[str]

    def traces_in_store(self) -> list[Trace]:
        """Return the words that a table or an index still holds."""
        return self.store.erasure.remaining_traces(self.words) if self.words else []

    def traces_in_files(self, files: MemoryFiles) -> tuple[int, list[Trace]]:
        """Search the raw bytes of every file; return how many, and the words that are found."""
        if not self.words and not self.copies:
            return 0, []
        ours = [each for each in files.all() if each not in self.copies]
        read, hits = files.search_bytes(ours, self.words)
        found = list(hits)
        for copy, words in self.copies.items():
            more, others = files.search_bytes([copy], words)
            read, found = read + more, [*found, *others]
        return read, self._actual_traces(
            found, {*files.store_files(), *self.copies}
        ) if found else []

    def _actual_traces(
        self, found: list[tuple[str, str, str]], indexed: Collection[Path]
    ) -> list[Trace]:
        """Return the finds that no longer word and no stem of one that remains explains."""
        known = self._longer_words({word for _, word, around in found if around.casefold() != word})
        # An index knows words by their stems, which may be other words.
        stems = self.store.erasure.indexed_terms({word for _, word, _ in found})
        real = {
            Trace(file, word)
            for file, word, around in found
            if not (word in stems and Path(file) in indexed)
            and not _is_part_of(word, around.casefold(), known)
        }
        return sorted(real, key=lambda trace: (trace.place, trace.word))

    def _longer_words(self, words: Collection[str]) -> set[str]:
        """Return the longer words, of what remains, that hold some others within them."""
        if not words:
            return set()
        near = (
            text
            for text in self._remaining_texts()
            if any(word in text.casefold() for word in words)
        )
        return {
            each
            for text in near
            for each in distinctive_words(text)
            if any(word in each and word != each for word in words)
        }

    def _remaining_texts(self) -> Iterator[str]:
        yield " ".join(self.own_words)
        yield from self.store.erasure.stored_names()
        yield from self.store.erasure.event_texts()


def _is_part_of(word: str, around: str, known: Collection[str]) -> bool:
    """Say whether what was found goes on as a word does that remains, be it cut to its stem."""
    for each in known:
        at = each.find(word)
        end = at + len(word)
        longer = [each[at - 1 : end]] if at > 0 else []
        longer += [each[at : end + 1]] if at >= 0 and end < len(each) else []
        if any(part in around for part in longer):
            return True
    return False
