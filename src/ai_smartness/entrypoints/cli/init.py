"""`ais init`: set up the memory on this machine and connect the coding agent to it.

You can run it again at any time: it keeps what is there, adds what is missing, and replaces hooks
of an older version of ours.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ai_smartness.clients.client import CAPABILITIES
from ai_smartness.clients.registry import CLIENTS, DEFAULT_CLIENT, TOOL_CLIENTS, load_client
from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.import_ import import_, importable_files
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    print_note,
    print_table,
    progress_bar,
    safe_text,
)
from ai_smartness.entrypoints.cli.program_name import typed_program
from ai_smartness.model.errors import AisError, RefusedError, StoreError
from ai_smartness.model.search import USER_PROJECT

if TYPE_CHECKING:
    from ai_smartness.clients.client import Client, ClientPlan

__all__ = ["init"]

NEXT_STEPS = (
    ("tour", "try the memory in a temporary demo"),
    ("status", "see what it holds for this project"),
    ("search WORDS", "find earlier messages"),
)


@click.command(epilog="Example: ais init --user --dry-run")
@click.option("--user", is_flag=True, help="Connect Claude Code in all projects, not only here.")
@click.option(
    "--client",
    "clients",
    multiple=True,
    metavar="NAME",
    type=click.Choice([*CLIENTS, *TOOL_CLIENTS]),
    help="Connect this client; may be repeated. Default: every client found on this machine.",
)
@click.option(
    "--store",
    "url",
    metavar="URL",
    help="Keep the memory in this PostgreSQL database, postgresql://host/database.",
)
@click.option("--no-hooks", is_flag=True, help="Leave the clients' settings alone.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Answer yes to every question.")
@click.option(
    "--import/--no-import",
    "imports",
    default=None,
    help="Import earlier sessions, or don't, without asking.",
)
@pass_context
def init(
    context: CliContext,
    *,
    user: bool,
    clients: tuple[str, ...],
    no_hooks: bool,
    dry_run: bool,
    yes: bool,
    imports: bool | None,
    url: str | None,
) -> None:
    """This connects the coding agents on this machine.

    For Claude Code, the hooks go into the project's .claude/settings.local.json. That file is not
    meant to be committed, and the hooks contain paths of this machine. With --user they go into
    your own settings, for all projects. The tools are registered in the client's list of MCP
    servers, for this project or, with --user, for all. The other clients are connected in your own
    settings, for all projects. Existing entries stay as they are, and `ais uninstall` removes ours.

    If you agree, earlier sessions are imported, as with `ais import`.

    Without a network connection, search works by keyword until the model is downloaded.
    """
    if url is not None:
        from ai_smartness.entrypoints.cli.server_store import use_server

        use_server(context, url, dry_run=dry_run)
        # Read again, now that they name the server.
        context = context if dry_run else replace(context, printed_warnings=set())
    chosen = [] if no_hooks else _chosen_clients(context, clients)
    plans = [_install_plan(context, client, user=user) for client in chosen]
    if len(chosen) > 1 or clients:
        _print_clients(context, chosen)
    if dry_run:
        _print_dry_run(context, plans)
        return
    agreed = _agreed_plans(chosen, plans, yes=yes)
    _prepare_memory(context)
    for plan in plans:
        is_new = any(file.is_changed for file in plan.files)
        _connect_client(plan, agreed=plan in agreed)
        if plan in agreed:
            _offer_exclusion(plan, is_new=is_new, yes=yes)
    _prepare_model(context)
    _offer_import(context, wanted=imports, yes=yes)
    here = {
        plan.start_command
        for client, plan in zip(chosen, plans, strict=True)
        if client.find_program(context.environ).path is not None
    }
    _print_next_steps(context, agreed, here, user=user)


def _chosen_clients(context: CliContext, names: tuple[str, ...]) -> "list[Client]":
    """Return the clients that were named, or all on this machine, or else Claude Code."""
    if names:
        return [load_client(name) for name in dict.fromkeys(names)]
    every = [load_client(name) for name in CLIENTS]
    here = [client for client in every if client.find_program(context.environ).path is not None]
    return here or [load_client()]


def _install_plan(context: CliContext, client: "Client", *, user: bool) -> "ClientPlan":
    if not user and context.project_folder is None and client.name == DEFAULT_CLIENT:
        msg = (
            f"cannot connect `{context.project}`: only its name is known, not its folder. "
            "Give the folder with --project, or connect all projects with --user."
        )
        raise RefusedError(msg)
    return client.plan_install(context.install_target(everywhere=user))


def _print_clients(context: CliContext, clients: "list[Client]") -> None:
    """Print a table of the clients: which version, and what each can do with a memory."""
    rows = []
    for client in clients:
        version = client.find_program(context.environ).version
        marks = ["yes" if name in client.capabilities else "-" for name in CAPABILITIES]
        rows.append((client.title, str(version or "not found"), *marks))
    print_table(("client", "version", *CAPABILITIES), rows)


def _print_dry_run(context: CliContext, plans: "list[ClientPlan]") -> None:
    click.echo("dry run: nothing was changed.")
    _print_line("memory", _store_name(context))
    for plan in plans:
        _print_line("client", plan.title)
        for file in plan.files:
            if not file.is_changed:
                _print_line(file.label, f"already in {file.path}")
        for line in plan.diff_lines():
            click.echo(safe_text(line))


def _agreed_plans(
    clients: "list[Client]", plans: "list[ClientPlan]", *, yes: bool
) -> "list[ClientPlan]":
    """Ask once which clients' files may be changed, if there is anybody to ask."""
    files = [file for plan in plans for file in plan.files if file.is_changed]
    if not files or yes:
        return plans
    if not sys.stdin.isatty():
        return []
    if len(plans) == 1:
        additions = " and its ".join(f"{file.label} to {file.path}" for file in files)
        question = f"Add the memory's {safe_text(additions)}?"
        return plans if click.confirm(question, default=True) else []
    for file in files:
        _print_line(file.label, f"to {file.path}")
    names = [client.name for client in clients]
    answer = click.prompt(
        f"Connect which of {', '.join(names)}? Names, `all` or `none`",
        default="all",
        value_proc=lambda text: _named_clients(text, names),
    )
    return [plan for client, plan in zip(clients, plans, strict=True) if client.name in answer]


