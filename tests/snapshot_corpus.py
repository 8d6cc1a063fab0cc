"""Two made-up projects with fixed ids and times, from which the snapshots are recorded."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ai_smartness import EventType, Message

__all__ = ["ROOM", "SHOP", "Session", "messages"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session: its name, when it began, and its lines, a minute apart.

    A line is `role: text`. The role `bash` is a command that the agent runs, `edit` a file
    that it writes, `tool` the result of either; a number for a role is minutes of silence.
    """

    name: str
    began: datetime
    lines: tuple[str, ...]

    @property
    def ended(self) -> datetime:
        """The moment of the last message."""
        return max(each.at for each in messages(self) if each.at)


_CALLS: Mapping[str, tuple[str, str]] = {
    "bash": ("Bash", "command"),
    "edit": ("Edit", "file_path"),
    "read": ("Read", "file_path"),
}


def messages(session: Session) -> Iterator[Message]:
    """Return the messages of a session, numbered in the order they are said."""
    number, minutes = 0, 0
    for line in session.lines:
        role, _, text = line.partition(": ")
        if role.isdigit():
            minutes += int(role)
            continue
        number, minutes = number + 1, minutes + 1
        tool, field = _CALLS.get(role, ("", ""))
        yield Message(
            id=f"{session.name}-{number:02}",
            session=session.name,
            role="assistant" if tool else role,
            text=text,
            at=session.began + timedelta(minutes=minutes),
            type=EventType.TOOL_CALL if tool else None,
            payload={"tool": tool, "args": {field: text}} if tool else {},
        )


_LOGIN = (
    "user: Users get logged out after a quarter of an hour. Can you look at src/auth/token.py?",
    "read: src/auth/token.py",
    "tool: 12  REFRESH_SECONDS = 900\n13  def refresh_token(session): ...",
    (
        "assistant: The refresh token in src/auth/token.py lives 900 seconds, and nothing renews "
        "it. I would raise REFRESH_SECONDS and renew the token on every request."
    ),
    (
        "user: We decided that the refresh token lives fifteen minutes, for compliance. "
        "Renew it on every request instead."
    ),
    "edit: src/auth/middleware.py",
    "tool: The file src/auth/middleware.py has been updated.",
    "bash: pytest -q tests/auth/test_middleware.py",
    (
        "tool: FAILED tests/auth/test_middleware.py::test_renew - TokenExpiredError: token is 901 "
        "s old\n1 failed, 11 passed in 0.84s"
    ),
    (
        "assistant: test_renew fails with TokenExpiredError because the clock of the test is not "
        "frozen. I freeze it in tests/auth/conftest.py."
    ),
    "edit: tests/auth/conftest.py",
    "bash: pytest -q tests/auth",
    "tool: 34 passed in 1.90s",
    "user: Good. Never store the refresh token in localStorage, it must be an HttpOnly cookie.",
    (
        "assistant: Agreed: the refresh token stays in an HttpOnly cookie set by "
        "src/auth/middleware.py, with SameSite=Lax."
    ),
    "user: I prefer small commits, one for the middleware and one for the tests.",
    "bash: git commit -m 'Renew the refresh token on every request' src/auth/middleware.py",
    "tool: [main 4be1c02] Renew the refresh token on every request",
)

