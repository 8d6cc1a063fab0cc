"""Take the pictures of `ais web` for the docs: a made-up project, every main page, light.

`scripts/screenshots` sets up and calls this. The memory has the default models (`ais model pull`),
and the last prompts go through the real hook and daemon. A picture is cut at the height of a
screen, so that it can be read in a page of the docs.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from ai_smartness import Memory, Message  # noqa: E402 - the path of the tests comes first
from ai_smartness.entrypoints.web.page_table import PAGES  # noqa: E402
from hooking import an_event, hooked  # noqa: E402
from shop_memory import fill_shop, shop_folder  # noqa: E402
from web_pages import CHROMIUM_FLAGS, chromium_path, serving  # noqa: E402

IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1280, 800
MAX_BYTES = 150_000
THREAD = "Moving sessions from Redis to Postgres"
KEY = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"  # of GitHub's own pages
LAST_PROMPTS = (
    "Why did we drop JWT, and are sessions in Redis or in Postgres now?",
    "ok, go on",
    "Write a test for it. Which database do we use on staging?",
)


def main() -> None:
    """Take all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="pages to take; all by default")
    parser.add_argument("--folder", type=Path, default=IMAGES)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with opened_page() as page:
        base = page.url.rpartition("/")[0]
        for name, show in PICTURES.items():
            if given.names and name not in given.names:
                continue
            show(page, base)
            path = given.folder / f"web-{name}.png"
            page.screenshot(path=path)
            size = path.stat().st_size
            print(
                f"{path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}"
                f"  {size / 1000:.0f} KB{'  TOO LARGE' if size > MAX_BYTES else ''}"
            )


@contextmanager
def opened_page() -> Iterator[Page]:
    """Fill a project, serve it and open it."""
    program = chromium_path()
    if program is None:
        sys.exit("chromium is not installed: run `apt-get install chromium`.")
    with tempfile.TemporaryDirectory() as folder:
        root, home = shop_folder(Path(folder)), Path(folder) / "home"
        with Memory.open(project=root, home=home) as memory:
            if memory.embedder is None:
                sys.exit("the default model is not here: run `ais model pull arctic-embed-s`.")
            fill_shop(memory)
            memory.capture(Message(text=f"The key of staging is {KEY}", session="shipping-07be"))
            _merge_invoices(memory)
        own = {"AIS_EMBEDDER_MODEL": "arctic-embed-s"}
        with (
            _hooks_at_work(root, home),
            serving(root, home, **own) as served,
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(
                executable_path=program, args=list(CHROMIUM_FLAGS), chromium_sandbox=False
            )
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light"
            )
            page.goto(served.address)
            page.wait_for_url("**/turns")
            yield page
            browser.close()


@contextmanager
def _hooks_at_work(root: Path, home: Path) -> Iterator[None]:
    """Send the last prompts through the hook of an agent, and keep the daemon running."""
    daemon = [sys.executable, "-m", "ai_smartness", "--home", str(home), "daemon"]
    subprocess.run([*daemon, "start"], check=True, capture_output=True)  # noqa: S603 - ours
    try:
        for number, prompt in enumerate(LAST_PROMPTS):
            about = {"session_id": "today-9d07", "prompt_id": f"p{number}", "cwd": str(root)}
            hooked(home, an_event("UserPromptSubmit", prompt=prompt, **about))
        yield
    finally:
        subprocess.run([*daemon, "stop"], check=True, capture_output=True)  # noqa: S603 - ours


def _merge_invoices(memory: Memory) -> None:
    """Tidy up a little more: two threads of the project are about invoices."""
    first, second = (memory.message(f"invoice-88a0-{number}").thread_id for number in (0, 2))
    if first != second:
        memory.merge(second, first)


def _show_holds(page: Page, base: str) -> None:
    page.goto(f"{base}/holds?kind=decision")
    page.get_by_text("Replaced 1 earlier statement").click()


def _show_suggestions(page: Page, base: str) -> None:
    page.goto(f"{base}/suggestions")
    page.get_by_text("Comparing the threads …").wait_for(state="detached")


def _page(name: str) -> Callable[[Page, str], None]:
    def show(page: Page, base: str) -> None:
        page.goto(f"{base}/{name}", wait_until="load")

    return show


def _show_thread(page: Page, base: str) -> None:
    page.goto(f"{base}/threads")
    page.get_by_role("link", name=THREAD, exact=True).click()
    page.wait_for_url("**/threads/one?*")


def _show_split(page: Page, base: str) -> None:
    _show_thread(page, base)
    page.get_by_role("link", name="Split…").click()
    page.wait_for_url("**/threads/split?*")
    page.get_by_label("Title of the new thread 1").fill("Staging database")
    rows = page.locator("[data-choice]")
    for number in range(rows.count() - 2, rows.count()):
        rows.nth(number).click(position={"x": 200, "y": 10})
    page.get_by_role("button", name="Preview the split").click()
    page.wait_for_selector(".preview")


def _show_safety(page: Page, base: str) -> None:
    page.goto(f"{base}/safety")
    page.get_by_text("Counting …").wait_for(state="detached")
    page.get_by_label("Words").fill("umlaut")
    page.get_by_role("button", name="Show the messages").click()
    page.get_by_role("button", name="Forget permanently").wait_for()


def _show_health(page: Page, base: str) -> None:
    page.goto(f"{base}/health")
    page.get_by_text("Hooks by client").scroll_into_view_if_needed()


PICTURES: dict[str, Callable[[Page, str], None]] = {
    **{name: _page(name) for name in PAGES},
    "holds": _show_holds,
    "suggestions": _show_suggestions,
    "safety": _show_safety,
    "health": _show_health,
    "thread": _show_thread,
    "split": _show_split,
}

if __name__ == "__main__":
    main()
