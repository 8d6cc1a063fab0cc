"""A browser, and a page of a memory with some weeks behind it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from ai_smartness import Memory
from shop_memory import fill_shop, shop_folder
from web_pages import CHROMIUM_FLAGS, Launch, ServedPage, chromium_path, serving

SKIPPED = "chromium is not installed: run `apt-get install chromium`, or scripts/setup as root"


@pytest.fixture(scope="session")
def launch() -> Iterator[Launch]:
    """Start chromium, with a profile of its own."""
    program = chromium_path()
    if program is None:
        pytest.skip(SKIPPED)
    with sync_playwright() as playwright:

        def launch_chromium(*flags: str) -> Browser:
            return playwright.chromium.launch(
                executable_path=program, args=[*CHROMIUM_FLAGS, *flags], chromium_sandbox=False
            )

        yield launch_chromium


@pytest.fixture(scope="session")
def browser(launch: Launch) -> Iterator[Browser]:
    """Have one browser for all tests."""
    launched = launch()
    yield launched
    launched.close()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Fill the memory of a project; return its folder and its home."""
    folder = tmp_path_factory.mktemp("web")
    root, home = shop_folder(folder), folder / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AIS_EMBEDDER_MODEL", "none")
        with Memory.open(project=root, home=home) as memory:
            fill_shop(memory)
    return root, home


@pytest.fixture(scope="module")
def served(shop: tuple[Path, Path]) -> Iterator[ServedPage]:
    """Serve that memory."""
    root, home = shop
    with serving(root, home) as page:
        yield page


@pytest.fixture(scope="module")
def cookie(served: ServedPage) -> str:
    """Use the address that opens once, and return the cookie."""
    return served.opened()


@pytest.fixture
def page(browser: Browser, served: ServedPage, cookie: str) -> Iterator[Page]:
    """Open its first page, and see that nothing went wrong in the browser."""
    name, _, value = cookie.partition("=")
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        context.add_cookies([{"name": name, "value": value, "url": served.root}])
        opened = context.new_page()
        problems: list[str] = []
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on(
            "console", lambda line: problems.append(line.text) if line.type == "error" else None
        )
        opened.goto(served.root)
        opened.wait_for_url("**/turns")
        yield opened
        assert problems == []


@pytest.fixture
def own_shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Fill a memory that the test may change; return the folder and the home."""
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    root, home = shop_folder(tmp_path), tmp_path / "home"
    with Memory.open(project=root, home=home) as memory:
        fill_shop(memory)
    return root, home


@pytest.fixture
def own_page(browser: Browser, own_shop: tuple[Path, Path]) -> Iterator[Page]:
    """Open the first page of that memory."""
    root, home = own_shop
    with serving(root, home) as served, browser.new_context() as context:
        page = context.new_page()
        page.goto(served.address)
        page.wait_for_url("**/turns")
        yield page
