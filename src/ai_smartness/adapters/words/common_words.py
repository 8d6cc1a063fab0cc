"""Which terms of a query are searched for, if a large project has some of them very often.

The cost of a full-text query is the number of events its words occur in. A word that half of
all events have says next to nothing, and in a large store it costs more than all the others
together: it is left out if the query has rarer ones. Every engine leaves out the same terms.
"""

from collections.abc import Collection, Mapping, Sequence

__all__ = ["BUDGET_EVENTS", "COMMON_SHARE", "affordable_terms", "is_survey_due"]

BUDGET_EVENTS = 15_000
"""How many events the words of one query may occur in together before the commonest are left out.

A smaller store never leaves out a word.
"""

COMMON_SHARE = 0.005  # the share of events from which on a word is recorded as common
MIN_TERMS = 2  # a query keeps at least this many terms, however common


def is_survey_due(events: int, surveyed_events: int) -> bool:
    """Say whether to count the words again: the project has doubled, or is large at last."""
    return events >= max(BUDGET_EVENTS, 2 * surveyed_events)


def affordable_terms(
    terms: Sequence[str],
    words_of_terms: Sequence[Collection[str]],
    shares: Mapping[str, float],
    events: int,
) -> list[str]:
    """Return the terms to search for: all, or the rarest within the budget.

    `shares` has the common words. A term of several words is searched as a phrase, and is as
    common as its rarest word.
    """
    costs = [
        events * min((shares.get(word, 0.0) for word in words), default=0.0)
        for words in words_of_terms
    ]
    left, affordable = float(BUDGET_EVENTS), list[int]()
    for number in sorted(range(len(terms)), key=lambda number: (costs[number], number)):
        left -= costs[number]
        if left < 0 and len(affordable) >= MIN_TERMS:
            break
        affordable.append(number)
    return [terms[number] for number in sorted(affordable)]
