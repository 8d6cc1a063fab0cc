"""`ais status`: the memory, the project, the model and the client on one screen."""

from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    print_json,
    print_table,
    print_text,
    size_text,
)
from ai_smartness.entrypoints.cli.switch import off_text
from ai_smartness.model.errors import RefusedError

if TYPE_CHECKING:
    from ai_smartness.entrypoints.cli.doctor import Finding
    from ai_smartness.memory import Memory, MemoryStatus

__all__ = ["status"]

SHOWN_PROJECTS = 10
LABEL_WIDTH = 11
SHOWN_CHECKS = ("client", "hooks", "tools", "hook time", "prompts", "errors", "daemon")


class ModelState(NamedTuple):
    """The configured model and its state: ready, off, missing or broken."""

    name: str
    state: str
    explanation: str


@click.command(epilog="Example: ais --project demo status")
@json_option
@pass_context
def status(context: CliContext, *, as_json: bool) -> None:
    """It covers the memory, the project, the model, the backlog and the client.

    `ais doctor` checks more, and says how to fix problems.
    """
    with context.open_memory() as memory:
        state, team = memory.status(), _shared_with_team(context, memory)
    model = _model_state(context, state)
    findings = _connection_findings(context)
    if as_json:
        data = {**_status_json(context, state, model), **({"team": team} if team else {})}
        connection = [finding._asdict() for finding in findings]
        counts = {"lost_events": _lost_events(context), "prompts": _prompt_counts(context)}
        print_json({**data, **counts, "connection": connection})
        return
    lines = {
        **({"switch": off_text(context)} if off_text(context) else {}),
        "home": context.places.home,
        **_store_lines(context),
        "project": state.project,
        **({"team": _team_text(team)} if team else {}),
        "threads": f"{state.threads:,}",
        "messages": f"{state.events:,}",
        "shown": f"{counted_noun(state.injected, 'thread')} before prompts, {state.used:,} used",
        "model": model.name,
        "": model.explanation,
        "waiting": f"{counted_noun(state.pending, 'message')} to be embedded",
        **{item.check: item.found if item.ok else f"problem: {item.found}" for item in findings},
    }
    if lost := _lost_events(context):
        lines["lost"] = f"{counted_noun(lost, 'event')} could not be kept; `ais doctor` says more"
    for label, value in lines.items():
        print_text(f"{label:<{LABEL_WIDTH}}{value}", hang=LABEL_WIDTH)
    _print_other_projects(state)


def _shared_with_team(context: CliContext, memory: "Memory") -> dict[str, int]:
    """Count the people of the team, and what you share in all projects; nothing without a team."""
    from ai_smartness.wiring import is_on_server

    if not is_on_server(context.settings):
        return {}
    try:
        own = [item for item in memory.shared_items() if item.is_own]
    except RefusedError:
        return {}
    disputed = sum(bool(item.disputed_by) for item in own)
    return {"members": len(memory.team_members()), "shared": len(own), "disputed": disputed}


def _team_text(team: dict[str, int]) -> str:
    text = f"{counted_noun(team['members'], 'member')}; you share {team['shared'] or 'nothing'}"
    if team["disputed"]:
        text += f", and {team['disputed']} of that is disputed: `ais team` says why"
    return text


def _print_other_projects(state: "MemoryStatus") -> None:
    others = [project for project in state.projects if project.project != state.project]
    if not others:
        return
    click.echo()
    largest = sorted(others, key=lambda project: -project.events)[:SHOWN_PROJECTS]
    rows = [(item.project, f"{item.threads:,}", f"{item.events:,}") for item in largest]
    print_table(("other projects", "threads", "messages"), rows)
    if len(others) > len(largest):
        click.echo(f"and {len(others) - len(largest):,} more, all of them with --json")


def _status_json(
    context: CliContext, state: "MemoryStatus", model: ModelState
) -> dict[str, object]:
    """Return the tool's answer, with the paths that only the user of this machine needs."""
    from ai_smartness.views.json import status_json

    return {
        **status_json(state),
        "home": context.places.home,
        **_store_json(context),
        "embedder": {"name": model.name, "state": model.state},
        "projects": [
            {"project": item.project, "threads": item.threads, "messages": item.events}
            for item in state.projects
        ],
    }


def _store_lines(context: CliContext) -> dict[str, str]:
    """Say where the memory is: a file and its size, or a server."""
    from ai_smartness.wiring import check_server, is_on_server

    if is_on_server(context.settings):
        return {"server": str(check_server(context.settings.store.url))}
    file = context.places.database
    return {"file": f"{file.name}, {size_text(file.stat().st_size)}"}


def _store_json(context: CliContext) -> dict[str, object]:
    from ai_smartness.wiring import is_on_server, store_name

    if is_on_server(context.settings):
        return {"server": store_name(context.places, context.settings)}
    file = context.places.database
    return {"file": file, "bytes": file.stat().st_size}


def _model_state(context: CliContext, state: "MemoryStatus") -> ModelState:
    name = context.settings.embedder.model
    if state.trouble:
        return ModelState(name, "broken", state.trouble)
    if context.missing_model:
        return ModelState(name, "missing", f"not downloaded yet: run `ais model pull {name}`")
    if state.space is None:
        return ModelState(name, "off", "search is by keyword only")
    return ModelState(name, "ready", f"ready, as {state.space}")


def _lost_events(context: CliContext) -> int:
    from ai_smartness.entrypoints.daemon.inbox import lost_events
    from ai_smartness.settings.paths import HomePaths

    return lost_events(HomePaths(str(context.places.home)).run)[0]


def _prompt_counts(context: CliContext) -> dict[str, object]:
    from ai_smartness.clients.hook_log import counted_prompts, prompts_json, read_hook_runs

    runs = read_hook_runs(context.places.home / "logs", context.project_name)
    return prompts_json(counted_prompts(runs))


def _connection_findings(context: CliContext) -> list["Finding"]:
    from ai_smartness.clients.registry import CLIENTS, TOOL_CLIENTS
    from ai_smartness.entrypoints.cli.doctor import connection_findings

    shown = {*SHOWN_CHECKS, *CLIENTS, *TOOL_CLIENTS}
    return [item for item in connection_findings(context) if item.check in shown]
