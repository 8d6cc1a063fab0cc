"""A made-up project with some weeks behind it: sessions, statements, changes and turns.

Tests of the pages look at it, and so does whoever wants to see them filled.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from ai_smartness import Memory, Message
from ai_smartness.model.journal import Actor

__all__ = ["LAST_PROMPT", "fill_shop", "shop_folder"]

SESSIONS: dict[tuple[str, int], tuple[tuple[str, str], ...]] = {
    ("login-4f21", 26): (
        ("user", "Users get logged out at random. Can you look at src/auth/middleware.py?"),
        ("assistant", "verifyToken() compares the expiry in local time, so every JWT dies early."),
        ("user", "Better: drop JWT altogether. We decided to keep sessions in Redis."),
        ("assistant", "Done: JWT is gone, and revokeAllSessions(userId) ends all sessions."),
        ("user", "Never log the session id."),
    ),
    ("invoice-88a0", 19): (
        ("user", "The invoice PDF breaks when a customer's name has an umlaut."),
        ("assistant", "renderInvoice() asks for Helvetica, which has no glyph for ü."),
        ("user", "Invoices must never be sent twice, remember that."),
        ("assistant", "sendInvoice() now takes an idempotency key and stores it."),
        ("user", "I prefer small pull requests with one subject each."),
    ),
    ("sessions-1c9d", 6): (
        ("user", "Sessions: 12 hours is too short, people complain. Make it 30 days."),
        ("assistant", "The session lifetime in src/auth/session.py is now 30 days."),
        ("user", "Move sessions from Redis to Postgres, we no longer use Redis."),
        ("assistant", "Sessions are in the table user_sessions of Postgres now."),
        ("user", "The staging database is db-stage-2 from now on, not db-stage-1."),
        ("assistant", "Updated DATABASE_URL in .env.staging to point at db-stage-2."),
    ),
    ("shipping-07be", 2): (
        ("user", "Shipping to Switzerland needs a customs form, add it to checkout."),
        ("assistant", "checkout/customs.py fills the CN22 form from the basket."),
        ("user", "The shipping label test fails with KeyError: 'hs_code'."),
        ("assistant", "Every product needs an hs_code; I added a default for books."),
    ),
}

PROMPTS = (
    ("sessions-1c9d", "Add a page to revoke sessions; why did we drop JWT again?"),
    ("shipping-07be", "Which database do we use on staging?"),
    ("shipping-07be", "ok, go on"),
)
LAST_PROMPT = "Why did we drop JWT, and are sessions in Redis or in a table of Postgres now?"
LAST_ANSWER = (
    "JWT tokens could not be revoked, revokeAllSessions() can do that. The table is user_sessions."
)


def shop_folder(folder: Path) -> Path:
    """Make the folder of the project, a repository by its looks."""
    root = folder / "shop"
    (root / ".git").mkdir(parents=True)
    return root


def fill_shop(memory: Memory, now: datetime | None = None) -> None:
    """Live through some weeks: talk, be shown things, tidy up, change one's mind."""
    now = now or datetime.now(UTC)
    claude, codex = (memory.used_by(Actor("agent", name)) for name in ("claude-code", "codex"))
    claude.capture([*_messages(now)])
    claude.embed()
    for session, prompt in PROMPTS:
        codex.inject(prompt, session=session)
    claude.greeting("morning-55e3")
    claude.inject(LAST_PROMPT, session="today-9d07")
    claude.capture(Message(session="today-9d07", text=LAST_PROMPT))
    claude.capture(Message(session="today-9d07", role="assistant", text=LAST_ANSWER))
    _tidy(memory)


def _messages(now: datetime) -> "list[Message]":
    return [
        Message(
            id=f"{session}-{number}",
            session=session,
            role=role,
            text=text,
            at=now - timedelta(days=days) + timedelta(minutes=3 * number),
        )
        for (session, days), lines in SESSIONS.items()
        for number, (role, text) in enumerate(lines)
    ]


def _tidy(memory: Memory) -> None:
    threads = {thread.id: thread for thread in memory.threads()}
    first = memory.message("shipping-07be-0").thread_id
    memory.rename(first, "Customs forms for Switzerland")
    memory.pin("Releases are cut on Tuesdays.", title="Release day")
    rated = next(iter(threads))
    memory.rate(rated, useful=True, reason="it answered the question")
    archived = memory.archive(memory.message("invoice-88a0-0").thread_id)
    assert archived.number is not None
    memory.undo(archived.number)
