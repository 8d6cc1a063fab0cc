"""Say what a thread is about, without a language model: title, topics, summary.

From the words that set the thread apart from the others of its project. The
same lines against the same project always give the same words.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ai_smartness.threads.describe.reading import Line, read
from ai_smartness.threads.describe.summary import summed_up
from ai_smartness.threads.describe.title import titled
from ai_smartness.threads.describe.topics import topics_of
from ai_smartness.threads.describe.weigh import Vocabulary, words_of

__all__ = ["Description", "described"]


@dataclass(frozen=True, slots=True)
class Description:
    """What a thread is about; each line of the summary is a sentence after its speaker's name."""

    title: str
    topics: tuple[str, ...]
    summary: str


def described(
    lines: Sequence[Line],
    vocabulary: Vocabulary,
    former: str = "",
    taken: Collection[str] = (),
) -> Description:
    """Describe a thread; keep its former title unless worn out, and use none that is taken.

    Small talk (“thanks”, “ok, go on”) changes nothing. Titles are looked up in
    `taken` as they are written: give a set or a dictionary when there are many.
    """
    said = [reading for line in lines if (reading := read(line, vocabulary.lexicon)).words]
    readings = [reading for reading in said if reading.telling] or said
    weights = words_of(readings, vocabulary)
    topics = topics_of(readings, weights)
    title = titled(readings, weights, topics, former, taken)
    return Description(title, topics, summed_up(readings, weights))
