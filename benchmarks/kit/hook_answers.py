"""Who answers a prompt: the daemon, the hook's keyword search or nobody, quiet and under load."""

import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

from ai_smartness.clients.hook_log import counted_prompts, prompts_json, read_hook_runs
from ai_smartness.clients.project import project_by_path
from kit.timing import Times, print_table

__all__ = ["AnswerShares", "answer_shares", "show_answers"]

AnswerShares = dict[str, object]
"""The counts of `ais status --json`, and the percentiles of the whole process in milliseconds."""

PERCENTS = (50, 95, 99)


def answer_shares(
    command: Sequence[str], home: Path, project: Path, prompts: Sequence[str]
) -> AnswerShares:
    """Start the hook for each prompt, as a client does, and count who answered."""
    seconds = []
    for prompt in prompts:
        # A session of its own: nothing is silent because it was shown before.
        about = {"session_id": f"bench-{time.time_ns()}", "cwd": str(project)}
        event = {**about, "hook_event_name": "UserPromptSubmit", "prompt": prompt}
        before = perf_counter()
        subprocess.run(
            command, input=json.dumps(event).encode(), stdout=subprocess.PIPE, check=True
        )
        seconds.append(perf_counter() - before)
    name = project_by_path(str(project)).name
    runs = [run for run in read_hook_runs(home / "logs", name) if run.event == "UserPromptSubmit"]
    times = Times(seconds)
    return {
        **prompts_json(counted_prompts(runs[-len(prompts) :])),
        **{f"p{percent}": times.at(percent) for percent in PERCENTS},
    }


def show_answers(rows: Mapping[str, AnswerShares]) -> None:
    """Print the shares and times of each condition."""
    columns = [
        "",
        "daemon",
        "keywords",
        "no match",
        "lost",
        *(f"p{percent} ms" for percent in PERCENTS),
    ]
    print_table("who answers a prompt", columns, [_row(name, row) for name, row in rows.items()])
    for name, row in rows.items():
        reasons = {kind: _present(row[kind]) for kind in ("keywords", "silent")}
        print(f"{name}: by keywords because {reasons['keywords']}; silent: {reasons['silent']}")


def _row(name: str, row: AnswerShares) -> list[str]:
    total = _number(row["total"]) or 1.0
    silent = row["silent"] if isinstance(row["silent"], dict) else {}
    lost = _number(silent.get("late")) + _number(silent.get("error"))
    unmatched = _sum(silent) - lost
    counts = (_number(row["daemon"]), _sum(row["keywords"]), unmatched, lost)
    return [
        name,
        *(f"{100 * count / total:.0f} %" for count in counts),
        *(f"{_number(row[f'p{percent}']):.0f}" for percent in PERCENTS),
    ]


def _present(reasons: object) -> str:
    counts = reasons if isinstance(reasons, dict) else {}
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count) or "none"


def _sum(reasons: object) -> float:
    return float(sum(reasons.values())) if isinstance(reasons, dict) else 0.0


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
