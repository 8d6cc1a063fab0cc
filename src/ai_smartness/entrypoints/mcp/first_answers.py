"""Answer what every client asks first, from what was prepared: standard library only.

Only what is asked in the plainest way is answered here, in the words the SDK would use.
Anything else waits for the SDK.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

__all__ = ["META_PREFIX", "REPLAYED_ID", "FirstAnswers", "prepared_folder", "read_prepared_answers"]

PreparedAnswers: TypeAlias = Mapping[str, Any]
"""Of each era its protocol versions, and the result of each method."""

MAX_REQUEST_BYTES = 64_000

REPLAYED_ID = "ai-smartness-replayed"
"""The id under which the SDK hears what was answered already; its own answer is dropped."""

META_PREFIX = "io.modelcontextprotocol"
"""Begins the names by which a request of the newer era says who asks, and in which version."""


def read_prepared_answers(profile: str) -> PreparedAnswers:
    """Read what was prepared for a profile."""
    found: PreparedAnswers = json.loads(
        (prepared_folder() / f"{profile}.json").read_text(encoding="utf-8"),
    )
    return found


def prepared_folder() -> Path:
    """Name the folder of what was prepared."""
    return Path(__file__).parent / "prepared"


class FirstAnswers:
    """One client that is greeted."""

    def __init__(self, known: PreparedAnswers) -> None:
        self._prepared = known
        self._initialize_params: dict[str, Any] | None = None

    @property
    def replayed_lines(self) -> list[bytes]:
        """What the SDK has to hear of what was answered here: that the session has begun."""
        if self._initialize_params is None:
            return []
        said = {
            "jsonrpc": "2.0",
            "id": REPLAYED_ID,
            "method": "initialize",
            "params": self._initialize_params,
        }
        return [json.dumps(said).encode() + b"\n"]

    def answer_line(self, line: bytes) -> bytes | None:
        """Return the answer to a message, nothing where it is left to the SDK."""
        result = self._request_result(asked) if (asked := _plain_request(line)) else None
        if asked is None or result is None:
            return None
        said = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
        return json.dumps(said, separators=(",", ":")).encode() + b"\n"

    def _request_result(self, asked: dict[str, Any]) -> object:
        method, params = asked["method"], asked.get("params") or {}
        if method == "initialize":
            return self._initialize_result(params)
        era = self._protocol_era(params)
        if era is None or set(params) - {"_meta"}:
            return None
        return self._prepared[era]["results"].get(method)

    def _initialize_result(self, params: dict[str, Any]) -> object:
        match params:
            case {
                "protocolVersion": str(version),
                "capabilities": dict(),
                "clientInfo": {"name": str(name), "version": str(release)},
            } if (
                self._initialize_params is None
                and version in self._prepared["handshake"]["versions"]
            ):
                # What the client is able to do is of no use to us, and may be anything.
                client = {"name": name, "version": release}
                self._initialize_params = {
                    "protocolVersion": version,
                    "capabilities": {},
                    "clientInfo": client,
                }
                return {"protocolVersion": version, **self._prepared["handshake"]["initialize"]}
        return None

    def _protocol_era(self, params: dict[str, Any]) -> str | None:
        meta = params.get("_meta") or {}
        if not isinstance(meta, dict):
            return None
        if f"{META_PREFIX}/protocolVersion" not in meta:
            return "handshake" if self._initialize_params is not None else None
        version = meta[f"{META_PREFIX}/protocolVersion"]
        whole = isinstance(meta.get(f"{META_PREFIX}/clientCapabilities"), dict)
        is_known = version in self._prepared["modern"]["versions"]
        return "modern" if whole and is_known and self._initialize_params is None else None


def _plain_request(line: bytes) -> dict[str, Any] | None:
    """Read a request in the plainest form; nothing where it is anything else."""
    if len(line) > MAX_REQUEST_BYTES:
        return None
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match asked:
        case {"jsonrpc": "2.0", "id": int() | str(), "method": str()} if _is_plain(asked):
            return dict(asked)
    return None


def _is_plain(asked: dict[str, Any]) -> bool:
    known = {"jsonrpc", "id", "method", "params"}
    plain_id = not isinstance(asked["id"], bool)
    return plain_id and set(asked) <= known and isinstance(asked.get("params", {}), dict)
