"""Name a thread by the run of words that says most about it, and where in the code it is.

A title is made of what was said. It stays while a thread grows, unless another
says clearly more, and it is never one that another thread has.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import count

from ai_smartness.threads.describe.reading import Line, Reading, read
from ai_smartness.threads.describe.spans import SHORT_SPAN, USER_SPAN, Span, spans, worth
from ai_smartness.threads.describe.weigh import USER_COUNTS, Weights
from ai_smartness.threads.describe.word import Lexicon, Word

__all__ = ["TITLE_CHARACTERS", "UNTITLED", "short_name", "titled"]

UNTITLED = "untitled"
"""The name of a thread in which nothing was said."""

TITLE_CHARACTERS = 90
"""What fits on one line of a list; a mark that tells two titles apart may come on top."""

MARK_CHARACTERS = 25

FULL_SPAN = 4.0
"""A shorter run of words is filled up with the best topics."""

TRIED = 8
"""How many runs of words are tried before a mark must tell a title from another's."""

CLEARLY_BETTER = 1.6
"""A title gives way only to one that says this much more, so that it stays recognisable."""

PLACE_WEIGHT = 0.45
"""A file that every thread touches (a changelog, the agent's rules) is not where one is."""

PLACE_COUNTS = 3
PLACE_SHARE = 8
"""The file must come up in one message out of so many, a message of the person's counting more."""

PLACE_LEAD = 1.5
"""How much more often than the next one: a plan that names ten files is in none of them."""

NAME_CHARACTERS = 40

_WORD = re.compile(r"\w+")


def titled(
    readings: Sequence[Reading],
    weights: Weights,
    topics: Sequence[str],
    former: str,
    taken: Collection[str],
) -> str:
    """Return the title: the former one unless it is worn out, none that is taken."""
    found = spans(readings, weights)
    if not found:
        return former or _apart(UNTITLED, (), taken)
    if former and not _worn_out(former, found, weights):
        return former
    thread = _Thread(readings, weights, topics)
    titles = (thread.named(span) for span in found[:TRIED])
    free = (title for title in titles if title == former or title not in taken)
    return next(free, "") or _apart(thread.named(found[0]), topics, taken)


def short_name(name: str) -> str:
    """Shorten a long path to its last parts, and any other name to what fits."""
    for parts in (len(name), 2, 1):
        tail = "/".join(name.split("/")[-parts:])
        shown = tail if tail == name else f"…/{tail}"
        if len(shown) <= NAME_CHARACTERS:
            return shown
    return _cut(name, NAME_CHARACTERS)


def _worn_out(former: str, found: Sequence[Span], weights: Weights) -> bool:
    """Say whether the best run of words names the thread clearly better than its former title.

    The former title is worth what the run it was made of is worth now. When
    that is no longer among the lines, its words are all there is to go by.
    """
    folded = former.casefold()
    parts = [
        span for span in found if span.words[-1].folded in folded and span.text.casefold() in folded
    ]
    if parts:
        now = max(parts, key=lambda span: len(span.words)).worth
    else:
        now = USER_SPAN * worth([*read(Line("", former), Lexicon()).words.values()], weights)
    return found[0].worth > CLEARLY_BETTER * now


def _apart(title: str, topics: Sequence[str], taken: Collection[str]) -> str:
    if title not in taken:
        return title
    folded = title.casefold()
    marks = (mark for mark in topics if len(mark) <= MARK_CHARACTERS)
    told = (f"{title} · {mark}" for mark in marks if mark.casefold() not in folded)
    numbered = (f"{title} ({number})" for number in count(2))
    return next((t for t in told if t not in taken), "") or next(
        t for t in numbered if t not in taken
    )


@dataclass(frozen=True, slots=True)
class _Thread:
    """What a title may draw on besides its run of words."""

    readings: Sequence[Reading]
    weights: Weights
    topics: Sequence[str]

    def named(self, span: Span) -> str:
        place = self.place({word.folded for word in span.words})
        text = _filled_up(span, self.topics, place)
        if place and not any("/" in word.shown for word in span.words):
            longer = f"{text} {self.link(span.words[-1])} {place}"
            text = longer if len(longer) <= TITLE_CHARACTERS else text
        if not span.words[0].is_code:
            text = text[:1].upper() + text[1:]
        return _cut(text, TITLE_CHARACTERS)

    def link(self, last: Word) -> str:
        english = "the" in self.weights.shown or "in" in self.weights.shown
        return "in" if english and last.shown.isascii() else "·"

    def place(self, said: set[str]) -> str:
        """Find the one file a thread is about, if there is one."""
        counts: dict[str, int] = {}
        for reading in self.readings:
            for folded, word in reading.words.items():
                if word.is_file:
                    weight = 1 if reading.by_agent else int(USER_COUNTS)
                    counts[folded] = counts.get(folded, 0) + weight
        of = self.weights.of
        ranked = sorted(counts, key=lambda name: -counts[name] * of[name])
        needed = max(PLACE_COUNTS, len(self.readings) / PLACE_SHARE)
        fit = [n for n in ranked[:1] if counts[n] >= needed and of[n] >= PLACE_WEIGHT]
        if not fit or fit[0] in said or _is_one_of_many(ranked, counts):
            return ""
        shown = short_name(self.weights.shown[fit[0]].shown)
        return "" if shown.endswith("…") else shown


def _is_one_of_many(ranked: Sequence[str], counts: dict[str, int]) -> bool:
    return len(ranked) > 1 and counts[ranked[0]] < PLACE_LEAD * counts[ranked[1]]


def _filled_up(span: Span, topics: Sequence[str], place: str) -> str:
    """Add topics to a short run of words; with its place, three words are enough."""
    if span.size >= (SHORT_SPAN if place else FULL_SPAN):
        return span.text
    more = [topic for topic in topics if topic != place and not _alike(topic, span.text)]
    more = more[: 1 if place or span.size >= SHORT_SPAN else 2]
    return f"{span.text}: {', '.join(more)}" if more else span.text


def _alike(one: str, other: str) -> bool:
    """Say whether two names share a word, in any of its endings."""
    return bool(_stems(one) & _stems(other))


def _stems(text: str) -> set[str]:
    return {word[:5] for word in _WORD.findall(text.casefold())}


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"
