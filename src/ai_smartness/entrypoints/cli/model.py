"""`ais model`: see, get and choose the model that text is embedded with.

A model is chosen only when everything is embedded with it. Until then, and
after whatever goes wrong, every search goes on with the one before.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.completed import model_names
from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, ListFirst, pass_context
from ai_smartness.entrypoints.cli.output import print_json, print_table, progress, visible
from ai_smartness.entrypoints.cli.status import counted
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.found import EVERYWHERE
from ai_smartness.settings import Layer, Settings, gathered, known

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["model"]

SETTING = "embedder.model"
NO_MODEL = "none"
SERVERS = ("http://", "https://")
PROBE = "The keys are rotated every month."


class Entry(NamedTuple):
    """One model as it is listed."""

    name: str
    description: str
    licence: str | None
    size: int | None
    dimension: int | None
    pulled: bool
    in_use: bool

    @property
    def state(self) -> str:
        """Say in a word or two how it stands."""
        if self.in_use:
            return "in use" if self.pulled or self.size is None else "in use, not pulled"
        return "pulled" if self.pulled else ""


@click.group(cls=ListFirst, epilog="Example: ais model use arctic-embed-s")
def model() -> None:
    """See, get and choose the embedding model.

    Without a subcommand, list the models.
    """


@model.command("list", epilog="Example: ais model list --json")
@as_json
@pass_context
def list_all(context: Context, *, as_json: bool) -> None:
    """List the models of the catalogue, and the one in use."""
    entries = _entries(context)
    if as_json:
        print_json([entry._asdict() for entry in entries])
        return
    from rich.filesize import decimal  # noqa: PLC0415 - not for --help

    print_table(
        ("name", "size", "dimension", "licence", "state", "description"),
        [
            (
                entry.name,
                "" if entry.size is None else decimal(entry.size),
                entry.dimension or "",
                entry.licence or "",
                entry.state,
                entry.description,
            )
            for entry in entries
        ],
    )


@model.command(epilog="Example: ais model pull arctic-embed-s")
@click.argument("name", shell_complete=model_names)
@pass_context
def pull(context: Context, name: str) -> None:
    """Get the model NAME of the catalogue; what is here already is only verified."""
    _pull(context, name)
    click.echo(f"{name} is here and verified.")


@model.command(epilog="Example: ais model use http://localhost:11434/v1#nomic-embed-text")
@click.argument("choice", shell_complete=model_names)
@click.option("--keep-old", is_flag=True, help="Keep the vectors of other models, to go back soon.")
@pass_context
def use(context: Context, choice: str, *, keep_old: bool) -> None:
    """Embed with CHOICE from now on.

    CHOICE is a name of the catalogue, a folder with a model, a server as
    `http(s)://host/v1#model`, or `none` to search by words alone.

    Every message is embedded with it first. Until that is done searches go on
    with the model before; an interruption loses nothing, the same command
    goes on where it stopped.
    """
    from ai_smartness.settings.edit import put  # noqa: PLC0415 - the editor is slow to import
    from ai_smartness.wiring import model_shelf, wired  # noqa: PLC0415 - not for --help

    choice = _lasting(context, choice)
    if model_shelf(context.places).lacks(choice):
        _pull(context, choice)
    with wired(context.places, _with_model(context.settings, choice), EVERYWHERE) as memory:
        space = _probed(memory, choice)
        embedded = _embedded(memory)
        file = put(context.places, Layer.USER, SETTING, choice)
        if space is not None:
            click.echo(f"{counted(embedded, 'message')} embedded.")
        click.echo(visible(f"{SETTING} is {choice} from now on, in {file}."))
        if not keep_old and _in_force(context, choice):
            dropped = memory.drop_vectors(but=space)
            click.echo(f"{counted(dropped, 'vector')} of other models dropped.")


@model.command(epilog="Example: ais model remove all-minilm-l6-v2")
@click.argument("name", shell_complete=model_names)
@click.option("--force", is_flag=True, help="Even if it is the one in use.")
@pass_context
def remove(context: Context, name: str, *, force: bool) -> None:
    """Delete the files of the model NAME; the vectors made with it stay."""
    from ai_smartness.wiring import model_shelf  # noqa: PLC0415 - not for --help

    shelf = model_shelf(context.places)
    here = shelf.has(name)
    if name == context.settings.embedder.model and not force:
        msg = (
            f"cannot remove {name}: it is the model in use. Choose another one first with "
            "`ais model use`, or add --force to search by words alone until it is pulled again."
        )
        raise RefusedError(msg)
    shelf.remove(name)
    if shelf.has(name):
        msg = f"cannot remove {name}: its files in {context.places.cache} may not be deleted."
        raise StoreError(msg)
    click.echo(f"{name} is removed." if here else f"{name} was not here.")


def _entries(context: Context) -> list[Entry]:
    from ai_smartness.wiring import model_shelf  # noqa: PLC0415 - not for --help

    shelf, chosen = model_shelf(context.places), context.settings.embedder.model
    entries = [
        Entry(
            name=card.name,
            description=card.description,
            licence=card.licence,
            size=card.size,
            dimension=card.dimension,
            pulled=shelf.has(card.name),
            in_use=card.name == chosen,
        )
        for card in shelf.cards()
    ]
    if not any(entry.in_use for entry in entries):
        entries.append(Entry(chosen, _kind(chosen), None, None, None, pulled=False, in_use=True))
    return entries


def _kind(choice: str) -> str:
    if choice == NO_MODEL:
        return "Search is by words alone."
    return "A server." if choice.startswith(SERVERS) else "A folder of your own."


def _pull(context: Context, name: str) -> None:
    from ai_smartness.wiring import pull_model  # noqa: PLC0415 - not for --help

    with progress("pulling the model") as told:
        pull_model(context.places, name, told)


def _lasting(context: Context, choice: str) -> str:
    """Return the choice as it must be written down to mean the same from every folder."""
    from ai_smartness.wiring import model_shelf  # noqa: PLC0415 - not for --help

    names = [card.name for card in model_shelf(context.places).cards()]
    if choice not in (*names, NO_MODEL) and not choice.startswith(SERVERS):
        choice = _absolute(choice)
    return str(known(SETTING).parsed(choice))


def _absolute(choice: str) -> str:
    try:
        folder = Path(choice).expanduser()
        return str(folder.absolute()) if folder.is_dir() else choice
    except (OSError, RuntimeError) as barred:
        msg = f"cannot use {choice} as a folder: it is out of reach. Give one that you may read."
        raise RefusedError(msg) from barred


def _with_model(settings: Settings, choice: str) -> Settings:
    return replace(settings, embedder=replace(settings.embedder, model=choice))


def _probed(memory: "Memory", choice: str) -> str | None:
    """Embed one sentence to be sure that the model works, and name its space."""
    embedder = memory.embedder
    if embedder is None:
        return None
    vector = embedder.documents([PROBE])[0][0]
    if not float(vector @ vector) > 0:
        msg = f"cannot embed with {choice}: its vectors have no length. Choose another model."
        raise StoreError(msg)
    return embedder.space


def _embedded(memory: "Memory") -> int:
    """Embed what is not embedded yet, project by project, and return how many messages."""
    embedded, projects = 0, memory.projects()
    for number, each in enumerate(projects, 1):
        with progress(f"embedding project {number} of {len(projects)}") as told:
            embedded += memory.seen_from(each.project).embed(progress=told)
    return embedded


def _in_force(context: Context, choice: str) -> bool:
    """Tell whether the choice counts, or else say what overrides it."""
    loaded = gathered(context.places, context.environ)
    if loaded.value(SETTING) == choice:
        return True
    origin = visible(str(loaded.origin(SETTING)))
    click.echo(f"warning: {origin} says otherwise, and wins; no vectors are dropped", err=True)
    return False
