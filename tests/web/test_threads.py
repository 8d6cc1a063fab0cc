"""Threads, as a person uses the page: find one, read it, split it, merge it, and take it back."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ai_smartness import Memory, Message
from axe import violations
from shop_memory import fill_shop, shop_folder
from web_pages import serving

LOGIN = "login-4f21-0"  # the first message of the thread about logging in


@pytest.fixture
def own_shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Fill a memory that a test may change."""
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    root, home = shop_folder(tmp_path), tmp_path / "home"
    with Memory.open(project=root, home=home) as memory:
        fill_shop(memory)
    return root, home


@pytest.fixture
def own_page(browser: Browser, own_shop: tuple[Path, Path]) -> Iterator[Page]:
    """Open its list of threads."""
    with (
        serving(*own_shop) as served,
        browser.new_context(viewport={"width": 1280, "height": 900}) as context,
    ):
        page = context.new_page()
        page.set_default_timeout(20_000)
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(served.address)
        page.wait_for_url("**/turns")
        page.get_by_role("navigation").get_by_role("link", name="Threads").click()
        page.wait_for_url("**/threads")
        yield page
        assert problems == []


def thread_of(shop: tuple[Path, Path], message: str) -> str:
    root, home = shop
    with Memory.open(project=root, home=home) as memory:
        return memory.message(message).thread_id


def title_of(shop: tuple[Path, Path], message: str) -> str:
    root, home = shop
    with Memory.open(project=root, home=home) as memory:
        return memory.thread(memory.message(message).thread_id).title


def titles(shop: tuple[Path, Path]) -> set[str]:
    root, home = shop
    with Memory.open(project=root, home=home) as memory:
        return {thread.title for thread in memory.threads() if thread.merged_into is None}


def open_thread(page: Page, title: str) -> None:
    page.get_by_role("link", name=title, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)


def test_a_search_finds_a_thread_and_the_filters_narrow_the_list(own_page: Page) -> None:
    own_page.keyboard.press("/")
    own_page.keyboard.type("why was JWT dropped?")
    own_page.keyboard.press("Enter")
    own_page.wait_for_url(re.compile("q=why"))

    first = own_page.locator("article.row").first
    expect(first).to_contain_text("JWT")

    own_page.get_by_label("Kind").select_option("identity")
    own_page.get_by_role("button", name="Show").click()
    own_page.wait_for_url(re.compile("kind=identity"))
    expect(own_page.locator("main")).to_contain_text("No thread fits")


def test_a_thread_shows_its_messages_and_why_each_is_there(own_page: Page) -> None:
    open_thread(own_page, "Customs forms for Switzerland")

    message = own_page.locator("article.message").first
    expect(message).to_contain_text("Shipping to Switzerland needs a customs form")
    message.get_by_text("Why here").click()
    expect(message).to_contain_text("opens a thread")
    assert violations(own_page) == []


def test_a_thread_is_split_with_the_mouse_and_the_split_is_undone(
    own_page: Page, own_shop: tuple[Path, Path]
) -> None:
    before = titles(own_shop)
    open_thread(own_page, "Customs forms for Switzerland")
    own_page.get_by_role("link", name="Split…").click()
    own_page.wait_for_url("**/threads/split?*")
    rows = own_page.locator("[data-choice]")
    expect(rows).to_have_count(4)
    for number in range(4):
        rows.nth(number).get_by_role("combobox").select_option(index=0)

    own_page.get_by_label("new thread 1", exact=True).check()
    own_page.get_by_label("Title of the new thread 1").fill("Labels without hs_code")
    start, end = rows.nth(2).bounding_box(), rows.nth(3).bounding_box()
    assert start
    assert end
    own_page.mouse.move(start["x"] + 300, start["y"] + 10)
    own_page.mouse.down()
    own_page.mouse.move(end["x"] + 300, end["y"] + 10, steps=5)
    own_page.mouse.up()

    expect(rows.nth(1)).to_have_class("choice part-0")
    expect(rows.nth(3)).to_have_class("choice part-1")
    own_page.get_by_role("button", name="Preview the split").click()
    preview = own_page.locator(".preview")
    expect(preview).to_contain_text("Labels without hs_code")
    expect(preview).to_contain_text("gets 2 messages")
    assert violations(own_page) == []
    assert titles(own_shop) == before

    own_page.get_by_role("button", name="Do it").click()
    expect(own_page.locator("#notice")).to_contain_text("Split")
    expect(own_page.locator("[data-choice]")).to_have_count(2)
    assert titles(own_shop) == before | {"Labels without hs_code"}

    own_page.locator("#notice").get_by_role("button", name="Undo").click()
    expect(own_page.locator("[data-choice]")).to_have_count(4)
    assert titles(own_shop) == before


