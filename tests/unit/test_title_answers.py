"""Titles of answers and of rules: a commit names the subject, and a rule is told as a phrase."""

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


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "the attendance page must never show phone numbers, only the board may see those",
            "Attendance page never showing phone numbers",
        ),
        ("the worker must always retry twice", "Worker retrying twice"),
        ("the cron job should still run on sundays", "Cron job running on sundays"),
        ("customers must only see their own tickets", "Customers seeing own tickets"),
        (
            "sms reminders: send them when a bike has been ready for 3 days",
            "Sending sms reminders",
        ),
        (
            "reminder mails: send them two days before the rehearsal at 18:00",
            "Sending reminder mails two days before rehearsal",
        ),
        (
            "close the ticket desk at 18:30 on fridays",
            "Closing the ticket desk at 18:30 on fridays",
        ),
    ],
)
def test_a_rule_is_titled_by_a_phrase_that_a_reader_understands(text: str, title: str) -> None:
    assert thread_description([ThreadLine("user", text)], Vocabulary(threads=1)).title == title
