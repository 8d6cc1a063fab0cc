"""Find the subjects of the commits that an agent reports.

An agent sums up its work in the subject of a commit ("fix(api): reject expired vouchers"). Without
its type and verb it names what the thread is about. A commit that the user quotes is about
something else.
"""

import re
from collections.abc import Iterator

from ai_smartness.describe.noun_phrases import planned_object
from ai_smartness.describe.parse_message import Clause, ParsedLine, WordCache, parsed_words
from ai_smartness.describe.phrase_ends import cut_phrase

__all__ = ["commit_subjects"]

_COMMIT = re.compile(
    r"\b(?:feat|fix|refactor|perf|docs|test|build|ci|chore)(?:\([^()\n]{1,40}+\))?!?: "
    r"([a-z][^\n`\"”*|\[\]]{9,100}+)"
    r"|\b[Cc]ommitted\b[^\n\"“]{0,40}[\"“]([A-Z][^\n`\"”*|\[\]]{9,100}+)[\"”]"
)
_ENDS = re.compile(r"\]\(|[,;]| — | – |\. ")


def commit_subjects(line: ParsedLine) -> Iterator[Clause]:
    """Yield what each commit is about that an agent's message names."""
    if not line.by_agent:
        return
    for sentence in line.sentences:
        for match in _COMMIT.finditer(sentence.text):
            words = parsed_words(_ENDS.split(match[1] or match[2])[0].rstrip(". "), WordCache())
            about = cut_phrase(planned_object(words))
            if about:
                yield tuple(about)
