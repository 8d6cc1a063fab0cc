"""`ais doctor`: check the memory, its settings, the model and the client.

It changes nothing, and goes on whatever it finds. Every problem comes with its fix.
"""

from collections.abc import Iterator
from dataclasses import replace

import click

from ai_smartness.clients.client import InstallTarget
from ai_smartness.clients.hook_log import read_hook_runs
from ai_smartness.clients.registry import CLIENTS, load_client
from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import print_json, print_table, progress_bar
from ai_smartness.entrypoints.cli.program_name import other_short_program, typed_program
from ai_smartness.entrypoints.setup_checks import (
    CheckedSetup,
    Finding,
    all_findings,
    check_daemon,
    client_findings,
    run_check,
)
from ai_smartness.model.errors import StoreError
from ai_smartness.settings.load import gather_settings

__all__ = ["Finding", "connection_findings", "doctor"]

STATE_STYLES = {"ok": "green", "problem": "bold red"}


PROVE_HELP = (
    "Start each connected client for one prompt and see that it runs our hook: without a model or "
    "an account, and nothing is captured. Also say when each hook last ran."
)


@click.command(epilog="Example: ais doctor --json")
@click.option("--prove", is_flag=True, help=PROVE_HELP)
@json_option
@click.pass_context
def doctor(ctx: click.Context, *, prove: bool, as_json: bool) -> None:
    """The exit code is 1 if there is a problem."""
    context = ctx.ensure_object(CliContext)
    links_problem = _links_problem(context)
    if links_problem:
        context = replace(context, has_links=False)
    loaded = gather_settings(context.places, context.environ)
    context.print_warnings(loaded.warnings)
    setup = CheckedSetup(context.places, loaded, context.project_name, context.install_target())
    findings = [Finding("projects", ok=False, found=links_problem)] if links_problem else []
    findings += [run_check("command", _check_program, setup)]
    findings += all_findings(setup, start_server=True)
    findings += _hook_proofs(setup.target) if prove else ()
    if as_json:
        print_json([finding._asdict() for finding in findings])
    else:
        rows = [("ok" if item.ok else "problem", item.check, item.found) for item in findings]
        print_table(("", "check", "found"), rows, styles=STATE_STYLES)
    if not all(finding.ok for finding in findings):
        ctx.exit(1)


def _links_problem(context: CliContext) -> str:
    """Say that the user's links between projects are broken; empty if they are not."""
    try:
        _ = context.project_folder
    except StoreError as error:
        return str(error)
    return ""


def _hook_proofs(target: InstallTarget) -> Iterator[Finding]:
    """Start every client that is connected here, and say when each of its hooks last ran."""
    from ai_smartness.entrypoints.cli.prove_hooks import prove_hooks

    runs = read_hook_runs(target.home / "logs", target.project_name)
    clients = [load_client(name) for name in CLIENTS]
    connected = {
        client.name
        for client in clients
        if any(not file.is_changed for file in client.plan_install(target).files)
    }
    for client in clients:
        name, proof = client.name, None
        if name in connected:
            with progress_bar(f"starting {client.title}"):
                proof = prove_hooks(client, target)
        if proof is not None:
            yield Finding(*proof)
        last = {run.event: run.at for run in runs if run.client == name and run.event != "none"}
        if last:
            times = ", ".join(f"{event} at {at}" for event, at in last.items())
            yield Finding(f"{name} runs", ok=True, found=f"last: {times}")
        elif name in connected and proof is None:
            found = f"{client.title} has our hooks, and none has run here yet. Start it once."
            yield Finding(f"{name} runs", ok=False, found=found)


def connection_findings(context: CliContext) -> Iterator[Finding]:
    """Check the client's connection and the daemon, for `ais status`."""
    target = context.install_target()
    setup = CheckedSetup(context.places, context.loaded_settings, context.project_name, target)
    yield from client_findings(target, start_server=False)
    yield run_check("daemon", check_daemon, setup)


def _check_program(setup: CheckedSetup) -> str:
    """Say how to call this program, and whether its other name `ai` starts something else."""
    typed = typed_program(setup.target.environ)
    known = typed if typed == "ais" else f"{typed}; `ais` is not on your PATH"
    other = other_short_program(setup.target.environ)
    return f"{known}; `ai` is another program here, {other}" if other else known
