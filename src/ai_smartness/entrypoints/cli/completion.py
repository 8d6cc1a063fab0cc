"""`ais completion`: the shell's completion script, and the values that it completes.

The shell asks at every press of a key: where there is nothing to complete, or something is wrong,
the answer is empty. Opening the memory takes half a second, so threads and statements are read
directly from its file.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from ai_smartness.adapters.sqlite.stored_ids import STATEMENTS, THREADS, recent_ids
from ai_smartness.entrypoints.cli.cli_context import CliContext, resolved_project
from ai_smartness.entrypoints.cli.options import TEXT
from ai_smartness.entrypoints.cli.output import safe_text
from ai_smartness.model.errors import AisError, RefusedError

__all__ = [
    "completion",
    "model_names",
    "setting_names",
    "statement_ids",
    "thread_argument",
    "thread_ids",
]

COMPLETION_VARIABLE = "_AIS_COMPLETE"
"""The script asks through this variable; click derives it from the name of the program."""

ALIAS_SCRIPTS = {
    "bash": "complete -o nosort -F _ais_completion ai",
    "zsh": "(( $+functions[compdef] )) && compdef _ais_completion ai",
    "fish": 'complete --no-files --command ai --arguments "(_ais_completion)";',
}
"""Make the script complete `ai` too, which is another name of `ais`."""

INSTALL_STEPS = {
    "bash": """\
mkdir -p ~/.local/share/bash-completion/completions
ais completion bash > ~/.local/share/bash-completion/completions/ais""",
    "zsh": """\
echo 'eval "$(ais completion zsh)"' >> ~/.zshrc""",
    "fish": """\
mkdir -p ~/.config/fish/completions
ais completion fish > ~/.config/fish/completions/ais.fish""",
}

MAX_OFFERED_IDS = 100


@click.command(epilog="Example: ais completion zsh")
@click.argument("shell", type=click.Choice([*INSTALL_STEPS]), required=False)
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script for SHELL: it completes commands, options, ids and settings.

    Without a shell, say how to install the script for yours.
    """
    if shell is None:
        _print_install_steps(os.environ.get("SHELL", ""))
        return
    script = get_completion_class(shell)
    if script is None:
        msg = f"this version of click has no completion for {shell}. Update click."
        raise RefusedError(msg)
    click.echo(script(ctx.find_root().command, {}, "ais", COMPLETION_VARIABLE).source())
    click.echo(ALIAS_SCRIPTS[shell])


def _print_install_steps(program: str) -> None:
    current = program.rpartition("/")[2]
    shells = [current] if current in INSTALL_STEPS else [*INSTALL_STEPS]
    for shell in shells:
        click.echo(f"For {shell}, run this once, then open a new shell:\n")
        click.echo("".join(f"  {line}\n" for line in INSTALL_STEPS[shell].splitlines()))
    others = [shell for shell in INSTALL_STEPS if shell not in shells]
    if others:
        click.echo(f"`ais completion {others[0]}` and `{others[1]}` print the other scripts.")


def thread_ids(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the id of a thread, with its title; the most recent ones come first."""
    return _stored_items(ctx, THREADS, incomplete)


def statement_ids(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the id of a statement, with its text; those in force come first."""
    return _stored_items(ctx, STATEMENTS, incomplete)


thread_argument = click.argument("thread_id", metavar="ID", type=TEXT, shell_complete=thread_ids)


def _stored_items(ctx: click.Context, which: str, prefix: str) -> list[CompletionItem]:
    from ai_smartness.settings.paths import memory_paths

    context = _typed_context(ctx)

    def project_of(known: Sequence[str]) -> str:
        return resolved_project(_project_name(context), known)

    try:
        paths = memory_paths(context.home, None, context.environ)
        # A shell does not wait for a server: what it has copied here is offered.
        file = paths.read_copy if paths.server_mark.exists() else paths.database
        rows = recent_ids(file, which, project_of, prefix, MAX_OFFERED_IDS)
    except (AisError, OSError):
        return []
    # The shells' scripts take one line for one item.
    return [
        CompletionItem(id_, help=safe_text(" ".join((text or "no title yet").split())))
        for id_, text in rows
    ]


def _project_name(context: CliContext) -> str:
    from ai_smartness.clients.project import project_at
    from ai_smartness.settings.paths import memory_home

    project = context.project
    if project and not Path(project).is_dir():
        return project
    return project_at(project or ".", str(memory_home(context.home, context.environ))).name


def setting_names(
    _ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a setting."""
    from ai_smartness.settings.setting import SETTINGS

    return _matching_items(SETTINGS, incomplete)


def model_names(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a model of the catalogue."""
    from ai_smartness.wiring import local_models

    try:
        cards = local_models(_typed_context(ctx).places).model_cards()
    except (AisError, OSError):
        return []
    return _matching_items([card.name for card in cards], incomplete)


def _typed_context(ctx: click.Context) -> CliContext:
    """Read the options before the command as they were typed: no command has run yet."""
    options = ctx.find_root().params
    return CliContext(home=options.get("home"), project=options.get("project"))


def _matching_items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