def _named_clients(text: str, names: list[str]) -> list[str]:
    """Read an answer that names clients."""
    words = text.replace(",", " ").lower().split()
    if words == ["all"]:
        return names
    unknown = [word for word in words if word not in (*names, "none")]
    if unknown or not words:
        msg = f"{' '.join(unknown) or 'nothing'} is not one of them."
        raise click.UsageError(msg)
    return [name for name in names if name in words]


def _store_name(context: CliContext) -> str:
    from ai_smartness.wiring import store_name

    return store_name(context.places, context.settings)


def _prepare_memory(context: CliContext) -> None:
    from ai_smartness.wiring import build_memory

    with build_memory(context.places, context.settings, USER_PROJECT):
        _print_line("memory", _store_name(context))
    context.record_environment()


def _connect_client(plan: "ClientPlan", *, agreed: bool) -> None:
    _print_line("client", plan.title)
    if not agreed:
        _print_line("hooks", "not connected")
        print_note("run `ais init --yes` to connect the client without a question")
        return
    for label, line in plan.apply():
        if label == "note":
            print_note(line)
        else:
            _print_line(label, line)


def _offer_exclusion(plan: "ClientPlan", *, is_new: bool, yes: bool) -> None:
    """Offer to keep the settings of this machine out of git; asked once, when we connect."""
    name = plan.committable
    if not name:
        return
    question = f"Keep {name} out of git in this clone, by a line in .git/info/exclude?"
    can_ask = is_new and sys.stdin.isatty()
    exclude = None
    if yes or (can_ask and click.confirm(question, default=True)):
        exclude = plan.exclude_from_git()
    if exclude is not None:
        _print_line("git", f"{name} is left out, by {exclude}")
    else:
        note = f"add {name} to .gitignore: it names folders of this machine"
        print_note(note)


