"""Who may use the page: this user's browser on this machine, and nobody else.

A request must name this machine as its host, which no name that a foreign server resolves to
127.0.0.1 does. It must not come from a foreign page. It must carry the cookie that the one-time
address has set. What changes something must also carry a token that only our own pages contain.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["OPEN_PATH", "Guard", "GuardSecrets", "is_own_form"]

OPEN_PATH = "/open"
STATIC_PREFIX = "/static/"
TOKEN_BYTES = 32
READING_METHODS = ("GET", "HEAD")
OWN_SITES = ("", "none", "same-origin")

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not `no-referrer`: a browser would then hide the origin of our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

# From our own page, so that the browser sends the cookie with the next request even if the
# address was opened from a link on another site.
OPENING_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>ai_smartness</title>'
    '<meta http-equiv="refresh" content="0;url=/"><p><a href="/">Open the memory</a></p></html>'
)


def _new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(slots=True)
class GuardSecrets:
    """The one-time token of the address, the value of the cookie, and the token of the forms."""

    port: int
    once: str = field(default_factory=_new_token)
    cookie: str = field(default_factory=_new_token)
    form: str = field(default_factory=_new_token)
    is_opened: bool = False

    @property
    def cookie_name(self) -> str:
        """The cookie's name; browsers share cookies between the ports of a host."""
        return f"ais_web_{self.port}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names by which the page may be addressed."""
        return (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    @property
    def address(self) -> str:
        """The address that opens the page, once."""
        return f"http://{self.hosts[0]}{OPEN_PATH}?token={self.once}"


class Guard:
    """Refuses whatever is not a request of this user's own browser."""

    def __init__(self, app: ASGIApp, own: GuardSecrets) -> None:
        self._app = app
        self._own = own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that may not pass, and hand on one that may."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers)
        if answer is None and scope["path"] == OPEN_PATH:
            answer = self._opened(scope)
        if answer is None and not self._may_pass(scope):
            answer = _refused(403, "This page needs the address that `ais web` printed.")

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_security_headers(MutableHeaders(scope=message), scope["path"])
            await send(message)

        await (answer or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if host not in self._own.hosts:
            return _refused(421, f"This page is at {self._own.hosts[0]} and nowhere else.")
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return _refused(403, "A page of another site may not use the memory.")
        if scope["method"] in READING_METHODS:
            is_foreign = headers.get("sec-fetch-mode", "navigate") != "navigate"
            if is_foreign and headers.get("sec-fetch-site", "") not in OWN_SITES:
                return _refused(403, "A page of another site may not read the memory.")
        elif scope["method"] != "POST":
            return _refused(405, "The page answers GET and POST.")
        elif origin is None:
            return _refused(403, "A change must come from one of our own pages.")
        return None

    def _opened(self, scope: Scope) -> Response:
        query = parse_qs(scope["query_string"].decode("latin-1"))
        token = query.get("token", [""])[0]
        is_right = secrets.compare_digest(token.encode(), self._own.once.encode())
        if self._own.is_opened or not is_right:
            return _refused(
                403,
                "This address has been used, or is not the one that `ais web` printed. "
                "End `ais web` with Ctrl-C and start it again.",
            )
        self._own.is_opened = True
        response = HTMLResponse(OPENING_PAGE)
        response.set_cookie(
            self._own.cookie_name, self._own.cookie, httponly=True, samesite="strict", path="/"
        )
        return response

    def _may_pass(self, scope: Scope) -> bool:
        if scope["path"].startswith(STATIC_PREFIX):
            return True
        cookie = HTTPConnection(scope).cookies.get(self._own.cookie_name, "")
        return secrets.compare_digest(cookie.encode(), self._own.cookie.encode())


def is_own_form(own: GuardSecrets, form: Mapping[str, Sequence[str]]) -> bool:
    """Say whether a form carries the token of our own pages."""
    token = form.get("csrf", [""])[0]
    return secrets.compare_digest(token.encode(), own.form.encode())


def _refused(status: int, text: str) -> Response:
    return PlainTextResponse(f"{text}\n", status_code=status)


def _add_security_headers(headers: MutableHeaders, path: str) -> None:
    for name, value in _headers_for(path):
        headers[name] = value


def _headers_for(path: str) -> Iterator[tuple[str, str]]:
    yield from SECURITY_HEADERS.items()
    # The files of the package may be kept and asked about; what is remembered stays out of caches.
    yield "Cache-Control", "no-cache" if path.startswith(STATIC_PREFIX) else "no-store"