def test_a_merge_is_shown_first_then_made_then_undone(
    own_page: Page, own_shop: tuple[Path, Path]
) -> None:
    before, absorbed = titles(own_shop), title_of(own_shop, "sessions-1c9d-0")
    survivor = title_of(own_shop, "sessions-1c9d-2")
    open_thread(own_page, absorbed)
    own_page.get_by_role("link", name="Merge…").click()
    own_page.get_by_label("Search for another thread").fill("move sessions to Postgres")
    own_page.get_by_role("button", name="Search").click()
    own_page.wait_for_url(re.compile("q=move"))

    row = own_page.locator("article", has_text=survivor).first
    row.get_by_role("button", name="Merge into this one…").click()
    expect(own_page.locator(".preview")).to_contain_text("gets 2 messages")
    assert titles(own_shop) == before
    own_page.get_by_role("button", name="Do it").click()
    expect(own_page.locator("#notice")).to_contain_text("Merged")
    assert titles(own_shop) == before - {absorbed}

    own_page.keyboard.press("u")
    expect(own_page.locator("#notice")).to_contain_text("Undid")
    assert titles(own_shop) == before


def test_a_thread_is_renamed_with_the_keyboard_alone(
    own_page: Page, own_shop: tuple[Path, Path]
) -> None:
    for _ in range(3):
        own_page.keyboard.press("j")
    own_page.keyboard.press("Enter")
    own_page.wait_for_url("**/threads/one?*")

    field = own_page.get_by_label("Title")
    for _ in range(40):
        own_page.keyboard.press("Tab")
        if field.evaluate("field => field === document.activeElement"):
            break
    own_page.keyboard.press("ControlOrMeta+a")
    own_page.keyboard.type("Typed by hand")
    own_page.keyboard.press("Enter")
    expect(own_page.locator(".preview")).to_contain_text("Typed by hand")
    expect(own_page.get_by_role("button", name="Do it")).to_be_focused()
    own_page.keyboard.press("Enter")

    expect(own_page.get_by_role("heading", level=1)).to_have_text("Typed by hand")
    assert "Typed by hand" in titles(own_shop)
    own_page.locator("main").focus()
    own_page.keyboard.press("u")
    expect(own_page.get_by_role("heading", level=1)).not_to_have_text("Typed by hand")
    assert "Typed by hand" not in titles(own_shop)


@pytest.mark.parametrize(
    ("button", "said"),
    [("Archive…", "Archived"), ("Suspend…", "Suspended"), ("Set kind…", "importance")],
)
def test_what_a_button_would_do_is_shown_before_it_is_done(
    own_page: Page, button: str, said: str
) -> None:
    open_thread(own_page, "Customs forms for Switzerland")
    own_page.locator("#new-kind").select_option("decision")

    own_page.get_by_role("button", name=button).click()
    expect(own_page.locator(".preview")).to_contain_text(said)
    own_page.get_by_role("button", name="Do it").click()

    expect(own_page.locator("#notice")).to_contain_text(said)
    own_page.locator("#notice").get_by_role("button", name="Undo").click()
    expect(own_page.locator("#notice")).to_contain_text("Undid")


def test_a_message_is_moved_to_another_thread(own_page: Page, own_shop: tuple[Path, Path]) -> None:
    target = thread_of(own_shop, LOGIN)
    open_thread(own_page, "Customs forms for Switzerland")
    own_page.locator("article.message").nth(1).get_by_role("link", name="Move…").click()
    own_page.get_by_label("Search for another thread").fill("users get logged out at random")
    own_page.keyboard.press("Enter")
    own_page.wait_for_url(re.compile("q=users"))

    own_page.locator(f"[id='row-{target}']").get_by_role("button", name="Move here…").click()
    own_page.get_by_role("button", name="Do it").click()

    expect(own_page.locator("#notice")).to_contain_text("Moved")
    assert thread_of(own_shop, "shipping-07be-1") == target