def _prepare_model(context: CliContext) -> None:
    from ai_smartness.wiring import local_models

    chosen = context.settings.embedder
    known = [card.name for card in local_models(context.places).model_cards()]
    if chosen.model not in known:
        _print_line("model", f"{chosen.model}, as you have set it")
        return
    _download_model(context, chosen.model, "until it is downloaded, search is by keyword")
    if chosen.languages in known:
        without = "until it is downloaded, questions in other languages find less"
        _download_model(context, chosen.languages, without)


def _download_model(context: CliContext, name: str, without: str) -> None:
    """Download a model; a memory without it finds less, so a failure is only told."""
    from ai_smartness.wiring import local_models

    try:
        with progress_bar("downloading the model", is_transfer=True) as progress:
            is_new = local_models(context.places).pull_model(name, progress, print_note)
    except StoreError as error:
        _print_line("model", f"{name} is missing; {without}")
        print_note(str(error))
    else:
        state = "downloaded and verified" if is_new else "here already and intact"
        _print_line("model", f"{name}, {state}")


def _offer_import(context: CliContext, *, wanted: bool | None, yes: bool) -> None:
    """Import earlier sessions if the user agrees; whatever happens to them, init goes on.

    `yes` answers the question; where nobody can be asked, there is none.
    """
    if wanted is False:
        return
    try:
        summary = _import_summary(context)
        if not summary:
            return
        if wanted or _is_import_agreed(summary, yes=yes):
            click.get_current_context().invoke(import_)
        else:
            _print_line("past", f"{summary}: `ais import` imports them")
    except click.exceptions.Exit:
        # The import has reported itself which files it could not read.
        return
    except (AisError, OSError) as error:
        _print_line("past", "not imported; run `ais import` to try again")
        print_note(str(error))


def _import_summary(context: CliContext) -> str:
    """Describe the files to import on one line; empty if there are none."""
    formats = importable_files(context)
    count = sum(entry.files for entry in formats)
    if not count:
        return ""
    names = ", ".join(entry.format for entry in formats)
    megabytes = sum(entry.size for entry in formats) / 1e6
    return f"{counted_noun(count, 'file')} of {names}, {megabytes:,.1f} MB"


def _is_import_agreed(summary: str, *, yes: bool) -> bool:
    if not sys.stdin.isatty():
        return False
    return yes or click.confirm(f"Import earlier sessions ({summary})?", default=True)


def _print_next_steps(
    context: CliContext, plans: "list[ClientPlan]", here: set[str], *, user: bool
) -> None:
    """Print what to do next; first of all start the client, if it is connected."""
    where = _start_folder(context, user=user)
    commands = [plan.start_command for plan in plans if plan.start_command]
    verbs = {True: "start it", False: "install it, and start it"}
    start = [
        (command, f"{verbs[command in here]} in {where}: it has a memory now")
        for command in commands
    ]
    program = typed_program(context.environ)
    steps = [(f"{program} {command}", purpose) for command, purpose in NEXT_STEPS]
    click.echo("\nNext:")
    for command, purpose in (*start, *steps):
        click.echo(f"  {command:<18}  {safe_text(purpose)}")


def _start_folder(context: CliContext, *, user: bool) -> str:
    if user:
        return "any project"
    folder = context.project_folder
    return "this folder" if folder is None or folder.root == Path.cwd() else str(folder.root)


def _print_line(label: str, value: object) -> None:
    click.echo(f"{label:<8}{safe_text(str(value))}")
