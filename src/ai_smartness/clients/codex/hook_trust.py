"""Ask Codex itself to trust our hooks, through its app server: a JSON object on every line."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from ai_smartness.clients.client import InstallTarget
from ai_smartness.clients.own_program import is_our_command
from ai_smartness.model.errors import StoreError

__all__ = ["trust_hooks", "untrusted_count"]

TRUST_SECONDS = 30


class AppServer:
    """A running app server that answers requests."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._number = 0

    def request(self, method: str, **params: object) -> Any:  # noqa: ANN401 - any JSON
        """Send a request and return its result."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None  # noqa: S101 - it was started with a pipe
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._number:
                if "result" not in answer:
                    msg = f"Codex refused `{method}`: {answer.get('error')}."
                    raise StoreError(msg)
                return answer["result"]
        msg = f"Codex did not answer `{method}`."
        raise StoreError(msg)

    def notify(self, method: str) -> None:
        """Send a message that has no answer."""
        self._send({"method": method})

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it was started with a pipe
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def trust_hooks(command: Sequence[str], hooks: Path, target: InstallTarget) -> int:
    """Have Codex trust our hooks and nobody else's; return how many there are."""
    with _app_server(command, target) as server:
        ours = _our_hooks(server, hooks, target)
        state = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in ours}
        edit = {"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
        if state:
            server.request("config/batchWrite", edits=[edit])
    if not state:
        msg = f"Codex does not see our hooks in {hooks}."
        raise StoreError(msg)
    return len(state)


def untrusted_count(command: Sequence[str], hooks: Path, target: InstallTarget) -> int:
    """Count those of our hooks that Codex does not run, because it does not trust them."""
    with _app_server(command, target) as server:
        ours = _our_hooks(server, hooks, target)
    return sum(hook.get("trustStatus") != "trusted" for hook in ours)


def _our_hooks(server: AppServer, hooks: Path, target: InstallTarget) -> list[dict[str, Any]]:
    folder = str(target.project_root or Path.home())
    listed = server.request("hooks/list", cwds=[folder])["data"]
    return [
        hook
        for entry in listed
        for hook in entry.get("hooks", ())
        if is_our_command(hook.get("command")) and str(hook["key"]).startswith(f"{hooks}:")
    ]


@contextmanager
def _app_server(command: Sequence[str], target: InstallTarget) -> Iterator[AppServer]:
    """Start the program's app server, and end it; an answer that does not come ends it too."""
    try:
        process = subprocess.Popen(  # noqa: S603 - the client that the user starts by this name
            [*command, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(target.environ),
            text=True,
            errors="replace",
        )
    except OSError as error:
        msg = f"Codex does not start ({error.strerror})."
        raise StoreError(msg) from error
    deadline = Timer(TRUST_SECONDS, process.kill)
    deadline.start()
    try:
        server = AppServer(process)
        client = {"name": "ai_smartness", "version": "1"}
        server.request("initialize", clientInfo=client, capabilities={})
        server.notify("initialized")
        yield server
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"Codex's app server answered in an unexpected way ({error!r})."
        raise StoreError(msg) from error
    finally:
        deadline.cancel()
        process.terminate()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
