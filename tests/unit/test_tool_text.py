"""Tools' events are described by their subject, not by the format of our records."""

from dataclasses import replace

import pytest

from ai_smartness.describe.tool_text import subject_text
from ai_smartness.model.event import EventType
from builders import a_thread, an_event


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("$ python -m pytest\n[exit code 1]\n[… 12 lines …]\nKeyError: 'a'", "KeyError: 'a'"),
        ("Edited src/auth/token.py\n@@ -1,2 +1,3 @@\n-ttl = 900\n+ttl = 1800",
         "src/auth/token.py\n\nttl = 900\nttl = 1800"),
        ("$ python manage.py migrate\n[exit code 0]", "manage.py migrate"),
        ("Read docs/rounding.md", "docs/rounding.md"),
    ],
)  # fmt: skip
def test_the_words_of_our_records_are_left_out(text: str, subject: str) -> None:
    event = an_event("e", a_thread(), text)

    assert subject_text(replace(event, type=EventType.TOOL_RESULT)) == subject
    assert subject_text(event) == text
