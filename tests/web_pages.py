"""`ais web` as a person uses it: the real program, and Debian's chromium to look at it with."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["CHROMIUM_FLAGS", "Launch", "ServedPage", "chromium_path", "serving"]

Launch: TypeAlias = "Callable[..., Browser]"
"""Starts a browser with more flags."""

PATIENCE_SECONDS = 60
CHROMIUM_FLAGS = (
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
    # Nor does the browser itself get an answer from elsewhere.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)


@dataclass(frozen=True)
class ServedPage:
    """A running `ais web`: the address that opens it once, and its process."""

    address: str
    process: "subprocess.Popen[str]"

    @property
    def root(self) -> str:
        """Return the address without the token."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def port(self) -> int:
        """Return its port."""
        return urlsplit(self.address).port or 0

    def ask(
        self, path: str, *, method: str = "GET", body: str = "", **headers: str
    ) -> tuple[int, str, HTTPResponse]:
        """Ask without a browser; a name such as `Sec_Fetch_Site` is a header."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        own = {"Host": f"127.0.0.1:{self.port}"}
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body or None, own)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text, response

    def opened(self) -> str:
        """Use the one-time address, and return the cookie."""
        parts = urlsplit(self.address)
        status, _, response = self.ask(f"{parts.path}?{parts.query}")
        assert status == 200
        return str(response.headers["Set-Cookie"]).partition(";")[0]


@contextmanager
def serving(folder: Path, home: Path, **environ: str) -> Iterator[ServedPage]:
    """Run `ais web` in a folder while inside."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("AIS_")}
    own = {"AIS_EMBEDDER_MODEL": "none", "AIS_CLIENTS_HOME": str(home / "no-clients")}
    process = subprocess.Popen(
        [sys.executable, "-m", "ai_smartness", "--home", str(home), "web", "--no-open"],
        cwd=folder,
        env={**plain, **own, "PYTHONUNBUFFERED": "1", **environ},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield ServedPage(line.split()[-1], process)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_SECONDS)


def chromium_path() -> str | None:
    """Find Debian's chromium, or a browser of its kind."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)
