"""What every command of `ais` is given: the options before its name, and what follows from them.

Nothing is looked up before a command asks for it, so that a command which
needs no settings works even when they are broken.

The memory with its threads described, opened for a command that has to do with them.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.output import progress_bar, safe_text
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.search import USER_PROJECT

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ai_smartness.memory import Memory
    from ai_smartness.settings.load import LoadedSettings
    from ai_smartness.settings.paths import MemoryPaths
    from ai_smartness.settings.schema import Settings
    from ai_smartness.wiring import ProjectFolder


__all__ = [
    "CliContext",
    "ListByDefaultGroup",
    "open_described_memory",
    "pass_context",
    "resolved_project",
    "valid_text",
]


SHOWN_PROJECTS = 5


@dataclass(kw_only=True)
class CliContext:
    """The home and the project as given on the command line, and what is found with them."""

    home: Path | None = None
    project: str | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    printed_warnings: set[str] = field(default_factory=set)

    @cached_property
    def project_folder(self) -> "ProjectFolder | None":
        """Find the folder of the project; a project given by its name has none here."""
        from ai_smartness.wiring import project_folder_of

        if self.project is not None and not _is_folder(self.project):
            return None
        return project_folder_of(_current_folder() if self.project is None else Path(self.project))

    @cached_property
    def project_name(self) -> str:
        """Name the project; one that is given by its name must be in the memory."""
        from ai_smartness.wiring import known_projects

        if self.project_folder is not None:
            return self.project_folder.name
        return resolved_project(self.project or "", known_projects(self.places))

    @cached_property
    def places(self) -> "MemoryPaths":
        """Find where things are."""
        from ai_smartness.settings.paths import memory_paths

        return memory_paths(
            self.home,
            self.project_folder.root if self.project_folder else None,
            self.environ,
        )

    @cached_property
    def loaded_settings(self) -> "LoadedSettings":
        """Load the settings with where each comes from, and print what was ignored."""
        from ai_smartness.settings.load import load_settings

        loaded = load_settings(self.places, self.environ)
        self.print_warnings(loaded.warnings)
        return loaded

    @property
    def settings(self) -> "Settings":
        """The settings in force."""
        return self.loaded_settings.settings

    @property
    def missing_model(self) -> str | None:
        """Name the model that is set, if it is of the catalogue and still to be pulled."""
        from ai_smartness.wiring import local_models

        model = self.settings.embedder.model
        return model if local_models(self.places).is_unpulled(model) else None

    @contextmanager
    def open_memory(self) -> Iterator["Memory"]:
        """Open the memory while inside, seen from the project."""
        from ai_smartness.model.journal import Actor
        from ai_smartness.wiring import build_memory

        # A project given by a part of its name has its own settings all the same.
        moved = self.project_folder is None and _is_folder(self.project_name)
        here = replace(self, project=self.project_name) if moved else self
        with build_memory(here.places, here.settings, self.project_name) as memory:
            yield memory.used_by(Actor("user", "ais"))

    def print_warnings(self, warnings: Sequence[str]) -> None:
        """Print each warning once, however often the settings are loaded."""
        for warning in warnings:
            if warning not in self.printed_warnings:
                click.echo(f"warning: {safe_text(warning)}", err=True)
                self.printed_warnings.add(warning)


pass_context = click.make_pass_decorator(CliContext)


class ListByDefaultGroup(click.Group):
    """A group that lists when it is given no subcommand, with the options of its list."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, as those of `list` where no subcommand is named."""
        asks_for_help = bool(args) and args[0] in ctx.help_option_names
        # While a shell completes, what follows may still be the name of a subcommand.
        lists = args[0].startswith("-") if args else not ctx.resilient_parsing
        if lists and not asks_for_help:
            args = ["list", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete a subcommand, or an option of `list`, which needs no naming."""
        found = super().shell_complete(ctx, incomplete)
        if not incomplete.startswith("-"):
            return found
        listing = self.commands["list"]
        return [*found, *listing.shell_complete(click.Context(listing, parent=ctx), incomplete)]


def valid_text(typed: str) -> str:
    """Return what was typed as text; bytes that are none are replaced, for no store takes them."""
    return typed.encode(errors="replace").decode()


def resolved_project(given: str, known: Sequence[str]) -> str:
    """Return the project that is meant: by its whole name, or by how only its name ends."""
    if given == USER_PROJECT or given in known:
        return given
    meant = [name for name in known if given and name.endswith(f"/{given.rstrip('/')}")]
    if len(meant) == 1:
        return meant[0]
    if meant:
        msg = f"the project `{given}` can be any of {', '.join(meant)}. Give more of its name."
        raise RefusedError(msg)
    raise NotFoundError(_unknown_project_message(given, known))


def _unknown_project_message(given: str, known: Sequence[str]) -> str:
    from difflib import SequenceMatcher

    def name_similarity(name: str) -> float:
        tail = name.rpartition("/")[2]
        return max(SequenceMatcher(None, given, each).ratio() for each in (name, tail))

    if not known:
        return f"there is no project `{given}`: this memory is empty, and there is no such folder."
    near = sorted(known, key=name_similarity, reverse=True)[:SHOWN_PROJECTS]
    more = f" and {len(known) - len(near)} more" if len(known) > len(near) else ""
    return (
        f"there is no project `{given}`, and no such folder. "
        f"The memory knows {', '.join(near)}{more}."
    )


def _is_folder(given: str) -> bool:
    # Not `Path.is_dir`, which raises where the name is too long or the way to it is barred.
    return given != USER_PROJECT and os.path.isdir(given)  # noqa: PTH112


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as gone:
        msg = "the current folder no longer exists. Go to another one, or give --project."
        raise RefusedError(msg) from gone


@contextmanager
def open_described_memory(context: "CliContext") -> Iterator["Memory"]:
    """Open the memory and describe what was captured since.

    With a bar: after an import it takes a while.
    """
    with context.open_memory() as memory:
        with progress_bar("describing threads") as told:
            memory.tell(progress=told)
        yield memory
