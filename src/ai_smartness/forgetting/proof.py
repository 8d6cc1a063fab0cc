"""Search a store and every file of a memory for words that should be gone."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ai_smartness.model.forgetting import Trace, words_in
from ai_smartness.ports import ThreadStore
from ai_smartness.ports.forgetting import OwnFiles

__all__ = ["Proof"]


@dataclass(frozen=True, slots=True)
class Proof:
    """What is searched for: words of the store, of each copy of it, and those of the program."""

    store: ThreadStore
    words: frozenset[str]
    copies: Mapping[Path, frozenset[str]]
    own: frozenset[str]

    def of_store(self) -> list[Trace]:
        """Return the words that a table or an index still holds."""
        return self.store.oblivion.holding(self.words) if self.words else []

    def of_files(self, files: OwnFiles) -> tuple[int, list[Trace]]:
        """Search the raw bytes of every file; return how many, and the words that are found."""
        if not self.words and not self.copies:
            return 0, []
        ours = [each for each in files.all() if each not in self.copies]
        read, hits = files.search(ours, self.words)
        found = list(hits)
        for copy, words in self.copies.items():
            more, others = files.search([copy], words)
            read, found = read + more, [*found, *others]
        return read, self._real(found, {*files.stores(), *self.copies}) if found else []

    def _real(self, found: list[tuple[str, str, str]], indexed: Collection[Path]) -> list[Trace]:
        """Return the finds that no longer word and no stem of one that remains explains."""
        known = self._around({word for _, word, around in found if around.casefold() != word})
        # An index knows words by their stems, which may be other words.
        stems = self.store.oblivion.terms({word for _, word, _ in found})
        real = {
            Trace(file, word)
            for file, word, around in found
            if not (word in stems and Path(file) in indexed)
            and not _is_part_of(word, around.casefold(), known)
        }
        return sorted(real, key=lambda trace: (trace.place, trace.word))

    def _around(self, words: Collection[str]) -> set[str]:
        """Return the longer words, of what remains, that hold some others within them."""
        if not words:
            return set()
        near = (
            text for text in self._remaining() if any(word in text.casefold() for word in words)
        )
        return {
            each
            for text in near
            for each in words_in(text)
            if any(word in each and word != each for word in words)
        }

    def _remaining(self) -> Iterator[str]:
        yield " ".join(self.own)
        yield from self.store.oblivion.names()
        yield from self.store.oblivion.texts()


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
