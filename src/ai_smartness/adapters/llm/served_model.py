"""Ask a language model behind a URL.

Each prompt is sent once, without retries, because the user pays for it. The key comes from
an environment variable; it is never printed and never sent unencrypted.
"""

import json
import re
import socket
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from http.client import HTTPException
from urllib.error import URLError
from urllib.parse import SplitResult, urlsplit

from ai_smartness.adapters.http import HttpReply, is_loopback, post_json
from ai_smartness.adapters.llm.provider_apis import (
    PROVIDER_APIS,
    PROVIDER_DEFAULT,
    CompletionRequest,
    quoted_reply,
)
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.ports import Completion
from ai_smartness.settings.schema import LlmSettings

__all__ = ["ServedModel"]

CONNECT_SECONDS = 5.0  # to find out whether the server can be reached

_VARIABLE_NAME = re.compile("[A-Z_][A-Z0-9_]*")

_START_SERVER = "Start it, or check `llm.base_url`"
_RUN_DOCTOR = "`ais doctor` checks how it is set"
_UNQUOTED_STATUSES = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
"""Their messages are not quoted: they may contain part of the key."""


class ServedModel:
    """Fulfils the port `LanguageModel`."""

    def __init__(self, settings: LlmSettings, environ: Mapping[str, str]) -> None:
        def setting(value: str, default: str) -> str:
            return default if value == PROVIDER_DEFAULT else value

        self._api = PROVIDER_APIS[settings.provider]
        self._url = setting(settings.base_url, self._api.base_url)
        self._model = setting(settings.model, "")
        self._key_variable = setting(settings.key_variable, self._api.key_variable)
        key = environ.get(self._key_variable, "").strip() if self._key_variable else ""
        # A function, so that the key is not shown where a model is printed.
        self._key: Callable[[], str] = lambda: key
        self._max_tokens = settings.max_tokens
        self.provider = settings.provider
        self.name = self._model or "no model"
        self.window_tokens = settings.prompt_tokens
        self.seconds = settings.timeout_seconds

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        self._refuse_incomplete()
        url = f"{self._url.rstrip('/')}{self._api.path}"
        tokens = min(max_tokens, self._max_tokens)
        reply = self._post_request(CompletionRequest(url, self._model, prompt, tokens))
        if reply.status != HTTPStatus.OK:
            why = _reply_summary(reply, self._key())
            raise RefusedError(self._error_message(why, self._remedy_for(reply.status)))
        return self._read_completion(reply.body)

    def check(self) -> str:
        """Describe the model without asking it; refuse if it cannot be asked."""
        self._refuse_incomplete()
        parts = urlsplit(self._url)
        where = f"{self.provider} {self.name} at {self._url}"
        if self._key():
            where += f" with the key in {self._key_variable}"
        if _goes_by_proxy(parts):
            return f"{where}; behind a proxy, not tried"
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            socket.create_connection((parts.hostname or "", port), CONNECT_SECONDS).close()
        except OSError as error:
            why = f"it cannot be reached: {error.strerror or error}"
            raise StoreError(self._error_message(why, _START_SERVER)) from error
        return f"{where}, within reach"

    def _refuse_incomplete(self) -> None:
        """Refuse to send anything with incomplete settings."""
        for wrong, why, way_out in self._configuration_errors():
            if wrong:
                msg = f"cannot ask a language model of {self.provider}: {why}. {way_out}."
                raise RefusedError(msg)

    def _configuration_errors(self) -> Iterator[tuple[bool, str, str]]:
        """Yield the possible errors in the settings: whether each is there, why, and the fix."""
        parts = _url_parts(self._url)
        # First, and without quoting the value: it may hold a password, or be the key itself.
        yield (
            bool(parts.username or parts.password),
            "the URL holds a name or a password",
            "Take it out of `llm.base_url`; a key belongs into a variable of the environment",
        )
        yield (
            bool(self._key_variable) and not _VARIABLE_NAME.fullmatch(self._key_variable),
            "`llm.key_variable` holds no name of a variable",
            "Write the name there, in capitals, and the key itself into the variable",
        )
        yield (
            parts.scheme not in ("http", "https") or not parts.hostname,
            f"{self._url} is no URL of a server",
            "Set `llm.base_url` to one that begins with http:// or https://",
        )
        yield (
            not self._model,
            "no model is named",
            "Name one with `ais config set llm.model NAME`",
        )
        yield (
            self._api.needs_key and not self._key(),
            f"there is no key in the variable {self._key_variable}",
            "Put it there, or name another variable in `llm.key_variable`",
        )
        yield (
            not self._key().isascii() or not self._key().isprintable(),
            f"what {self._key_variable} holds is no key",
            "Put the key there as it was given to you",
        )
        yield (
            bool(self._key()) and parts.scheme == "http" and not is_loopback(self._url),
            f"the key would go to {parts.hostname} in the clear",
            "Use https://, or a server on this machine",
        )

    def _post_request(self, request: CompletionRequest) -> HttpReply:
        headers = self._api.headers(self._key())
        try:
            return post_json(request.url, self._api.body(request), headers, self.seconds)
        except URLError as error:
            why = f"it cannot be reached: {error.reason}"
            raise RefusedError(self._error_message(why, _START_SERVER)) from error
        except TimeoutError as error:
            why = f"there was no whole answer within {self.seconds:g} seconds"
            raise StoreError(self._error_message(why, "Raise `llm.timeout_seconds`")) from error
        except (OSError, HTTPException) as error:
            why = f"its answer broke off: {str(error) or type(error).__name__}"
            raise StoreError(self._error_message(why, _RUN_DOCTOR)) from error

    def _read_completion(self, body: bytes) -> Completion:
        try:
            return self._api.read(json.loads(body))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            why = f"its answer is not one of the {self.provider} API"
            msg = self._error_message(why, "Check `llm.provider` and `llm.base_url`")
            raise StoreError(msg) from error

    def _remedy_for(self, status: int) -> str:
        match status:
            case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
                return f"Put a valid key into the variable {self._key_variable or 'it wants'}"
            case HTTPStatus.NOT_FOUND:
                return "Check `llm.model` and `llm.base_url`"
            case HTTPStatus.TOO_MANY_REQUESTS:
                return "Try again later"
            case _ if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                return "Try again later"
        return _RUN_DOCTOR

    def _error_message(self, why: str, way_out: str) -> str:
        return f"cannot ask {self.name} at {self._url}: {why}. {way_out}."


def _url_parts(url: str) -> SplitResult:
    """Split a URL; an invalid one has no parts."""
    nothing = SplitResult("", "", "", "", "")
    try:
        parts = urlsplit(url)
        fine = parts.port != 0 and url.isascii() and " " not in url
    except ValueError:
        return nothing
    return parts if fine else nothing


def _goes_by_proxy(parts: SplitResult) -> bool:
    proxied = parts.scheme in urllib.request.getproxies()
    host = parts.hostname or ""
    return proxied and not is_loopback(parts.geturl()) and not urllib.request.proxy_bypass(host)


def _reply_summary(reply: HttpReply, key: str) -> str:
    """Describe a server's error reply, which may quote the key."""
    body = reply.body.replace(key.encode(), b"[key]") if key else reply.body
    message = "" if reply.status in _UNQUOTED_STATUSES else _error_text(body)
    return f"it answered {reply.status} {reply.reason}{message}"


def _error_text(body: bytes) -> str:
    """Return the server's error message in brackets, if it has one."""
    try:
        error = json.loads(body)["error"]
        return quoted_reply(error if isinstance(error, str) else error["message"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
