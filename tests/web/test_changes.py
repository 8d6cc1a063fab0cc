"""Changes, suggestions and safety: see what was done, undo it, settle, forget with proof."""

from pathlib import Path

from playwright.sync_api import Page, expect

from ai_smartness import Memory, Message
from ai_smartness.views.changes import change_view
from builders import a_memory, said

EXAMPLE_KEY = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"  # of GitHub's own pages


def go_to(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
    page.wait_for_url(f"**/{name.casefold()}")


def test_a_change_says_what_was_before_and_after() -> None:
    memory = a_memory()
    memory.capture(said("rotate the keys", id_="m1"))
    thread = memory.message("m1").thread_id
    memory.rename(thread, "Key rotation")
    memory.archive(thread)

    archived, renamed = (change_view(entry, {}) for entry in memory.log())

    assert [(row.field, row.before, row.after) for row in archived.rows] == [
        ("status", "active", "archived")
    ]
    assert ("title", "Key rotation") in [(row.field, row.after) for row in renamed.rows]
    assert archived.can_undo


def test_a_change_names_threads_by_their_titles() -> None:
    memory = a_memory()
    memory.capture(said("rotate the keys", id_="m1"))
    thread = memory.message("m1").thread_id
    memory.rename(thread, "Key rotation")
    memory.archive(thread)

    archived, renamed = (change_view(entry, memory.titles([thread])) for entry in memory.log())

    assert archived.sentence == "Archived “Key rotation”."
    assert thread not in renamed.sentence


def test_a_change_is_undone_with_the_keyboard_and_says_by_which(
    own_page: Page, own_shop: tuple[Path, Path]
) -> None:
    go_to(own_page, "Changes")
    renamed = own_page.locator("article.change", has_text="Renamed")
    assert "Customs forms for Switzerland" in renamed.locator("td.after").first.inner_text()
    number = renamed.get_attribute("id")

    for _ in range(own_page.locator("article.change").count()):
        own_page.keyboard.press("j")
        if own_page.evaluate("document.activeElement.id") == number:
            break
    own_page.keyboard.press("u")

    expect(renamed.last.locator(".tag.bad")).to_be_visible()
    root, home = own_shop
    with Memory.open(project=root, home=home) as memory:
        assert "Customs forms for Switzerland" not in [one.title for one in memory.threads()]


def test_a_conflict_is_settled_from_the_suggestions(
    own_page: Page, own_shop: tuple[Path, Path]
) -> None:
    root, home = own_shop
    go_to(own_page, "Suggestions")
    expect(own_page.get_by_text("How full the memory is")).to_be_visible()
    with Memory.open(project=root, home=home) as memory:
        conflicts = len(memory.suggestions().conflicts)
    cards = own_page.locator("article[id^='conflict-']")
    expect(cards).to_have_count(conflicts)
    if conflicts:
        cards.first.get_by_role("button", name="Both hold").click()
        expect(cards).to_have_count(conflicts - 1)


def test_redacted_secrets_are_counted_and_none_is_shown(
    own_page: Page, own_shop: tuple[Path, Path]
) -> None:
    root, home = own_shop
    with Memory.open(project=root, home=home) as memory:
        memory.capture(Message(session="s", text=f"use the token {EXAMPLE_KEY} for the release"))
        assert sum(memory.redaction_counts().values()) == 1

    go_to(own_page, "Safety")

    expect(own_page.locator("#redactions table")).to_contain_text("github")
    own_page.get_by_text("Look for secrets").click()
    expect(own_page.locator("#secrets .part")).to_contain_text("none found")
    assert "nothing" in own_page.locator("#leaves").inner_text()
    assert EXAMPLE_KEY not in own_page.content()


def test_something_is_forgotten_with_proof(own_page: Page, own_shop: tuple[Path, Path]) -> None:
    root, home = own_shop
    go_to(own_page, "Safety")
    own_page.get_by_label("Words").fill("hs_code")
    own_page.get_by_role("button", name="Show the messages").click()
    expect(own_page.locator("#forgetting")).to_contain_text("The shipping label test fails")
    with Memory.open(project=root, home=home) as memory:
        assert "hs_code" in memory.message("shipping-07be-2").text

    own_page.get_by_role("button", name="Forget permanently").click()

    expect(own_page.locator("#forgetting")).to_contain_text("The proof", timeout=60_000)
    expect(own_page.locator("#forgetting")).to_contain_text("none was found")
    files = [path for path in home.rglob("*") if path.is_file()]
    assert [path for path in files if b"hs_code" in path.read_bytes().lower()] == []


def test_a_backup_is_made_now(own_page: Page, own_shop: tuple[Path, Path]) -> None:
    go_to(own_page, "Safety")

    own_page.get_by_role("button", name="Back up now").click()

    expect(own_page.locator("#notice")).to_contain_text("and verified")
    assert len([*(own_shop[1] / "backups").glob("*.db*")]) >= 1


def test_a_clean_up_shows_its_plan_then_is_done_and_undone(
    own_page: Page, own_shop: tuple[Path, Path]
) -> None:
    root, home = own_shop
    go_to(own_page, "Suggestions")
    own_page.get_by_label("Clean up everything").select_option("aggressive")

    own_page.get_by_role("button", name="Show the plan…").click()
    plan = own_page.get_by_role("region", name="Plan: nothing has changed yet")
    expect(plan).to_be_visible()
    with Memory.open(project=root, home=home) as memory:
        assert all(entry.verb != "compact" for entry in memory.log())

    plan.get_by_role("button", name="Do it").click()
    own_page.locator("#notice").get_by_role("button", name="Undo").wait_for()
    with Memory.open(project=root, home=home) as memory:
        assert memory.log(limit=1)[0].verb == "compact"
    own_page.locator("#notice").get_by_role("button", name="Undo").click()
    expect(own_page.locator("#notice")).to_contain_text("Undid")
