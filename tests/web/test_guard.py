"""The page answers this user's own browser on this machine, and nobody else."""

import re
from pathlib import Path

import pytest

from ai_smartness import Memory
from web_pages import ServedPage, serving


@pytest.fixture
def first_page(served: ServedPage, cookie: str) -> tuple[str, str]:
    """Return the cookie, and the address of the first page."""
    _, _, response = served.ask("/", Cookie=cookie)
    return cookie, str(response.headers["Location"])


def test_nothing_is_shown_without_the_cookie(
    served: ServedPage, first_page: tuple[str, str]
) -> None:
    _, address = first_page

    status, text, _ = served.ask(address)

    assert status == 403
    assert "Redis" not in text


def test_a_wrong_cookie_is_no_cookie(served: ServedPage, first_page: tuple[str, str]) -> None:
    cookie, address = first_page

    status, _, _ = served.ask(address, Cookie=cookie[:-1] + "!")

    assert status == 403


def test_the_address_opens_once_and_its_cookie_is_out_of_reach(shop: tuple[Path, Path]) -> None:
    root, home = shop
    with serving(root, home) as served:
        path = served.address.removeprefix(served.root)

        first, second = served.ask(path), served.ask(path)

    cookie = str(first[2].headers["Set-Cookie"]).casefold()
    assert (first[0], second[0]) == (200, 403)
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "Set-Cookie" not in second[2].headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "[::1]:1"])
def test_a_foreign_host_is_refused(
    served: ServedPage, first_page: tuple[str, str], host: str
) -> None:
    cookie, address = first_page

    status, text, _ = served.ask(address, Cookie=cookie, Host=host)

    assert status == 421
    assert "Redis" not in text


def test_a_foreign_origin_is_refused(served: ServedPage, first_page: tuple[str, str]) -> None:
    cookie, address = first_page

    answers = [
        served.ask(address, Cookie=cookie, Origin=origin)[0]
        for origin in ("https://evil.example", "null", f"http://evil.example:{served.port}")
    ]

    assert answers == [403, 403, 403]


def test_a_read_by_a_page_of_another_site_is_refused(
    served: ServedPage, first_page: tuple[str, str]
) -> None:
    cookie, address = first_page

    status, _, _ = served.ask(
        address, Cookie=cookie, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors"
    )

    assert status == 403


def test_a_change_needs_the_token_of_our_own_pages(
    served: ServedPage, first_page: tuple[str, str], shop: tuple[Path, Path]
) -> None:
    cookie, address = first_page
    path = f"/{address.split('/')[1]}/undo"
    root, home = shop
    with Memory.open(project=root, home=home) as memory:
        before = memory.log(limit=1)[0].seq

    for body in (f"number={before}", f"number={before}&csrf=", f"number={before}&csrf=wrong"):
        status, text, _ = served.ask(
            path, method="POST", body=body, Cookie=cookie, Origin=served.root
        )
        assert status == 403
        assert "nothing was changed" in text

    with Memory.open(project=root, home=home) as memory:
        assert memory.log(limit=1)[0].seq == before


def test_a_change_without_an_origin_is_refused(
    served: ServedPage, first_page: tuple[str, str]
) -> None:
    cookie, address = first_page

    status, _, _ = served.ask(
        f"/{address.split('/')[1]}/undo", method="POST", body="number=1", Cookie=cookie
    )

    assert status == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_are_refused(
    served: ServedPage, first_page: tuple[str, str], method: str
) -> None:
    cookie, address = first_page

    assert served.ask(address, method=method, Cookie=cookie)[0] == 405


def test_a_page_carries_no_inline_script_and_forbids_all_but_its_own(
    served: ServedPage, first_page: tuple[str, str]
) -> None:
    cookie, address = first_page

    status, text, response = served.ask(address, Cookie=cookie)

    policy = str(response.headers["Content-Security-Policy"])
    assert status == 200
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert re.findall(r"<script(?![^>]*\bsrc=\"/static/)", text) == []
    assert re.findall(r"\s(?:style|on\w+)=", text) == []
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Frame-Options"] == "DENY"


def test_it_listens_on_loopback_alone(served: ServedPage) -> None:
    listening = Path("/proc/net/tcp").read_text().splitlines()
    port = f"{served.port:04X}"

    addresses = {line.split()[1] for line in listening if line.split()[1].endswith(f":{port}")}

    assert addresses == {f"0100007F:{port}"}


def test_nothing_of_another_project_is_in_a_page_of_one(
    shop: tuple[Path, Path], tmp_path: Path
) -> None:
    root, home = shop
    other = tmp_path / "pangolin"
    (other / ".git").mkdir(parents=True)
    with Memory.open(project=other, home=home) as memory:
        memory.pin("The pangolin is fed at noon.", title="Pangolin")
    with serving(root, home) as served:
        cookie = served.opened()
        address = str(served.ask("/", Cookie=cookie)[2].headers["Location"])
        base = address.rpartition("/")[0]
        pages = re.findall(rf'href="({base}/[^"]+)"', served.ask(address, Cookie=cookie)[1])

        texts = [served.ask(page, Cookie=cookie)[1] for page in pages]

        assert len(pages) >= 2
        assert [text for text in texts if "pangolin" in text.casefold()] == []
        assert "pangolin" in served.ask("/projects", Cookie=cookie)[1]


def test_ctrl_c_ends_it_without_an_error(shop: tuple[Path, Path]) -> None:
    root, home = shop
    with serving(root, home) as served:
        pass

    assert served.process.returncode == 0
