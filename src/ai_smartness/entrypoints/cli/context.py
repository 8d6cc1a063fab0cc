"""What every command of `ais` is given: the options before its name, and what follows from them.

Nothing is looked up before a command asks for it, so that a command which
needs no settings works even when they are broken.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.output import visible
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.found import EVERYWHERE

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ai_smartness.memory import Memory
    from ai_smartness.settings import Loaded, Places, Settings
    from ai_smartness.wiring import ProjectFolder

__all__ = ["Context", "ListFirst", "named", "pass_context", "readable"]

SHOWN_PROJECTS = 5


@dataclass(kw_only=True)
class Context:
    """The home and the project as given on the command line, and what is found with them."""

    home: Path | None = None
    project: str | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    warned: set[str] = field(default_factory=set)

    @cached_property
    def folder(self) -> "ProjectFolder | None":
        """Find the folder of the project; a project given by its name has none here."""
        from ai_smartness.wiring import folder_of  # noqa: PLC0415 - not for --help

        if self.project is not None and not _is_folder(self.project):
            return None
        return folder_of(_current_folder() if self.project is None else Path(self.project))

    @cached_property
    def name(self) -> str:
        """Name the project; one that is given by its name must be in the memory."""
        from ai_smartness.wiring import known_projects  # noqa: PLC0415 - not for --help

        if self.folder is not None:
            return self.folder.name
        return named(self.project or "", known_projects(self.places))

    @cached_property
    def places(self) -> "Places":
        """Find where things are."""
        from ai_smartness.settings import places  # noqa: PLC0415 - not for --help

        return places(self.home, self.folder.root if self.folder else None, self.environ)

    @cached_property
    def loaded(self) -> "Loaded":
        """Load the settings with where each comes from, and print what was ignored."""
        from ai_smartness.settings import load  # noqa: PLC0415 - not for --help

        loaded = load(self.places, self.environ)
        self.warn(loaded.warnings)
        return loaded

    @property
    def settings(self) -> "Settings":
        """The settings in force."""
        return self.loaded.settings

    @property
    def lacking_model(self) -> str | None:
        """Name the model that is set, if it is of the catalogue and still to be pulled."""
        from ai_smartness.wiring import model_shelf  # noqa: PLC0415 - not for --help

        model = self.settings.embedder.model
        return model if model_shelf(self.places).lacks(model) else None

    @contextmanager
    def memory(self) -> Iterator["Memory"]:
        """Open the memory while inside, seen from the project."""
        from ai_smartness.model.journal import Actor  # noqa: PLC0415 - not for --help
        from ai_smartness.wiring import wired  # noqa: PLC0415 - not for --help

        # A project given by a part of its name has its own settings all the same.
        moved = self.folder is None and _is_folder(self.name)
        here = replace(self, project=self.name) if moved else self
        with wired(here.places, here.settings, self.name) as memory:
            yield memory.used_by(Actor("user", "ais"))

    def warn(self, warnings: Sequence[str]) -> None:
        """Print each warning once, however often the settings are loaded."""
        for warning in warnings:
            if warning not in self.warned:
                click.echo(f"warning: {visible(warning)}", err=True)
                self.warned.add(warning)


pass_context = click.make_pass_decorator(Context)


class ListFirst(click.Group):
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


def readable(typed: str) -> str:
    """Return what was typed as text; bytes that are none are replaced, for no store takes them."""
    return typed.encode(errors="replace").decode()


def named(given: str, known: Sequence[str]) -> str:
    """Return the project that is meant: by its whole name, or by how only its name ends."""
    if given == EVERYWHERE or given in known:
        return given
    meant = [name for name in known if given and name.endswith(f"/{given.rstrip('/')}")]
    if len(meant) == 1:
        return meant[0]
    if meant:
        msg = f"the project `{given}` can be any of {', '.join(meant)}. Give more of its name."
        raise RefusedError(msg)
    raise NotFoundError(_unknown(given, known))


def _unknown(given: str, known: Sequence[str]) -> str:
    from difflib import SequenceMatcher  # noqa: PLC0415 - only a mistyped name needs it

    def likeness(name: str) -> float:
        tail = name.rpartition("/")[2]
        return max(SequenceMatcher(None, given, each).ratio() for each in (name, tail))

    if not known:
        return f"there is no project `{given}`: this memory is empty, and there is no such folder."
    near = sorted(known, key=likeness, reverse=True)[:SHOWN_PROJECTS]
    more = f" and {len(known) - len(near)} more" if len(known) > len(near) else ""
    return (
        f"there is no project `{given}`, and no such folder. "
        f"The memory knows {', '.join(near)}{more}."
    )


def _is_folder(given: str) -> bool:
    # Not `Path.is_dir`, which raises where the name is too long or the way to it is barred.
    return given != EVERYWHERE and os.path.isdir(given)  # noqa: PTH112


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as gone:
        msg = "the current folder no longer exists. Go to another one, or give --project."
        raise RefusedError(msg) from gone
