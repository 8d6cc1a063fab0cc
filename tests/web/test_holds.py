"""What holds: a person confirms, corrects and rejects, and reads the brief of the next session."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from ai_smartness import Memory
from ai_smartness.model.statement import ReviewState
from builders import a_memory
from stating import POSTGRES, REDIS, RULE, state_things

SENTENCE = "Never log the session id."


@pytest.fixture
def holds(own_page: Page) -> Page:
    own_page.get_by_role("link", name="What holds").click()
    own_page.wait_for_url("**/holds")
    return own_page


def statement_of(page: Page, text: str) -> Locator:
    return page.locator("article.statement", has_text=text)


def test_what_was_replaced_is_folded_under_what_holds() -> None:
    memory = a_memory()
    stated = state_things(memory)

    groups = memory.held_statements()

    held = {one.statement.text: one.replaced for group in groups for one in group.statements}
    assert [one.text for one in held[POSTGRES]] == [REDIS]
    assert REDIS not in held
    assert held[RULE] == ()
    assert stated[REDIS].id == held[POSTGRES][0].id


def test_a_statement_is_confirmed_and_that_is_undone(
    holds: Page, own_shop: tuple[Path, Path]
) -> None:
    one = statement_of(holds, SENTENCE)

    one.get_by_role("button", name="Confirm").click()

    expect(one.get_by_text("confirmed")).to_be_visible()
    expect(one.get_by_role("button", name="Confirm")).to_have_count(0)
    holds.keyboard.press("u")
    expect(one.get_by_role("button", name="Confirm")).to_be_visible()
    root, home = own_shop
    with Memory.open(project=root, home=home) as memory:
        (stored,) = memory.statements(query=SENTENCE, limit=1)
        assert stored.review is ReviewState.PROPOSED


def test_a_statement_is_corrected_and_reads_so_in_the_brief(holds: Page) -> None:
    one = statement_of(holds, SENTENCE)
    one.get_by_text("Correct …").click()
    one.get_by_label("It should read").fill("Never log session ids or user names.")
    one.get_by_role("button", name="Correct", exact=True).click()

    expect(statement_of(holds, "session ids or user names")).to_be_visible()
    holds.get_by_text("Show what an agent reads").click()
    expect(holds.locator("#brief-text pre")).to_contain_text("session ids or user names")
    expect(holds.locator("#brief-text .part")).to_contain_text("tokens")


def test_a_statement_is_rejected_and_confirmed_after_all(holds: Page) -> None:
    statement_of(holds, SENTENCE).get_by_role("button", name="Reject").click()
    expect(statement_of(holds, SENTENCE)).to_have_count(0)

    holds.get_by_text("Rejected statements").click()
    rejected = holds.locator("#rejected .line", has_text=SENTENCE)
    rejected.get_by_role("button", name="Confirm after all").click()

    expect(statement_of(holds, SENTENCE)).to_be_visible()


def test_statements_are_searched_by_word_and_by_kind_with_the_keyboard(holds: Page) -> None:
    holds.keyboard.press("/")
    holds.keyboard.type("invoices")
    holds.keyboard.press("Enter")
    holds.wait_for_url("**/holds?q=invoices*")

    assert holds.locator("article.statement").count() == 1
    assert "Invoices" in holds.locator("article.statement").inner_text()
    holds.get_by_role("link", name="Show all").click()
    holds.get_by_label("Kind").first.select_option("preference")
    holds.get_by_role("button", name="Show", exact=True).click()
    holds.wait_for_url("**kind=preference")
    assert "small pull requests" in holds.locator("article.statement").inner_text()
