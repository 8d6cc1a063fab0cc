"""Every page, as a person opens it: in the browser, narrow and wide, light and dark."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from ai_smartness import Memory, Message
from ai_smartness.entrypoints.web.page_table import PAGES
from axe import violations
from shop_memory import LAST_PROMPT, shop_folder
from web_pages import Launch, ServedPage, serving

NARROW: ViewportSize = {"width": 360, "height": 740}
WIDE: ViewportSize = {"width": 1280, "height": 900}
HOSTILE = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>"

Scheme = Literal["light", "dark"]


def go_to(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=PAGES[name].title, exact=True).click()
    page.wait_for_url(f"**/{name}")


def is_wider_than_the_window(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_the_window_and_axe_finds_nothing(
    page: Page, name: str, size: ViewportSize, scheme: Scheme
) -> None:
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)

    go_to(page, name)

    assert page.get_by_role("heading", level=1).inner_text()
    assert not is_wider_than_the_window(page)
    assert violations(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_every_page_of_an_empty_memory_says_what_to_do(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    root = shop_folder(tmp_path)
    with (
        serving(root, tmp_path / "home") as served,
        browser.new_context(viewport=NARROW) as context,
    ):
        page = context.new_page()
        page.goto(served.address)
        page.wait_for_url("**/turns")
        go_to(page, name)

        assert "ais " in page.locator("main").inner_text()
        assert not is_wider_than_the_window(page)
        assert violations(page) == []


def test_the_first_page_shows_the_latest_turn_with_what_was_shown(page: Page) -> None:
    latest = page.locator("article.turn").first

    assert LAST_PROMPT in latest.inner_text()
    assert "JWT" in latest.locator(".line").first.inner_text()


def test_a_session_has_its_own_list_of_turns(page: Page) -> None:
    page.get_by_role("link", name="Session shipping-07be").first.click()
    page.wait_for_url("**/turns?session=*")

    prompts = page.locator("article.turn .prompt").all_inner_texts()

    assert prompts == ["ok, go on", "Which database do we use on staging?"]


def test_keys_move_between_entries_and_show_their_list(page: Page) -> None:
    page.keyboard.press("j")
    page.keyboard.press("j")
    second = page.locator("article.turn").nth(1)
    assert page.evaluate("document.activeElement.id") == second.get_attribute("id")

    page.keyboard.press("k")
    page.keyboard.press("?")

    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()
    page.keyboard.press("2")
    page.wait_for_url(f"**/{[*PAGES][1]}")


def test_another_project_is_chosen_from_the_menu(
    browser: Browser, shop: tuple[Path, Path], tmp_path: Path
) -> None:
    root, home = shop
    other = tmp_path / "bakery"
    (other / ".git").mkdir(parents=True)
    with Memory.open(project=other, home=home) as memory:
        memory.pin("Bread rises at night.", title="Bread")
    with serving(root, home) as served, browser.new_context(viewport=WIDE) as context:
        page = context.new_page()
        page.goto(served.address)
        page.wait_for_url("**/turns")

        page.locator("#switcher summary").click()
        page.locator("#switcher .menu").get_by_role("link", name="bakery").click()
        page.wait_for_url("**/bakery-*/turns")

        assert "No prompt has been answered" in page.locator("main").inner_text()


def test_an_unknown_page_and_an_unknown_project_say_so(page: Page, served: ServedPage) -> None:
    base = page.url.rpartition("/")[0]

    for address in (f"{base}/nowhere", f"{served.root}/nobody-00000000/turns"):
        answer = page.request.get(address)
        assert answer.status == 404
        assert "That did not work" in answer.text()


@pytest.fixture
def hostile(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """Open a memory in which every field that can be filled is an attack."""
    root, home = tmp_path / "shop<b>", tmp_path / "home"
    (root / ".git").mkdir(parents=True)
    with Memory.open(project=root, home=home) as memory:
        words = f"{HOSTILE} the invoice export uses queue seven"
        memory.capture([Message(id="h0", session=f"s{HOSTILE}", role="<b>user</b>", text=words)])
        thread = memory.message("h0").thread_id
        memory.rename(thread, f"{HOSTILE} title")
        memory.pin(f"Always {HOSTILE}", title=f"{HOSTILE} pin", topics=[HOSTILE], kind="rule")
        memory.rate(thread, useful=True, reason=HOSTILE)
        memory.focus(f"{HOSTILE} topic")
        memory.inject(f"{HOSTILE} which queue does the invoice export use?", session="new")
        memory.inject(f"{HOSTILE} again?", session=f"t{HOSTILE}")
    with (
        serving(root, home) as served,
        browser.new_context(viewport=WIDE) as context,
    ):
        page = context.new_page()
        page.goto(served.address)
        page.wait_for_url("**/turns")
        yield page


@pytest.mark.parametrize("name", PAGES)
def test_markup_in_stored_text_is_text(hostile: Page, name: str) -> None:
    go_to(hostile, name)

    assert hostile.evaluate("window.hacked") is None
    assert hostile.locator("main img, main script, main b").count() == 0
    assert hostile.locator("a[href^='http'], a[href^='javascript']").count() == 0


def test_no_request_leaves_this_machine(
    launch: Launch, shop: tuple[Path, Path], tmp_path: Path
) -> None:
    log, (root, home) = tmp_path / "net.json", shop
    with serving(root, home) as served:
        own = launch(f"--log-net-log={log}")
        page = own.new_page()
        page.goto(served.address)
        page.wait_for_url("**/turns")
        for name in PAGES:
            go_to(page, name)
        go_to(page, "threads")
        page.get_by_role("link", name="Customs forms for Switzerland").click()
        page.get_by_role("link", name="Split…").click()
        page.get_by_role("button", name="Preview the split").click()
        page.wait_for_selector("#preview .notice")
        own.close()
        port = served.port

    events = json.loads(log.read_text())["events"]
    requests = [event["params"] for event in events if "url" in event.get("params", {})]
    # What the browser asks for itself, such as its own updates, belongs to no page.
    asked = {
        request["url"]
        for request in requests
        if "127.0.0.1" in request.get("network_isolation_key", "")
    }
    assert len(asked) > len(PAGES)
    assert [one for one in asked if not one.startswith(f"http://127.0.0.1:{port}/")] == []


def test_a_slash_searches_from_any_page(page: Page) -> None:
    page.keyboard.press("/")
    page.wait_for_url("**/threads#q")
    page.keyboard.type("why was JWT dropped?")
    page.keyboard.press("Enter")

    page.wait_for_url("**/threads/search?q=why*")
