"""Start a client once without its model, and see in the hook's log that it runs our hooks.

Its model is a closed port of this machine, so nothing is sent and no account is needed: a client
runs the hooks of a prompt before it asks the model. The memory is off in that run, so nothing of
it is captured.
"""

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ai_smartness.clients.client import Client, Diagnosis, InstallTarget, TrialRun
from ai_smartness.clients.hook_log import read_hook_runs
from ai_smartness.clients.off_switch import OFF_VARIABLE

__all__ = ["prove_hooks"]

TRIAL_PROMPT = "Say hello."
PROVING_EVENT = "UserPromptSubmit"
TRIAL_SECONDS = 60  # a client that Node starts takes ten on a busy machine
LOOK_SECONDS = 0.1
END_SECONDS = 5
MAX_OUTPUT_CHARACTERS = 300


def prove_hooks(client: Client, target: InstallTarget) -> Diagnosis | None:
    """Start a client and say whether it ran our hook; None if it cannot be started for this."""
    program = client.find_program(target.environ)
    if program.path is None:
        return None
    with _closed_address() as address:
        trial = client.trial_run(address)
        if trial is None:
            return None
        output = _run_until_hooked(program.command, trial, client.name, target)
    name = f"{client.name} proof"
    if output is None:
        text = f"{client.title} was started for one prompt, and ran our hook"
        return Diagnosis(name, is_good=True, text=text)
    said = f" It said: {output}" if output else ""
    text = (
        f"{client.title} was started for one prompt, and did not run our hook. "
        f"Run `ais init --client {client.name}` again.{said}"
    )
    return Diagnosis(name, is_good=False, text=text)


@contextmanager
def _closed_address() -> Iterator[str]:
    """Hold a port of this machine at which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


def _run_until_hooked(
    command: list[str], trial: TrialRun, client: str, target: InstallTarget
) -> str | None:
    """Start a client and end it when its hook has run: return None then, else what it printed."""
    started_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(  # noqa: S603 - the client that the user starts by this name
            [*command, *trial.arguments, TRIAL_PROMPT],
            cwd=target.project_root or Path.cwd(),
            env={**os.environ, **target.environ, **trial.environ, OFF_VARIABLE: "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            if _wait_for_run(process, client, target, started_at):
                return None
        finally:
            _end_group(process)
        output.seek(0)
        return " ".join(output.read().split())[-MAX_OUTPUT_CHARACTERS:]


def _wait_for_run(
    process: "subprocess.Popen[bytes]", client: str, target: InstallTarget, started_at: str
) -> bool:
    until = time.monotonic() + TRIAL_SECONDS
    while time.monotonic() < until:
        has_ended = process.poll() is not None
        if _has_run(client, target, started_at):
            return True
        if has_ended:
            return False
        time.sleep(LOOK_SECONDS)
    return False


def _has_run(client: str, target: InstallTarget, since: str) -> bool:
    runs = read_hook_runs(target.home / "logs", target.project_name)
    own = (run for run in runs if run.client == client and run.at >= since)
    return any(run.is_off and run.event == PROVING_EVENT for run in own)


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """End the client with all that it started."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sent)
            process.wait(END_SECONDS)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
    process.wait()
