"""A sentence that says its kind itself is taken at its word."""

import pytest

from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.statements.labels import is_done, labelled_kind
from ai_smartness.statements.sentences import Sentence


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("TODO: paging on the audit page", StatementKind.OPEN_TASK),
        ("Still open: the retry of failed exports.", StatementKind.OPEN_TASK),
        ("I'll list it as open: refunds for underweight parcels.", StatementKind.OPEN_TASK),
        ("Left for tomorrow: the migration of the archive.", StatementKind.OPEN_TASK),
        ("and we still have to tell the printers", StatementKind.OPEN_TASK),
        ("Noch offen: Druckvorschau", StatementKind.OPEN_TASK),
        ("Fix: run `npm ci` first.", StatementKind.ERROR_CURE),
        ("the fix was to raise the file limit", StatementKind.ERROR_CURE),
        ("Never log the session id.", StatementKind.RULE),
        ("btw never ping anybody outside their shift.", StatementKind.RULE),
        ("don't ship to the islands on mondays, the ferry is full", StatementKind.RULE),
        ("and pls dont edit the price list by hand", StatementKind.RULE),
        ("no merges without a second pair of eyes", StatementKind.RULE),
        ("run tests with make check", StatementKind.COMMAND),
        ("tests: `tox -e py312`", StatementKind.COMMAND),
    ],
)
def test_a_label_says_the_kind(text: str, kind: StatementKind) -> None:
    assert labelled_kind(Sentence(text), Speaker.USER) is kind


@pytest.mark.parametrize(
    "text",
    [
        "Is it still open?",
        "Still open: nothing.",
        "todo lists are for people with time",
        "run the tests again with make check",
        "fix the typo",
        "open the settings page",
        "Note it as open.",
        "Never mind the warning.",
        "never tried it",
        "don't push yet, I want to look at it first",
        "don't worry, nobody ever reads that page",
        "no more shipping by hand",
        "no idea why it ever worked",
    ],
)
def test_a_question_a_request_and_an_empty_list_have_no_label(text: str) -> None:
    assert labelled_kind(Sentence(text), Speaker.USER) is None


@pytest.mark.parametrize(
    ("words", "done"),
    [
        (
            "The meter is here and I calibrated the probe in bay 2: the offset is -11, it is done.",
            True,
        ),
        ("Done, the exporter writes both files.", True),
        ("The migration of the old invoices is finished.", True),
        ("Die Kalibrierung ist erledigt.", True),
        ("The calibration is not done yet.", False),
        ("Tell me when the import is done.", False),
        ("We still have to close the account.", False),
    ],
)
def test_what_is_told_as_done_is_no_open_task(words: str, *, done: bool) -> None:
    assert is_done(words) is done
