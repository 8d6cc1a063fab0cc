"""Which words of a question stand in which messages, and how rare each of them is."""

from collections.abc import Mapping, Sequence

from ai_smartness.adapters.storage.sqlite.database import Database
from ai_smartness.adapters.storage.sqlite.tokens import Tokens
from ai_smartness.model.found import Compared

__all__ = ["Comparing"]

READ_CHARACTERS = 8_000
"""Of a message: what follows is a log, and its words say little of what it is about."""


class Comparing:
    """Holds questions against messages, with the counts of words it has met in mind."""

    def __init__(self, database: Database, tokens: Tokens) -> None:
        self._database = database
        self._tokens = tokens
        self._counts: dict[int, tuple[int, dict[str, int]]] = {}
        self._vocabularies: set[str] = set()

    def compared(
        self, indexes: Mapping[int, str], asked: str, said: str, seqs: Sequence[int]
    ) -> Compared:
        """Compare a question with messages of projects, given by number and index."""
        texts = self._texts(seqs)
        wanted, just_said, *held = self._tokens.of([asked, said, *texts.values()])
        events = {number: self._events(number) for number in indexes}
        spread = {
            word: sum(self._count(n, index, word, events[n]) for n, index in indexes.items())
            for word in wanted
        }
        return Compared(
            events=sum(events.values()),
            spread=spread,
            said=wanted & just_said,
            held={seq: words & wanted for seq, words in zip(texts, held, strict=True)},
        )

    def _texts(self, seqs: Sequence[int]) -> dict[int, str]:
        marks = ", ".join(str(seq) for seq in seqs)
        rows = self._database.all(
            f"SELECT e.seq, substr(e.text, 1, {READ_CHARACTERS}), "  # noqa: S608 # numbers
            f"substr(w.parts, 1, {READ_CHARACTERS}), w.context FROM events e "
            f"JOIN event_words w ON w.seq = e.seq WHERE e.seq IN ({marks})"
        )
        return {int(row[0] or 0): "\n".join(str(each) for each in row[1:]) for row in rows}

    def _events(self, number: int) -> int:
        return self._database.number("SELECT events FROM projects WHERE id = ?", (number,))

    def _count(self, number: int, index: str, word: str, events: int) -> int:
        """Count the events with a word; what was counted holds until an event comes.

        A count that was let grow old would make an answer depend on how long the
        process has run. The common words of a large project are not counted at all.
        """
        then, counts = self._counts.get(number, (0, {}))
        if then != events:
            counts = {}
            self._counts[number] = (events, counts)
        if word not in counts:
            counts[word] = self._surveyed(number, word, events) or self._counted(index, word)
        return min(counts[word], events)

    def _surveyed(self, number: int, word: str, events: int) -> int:
        row = self._database.one(
            "SELECT share FROM common_words WHERE project_id = ? AND word = ?", (number, word)
        )
        return 0 if row is None else round(float(row[0] or 0) * events)

    def _counted(self, index: str, word: str) -> int:
        vocabulary = f"{index}_counts"
        if vocabulary not in self._vocabularies:
            self._database.run(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{vocabulary} "
                f"USING fts5vocab(main, {index}, row)"
            )
            self._vocabularies.add(vocabulary)
        return self._database.number(
            f"SELECT doc FROM temp.{vocabulary} WHERE term = ?",  # noqa: S608 # our own name
            (word,),
        )
