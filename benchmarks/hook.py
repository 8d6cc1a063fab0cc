"""The hook as the client starts it, whole process: inject, virtual recall and capture.

At 10,000 threads and 100,000 events, beside a bare `python -S -E -I -c pass` in the same run:
the runs take turns, so that what slows the machine slows all of them. With a daemon and without.

With `--clients`: a prompt that is recorded for each client, without a daemon.
With `--answers`: who answers a prompt, at 10,000, 90,000 and 110,000 events, on a quiet machine and
with every core busy.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from ai_smartness.clients.registry import CLIENTS, DEFAULT_CLIENT
from ai_smartness.entrypoints.daemon.client import NoAnswerError, NoDaemonError, ask_daemon
from ai_smartness.entrypoints.hooks import main as hook
from ai_smartness.settings.paths import HomePaths
from kit.busy_cores import busy_cores
from kit.filled import filled_home, project_of
from kit.hook_answers import AnswerShares, answer_shares, show_answers
from kit.made_up import queries
from kit.timing import Times, print_table

EVENTS = 100_000
ANSWER_SIZES = (10_000, 90_000, 110_000)
"""Below and above the number of vectors from which on a graph is used instead of an exact scan."""

ROUNDS = 200
UNCOUNTED = 5
PATIENCE_SECONDS = 120

PYTHON = [sys.executable, "-S", "-E", "-I"]
GOALS = {"inject": "2.5 x, p95 150 ms", "recall": "", "capture": "1.5 x"}


def main() -> None:
    """Fill a memory, then start hooks on it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--home", type=Path, help="where to keep the memory for another run")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--answers", action="store_true", help="who answers a prompt, and when")
    parser.add_argument("--sizes", type=int, nargs="+", default=ANSWER_SIZES)
    parser.add_argument("--clients", action="store_true", help="a prompt of each client")
    given = parser.parse_args()
    if given.clients:
        clients_measured(given.rounds, as_json=given.json)
        return
    if given.answers:
        answers_measured(given.sizes, given.rounds, given.home, as_json=given.json)
        return
    with tempfile.TemporaryDirectory() as folder:
        home = given.home or Path(folder) / "home"
        project = project_of(home)
        filled_home(home, given.events)
        prompts = queries(given.rounds + UNCOUNTED, given.events)
        found = {"without a daemon": measured(home, project, prompts, alone=True)}
        with daemon(home) as there:
            if there:
                found["with a daemon"] = measured(home, project, prompts, alone=False)
            else:
                print("skipped: `with a daemon`: none answered", file=sys.stderr)
    if given.json:
        print(json.dumps(found, indent=2))
    else:
        for title, rows in found.items():
            show(title, rows)


def clients_measured(rounds: int, *, as_json: bool) -> None:
    """Time the hook on a prompt of each client and on a command, which it records."""
    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder) / "home", Path(folder) / "project"
        for place in (home, project / ".git"):
            place.mkdir(parents=True)
        for number in range(rounds + UNCOUNTED):
            runs = {"bare python": ([*PYTHON, "-c", "pass"], "")}
            runs |= {name: client_run(name, home, project, number) for name in CLIENTS}
            command = inputs("", project, number)["capture of a command"]
            runs["a command that ran"] = (hook_command(home), json.dumps(command))
            for name, (started, given) in runs.items():
                keep_alone(home)
                took = cpu_seconds(started, given)
                if number >= UNCOUNTED:
                    seconds.setdefault(name, []).append(took)
    rows = {
        name: {f"p{at}": Times(each).at(at) for at in (50, 95, 99)}
        for name, each in seconds.items()
    }
    if as_json:
        print(json.dumps(rows, indent=2))
    else:
        show("a prompt of each client, CPU time", rows)


def client_run(name: str, home: Path, project: Path, number: int) -> tuple[list[str], str]:
    """Return the command of a client's hook, and a prompt as that client sends it."""
    command = hook_command(home)
    prompt, session = f"prompt {number}: which port does the till use?", f"session-{number}"
    event_names = {"gemini": "BeforeAgent"}
    fields: dict[str, object] = {
        "hook_event_name": event_names.get(name, "UserPromptSubmit"),
        "session_id": session,
        "prompt_id": f"p{number}",
        "cwd": str(project),
        "prompt": prompt,
    }
    if name == "copilot":
        fields = {"sessionId": session, "cwd": str(project), "prompt": prompt}
        command += ["--event", "userPromptSubmitted"]
    if name != DEFAULT_CLIENT:
        command += ["--client", name]
    return command, json.dumps(fields)


def hook_command(home: Path) -> list[str]:
    """Return the command with which a client starts the hook."""
    return [*PYTHON, str(hook.__file__), "--home", str(home)]


