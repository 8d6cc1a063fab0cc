"""What an agent knew is handed over to it when its client compacts its context."""

import sqlite3
from contextlib import closing

import pytest

from e2e.screen import screen
from e2e.scripted_model import filling, says, uses
from e2e.site import Site, Talk

CONSTRAINT = "You must never write a token to the log."
DECISION = "We decided to keep sessions in Redis 7.2, not in memory."
COMMAND = "printf 'heron-check: 3 ok\\n'"
GOAL = f"Make the refresh token live 30 minutes. {CONSTRAINT}"
LAST = "go on with the changelog, please"

WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"


@pytest.fixture
def narrow(site: Site) -> Site:
    """Give the client a small window, which a few numbers of the model fill."""
    site.env[WINDOW] = "100000"
    return site


def boundaries(talk: Talk) -> list[str]:
    """Name what brought about each compaction, as the client tells of it."""
    ends = [each for each in talk.heard if each.get("subtype") == "compact_boundary"]
    return [each["compact_metadata"]["trigger"] for each in ends]


def test_after_an_automatic_compaction_the_next_request_has_what_was_compacted(
    narrow: Site,
) -> None:
    with narrow.talk(
        uses("Bash", command=COMMAND, description="check"),
        says("The token lives 30 minutes now."),
        filling(99_000, says("Redis it is.")),
        says("The changelog is written."),
        args=("--allowedTools", "Bash"),
    ) as talk:
        talk.says(GOAL)
        talk.says(DECISION)
        talk.says(LAST)
        after = talk.model.requests[-1]

    assert boundaries(talk) == ["auto"]
    (told,) = after.greetings
    for kept in (GOAL[:39], CONSTRAINT, DECISION, COMMAND, "Redis it is."):
        assert kept in told
    assert "[thread_" in told
    assert LAST in after.text


def test_a_compaction_that_was_asked_for_hands_over_the_same(site: Site) -> None:
    with site.talk(
        uses("Bash", command=COMMAND, description="check"),
        says("The token lives 30 minutes now."),
        args=("--allowedTools", "Bash"),
    ) as talk:
        talk.says(GOAL)
        talk.says(DECISION)
        talk.says("/compact")
        talk.says(LAST)
        after = talk.model.requests[-1]

    assert boundaries(talk) == ["manual"]
    (told,) = after.greetings
    for kept in (CONSTRAINT, DECISION, f"{COMMAND} (worked)", "Where this session stood:"):
        assert kept in told
    assert "/compact" not in told.partition("</ai-smartness-memory>")[0]


def test_the_next_session_is_told_in_short_where_the_last_one_stood_and_reads_the_rest(
    site: Site,
) -> None:
    site.says(GOAL, says("The token lives 30 minutes now."))
    site.settle()

    model = site.says("what was I at?", uses("Read", file_path=".ai/handoff"), says("Tokens."))

    first, second = model.requests
    (told,) = first.greetings
    assert "Where the last session stood" in told
    assert CONSTRAINT in told
    assert CONSTRAINT in second.result.text
    assert "what was I at" not in second.result.text


def test_how_full_the_window_is_is_read_from_the_transcript(site: Site) -> None:
    with site.talk(filling(130_000, says("Redis it is."))) as talk:
        talk.says(DECISION)
    site.settle()
    # What is due once all is stored is done by the time it is stored again.
    site.settle()

    with closing(sqlite3.connect(site.memory / "memory.db")) as store:
        rows = store.execute("SELECT id, crossed FROM sessions").fetchall()
    assert rows == [(talk.session, 0.6)]


def test_a_cleared_session_is_told_how_to_ask_and_reads_what_it_was_before(
    site: Site,
) -> None:
    with screen(
        site,
        says("The token lives 30 minutes now."),
        uses("Read", file_path=".ai/handoff"),
        says("Tokens, and Redis."),
    ) as client:
        client.says(GOAL)
        # Cleared sooner, the session would begin before there is a brief, which is made once
        # all is stored.
        site.settle()
        site.settle()
        client.commands("/clear")
        site.settle()
        client.says("what were we at?")
        client.leaves()

    _, asked, answered = client.model.requests
    (told,) = asked.greetings
    assert "The context was cleared" in told
    assert "Where" not in told.partition("</ai-smartness-memory>")[0]
    assert CONSTRAINT in answered.result.text
