"""The sessions that `ais tour` plays: a small shop, three days in spring."""

from datetime import UTC, datetime, timedelta

from ai_smartness.model.event import Message

__all__ = ["CHANGED_SUBJECT", "MERGED", "PROMPTS", "QUESTIONS", "SCRIPT", "SECOND_THOUGHTS"]

_SESSIONS: dict[tuple[str, datetime], tuple[tuple[str, str], ...]] = {
    ("login", datetime(2026, 3, 2, 9, 15, tzinfo=UTC)): (
        ("user", "Users get logged out at random. Can you look at src/auth/middleware.py?"),
        (
            "assistant",
            (
                "verifyToken() compares the expiry in local time, so every JWT dies early. "
                "I changed it to UTC in src/auth/middleware.py and added a test."
            ),
        ),
        ("user", "Better: drop JWT altogether. Server-side sessions, I want to revoke them."),
        (
            "assistant",
            (
                "Done: JWT is gone, sessions live in Redis with a lifetime of 12 hours, and "
                "revokeAllSessions(userId) ends them. Run `make test-auth` to check."
            ),
        ),
    ),
    ("invoice", datetime(2026, 3, 4, 14, 0, tzinfo=UTC)): (
        ("user", "The invoice PDF breaks when a customer's name has an umlaut."),
        (
            "assistant",
            (
                "renderInvoice() asks for Helvetica, which has no glyph for ü. "
                "Embedding DejaVu Sans fixes it; the file grows by 60 kB."
            ),
        ),
        ("user", "Fine. Invoices must never be sent twice, remember that."),
        ("assistant", "Noted. sendInvoice() now takes an idempotency key and stores it."),
    ),
    ("again", datetime(2026, 4, 9, 10, 30, tzinfo=UTC)): (
        ("user", "Sessions in Redis: 12 hours is too short, people complain. Make it 30 days."),
        ("assistant", "The session lifetime in src/auth/session.py is now 30 days."),
        ("user", "And the staging database is db-stage-2 from now on, not db-stage-1."),
        ("assistant", "Updated DATABASE_URL in .env.staging to point at db-stage-2."),
    ),
}

SCRIPT: list[Message] = [
    Message(
        id=f"{session}-{number}",
        session=session,
        role=role,
        text=text,
        at=start + timedelta(minutes=3 * number),
    )
    for (session, start), lines in _SESSIONS.items()
    for number, (role, text) in enumerate(lines)
]

QUESTIONS: tuple[tuple[str, str], ...] = (
    ("why did we drop JWT?", "by its words"),
    ("duplicate billing", "not one word in common with the answer"),
    ("revokeAll", "a part of an identifier"),
)

CHANGED_SUBJECT = "again-2"
"""The message with which the third session turns to something else."""

SECOND_THOUGHTS = ("session lifetime hours days", datetime(2026, 4, 1, tzinfo=UTC))
"""A question whose answer changed, and a moment before it did."""

PROMPTS = (
    "Add a page to revoke sessions; why did we drop JWT again?",
    "ok, go on",
    "Write a haiku about the sea.",
)
"""A prompt that leans on what was decided, and two that need nothing."""

MERGED = ("again-1", "login-1")
"""Messages of two threads that could as well be one."""
