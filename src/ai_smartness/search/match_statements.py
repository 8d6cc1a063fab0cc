"""Choose the statements that a few words are about, by keyword."""

from collections.abc import Sequence

from ai_smartness.model.statement import Statement
from ai_smartness.text.keywords import extract_keywords

__all__ = ["matching_statements"]

NEEDED_SHARE = 0.5  # of the words of a query: who types two words wants at least one of them


def matching_statements(statements: Sequence[Statement], query: str) -> list[Statement]:
    """Return the statements with at least half of the query's words, the best match first.

    Statements that match equally well stay in their order.
    """
    words, phrase = set(extract_keywords(query)), " ".join(query.casefold().split())
    shares = {statement.id: _matched_share(statement, words, phrase) for statement in statements}
    matching = [statement for statement in statements if shares[statement.id] >= NEEDED_SHARE]
    return sorted(matching, key=lambda statement: -shares[statement.id])


def _matched_share(statement: Statement, words: set[str], phrase: str) -> float:
    """Measure the share of the words that a statement has; the whole phrase counts as all."""
    text = " ".join((statement.text, *statement.subject))
    if phrase in " ".join(text.casefold().split()):
        return 1.0
    return len(words.intersection(extract_keywords(text))) / len(words) if words else 0.0
