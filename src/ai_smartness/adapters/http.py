"""One HTTP request: no redirects, and one deadline for the whole exchange.

A redirect would send the key to another host.
"""

import ipaddress
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple, TypeAlias
from urllib.parse import urlsplit

__all__ = ["MAX_ANSWER_BYTES", "HttpReply", "NoRedirect", "is_loopback", "post_json"]

MAX_ANSWER_BYTES = 4_000_000  # far more than any answer that we request


class HttpReply(NamedTuple):
    """A server's answer, successful or not."""

    status: int
    reason: str
    body: bytes


_Outcome: TypeAlias = HttpReply | OSError | HTTPException


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Makes a redirect an error."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Follow nothing."""


def post_json(url: str, body: object, headers: Mapping[str, str], seconds: float) -> HttpReply:
    """Send JSON and return the reply.

    Raise URLError if it could not be sent, TimeoutError if the reply was not complete in
    time, HTTPException or OSError if it was interrupted or is too long.
    """
    content = {**headers, "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), content)  # noqa: S310 - the caller accepts only http
    outcomes: SimpleQueue[_Outcome] = SimpleQueue()
    # In a thread: a timeout of the socket would start again with every byte.
    Thread(
        target=lambda: outcomes.put(_send_request(request, seconds)), daemon=True, name="http"
    ).start()
    try:
        outcome = outcomes.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def is_loopback(url: str) -> bool:
    """Say whether a URL points to this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _send_request(request: urllib.request.Request, seconds: float) -> _Outcome:
    # Servers on this machine are not reached through a proxy.
    handlers = [urllib.request.ProxyHandler({})] if is_loopback(request.full_url) else []
    opener = urllib.request.build_opener(NoRedirect, *handlers)
    try:
        with opener.open(request, timeout=seconds) as response:
            body = response.read(MAX_ANSWER_BYTES + 1)
            if len(body) > MAX_ANSWER_BYTES:
                return HTTPException(f"its answer is longer than {MAX_ANSWER_BYTES:,} bytes")
            return HttpReply(response.status, response.reason, body)
    except urllib.error.HTTPError as error:
        with error:
            return _error_reply(error)
    except (OSError, HTTPException) as error:
        return error


def _error_reply(error: urllib.error.HTTPError) -> _Outcome:
    try:
        return HttpReply(error.code, str(error.reason), error.read(MAX_ANSWER_BYTES))
    except (OSError, HTTPException):
        return HttpReply(error.code, str(error.reason), b"")
