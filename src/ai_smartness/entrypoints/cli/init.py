"""`ais init`: prepare the memory on this machine.

It may be run again at any time: what is there stays, what is missing is added.
"""

import click

from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.output import progress, visible
from ai_smartness.model.errors import StoreError
from ai_smartness.model.found import EVERYWHERE

__all__ = ["init"]

NEXT = """
Next:
  ais tour            see it at work, on a throw-away memory
  ais status          see what it holds of this project
  ais search WORDS    find what was said"""


@click.command(epilog="Example: ais --home ~/second-memory init")
@pass_context
def init(context: Context) -> None:
    """Prepare the memory on this machine: its folder, its file, its model.

    Without a connection it works by words alone until the model is pulled.
    """
    from ai_smartness.wiring import wired  # noqa: PLC0415 - not for --help

    with wired(context.places, context.settings, EVERYWHERE):
        click.echo(f"memory  {visible(str(context.places.database))}")
    _prepare_model(context)
    click.echo(NEXT)


def _prepare_model(context: Context) -> None:
    from ai_smartness.wiring import model_shelf, pull_model  # noqa: PLC0415 - not for --help

    name = context.settings.embedder.model
    if name not in (card.name for card in model_shelf(context.places).cards()):
        click.echo(f"model   {visible(name)}, as you have set it")
        return
    try:
        with progress("pulling the model") as told:
            pull_model(context.places, name, told)
    except StoreError as unreachable:
        # A memory without a model is one that finds by words, not a failure.
        click.echo(f"model   {name} is not here; until it is, everything works by words alone")
        click.echo(f"note: {visible(str(unreachable))}", err=True)
    else:
        click.echo(f"model   {name}, here and verified")