_BILLING = (
    (
        "user: Die Rechnungen für Norwegen haben keine Mehrwertsteuer, siehe "
        "billing/invoice_pdf.py und Ticket #8812."
    ),
    "read: billing/invoice_pdf.py",
    "tool: 40  rate = RATES.get(country, Decimal(0))\n41  total = net * (1 + rate)",
    (
        "assistant: In billing/rates.yaml fehlt Norwegen, deshalb ist der Satz 0. Ich trage 25 % "
        "ein und schreibe einen Test für #8812."
    ),
    "user: Ja, aber ab dem 1. April gelten 15 % für Lebensmittel.",
    "edit: billing/rates.yaml",
    "tool: The file billing/rates.yaml has been updated.",
    "bash: pytest -q tests/billing -k norway",
    "tool: 3 passed in 0.31s",
    (
        "assistant: Die Rechnung für Norwegen zeigt jetzt 25 % Mehrwertsteuer, Lebensmittel 15 % "
        "ab dem 1. April 2026."
    ),
    "user: Invoice PDFs print umlauts as boxes when the customer's name has one.",
    (
        "assistant: The embedded font lacks the glyphs. DejaVu Sans has them; I embed it in "
        "billing/fonts/ and register it in invoice_pdf.py."
    ),
    "bash: python -m billing.invoice_pdf --sample Müller",
    "tool: wrote out/sample_Müller.pdf (2 pages)",
    (
        "user: Sieht gut aus. Rechnungsnummern dürfen niemals Lücken haben, das verlangt das "
        "Finanzamt."
    ),
    (
        "assistant: Notiert: Rechnungsnummern ohne Lücken. InvoiceCounter vergibt sie in derselben "
        "Transaktion wie die Rechnung."
    ),
)

_DATABASE = (
    "user: Let us use SQLite for the orders table to begin with, it is enough for one server.",
    "assistant: SQLite with WAL then; orders live in data/orders.db, the schema in db/schema.sql.",
    "bash: python manage.py migrate --database orders",
    "tool: Applying orders.0001_initial... OK",
    "user: Concurrent checkouts now fail with 'database is locked'. What do we do?",
    (
        "assistant: sqlite3.OperationalError: database is locked comes from two writers in "
        "checkout.place_order. A busy timeout of 5 seconds hides it, but Postgres would end it."
    ),
    "user: Then we switch from SQLite to Postgres for orders. Forget the SQLite plan.",
    (
        "assistant: Orders move to Postgres 16. I write db/migrations/0007_orders_to_postgres.py "
        "and change DATABASE_URL in deploy/compose.yaml."
    ),
    "bash: docker compose -f deploy/compose.yaml up -d postgres",
    "tool: Container shop-postgres-1  Started",
    "bash: python manage.py migrate --database orders",
    (
        "tool: psycopg.OperationalError: connection to server at 127.0.0.1, port 5433 failed: "
        "Connection refused"
    ),
    (
        "assistant: The port is wrong: Postgres listens on 5432, and deploy/compose.yaml publishes "
        "5433. I publish 5432."
    ),
    "user: The connection pool should have at most 20 connections.",
    "assistant: Set: pool_size=20 in db/pool.py, checked at start.",
    "user: The checkout page needs a bigger logo in the header by the way.",
    (
        "assistant: The logo is in templates/header.html; I set its height to 48 pixels in "
        "static/header.css."
    ),
)

_PIPELINE = (
    "user: The nightly pipeline is red again: test_checkout_total is flaky.",
    "bash: gh run view 4411 --log-failed",
    (
        "tool: E  AssertionError: assert Decimal('10.99') == Decimal('11.00')\n"
        "tests/checkout/test_total.py:58"
    ),
    (
        "assistant: test_checkout_total rounds twice: round_half_even in checkout/total.py and "
        "again in the template. The order of the basket decides which one wins."
    ),
    (
        "user: Round once, in checkout/total.py, half up. The TODO is to document it in "
        "docs/rounding.md."
    ),
    "edit: checkout/total.py",
    "bash: for i in $(seq 50); do pytest -q tests/checkout/test_total.py || break; done",
    "tool: 50 times: 7 passed",
    "assistant: Fifty green runs in a row. test_checkout_total is no longer flaky.",
    "20: ",
    "user: How do we deploy to staging?",
    (
        "assistant: ./deploy/staging.sh builds the image and runs the migrations; it needs "
        "STAGING_TOKEN in the environment."
    ),
    "user: The API key for staging is sk_live_" + "9fQ7ZrT2mXw4Kd8Ls1Vb6Hn3" + ", put it into "
    "the vault.",
    "assistant: I put it into the vault under shop/staging and do not write it anywhere else.",
    "bash: ./deploy/staging.sh",
    "tool: deployed shop:2026.03.12-2 to staging in 74 s",
)

