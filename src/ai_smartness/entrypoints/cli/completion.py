"""`ais completion`: the script by which a shell completes `ais`, and how to install it.

What a shell completes beside commands and options: ids of threads, settings, models.

It is asked at every press of a key: where there is nothing to say, or something is wrong, it
says nothing. Opening the memory takes half a second, so threads are read from its file as it is.
"""

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from ai_smartness.entrypoints.cli.cli_context import CliContext, resolved_project
from ai_smartness.entrypoints.cli.output import safe_text
from ai_smartness.model.errors import AisError, RefusedError

__all__ = ["completion", "model_names", "setting_names", "thread_ids"]


COMPLETION_VARIABLE = "_AIS_COMPLETE"
"""By which the script asks: click derives it from the name of the program."""

ALIAS_SCRIPTS = {
    "bash": "complete -o nosort -F _ais_completion ai",
    "zsh": "(( $+functions[compdef] )) && compdef _ais_completion ai",
    "fish": 'complete --no-files --command ai --arguments "(_ais_completion)";',
}
"""What makes the script good for `ai` too, which is `ais` by another name."""

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


@click.command(epilog="Example: ais completion zsh")
@click.argument("shell", type=click.Choice([*INSTALL_STEPS]), required=False)
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script by which SHELL completes commands, options and ids of threads.

    Without a shell, say how to install it for yours.
    """
    if shell is None:
        _print_install_steps(os.environ.get("SHELL", ""))
        return
    made = get_completion_class(shell)
    if made is None:
        msg = f"this version of click has no completion for {shell}. Update click."
        raise RefusedError(msg)
    click.echo(made(ctx.find_root().command, {}, "ais", COMPLETION_VARIABLE).source())
    click.echo(ALIAS_SCRIPTS[shell])


def _print_install_steps(program: str) -> None:
    yours = program.rpartition("/")[2]
    known = [yours] if yours in INSTALL_STEPS else [*INSTALL_STEPS]
    for shell in known:
        click.echo(f"For {shell}, run this once, then open a new shell:\n")
        click.echo("".join(f"  {line}\n" for line in INSTALL_STEPS[shell].splitlines()))
    others = [shell for shell in INSTALL_STEPS if shell not in known]
    if others:
        click.echo(f"`ais completion {others[0]}` and `{others[1]}` print the other scripts.")


MAX_THREADS = 100

RECENT_THREADS_SQL = """
    SELECT threads.id, threads.title
    FROM threads JOIN projects ON projects.id = threads.project_id
    WHERE projects.name = ? AND substr(threads.id, 1, ?) = ?
    ORDER BY threads.last_active DESC, threads.id DESC
    LIMIT ?
"""


def thread_ids(
    ctx: click.Context,
    _parameter: click.Parameter,
    incomplete: str,
) -> list[CompletionItem]:
    """Complete the id of a thread, with its title; those spoken of last come first."""
    from ai_smartness.settings.paths import memory_paths

    context = _typed_context(ctx)
    try:
        database = memory_paths(context.home, None, context.environ).database
        found = _recent_threads(context, database, incomplete)
    except (AisError, OSError, sqlite3.Error):
        return []
    return [CompletionItem(id_, help=_one_line(title or "no title yet")) for id_, title in found]


def _recent_threads(context: CliContext, database: Path, start: str) -> list[tuple[str, str]]:
    # Only to be read: looking must not be what makes a memory.
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as file:
        known = [name for (name,) in file.execute("SELECT name FROM projects")]
        project = resolved_project(_project_name(context), known)
        return file.execute(
            RECENT_THREADS_SQL,
            (project, len(start), start, MAX_THREADS),
        ).fetchall()


def _project_name(context: CliContext) -> str:
    from ai_smartness.clients.project import project_at

    given = context.project
    is_name = given is not None and not Path(given).is_dir()
    return given if is_name and given else project_at(given or ".").name


def setting_names(
    _ctx: click.Context,
    _parameter: click.Parameter,
    incomplete: str,
) -> list[CompletionItem]:
    """Complete the name of a setting."""
    from ai_smartness.settings.setting import SETTINGS

    return _matching_items(SETTINGS, incomplete)


def model_names(
    ctx: click.Context,
    _parameter: click.Parameter,
    incomplete: str,
) -> list[CompletionItem]:
    """Complete the name of a model of the catalogue."""
    from ai_smartness.wiring import local_models

    try:
        cards = local_models(_typed_context(ctx).places).model_cards()
    except (AisError, OSError):
        return []
    return _matching_items([card.name for card in cards], incomplete)


def _typed_context(ctx: click.Context) -> CliContext:
    """Take the options before the command as they were typed: nothing has run yet."""
    given = ctx.find_root().params
    return CliContext(home=given.get("home"), project=given.get("project"))


def _matching_items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _one_line(title: str) -> str:
    # The scripts of the shells take one line for one thing.
    return safe_text(" ".join(title.split()))
