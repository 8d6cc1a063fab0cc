"""If the user names no subject, the commit that the agent made does."""

import pytest

from ai_smartness.describe.description import thread_description
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.describe.word_weights import Vocabulary


def title_of(text: str, answer: str) -> str:
    """Return the title of a request and its answer."""
    lines = [ThreadLine("user", text), ThreadLine("assistant", answer, by_agent=True)]
    return thread_description(lines, Vocabulary(threads=1)).title


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        (
            "Done, the checks are green. Committed as `Show packing prompts as short lists`.",
            "Showing packing prompts as short lists",
        ),
        (
            "Committed: **Fix expanded parcel row to show labels alongside weights** (1 file).",
            "Expanded parcel row to show labels alongside weights",
        ),
        (
            "All checks passed: `6c8aa66 Hide depot selector in parcel mode`",
            "Hiding depot selector in parcel mode",
        ),
    ],
)
def test_a_commit_names_the_subject_that_the_user_does_not(answer: str, title: str) -> None:
    assert title_of("commit it", answer) == title
