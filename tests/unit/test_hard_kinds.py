"""Sentences that look alike and are not: a request and a rule, a question and a task."""

from typing import TYPE_CHECKING

import pytest

from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.statements.judge import SentenceJudge, SpokenSentence
from ai_smartness.statements.sentences import Sentence

if TYPE_CHECKING:
    from ai_smartness.ports import Embedder

NOTHING = (
    ("user", "add a retry to the downloader"),
    ("user", "Is the importer tested?"),
    ("user", "do we still need the cron job?"),
    ("user", "For today only you may skip the review."),
    ("user", "login is broken again"),
    ("user", "make it green"),
    ("assistant", "Yesterday we decided on Redis"),
    ("assistant", "As you said, tabs."),
    ("tool", "ModuleNotFoundError: No module named 'yaml'"),
    ("user", "write me a script that cleans those up"),
    ("user", "make me a list of the orders that were paid late"),
    ("user", "schreib mir ein Skript, das die alten Dateien aufräumt"),
    ("user", "the averages are off because of the holidays"),
    ("user", "the monthly totals are off because of the returned parcels"),
    ("assistant", "Recap: data in sqlite, polling at 60 s, the map comes next."),
    ("assistant", "To sum up: the importer works, the carts use Redis, docs are next."),
)
STATED = (
    ("user", "Move sessions to Postgres.", StatementKind.DECISION),
    ("user", "the timeout is 30 s now, was 10", StatementKind.DECISION),
    ("user", "Never push to main.", StatementKind.RULE),
    ("user", "Nie direkt auf main pushen.", StatementKind.RULE),
    ("user", "I prefer short answers.", StatementKind.PREFERENCE),
    ("user", "The database listens on port 5544.", StatementKind.ENVIRONMENT),
    ("user", "TODO: paging on the audit page", StatementKind.OPEN_TASK),
    ("assistant", "The archive still has to be indexed, I did not get to it.", "open_task"),
    ("assistant", "The crash came from a stale lock; deleting it cured it.", "error_cure"),
    ("assistant", "Fix: run `npm ci` first.", StatementKind.ERROR_CURE),
    ("user", "run tests with make check", StatementKind.COMMAND),
    ("user", "scripts always get a --dry-run option", StatementKind.RULE),
)


def judged_kind(embedder: "Embedder", speaker: str, text: str) -> str | None:
    spoken = SpokenSentence(Sentence(text), Speaker(speaker))
    (judged,) = SentenceJudge(embedder).statements_among([spoken])
    return str(judged.kind) if judged else None


@pytest.mark.parametrize(("speaker", "text"), NOTHING)
def test_what_holds_for_a_moment_is_no_statement(
    real_embedder: "Embedder", speaker: str, text: str
) -> None:
    assert judged_kind(real_embedder, speaker, text) is None


@pytest.mark.parametrize(("speaker", "text", "kind"), STATED)
def test_what_holds_has_its_kind(
    real_embedder: "Embedder", speaker: str, text: str, kind: str
) -> None:
    assert judged_kind(real_embedder, speaker, text) == str(kind)


@pytest.mark.parametrize(
    "text",
    [
        "poll the gate sensor every 20 seconds",
        "make the timeout 2 hours, 30 minutes annoys people",
        "no more mails to the drivers, push only",
    ],
)
def test_an_order_that_holds_from_now_on_is_a_statement(
    real_embedder: "Embedder", text: str
) -> None:
    assert judged_kind(real_embedder, "user", text) is not None
