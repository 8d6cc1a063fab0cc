"""`ais model`: see, get and choose the model that text is embedded with.

A model is chosen only when everything is embedded with it. Until then, and
after whatever goes wrong, every search goes on with the one before.

`ais reindex`: build what follows from the messages anew, or catch up with embedding.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, ListByDefaultGroup, pass_context
from ai_smartness.entrypoints.cli.completion import model_names
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import print_json, print_table, progress_bar, safe_text
from ai_smartness.entrypoints.cli.status import counted_noun
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.search import USER_PROJECT
from ai_smartness.settings.load import gather_settings
from ai_smartness.settings.schema import Settings
from ai_smartness.settings.setting import Layer, known_setting

if TYPE_CHECKING:
    from ai_smartness.memory import Memory


__all__ = ["model", "reindex"]


MODEL_SETTING = "embedder.model"
NO_MODEL = "none"
SERVER_PREFIXES = ("http://", "https://")
PROBE_TEXT = "The keys are rotated every month."


class ModelEntry(NamedTuple):
    """One model as it is listed."""

    name: str
    description: str
    licence: str | None
    size: int | None
    dimension: int | None
    pulled: bool
    in_use: bool

    @property
    def state_text(self) -> str:
        """Say in a word or two how it stands."""
        if self.in_use:
            return "in use" if self.pulled or self.size is None else "in use, not pulled"
        return "pulled" if self.pulled else ""


@click.group(cls=ListByDefaultGroup, epilog="Example: ais model use arctic-embed-s")
def model() -> None:
    """See, get and choose the embedding model.

    Without a subcommand, list the models.
    """


@model.command("list", epilog="Example: ais model list --json")
@json_option
@pass_context
def list_all(context: CliContext, *, as_json: bool) -> None:
    """List the models of the catalogue, and the one in use."""
    entries = _model_entries(context)
    if as_json:
        print_json([entry._asdict() for entry in entries])
        return
    from rich.filesize import decimal

    print_table(
        ("name", "size", "dimension", "licence", "state", "description"),
        [
            (
                entry.name,
                "" if entry.size is None else decimal(entry.size),
                entry.dimension or "",
                entry.licence or "",
                entry.state_text,
                entry.description,
            )
            for entry in entries
        ],
    )


@model.command(epilog="Example: ais model pull arctic-embed-s")
@click.argument("name", shell_complete=model_names)
@pass_context
def pull(context: CliContext, name: str) -> None:
    """Get the model NAME of the catalogue; what is here already is only verified."""
    _pull_model(context, name)
    click.echo(f"{name} is here and verified.")


@model.command(epilog="Example: ais model use http://localhost:11434/v1#nomic-embed-text")
@click.argument("choice", shell_complete=model_names)
@click.option("--keep-old", is_flag=True, help="Keep the vectors of other models, to go back soon.")
@pass_context
def use(context: CliContext, choice: str, *, keep_old: bool) -> None:
    """Embed with CHOICE from now on.

    CHOICE is a name of the catalogue, a folder with a model, a server as
    `http(s)://host/v1#model`, or `none` to search by words alone.

    Every message is embedded with it first. Until that is done searches go on
    with the model before; an interruption loses nothing, the same command
    goes on where it stopped.
    """
    from ai_smartness.settings.edit import write_value
    from ai_smartness.wiring import build_memory, local_models

    choice = _absolute_choice(context, choice)
    if local_models(context.places).is_unpulled(choice):
        _pull_model(context, choice)
    with build_memory(
        context.places,
        _with_model(context.settings, choice),
        USER_PROJECT,
    ) as memory:
        space = _probed_space(memory, choice)
        embedded = _embed_all(memory)
        file = write_value(context.places, Layer.USER, MODEL_SETTING, choice)
        if space is not None:
            click.echo(f"{counted_noun(embedded, 'message')} embedded.")
        click.echo(safe_text(f"{MODEL_SETTING} is {choice} from now on, in {file}."))
        if not keep_old and _is_in_force(context, choice):
            dropped = memory.drop_vectors(but=space)
            click.echo(f"{counted_noun(dropped, 'vector')} of other models dropped.")


@model.command(epilog="Example: ais model remove all-minilm-l6-v2")
@click.argument("name", shell_complete=model_names)
@click.option("--force", is_flag=True, help="Even if it is the one in use.")
@pass_context
def remove(context: CliContext, name: str, *, force: bool) -> None:
    """Delete the files of the model NAME; the vectors made with it stay."""
    from ai_smartness.wiring import local_models

    shelf = local_models(context.places)
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


def _model_entries(context: CliContext) -> list[ModelEntry]:
    from ai_smartness.wiring import local_models

    shelf, chosen = local_models(context.places), context.settings.embedder.model
    entries = [
        ModelEntry(
            name=card.name,
            description=card.description,
            licence=card.licence,
            size=card.size,
            dimension=card.dimension,
            pulled=shelf.has(card.name),
            in_use=card.name == chosen,
        )
        for card in shelf.model_cards()
    ]
    if not any(entry.in_use for entry in entries):
        entries.append(
            ModelEntry(chosen, _model_kind(chosen), None, None, None, pulled=False, in_use=True),
        )
    return entries


def _model_kind(choice: str) -> str:
    if choice == NO_MODEL:
        return "Search is by words alone."
    return "A server." if choice.startswith(SERVER_PREFIXES) else "A folder of your own."


def _pull_model(context: CliContext, name: str) -> None:
    from ai_smartness.wiring import pull_model

    with progress_bar("pulling the model") as told:
        pull_model(context.places, name, told)


def _absolute_choice(context: CliContext, choice: str) -> str:
    """Return the choice as it must be written down to mean the same from every folder."""
    from ai_smartness.wiring import local_models

    names = [card.name for card in local_models(context.places).model_cards()]
    if choice not in (*names, NO_MODEL) and not choice.startswith(SERVER_PREFIXES):
        choice = _absolute_folder(choice)
    return str(known_setting(MODEL_SETTING).parsed_value(choice))


def _absolute_folder(choice: str) -> str:
    try:
        folder = Path(choice).expanduser()
        return str(folder.absolute()) if folder.is_dir() else choice
    except (OSError, RuntimeError) as barred:
        msg = f"cannot use {choice} as a folder: it is out of reach. Give one that you may read."
        raise RefusedError(msg) from barred


def _with_model(settings: Settings, choice: str) -> Settings:
    return replace(settings, embedder=replace(settings.embedder, model=choice))


def _probed_space(memory: "Memory", choice: str) -> str | None:
    """Embed one sentence to be sure that the model works, and name its space."""
    embedder = memory.embedder
    if embedder is None:
        return None
    vector = embedder.documents([PROBE_TEXT])[0][0]
    if not float(vector @ vector) > 0:
        msg = f"cannot embed with {choice}: its vectors have no length. Choose another model."
        raise StoreError(msg)
    return embedder.space


def _embed_all(memory: "Memory") -> int:
    """Embed what is not embedded yet, project by project, and return how many messages."""
    embedded, projects = 0, memory.projects()
    for number, each in enumerate(projects, 1):
        with progress_bar(f"embedding project {number} of {len(projects)}") as told:
            embedded += memory.seen_from(each.project).embed(progress=told)
    return embedded


def _is_in_force(context: CliContext, choice: str) -> bool:
    """Tell whether the choice counts, or else say what overrides it."""
    loaded = gather_settings(context.places, context.environ)
    if loaded.value_of(MODEL_SETTING) == choice:
        return True
    origin = safe_text(str(loaded.value_origin(MODEL_SETTING)))
    click.echo(f"warning: {origin} says otherwise, and wins; no vectors are dropped", err=True)
    return False


@click.command(epilog="Example: ais reindex --missing --all-projects")
@click.option("--missing", is_flag=True, help="Only embed what is not embedded yet.")
@click.option("--keep-vectors", is_flag=True, help="Rebuild words and descriptions only.")
@click.option("--all-projects", is_flag=True, help="Every project in place of this one.")
@pass_context
def reindex(context: CliContext, *, missing: bool, keep_vectors: bool, all_projects: bool) -> None:
    """Build everything that follows from the messages anew.

    Words, descriptions and vectors; the messages themselves never change. It
    can be interrupted: `--missing` goes on with the vectors where it stopped.
    """
    if missing and keep_vectors:
        msg = "--missing embeds and --keep-vectors does not: choose one of them."
        raise click.UsageError(msg)
    if not keep_vectors:
        _require_model(context, needed=missing)
    with context.open_memory() as memory:
        names = [each.project for each in memory.projects()] if all_projects else [memory.project]
        for name in names:
            here = memory.seen_from(name)
            click.echo(
                f"{safe_text(name)}: {_rebuild_project(here, missing, vectors=not keep_vectors)}",
            )
        if not names:
            click.echo("This memory is empty: there is nothing to rebuild.")


def _rebuild_project(memory: "Memory", missing: bool, *, vectors: bool) -> str:  # noqa: FBT001 - an option of ours
    if missing:
        with progress_bar("embedding") as told:
            return f"{counted_noun(memory.embed(progress=told), 'message')} embedded"
    with progress_bar("rebuilding") as told:
        return f"{counted_noun(memory.reindex(vectors=vectors, progress=told), 'message')} rebuilt"


def _require_model(context: CliContext, *, needed: bool) -> None:
    lacking = context.missing_model
    if lacking is None:
        return
    msg = f"cannot embed: the model {lacking} is not here. Run `ais model pull {lacking}` first."
    if needed:
        raise RefusedError(msg)
    click.echo(f"note: {msg}", err=True)
