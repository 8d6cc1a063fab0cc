"""Read the hook's log: how long its runs took, what failed, and who answered the prompts.

A prompt is answered by the daemon, by the hook's own keyword search, or not at all. Each of these
is counted with its reason, so that a person can see how often the memory was late or silent.
"""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from ai_smartness.clients.hook_event import CLAUDE_CODE
from ai_smartness.clients.project import project_number

__all__ = [
    "ClientRuns",
    "HookRun",
    "PromptCounts",
    "counted_prompts",
    "logged_runs",
    "percentile",
    "prompts_json",
    "prompts_text",
    "read_hook_runs",
    "runs_by_client",
]

LOG_TAIL_BYTES = 200_000  # some two thousand runs: how it goes now, not how it went last year

ERROR_PREFIX = "trouble_"  # in the hook's log, an error is named after the step that failed
PROMPT_EVENT = "UserPromptSubmit"

KEYWORD_REASONS = {
    "late": "the daemon was late",
    "absent": "no daemon ran",
    "starting": "the daemon was starting",
    "error": "the daemon had an error",
}
SILENT_REASONS = {
    "nothing_matched": "nothing matched",
    "unneeded": "the prompt did not look like it needs memory",
    "in_sight": "the session has the answer already",
    "late": "the answer was late",
    "error": "an error",
}

_MISSING_DAEMON = frozenset({"absent", "stale", "gone", "stranger"})

_Answerer: TypeAlias = Literal["daemon", "keywords", "silent"]


@dataclass(frozen=True, slots=True)
class HookRun:
    """One run of the hook: `answered_by` and `is_answered` are about a prompt or a session."""

    at: str
    event: str
    took_ms: float
    error: str = ""
    project: str = ""  # its number; an older log has none
    answered_by: str = ""
    is_answered: bool = False
    is_answer_broken: bool = False
    is_daemon_starting: bool = False
    is_in_sight: bool = False
    is_unneeded: bool = False  # something matched, and the prompt did not seem to need it
    is_repeated: bool = False  # another hook of ours answered the same event
    is_off: bool = False  # the memory was off, and did nothing
    client: str = CLAUDE_CODE


