"""`ais completion`: the script by which a shell completes `ais`, and how to install it."""

import os

import click
from click.shell_completion import get_completion_class

from ai_smartness.model.errors import RefusedError

__all__ = ["completion"]

VARIABLE = "_AIS_COMPLETE"
"""By which the script asks: click derives it from the name of the program."""

SECOND_NAME = {
    "bash": "complete -o nosort -F _ais_completion ai",
    "zsh": "(( $+functions[compdef] )) && compdef _ais_completion ai",
    "fish": 'complete --no-files --command ai --arguments "(_ais_completion)";',
}
"""What makes the script good for `ai` too, which is `ais` by another name."""

INSTALL = {
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
@click.argument("shell", type=click.Choice([*INSTALL]), required=False)
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script by which SHELL completes commands, options and ids of threads.

    Without a shell, say how to install it for yours.
    """
    if shell is None:
        _print_how_to(os.environ.get("SHELL", ""))
        return
    made = get_completion_class(shell)
    if made is None:
        msg = f"this version of click has no completion for {shell}. Update click."
        raise RefusedError(msg)
    click.echo(made(ctx.find_root().command, {}, "ais", VARIABLE).source())
    click.echo(SECOND_NAME[shell])


def _print_how_to(program: str) -> None:
    yours = program.rpartition("/")[2]
    known = [yours] if yours in INSTALL else [*INSTALL]
    for shell in known:
        click.echo(f"For {shell}, run this once, then open a new shell:\n")
        click.echo("".join(f"  {line}\n" for line in INSTALL[shell].splitlines()))
    others = [shell for shell in INSTALL if shell not in known]
    if others:
        click.echo(f"`ais completion {others[0]}` and `{others[1]}` print the other scripts.")