def test_condensing_shows_what_agents_would_read_instead(own_page: Page) -> None:
    open_thread(own_page, "Customs forms for Switzerland")

    own_page.get_by_label("Tokens").fill("70")
    own_page.get_by_role("button", name="Condense…").click()
    expect(own_page.locator(".preview")).to_contain_text("in the view of agents")
    expect(own_page.locator(".preview blockquote")).not_to_have_count(0)
    own_page.get_by_role("button", name="Do it").click()
    expect(own_page.locator("#notice")).to_contain_text("Condensed")
    own_page.locator("#notice").get_by_role("button", name="Undo").click()
    expect(own_page.locator("#notice")).to_contain_text("Undid")
    expect(own_page.locator("#content[inert]")).to_have_count(0)

    own_page.get_by_label("Tokens").fill("9000")
    own_page.get_by_role("button", name="Condense…").click()
    expect(own_page.locator("#preview")).to_contain_text("nothing to condense")


def test_the_slider_shows_a_thread_as_it_was(own_page: Page) -> None:
    open_thread(own_page, "Customs forms for Switzerland")
    slider = own_page.get_by_role("slider")
    expect(own_page.locator("article.message")).to_have_count(4)

    slider.focus()
    own_page.keyboard.press("Home")
    own_page.wait_for_url(re.compile("step=0"))

    expect(own_page.locator("article.message")).to_have_count(1)
    expect(own_page.locator("#thread")).to_contain_text("The thread as it was on")
    expect(own_page.get_by_role("heading", level=1)).not_to_have_text(
        "Customs forms for Switzerland"
    )
    assert own_page.get_by_role("button", name="Archive…").count() == 0
    assert violations(own_page) == []


def test_the_slider_shows_the_list_of_threads_as_it_was(own_page: Page) -> None:
    own_page.get_by_role("link", name="Threads", exact=True).click()
    rows = own_page.locator("article.row")
    expect(rows.first).to_be_visible()
    today = rows.count()

    own_page.get_by_role("slider").focus()
    own_page.keyboard.press("Home")
    own_page.wait_for_url(re.compile("step=0"))

    expect(own_page.locator("#threads")).to_contain_text("Threads as they were on")
    assert 0 < rows.count() < today
    assert violations(own_page) == []
    own_page.locator("article.row h2 a").first.click()
    expect(own_page.locator("#thread")).to_contain_text("The thread as it was on")