@dataclass(frozen=True, slots=True)
class PromptCounts:
    """How many prompts were answered by whom, and how many were not, each by reason."""

    daemon: int
    keywords: Mapping[str, int]
    silent: Mapping[str, int]

    @property
    def total(self) -> int:
        """All prompts that could be answered."""
        return self.daemon + sum(self.keywords.values()) + sum(self.silent.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRuns:
    """The runs of one client's hooks: how long they took, what failed, who answered prompts."""

    client: str
    runs: int
    last_at: str
    p50_ms: float
    p95_ms: float
    errors: int
    prompts: PromptCounts


def runs_by_client(runs: Sequence[HookRun]) -> list[ClientRuns]:
    """Summarise the runs of each client, by its name."""
    return [
        _client_runs(client, [run for run in runs if run.client == client])
        for client in sorted({run.client for run in runs})
    ]


def _client_runs(client: str, runs: Sequence[HookRun]) -> ClientRuns:
    took = [run.took_ms for run in runs]
    return ClientRuns(
        client=client,
        runs=len(runs),
        last_at=runs[-1].at,
        p50_ms=percentile(took, 50),
        p95_ms=percentile(took, 95),
        errors=sum(bool(run.error) for run in runs),
        prompts=counted_prompts(runs),
    )


def read_hook_runs(logs: Path, project: str) -> list[HookRun]:
    """Return the latest runs of the hook in a project, from the folder of its log."""
    # The previous log too: the current one may have been started a moment ago.
    tails = _file_tail(logs / "hook.log.1") + _file_tail(logs / "hook.log")
    own = ("", str(project_number(project)))
    return [run for run in logged_runs(tails.splitlines()) if run.project in own]


def logged_runs(lines: Iterable[str]) -> list[HookRun]:
    """Parse the lines of the hook's log, the oldest first; skip lines of other kinds."""
    return [run for line in lines if (run := _parsed_run(line)) is not None]


def counted_prompts(runs: Iterable[HookRun]) -> PromptCounts:
    """Count the prompts by who answered them, and why."""
    outcomes = Counter(outcome for run in runs if (outcome := _prompt_outcome(run)) is not None)
    return PromptCounts(
        daemon=outcomes["daemon", ""],
        keywords={reason: outcomes["keywords", reason] for reason in KEYWORD_REASONS},
        silent={reason: outcomes["silent", reason] for reason in SILENT_REASONS},
    )


def prompts_text(counts: PromptCounts) -> str:
    """Return the counts in words."""
    if not counts.total:
        return "none yet"
    keywords = _counted_reasons(counts.keywords, KEYWORD_REASONS)
    silent = _counted_reasons(counts.silent, SILENT_REASONS)
    parts = (
        f"{counts.daemon:,} answered by the daemon",
        f"{sum(counts.keywords.values()):,} by keywords{keywords}",
        f"{sum(counts.silent.values()):,} silent{silent}",
    )
    return f"{counts.total:,} in the log: {', '.join(parts)}"


def prompts_json(counts: PromptCounts) -> dict[str, object]:
    """Return the counts as JSON."""
    return {
        "total": counts.total,
        "daemon": counts.daemon,
        "keywords": dict(counts.keywords),
        "silent": dict(counts.silent),
    }


def percentile(numbers: Sequence[float], percent: int) -> float:
    """Return the number that this percentage of them does not exceed."""
    ordered = sorted(numbers)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _counted_reasons(counts: Mapping[str, int], names: Mapping[str, str]) -> str:
    reasons = ", ".join(f"{names[reason]}: {count:,}" for reason, count in counts.items() if count)
    return f" ({reasons})" if reasons else ""


def _prompt_outcome(run: HookRun) -> tuple[_Answerer, str] | None:
    """Say who answered a prompt and why; None for other events, and for prompts of the client."""
    if run.event != PROMPT_EVENT or run.is_repeated:
        return None
    if run.is_answer_broken and not run.is_answered:
        return "silent", "error"
    if run.answered_by in ("", "nobody"):
        return None
    reason = _daemon_reason(run)
    if run.is_answered:
        return ("keywords", reason) if reason else ("daemon", "")
    return "silent", _silence_reason(run, reason)


def _silence_reason(run: HookRun, daemon_reason: str) -> str:
    """Say why a prompt got nothing, by why the daemon did not answer it."""
    if daemon_reason == "late" or run.answered_by.endswith(",late"):
        return "late"
    if daemon_reason == "error":
        return "error"
    if run.is_unneeded:
        return "unneeded"
    return "in_sight" if run.is_in_sight else "nothing_matched"


def _daemon_reason(run: HookRun) -> str:
    """Say why the daemon did not answer; empty if it did."""
    if run.answered_by == "daemon":
        return ""
    why = run.answered_by.partition(":")[2].removesuffix(",late")
    if why in _MISSING_DAEMON:
        return "starting" if run.is_daemon_starting else "absent"
    return "late" if why == "late" else "error"


def _parsed_run(line: str) -> HookRun | None:
    at, _, rest = line.strip().partition(" ")
    values = dict(word.partition("=")[::2] for word in rest.split())
    errors = [error for name, error in values.items() if name.startswith(ERROR_PREFIX)]
    try:
        return HookRun(
            at,
            values["event"],
            float(values["took_ms"]),
            "; ".join(errors),
            values.get("project", ""),
            answered_by=values.get("by", ""),
            is_answered="answered" in values,
            is_answer_broken=f"{ERROR_PREFIX}answer" in values,
            # The hook starts none while another run has just done so.
            is_daemon_starting=values.get("started") == "False",
            is_in_sight=values.get("in_sight") == "True",
            is_unneeded=values.get("unneeded") == "True",
            is_repeated=values.get("repeated") == "True",
            is_off=values.get("off") == "True",
            client=values.get("client", CLAUDE_CODE),
        )
    except (KeyError, ValueError):
        return None


def _file_tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LOG_TAIL_BYTES))
            return file.read().decode(errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""
