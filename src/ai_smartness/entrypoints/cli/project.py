"""`ais project`: show which project a folder belongs to, link it to another one, rename it.

By its path alone, every clone is a project of its own. Only you can say that two of them are one:
a repository's own name, its remote's address, is a suggestion.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.clients.project_links import change_links, linked_paths, read_links
from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context, resolved_project
from ai_smartness.entrypoints.cli.options import (
    ShowByDefaultGroup,
    change_options,
    json_option,
)
from ai_smartness.entrypoints.cli.output import counted_noun, print_json, safe_text
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.search import USER_PROJECT
from ai_smartness.settings.paths import make_private_folder

if TYPE_CHECKING:
    from ai_smartness.wiring import ProjectFolder

__all__ = ["project"]

MAX_NAME_CHARACTERS = 500


@click.group(cls=ShowByDefaultGroup, epilog="Example: ais project link ~/code/shop")
def project() -> None:
    """Without a subcommand, show the project of this folder.

    A folder is named by its path, or by that of its repository. Links are yours alone.
    """


@project.command(epilog="Example: ais project show --json")
@json_option
@pass_context
def show(context: CliContext, *, as_json: bool) -> None:
    """Show the project of this folder, its memory, and what its repository says it is."""
    from ai_smartness.wiring import identity_of

    folder = _folder(context)
    identity = identity_of(folder)
    messages = _message_counts(context).get(folder.name, 0)
    others = [path for path in linked_paths(_home(context), folder.name) if path != folder.path]
    details = {
        "project": folder.name,
        "folder": str(folder.root),
        "path": folder.path,
        "is_linked": folder.name != folder.path,
        "linked": others,
        "identity": identity.name,
        "identity_from": identity.source,
        "messages": messages,
    }
    if as_json:
        print_json(details)
        return
    click.echo(f"project   {safe_text(folder.name)}")
    click.echo(f"folder    {safe_text(str(folder.root))}")
    if folder.name != folder.path:
        click.echo(f"linked    by you; by its path it would be {safe_text(folder.path)}")
    for path in others:
        click.echo(f"also      {safe_text(path)}")
    click.echo(f"identity  {safe_text(identity.name)} ({identity.source})")
    click.echo(f"memory    {counted_noun(messages, 'message')}")
    if identity.source != "path" and identity.name != folder.name:
        command = context.command_line("project", "link")
        click.echo(f"{command} names it by its identity, as its other clones can be.")


class _Step(NamedTuple):
    """A change of the links: before and after, and which stored project gets another name."""

    said: str
    links_before: dict[str, str]
    links: dict[str, str]
    renamed: tuple[str, str] | None = None


@project.command(epilog="Example: ais project link ~/code/shop")
@click.argument("target", metavar="[PROJECT]", required=False)
@change_options
@pass_context
def link(context: CliContext, target: str | None, *, dry_run: bool, as_json: bool) -> None:
    """Say that this folder belongs to PROJECT: a project of this memory, or another folder.

    Without PROJECT it is named by the identity of its repository, so that its clones here and on
    other machines can have the same name. What this folder remembered is still found, and goes
    along if PROJECT is new.
    """
    folder, counts = _folder(context), _message_counts(context)
    name = _target_name(context, folder, target, counts)
    if name == folder.name:
        msg = f"{folder.root} belongs to {name} already. `ais project show` says more."
        raise RefusedError(msg)
    links_before = read_links(_home(context))
    links = {**links_before, folder.path: name}
    # The memory of a folder that is linked elsewhere is not its own to take along.
    is_own = folder.name == folder.path and folder.name in counts
    renamed = (folder.name, name) if is_own and name not in counts else None
    said = f"{folder.root} belongs to {name} now"
    if renamed:
        links = _with_new_name(links, folder.name, name)
        said += f", with its {counted_noun(counts[folder.name], 'message')}"
    elif name in counts:
        said += f", which has {counted_noun(counts[name], 'message')}"
    step = _Step(f"{said}.", links_before, links, renamed)
    _carry_out(context, step, dry_run=dry_run, as_json=as_json)


@project.command(epilog="Example: ais project unlink --dry-run")
@change_options
@pass_context
def unlink(context: CliContext, *, dry_run: bool, as_json: bool) -> None:
    """Remove the link of this folder: it is its own project again, named by its path.

    If no other folder is linked to the project and it has no folder of its own, its memory comes
    back too. Otherwise it stays there, and `ais project link` leads to it again.
    """
    folder, counts = _folder(context), _message_counts(context)
    if folder.name == folder.path:
        msg = f"{folder.root} is not linked: it is {folder.name} by its path."
        raise RefusedError(msg)
    links_before = read_links(_home(context))
    links = {path: to for path, to in links_before.items() if path != folder.path}
    is_free = folder.name not in links.values() and not Path(folder.name).is_dir()
    back = is_free and folder.name in counts and folder.path not in counts
    said = f"{folder.root} is {folder.path} again"
    if back:
        said += f", with its {counted_noun(counts[folder.name], 'message')}"
    elif folder.name in counts:
        said += f"; the memory of {folder.name} stays there"
    step = _Step(f"{said}.", links_before, links, (folder.name, folder.path) if back else None)
    _carry_out(context, step, dry_run=dry_run, as_json=as_json)


@project.command(epilog="Example: ais project rename shop")
@click.argument("name")
@change_options
@pass_context
def rename(context: CliContext, name: str, *, dry_run: bool, as_json: bool) -> None:
    """Rename the project of this folder to NAME; its memory and its folders stay with it."""
    folder, counts = _folder(context), _message_counts(context)
    name = _checked_name(name)
    links_before = read_links(_home(context))
    if name in counts or name in links_before.values():
        msg = (
            f"there is a project {name} already. `ais project link {name}` links this folder to it."
        )
        raise RefusedError(msg)
    links = _with_new_name({**links_before, folder.path: name}, folder.name, name)
    renamed = (folder.name, name) if folder.name in counts else None
    said = f"{folder.name} is called {name} now."
    _carry_out(context, _Step(said, links_before, links, renamed), dry_run=dry_run, as_json=as_json)


def _with_new_name(links: Mapping[str, str], old: str, new: str) -> dict[str, str]:
    """Return the links after a project got a new name: all its folders go along."""
    changed = {path: new if to == old else to for path, to in links.items()}
    return {old: new, **changed} if old.startswith("/") else changed


def _carry_out(context: CliContext, step: _Step, *, dry_run: bool, as_json: bool) -> None:
    before = context.project_name
    if not dry_run:
        make_private_folder(_home(context))
        # First, so that what is remembered is found at every moment.
        change_links(_home(context), step.links_before, step.links)
        if step.renamed:
            with context.open_memory() as memory:
                memory.seen_from(step.renamed[0]).rename_project(step.renamed[1])
    folder = _folder(context)
    after = step.links.get(folder.path, folder.path)
    if as_json:
        fields = {"project": after, "before": before, "path": folder.path, "dry_run": dry_run}
        print_json({**fields, "said": step.said})
        return
    if dry_run:
        click.echo("dry run: nothing was changed. It would say:")
    click.echo(safe_text(step.said))
    if not dry_run:
        back = _reverting_words(step, before, folder.path)
        click.echo(f"take it back with: {context.command_line('project', *back)}")


def _reverting_words(step: _Step, before: str, path: str) -> tuple[str, ...]:
    if before == path:
        return ("unlink",)
    return ("rename" if step.renamed else "link", before)


def _target_name(
    context: CliContext, folder: "ProjectFolder", target: str | None, counts: Mapping[str, int]
) -> str:
    from ai_smartness.wiring import identity_of, project_folder_of

    identity = identity_of(folder)
    if target is None:
        others = [
            path for path in linked_paths(_home(context), identity.name) if path != folder.path
        ]
        return _identity_name(folder, identity, counts, others)
    if Path(target).is_dir():
        other = project_folder_of(Path(target), context.places.home)
        return other.name if other else target
    known = {*counts, *read_links(_home(context)).values()}
    if target == identity.name:
        return target
    try:
        name = resolved_project(target, sorted(known))
    except NotFoundError as error:
        msg = f"{error} `ais project rename NAME` gives this one a new name."
        raise NotFoundError(msg) from error
    if name == USER_PROJECT:
        msg = "`*` is what every project sees, and no project itself. Name another one."
        raise RefusedError(msg)
    return name


def _identity_name(
    folder: "ProjectFolder",
    identity: "tuple[str, str]",
    counts: Mapping[str, int],
    others: Sequence[str],
) -> str:
    """Return the repository's own name; one that is in use already must be named by the user."""
    name, source = identity
    if source == "path":
        msg = f"{folder.root} has no remote and no commit to be named by. Name a project."
        raise RefusedError(msg)
    if name != folder.name and (name in counts or others):
        folders = f" and {', '.join(others)}" if others else ""
        msg = (
            f"the repository at {folder.root} says that it is {name}, and that project has "
            f"{counted_noun(counts.get(name, 0), 'message')}{folders} already. "
            f"If that is right, run `ais project link {name}`."
        )
        raise RefusedError(msg)
    return name


def _checked_name(name: str) -> str:
    bare = name.strip()
    if not bare or len(bare) > MAX_NAME_CHARACTERS or not bare.isprintable():
        msg = f"a project's name is one line of 1 to {MAX_NAME_CHARACTERS} characters."
        raise RefusedError(msg)
    if bare == USER_PROJECT or (bare.startswith("/") and not Path(bare).is_dir()):
        msg = f"cannot use {bare} as a name: it is neither a folder nor a name of its own."
        raise RefusedError(msg)
    return bare


def _folder(context: CliContext) -> "ProjectFolder":
    folder = context.project_folder
    if folder is None:
        msg = f"{context.project} is no folder. Run this in the folder, or name it with --project."
        raise RefusedError(msg)
    return folder


def _home(context: CliContext) -> str:
    return str(context.places.home)


def _message_counts(context: CliContext) -> dict[str, int]:
    """Return how many messages each project of the memory has; a missing memory is not created."""
    from ai_smartness.wiring import has_memory

    if not has_memory(context.places, context.settings):
        return {}
    with context.open_memory() as memory:
        return {count.project: count.events for count in memory.projects()}