def cpu_seconds(command: list[str], given: str) -> float:
    """Run a command and return the processor's time that it took, however busy the machine is."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=given.encode(), stdout=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def answers_measured(
    sizes: Sequence[int], rounds: int, home: Path | None, *, as_json: bool
) -> None:
    """Count who answers prompts at each size, on a quiet machine and on a busy one."""
    rows: dict[str, AnswerShares] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            place = (home or Path(folder)) / str(size)
            rows |= answers_at(size, rounds, place)
    if as_json:
        print(json.dumps(rows, indent=2))
    else:
        show_answers(rows)


def answers_at(size: int, rounds: int, home: Path) -> dict[str, AnswerShares]:
    """Return who answers at one size."""
    project = project_of(home)
    filled_home(home, size)
    command = [*PYTHON, str(hook.__file__), "--home", str(home)]
    prompts = queries(2 * rounds + UNCOUNTED, size)
    with daemon(home) as there:
        if not there:
            print(f"skipped: {size:,} events: no daemon answered", file=sys.stderr)
            return {}
        answer_shares(command, home, project, prompts[:UNCOUNTED])
        quiet = answer_shares(command, home, project, prompts[UNCOUNTED : UNCOUNTED + rounds])
        with busy_cores():
            busy = answer_shares(command, home, project, prompts[UNCOUNTED + rounds :])
    return {f"{size:,} events, quiet": quiet, f"{size:,} events, busy": busy}


def measured(
    home: Path,
    project: Path,
    prompts: Sequence[str],
    *,
    alone: bool,
) -> dict[str, dict[str, float]]:
    """Time each kind of run, one after the other in each round."""
    command = [*PYTHON, str(hook.__file__), "--home", str(home)]
    seconds: dict[str, list[float]] = {}
    for number, prompt in enumerate(prompts):
        asked = inputs(prompt, project, number)
        runs = {"bare python": ([*PYTHON, "-c", "pass"], "")}
        runs |= {name: (command, json.dumps(fields)) for name, fields in asked.items()}
        for name, (started, given) in runs.items():
            if alone:
                keep_alone(home)
            before = perf_counter()
            subprocess.run(started, input=given.encode(), stdout=subprocess.PIPE, check=True)
            took = perf_counter() - before
            if number >= UNCOUNTED:
                seconds.setdefault(name, []).append(took)
    return {
        name: {f"p{at}": Times(each).at(at) for at in (50, 95, 99)}
        for name, each in seconds.items()
    }


def inputs(prompt: str, project: Path, number: int) -> dict[str, dict[str, object]]:
    """Return what the client hands in: a prompt, a virtual read, a command that has run."""
    about: dict[str, object] = {"session_id": "bench", "cwd": str(project)}
    about["prompt_id"] = f"prompt-{time.time_ns()}"
    about["tool_use_id"] = f"toolu_{time.time_ns()}_{number}"
    path = f"{project}/.ai/recall/{prompt.replace('/', ' ')}"
    ran = {"stdout": "collected 412 items\n" + "." * 412 + "\n412 passed in 8.21s", "stderr": ""}
    return {
        "inject": {**about, "hook_event_name": "UserPromptSubmit", "prompt": prompt},
        "virtual recall": {
            **about,
            "hook_event_name": "PreToolUse",
            "tool_name": "Read",
            "tool_input": {"file_path": path},
        },
        "capture of a command": {
            **about,
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "pytest -q"},
            "tool_response": ran,
        },
        "capture of an answer": {
            **about,
            "hook_event_name": "Stop",
            "last_assistant_message": f"Done: {prompt}",
        },
    }


def keep_alone(home: Path) -> None:
    """Make it look as if a daemon was started just now, so that none is."""
    (home / "run").mkdir(mode=0o700, exist_ok=True)
    (home / "run" / "starting").touch()


@contextmanager
def daemon(home: Path) -> Iterator[bool]:
    """Run a daemon; say whether it answers."""
    command = [sys.executable, "-P", "-m", "ai_smartness", "daemon", "run", "--home", str(home)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)  # ours
    try:
        yield answers(process, HomePaths(str(home)))
    finally:
        process.terminate()
        process.wait()


def answers(process: "subprocess.Popen[bytes]", where: HomePaths) -> bool:
    """Wait until the daemon has drained what waits and answers, or is gone."""
    until = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < until:
        try:
            ask_daemon(where, "ping", until=time.monotonic() + 1)
            warm = {"cwd": os.path.join(where.home, "project"), "session": "warm"}  # noqa: PTH118
            ask_daemon(where, "inject", until=until, text="a first question", source="", **warm)
            ask_daemon(where, "drain", until=until)
        except (NoDaemonError, NoAnswerError):
            time.sleep(0.1)
        else:
            return True
    return False


def show(title: str, rows: dict[str, dict[str, float]]) -> None:
    """Print one table."""
    bare = rows["bare python"]["p50"]
    print_table(
        title,
        ["", "p50 ms", "p95 ms", "p99 ms", "p50 / bare", "goal"],
        [
            [
                name,
                *(f"{row[each]:.1f}" for each in ("p50", "p95", "p99")),
                f"{row['p50'] / bare:.2f} x",
                next((goal for kind, goal in GOALS.items() if name.startswith(kind)), ""),
            ]
            for name, row in rows.items()
        ],
    )


if __name__ == "__main__":
    main()