_RETURN = (
    "user: Back to the refresh token of the login: compliance now allows half an hour.",
    "assistant: Then REFRESH_SECONDS in src/auth/token.py becomes 1800, no longer 900.",
    "edit: src/auth/token.py",
    "user: Yes. The refresh token lives thirty minutes from now on, not fifteen.",
    "bash: pytest -q tests/auth",
    "tool: 34 passed in 1.88s",
    "user: go on",
    (
        "assistant: The renewal in src/auth/middleware.py needs no change. I add a line to "
        "docs/auth.md."
    ),
    "user: Où en est la page de paiement ? Le logo est encore trop petit sur mobile.",
    "assistant: Sur mobile, static/header.css limite le logo à 32 pixels. Je le porte à 40.",
    "user: My name is Ana and I work from Lisbon, so use Europe/Lisbon in examples.",
    "assistant: Noted, Ana: Europe/Lisbon it is.",
    "user: Next we must rotate the JWT signing keys every month, see config/jwt_keys.yaml.",
    (
        "assistant: rotate_keys() in src/auth/keys.py runs from cron on the first of the month and "
        "keeps the last two keys."
    ),
)


def _at(day: int, hour: int) -> datetime:
    return datetime(2026, 3, day, hour, 0, tzinfo=UTC)


SHOP = (
    Session(name="s1", began=_at(2, 9), lines=_LOGIN),
    Session(name="s2", began=_at(4, 14), lines=_BILLING),
    Session(name="s3", began=_at(9, 10), lines=_DATABASE),
    Session(name="s4", began=_at(12, 8), lines=_PIPELINE),
    Session(name="s5", began=_at(16, 15), lines=_RETURN),
)
"""A web shop and one agent, in five sessions and two languages and a bit."""

_TALK = (
    "ana: the build of the arm64 image fails since this morning, anyone seen that?",
    "bob: ana: which step? buildx or the push to the registry?",
    "ana: bob: buildx, qemu crashes with signal 11 while it compiles numpy",
    "carl: did somebody order the pizza for friday",
    "bob: ana: pin qemu to 7.2, the 8.0 image of binfmt is broken on our runners",
    "dora: carl: I did, twelve of them, two without cheese",
    "ana: bob: pinned binfmt to qemu-v7.2.0, numpy compiles again",
    "eve: the dashboard shows no latency since the Prometheus upgrade",
    "carl: dora: great, at seven then?",
    "bob: eve: the histogram was renamed to http_request_duration_seconds in 3.0",
    "dora: carl: half past seven, the oven is slow",
    "eve: bob: ah, so the Grafana panel still asks for the old name",
    "ana: bob: thanks, the arm64 image is pushed to the registry",
    "bob: eve: yes, panel 4 of grafana/latency.json",
    "15: ",
    "eve: bob: fixed in grafana/latency.json, latency is back on the dashboard",
    "carl: is the arm64 image signed too? cosign complains here",
    "ana: carl: signing runs after the push, wait for the sign job",
    "dora: the oven takes six pizzas at once, so two rounds",
)

_NEXT_DAY = (
    "ana: qemu crashed again, this time on the amd64 runners, binfmt was updated by dependabot",
    "bob: ana: then ignore binfmt in .github/dependabot.yml",
    "eve: the latency panel has gaps at night, is that the Prometheus restart?",
    "bob: eve: retention was set to 12h, look at prometheus.yml",
    "ana: bob: ignored binfmt in .github/dependabot.yml, the runners build again",
    "carl: who has a photo of the pizza evening?",
)

ROOM = (
    Session(name="r1", began=_at(3, 11), lines=_TALK),
    Session(name="r2", began=_at(4, 9), lines=_NEXT_DAY),
)
"""A room of five people who talk past each other, as on IRC."""
