"""One request over HTTP: to nobody but whom it was meant for, and with an end.

A redirect is not followed, since it would carry the key to another host. The deadline
holds for the whole of it, however slowly an answer drips in.
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

MAX_ANSWER_BYTES = 4_000_000
"""Of an answer: a book, and far more than any that was asked for."""


class HttpReply(NamedTuple):
    """What a server answered, well or not."""

    status: int
    reason: str
    body: bytes


_Outcome: TypeAlias = HttpReply | OSError | HTTPException


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Let a redirect be an error: it would carry the key to another host."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Follow nothing."""


def post_json(url: str, body: object, headers: Mapping[str, str], seconds: float) -> HttpReply:
    """Send JSON and return what came back.

    Raise URLError where it could not be sent, TimeoutError where there was no whole answer
    in time, HTTPException or OSError where the answer broke off or does not end.
    """
    content = {**headers, "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), content)  # noqa: S310 - the caller saw http
    came: SimpleQueue[_Outcome] = SimpleQueue()
    Thread(
        target=lambda: came.put(_send_request(request, seconds)), daemon=True, name="http"
    ).start()
    try:
        found = came.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    if isinstance(found, Exception):
        raise found
    return found


def is_loopback(url: str) -> bool:
    """Tell whether a URL leads to this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _send_request(request: urllib.request.Request, seconds: float) -> _Outcome:
    # What is on this machine is asked by no proxy.
    handlers = [urllib.request.ProxyHandler({})] if is_loopback(request.full_url) else []
    opener = urllib.request.build_opener(NoRedirect, *handlers)
    try:
        with opener.open(request, timeout=seconds) as response:
            return _complete_reply(
                HttpReply(response.status, response.reason, response.read(MAX_ANSWER_BYTES + 1))
            )
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


def _complete_reply(reply: HttpReply) -> _Outcome:
    if len(reply.body) > MAX_ANSWER_BYTES:
        return HTTPException(f"its answer is longer than {MAX_ANSWER_BYTES:,} bytes")
    return reply
