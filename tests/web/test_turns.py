"""Turns: a line can be rated, pinned, rejected and hidden, and a turn appears while a hook runs."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from ai_smartness import Memory
from daemons import running
from hooking import an_event, hooked
from shop_memory import LAST_PROMPT
from web_pages import serving

JWT = "Better: drop JWT altogether"
TABLE = "Sessions are in the table user_sessions of Postgres now."


@pytest.fixture
def turns(own_page: Page) -> Page:
    """Open the first page of a memory that may be changed."""
    return own_page


def line_of(page: Page, text: str) -> Locator:
    return page.locator("article.turn").first.locator(".line", has_text=text)


def press(line: Locator, name: str) -> str:
    """Press a button at a line, and return what is said about it."""
    line.get_by_role("button", name=name, exact=True).click()
    notice = line.page.locator("#notice .notice")
    notice.wait_for()
    return notice.inner_text()


def injected(shop: tuple[Path, Path]) -> str:
    root, home = shop
    with Memory.open(project=root, home=home) as memory:
        return memory.inject("Should we keep sessions in Redis?").text


def test_a_line_comes_with_its_numbers_and_the_block_as_it_was_sent(turns: Page) -> None:
    article = turns.locator("article.turn").first
    line = line_of(turns, TABLE)

    assert [bar.split()[0] for bar in line.locator(".bar-row").all_inner_texts()] == [
        *("words", "trust", "age")
    ]
    assert "agent" in line.locator(".bars").inner_text()
    assert "used" in article.locator(".tag.good").first.inner_text()
    article.get_by_text("The text as it was sent to the agent").click()
    assert TABLE in article.locator("pre").inner_text()


def test_a_turn_says_what_was_left_out(turns: Page, own_shop: tuple[Path, Path]) -> None:
    root, home = own_shop
    with Memory.open(project=root, home=home) as memory:
        memory.inject(LAST_PROMPT, session="today-9d07")
    turns.reload()
    article = turns.locator("article.turn", has_text="Left out").first

    article.get_by_text("Left out").click()

    assert article.locator(".skipped li").count() >= 1


def test_a_line_that_is_never_to_be_shown_again_is_not_until_that_is_undone(
    turns: Page, own_shop: tuple[Path, Path]
) -> None:
    assert JWT in injected(own_shop)

    said = press(line_of(turns, JWT), "Never show again")

    assert "is not shown again" in said
    assert JWT not in injected(own_shop)
    turns.keyboard.press("u")
    turns.locator("#notice", has_text="Undid").wait_for()
    assert JWT in injected(own_shop)


def test_a_rating_changes_how_much_a_thread_counts_in_the_next_injection(
    turns: Page, own_shop: tuple[Path, Path]
) -> None:
    root, home = own_shop
    with Memory.open(project=root, home=home) as memory:
        before = memory.inject(LAST_PROMPT, session="b4").entries

    thread = line_of(turns, JWT)
    press(thread, "Not useful")
    press(thread, "Not useful")

    with Memory.open(project=root, home=home) as memory:
        after = memory.inject(LAST_PROMPT, session="after").entries
    worth = {entry.lines[0].text: entry.priority for entry in before}
    now = {entry.lines[0].text: entry.priority for entry in after}
    (text,) = (text for text in worth if JWT in text)
    assert now.get(text, 0.0) < worth[text]


def test_a_line_is_pinned_and_a_statement_rejected(
    turns: Page, own_shop: tuple[Path, Path]
) -> None:
    root, home = own_shop

    pinned = press(line_of(turns, TABLE), "Pin")
    turns.locator("#notice [data-close]").click()
    rejected = press(line_of(turns, "Move sessions from Redis"), "Reject")

    assert "Pinned" in pinned or "pin" in pinned.casefold()
    assert "Rejected" in rejected
    with Memory.open(project=root, home=home) as memory:
        assert any(thread.title.startswith("Sessions") for thread in memory.threads())
        assert "Move sessions from Redis" not in memory.brief().text
        assert [str(entry.who) for entry in memory.log(limit=2)] == ["user (web)", "user (web)"]


def test_a_turn_appears_while_a_hook_runs(turns: Page, own_shop: tuple[Path, Path]) -> None:
    root, home = own_shop
    prompt = "Which table of Postgres holds the sessions, is it user_sessions?"
    with running(home):
        event = an_event("UserPromptSubmit", prompt=prompt, cwd=str(root), session_id="live-1")
        ran = hooked(home, event, alone=False, environ={"AIS_HOOK_DEADLINE_MS": "30000"})
        assert ran.is_harmless

        turns.get_by_role("heading", name=prompt).wait_for()

    first = turns.locator("article.turn").first
    assert prompt in first.inner_text()
    assert first.locator(".line", has_text="user_sessions").count() >= 1


def test_older_turns_are_loaded_on_request(browser: Browser, own_shop: tuple[Path, Path]) -> None:
    root, home = own_shop
    with Memory.open(project=root, home=home) as memory:
        for number in range(45):
            memory.inject(f"question number {number} about staging?", session=f"s{number}")
    with serving(root, home) as served, browser.new_context() as context:
        page = context.new_page()
        page.goto(served.address)
        page.wait_for_url("**/turns")
        for shown in (10, 20, 30, 40):
            expect(page.locator("article.turn")).to_have_count(shown)
            page.get_by_role("link", name="Show older turns").click()
        expect(page.locator("article.turn")).to_have_count(50)

        assert page.get_by_role("link", name="Show older turns").count() == 0
