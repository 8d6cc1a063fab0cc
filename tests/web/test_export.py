"""`ais web --export`: the site opens from disk, has everything, and holds no secret."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from ai_smartness import Memory, Message
from axe import violations
from made_secrets import FORMS, made
from shop_memory import fill_shop, shop_folder

HOSTILE = "<script>window.hacked=1</script><img src=https://evil.example/x onerror=window.hacked=1>"


def run_export(root: Path, home: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    plain = {name: value for name, value in os.environ.items() if not name.startswith("AIS_")}
    return subprocess.run(
        [sys.executable, "-m", "ai_smartness", "--home", str(home), "web", "--export", str(folder)],
        cwd=root,
        env={**plain, "AIS_EMBEDDER_MODEL": "none"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Export a project with hostile text and a secret in it."""
    folder = tmp_path_factory.mktemp("export")
    root, home = shop_folder(folder), folder / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AIS_EMBEDDER_MODEL", "none")
        with Memory.open(project=root, home=home) as memory:
            fill_shop(memory)
            memory.capture(Message(id="h0", session=f"s{HOSTILE}", role="<b>u</b>", text=HOSTILE))
            memory.rename(memory.message("h0").thread_id, f"{HOSTILE} title")
            memory.pin(f"Always {HOSTILE}", title=f"{HOSTILE} pin", topics=[HOSTILE], kind="rule")
            memory.append(memory.create("A / strange ? # title"), Message(text="one", session="s"))
            long = memory.create("A long log")
            memory.capture([Message(text=f"step {n}", thread=long) for n in range(501)])
        with Memory.open(project=folder / "other", home=home) as memory:
            memory.pin("Bread rises at night.", title="Bread")
    done = run_export(root, home, folder / "site")
    assert done.returncode == 0, done.stderr
    assert str(folder / "site" / "index.html") in done.stdout
    return folder / "site"


def test_the_site_opens_from_disk_and_asks_nobody(browser: Browser, site: Path) -> None:
    with browser.new_context(viewport={"width": 360, "height": 740}) as context:
        page, asked = context.new_page(), list[str]()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.get_by_role("link", name="Customs forms for Switzerland").click()
        expect(page.locator("main")).to_contain_text("checkout/customs.py fills the CN22 form")
        assert violations(page) == []

        page.get_by_role("link", name="What holds").click()
        expect(page.locator("main")).to_contain_text("Invoices must never be sent twice")
        assert violations(page) == []
        page.get_by_role("link", name="Timeline").click()
        expect(page.locator("svg.timeline .lane").first).to_be_visible()
        page.locator("svg.timeline a").first.click()
        expect(page.get_by_role("heading", level=2, name="Messages")).to_be_visible()
        assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")

        # The style sheet came with it: a page without it would have the browser's own colours.
        assert page.locator(".top").evaluate("top => getComputedStyle(top).display") == "flex"
        assert [url for url in asked if not url.startswith("file://")] == []


def test_hostile_text_is_text(browser: Browser, site: Path) -> None:
    with browser.new_context(java_script_enabled=True) as context:
        page = context.new_page()
        for file in sorted(site.rglob("*.html")):
            page.goto(file.as_uri())
            assert page.evaluate("window.hacked") is None
            assert page.locator("main img, main script, main b").count() == 0

    for file in site.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert "<script" not in text
        assert not re.findall(r'(?:href|src)="(?:https?:|javascript:|//)', text)


def test_every_link_leads_to_a_file_of_the_site(site: Path) -> None:
    for file in site.rglob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"]*)"', file.read_text(encoding="utf-8")):
            path = unquote(urlsplit(link).path)
            assert not path.startswith("/")
            if path:
                target = (file.parent / path).resolve()
                assert target.is_file(), f"{file.name}: {link}"
                assert target.is_relative_to(site.resolve())


def test_every_message_of_the_project_is_there_and_none_of_another(site: Path) -> None:
    text = "\n".join(file.read_text(encoding="utf-8") for file in site.rglob("*.html"))

    assert "we no longer use Redis" in text
    assert all(f">step {number}<" in text for number in range(501))
    assert "Bread" not in text


def test_no_secret_that_an_agent_was_given_is_in_the_site(tmp_path: Path) -> None:
    root, home = shop_folder(tmp_path), tmp_path / "home"
    secrets = [made(form, 7) for form in FORMS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AIS_EMBEDDER_MODEL", "none")
        with Memory.open(project=root, home=home) as memory:
            for number, secret in enumerate(secrets):
                text = (
                    f"We decided that deploy {number} always uses the token {secret} from now on."
                )
                memory.capture(Message(id=f"m{number}", session="s", text=text))
            thread = memory.message("m0").thread_id
            memory.rename(thread, f"Token {secrets[0]}")

    done = run_export(root, home, tmp_path / "site")

    assert done.returncode == 0, done.stderr
    text = "\n".join(file.read_text(encoding="utf-8") for file in (tmp_path / "site").rglob("*.*"))
    assert "[redacted:" in text
    assert [secret for secret in secrets if secret in text] == []


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    root, home, folder = shop_folder(tmp_path), tmp_path / "home", tmp_path / "mine"
    with Memory.open(project=root, home=home) as memory:
        memory.create("Something")
    folder.mkdir()
    (folder / "letter.txt").write_text("mine")

    done = run_export(root, home, folder)

    assert done.returncode != 0
    assert "not empty" in done.stderr
    assert [file.name for file in folder.iterdir()] == ["letter.txt"]
