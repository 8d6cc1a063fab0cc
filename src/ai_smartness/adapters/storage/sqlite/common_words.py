"""Keep common words from making a search slow.

What full text costs is how many events its words stand in. A word that half
of all events have says next to nothing, and in a large store it costs more than
all the others together: it is left out, when there is a rarer one to go by.
"""

from collections.abc import Sequence

from ai_smartness.adapters.storage.sqlite.database import Database, Row
from ai_smartness.adapters.storage.sqlite.tokens import Tokens

__all__ = ["CommonWords"]

BUDGET_EVENTS = 15_000
"""How many events the words of one query may stand in together before the commonest are left out.

A smaller store never leaves out a word.
"""

COMMON_SHARE = 0.005
"""A word is worth remembering as common from this share of the events on."""

KEPT_TERMS = 2
"""However common, this many terms of a query are looked for."""


class CommonWords:
    """Knows how common each common word of a project is, as of its last survey."""

    def __init__(self, database: Database, tokens: Tokens) -> None:
        self._database = database
        self._tokens = tokens

    def survey(self, project: int, index: str) -> None:
        """Count the words anew if the project has doubled since, or is large for the first time."""
        events = self._events(project)
        if events < max(BUDGET_EVENTS, 2 * self._surveyed(project)):
            return
        shares = self._counted(index, events)
        with self._database.unit():
            self._database.run("DELETE FROM common_words WHERE project_id = ?", (project,))
            self._database.many(
                "INSERT INTO common_words (project_id, word, share) VALUES (?, ?, ?)",
                ((project, word, share) for word, share in shares),
            )
            self._database.run("UPDATE projects SET surveyed = ? WHERE id = ?", (events, project))

    def _counted(self, index: str, events: int) -> list[Row]:
        """Read through the index, outside any unit: seconds at a million events."""
        self._database.run(
            f"CREATE VIRTUAL TABLE temp.{index}_words USING fts5vocab(main, {index}, row)"
        )
        rows = self._database.all(
            f"SELECT term, doc / ? FROM temp.{index}_words WHERE doc >= ?",  # noqa: S608 # our own name
            (float(events), COMMON_SHARE * events),
        )
        self._database.run(f"DROP TABLE temp.{index}_words")
        return rows

    def affordable(self, project: int, terms: Sequence[str]) -> list[str]:
        """Return the terms to look for: all, or the rarest that stay within the budget."""
        if not self._surveyed(project):
            return list(terms)
        events = self._events(project)
        costs = [share * events for share in self._shares(project, terms)]
        left, kept = float(BUDGET_EVENTS), list[int]()
        for number in sorted(range(len(terms)), key=lambda number: (costs[number], number)):
            left -= costs[number]
            if left < 0 and len(kept) >= KEPT_TERMS:
                break
            kept.append(number)
        return [terms[number] for number in sorted(kept)]

    def _shares(self, project: int, terms: Sequence[str]) -> list[float]:
        """Return for each term the share of the events it stands in, 0 where it is rare.

        A term of several words is looked for as a phrase, and no more common
        than its rarest word.
        """
        words = self._tokens.of(terms)
        all_words = sorted(frozenset[str]().union(*words))
        marks = ", ".join("?" * len(all_words))
        known = self._database.all(
            f"SELECT word, share FROM common_words WHERE project_id = ? AND word IN ({marks})",  # noqa: S608 # only question marks
            (project, *all_words),
        )
        shares = {str(word): float(share or 0) for word, share in known}
        return [min((shares.get(word, 0.0) for word in each), default=0.0) for each in words]

    def _events(self, project: int) -> int:
        return self._database.number("SELECT events FROM projects WHERE id = ?", (project,))

    def _surveyed(self, project: int) -> int:
        return self._database.number("SELECT surveyed FROM projects WHERE id = ?", (project,))