def test_a_long_thread_is_read_page_by_page(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    root, home = shop_folder(tmp_path), tmp_path / "home"
    with Memory.open(project=root, home=home) as memory:
        thread = memory.create("A long log")
        memory.capture(
            [Message(text=f"step {number}", session="s", thread=thread) for number in range(120)]
        )
    with serving(root, home) as served, browser.new_context() as context:
        page = context.new_page()
        page.goto(served.address)
        page.wait_for_url("**/turns")
        page.get_by_role("navigation").get_by_role("link", name="Threads").click()
        open_thread(page, "A long log")
        expect(page.locator("article.message")).to_have_count(50)

        page.get_by_role("link", name="Show earlier messages").click()
        expect(page.locator("article.message")).to_have_count(100)
        page.get_by_role("link", name="Show earlier messages").click()
        expect(page.locator("article.message")).to_have_count(120)

        shown = page.locator("article.message .text").all_inner_texts()
        assert shown == [f"step {number}" for number in range(120)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("part", ["one", "split", "choose"])
def test_the_pages_of_a_thread_fit_a_narrow_window_and_axe_finds_nothing(
    page: Page, shop: tuple[Path, Path], part: str, scheme: str
) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    base = page.url.rpartition("/")[0]

    page.goto(f"{base}/threads/{part}?id={thread_of(shop, LOGIN)}")

    assert page.get_by_role("heading", level=1).inner_text()
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert violations(page) == []


def test_a_change_that_is_refused_says_why(own_page: Page) -> None:
    open_thread(own_page, "Customs forms for Switzerland")
    own_page.get_by_role("link", name="Split…").click()
    rows = own_page.locator("[data-choice]")
    for number in range(4):
        rows.nth(number).get_by_role("combobox").select_option(index=1)
    own_page.get_by_label("Title of the new thread 1").fill("All of it")

    own_page.get_by_role("button", name="Preview the split").click()

    expect(own_page.locator("#preview")).to_contain_text("left empty")


def test_a_thread_is_linked_to_another_one_and_the_link_is_undone(
    own_page: Page, own_shop: tuple[Path, Path]
) -> None:
    root, home = own_shop
    first, second = (thread_of(own_shop, id_) for id_ in ("shipping-07be-0", LOGIN))
    open_thread(own_page, "Customs forms for Switzerland")
    own_page.get_by_role("link", name="Link…").click()
    own_page.get_by_label("Search for another thread").fill("users get logged out at random")
    own_page.keyboard.press("Enter")
    own_page.wait_for_url(re.compile("verb=link"))

    row = own_page.locator(f"[id='row-{second}']")
    row.get_by_label("This thread").select_option("depends on")
    row.get_by_role("button", name="Link…").click()
    own_page.get_by_role("button", name="Do it").click()
    expect(own_page.locator("#notice")).not_to_be_empty()
    with Memory.open(project=root, home=home) as memory:
        bridges = [one for one in memory.bridges(first) if one.target == second]
    assert [one.relation for one in bridges] == ["depends"]

    own_page.locator("#notice").get_by_role("button", name="Undo").click()
    expect(own_page.locator("#notice")).to_contain_text("Undid")
    with Memory.open(project=root, home=home) as memory:
        assert [one for one in memory.bridges(first) if one.target == second] == []


def test_a_thread_is_put_in_focus_and_the_list_ends_the_focus(
    own_page: Page, own_shop: tuple[Path, Path]
) -> None:
    root, home = own_shop
    title = title_of(own_shop, LOGIN)
    open_thread(own_page, title)

    own_page.get_by_role("button", name="Focus").click()
    expect(own_page.get_by_role("button", name="End the focus")).to_be_visible()
    with Memory.open(project=root, home=home) as memory:
        assert [focus.topic for focus in memory.foci()] == [thread_of(own_shop, LOGIN)]

    own_page.get_by_role("navigation").get_by_role("link", name="Threads").click()
    foci = own_page.get_by_role("region", name="In focus")
    expect(foci).to_contain_text(title)
    assert violations(own_page) == []
    foci.get_by_role("button", name="End").click()
    expect(own_page.locator("#notice")).to_contain_text(f"Focus on “{title}” cleared")
    with Memory.open(project=root, home=home) as memory:
        assert memory.foci() == []


@pytest.mark.parametrize(
    ("button", "verb"),
    [("Useful", "rate"), ("Not useful", "rate"), ("Pin", "pin"), ("Never show again", "hide")],
)
def test_a_thread_and_its_messages_are_steered_and_that_is_undone(
    own_page: Page, own_shop: tuple[Path, Path], button: str, verb: str
) -> None:
    root, home = own_shop
    open_thread(own_page, "Customs forms for Switzerland")

    own_page.get_by_role("button", name=button, exact=True).first.click()
    own_page.locator("#notice").get_by_role("button", name="Undo").wait_for()
    with Memory.open(project=root, home=home) as memory:
        assert memory.log(limit=1)[0].verb == verb

    own_page.locator("#notice").get_by_role("button", name="Undo").click()
    expect(own_page.locator("#notice")).to_contain_text("Undid")


def test_previews_and_notices_name_threads_by_their_titles(own_page: Page) -> None:
    open_thread(own_page, "Customs forms for Switzerland")

    own_page.get_by_role("button", name="Archive…").click()
    expect(own_page.locator(".preview")).to_contain_text("Archived “Customs forms for Switzerland”")
    own_page.get_by_role("button", name="Do it").click()

    expect(own_page.locator("#notice")).to_contain_text("Archived “Customs forms for Switzerland”")
    expect(own_page.locator("#notice")).not_to_contain_text("thread_")
