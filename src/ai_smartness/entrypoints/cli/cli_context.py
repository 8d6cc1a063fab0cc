"""The context of every command: the options before its name, and everything they lead to.

Nothing is looked up before a command asks for it, so that a command which needs no settings
works even when they are broken.
"""

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.options import change_options
from ai_smartness.entrypoints.cli.output import (
    print_json,
    print_text,
    progress_bar,
    safe_text,
    shown_thread_id,
)
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.search import USER_PROJECT

if TYPE_CHECKING:
    from ai_smartness.clients.client import InstallTarget
    from ai_smartness.memory import Memory
    from ai_smartness.model.erasure import ForgetResult
    from ai_smartness.model.journal import Outcome
    from ai_smartness.settings.load import LoadedSettings
    from ai_smartness.settings.paths import MemoryPaths
    from ai_smartness.settings.schema import Settings
    from ai_smartness.wiring import ProjectFolder

__all__ = ["CliContext", "pass_context", "prints_outcome", "resolved_project"]

SHOWN_PROJECTS = 5


@dataclass(kw_only=True)
class CliContext:
    """The home and the project of the command line, and the memory that they lead to."""

    home: Path | None = None
    project: str | None = None
    has_links: bool = True  # if not, a folder is named by its path, whatever the user's links say
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    printed_warnings: set[str] = field(default_factory=set)

    @cached_property
    def project_folder(self) -> "ProjectFolder | None":
        """Find the folder of the project; None for a project given by its name."""
        from ai_smartness.settings.paths import memory_home
        from ai_smartness.wiring import project_folder_of

        if self.project is not None and not _is_folder(self.project):
            return None
        folder = _current_folder() if self.project is None else Path(self.project)
        home = memory_home(self.home, self.environ)
        return project_folder_of(folder, home, with_links=self.has_links)

    @cached_property
    def project_name(self) -> str:
        """Name the project; one given by its name must be in the memory."""
        from ai_smartness.wiring import known_projects

        if self.project_folder is not None:
            return self.project_folder.name
        return resolved_project(self.project or "", known_projects(self.places))

    @cached_property
    def places(self) -> "MemoryPaths":
        """Find the memory's files and folders."""
        from ai_smartness.settings.paths import memory_paths

        root = self.project_folder.root if self.project_folder else None
        return memory_paths(self.home, root, self.environ)

    @cached_property
    def loaded_settings(self) -> "LoadedSettings":
        """Load the settings with their origins, and print the warnings about them."""
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
        """Name the configured model, if it is in the catalogue and not downloaded yet."""
        from ai_smartness.wiring import local_models

        model = self.settings.embedder.model
        return model if local_models(self.places).is_unpulled(model) else None

    def install_target(self, *, everywhere: bool = False) -> "InstallTarget":
        """Return what a client is connected to: the memory, and this project or all."""
        from ai_smartness.clients.client import InstallTarget

        folder = None if everywhere else self.project_folder
        return InstallTarget(
            home=self.places.home,
            environ=self.environ,
            project_name=folder.name if folder else "",
            project_root=folder.root if folder else None,
        )

    def record_environment(self) -> None:
        """Record the user's folders, PATH and proxies for the daemon, which asks no session."""
        from ai_smartness.settings.background_environment import record_environment
        from ai_smartness.settings.paths import make_private_folder

        home = os.fspath(self.places.home)
        folder = self.project_folder
        make_private_folder(home)
        record_environment(home, self.environ, os.fspath(folder.root) if folder else "")

    @contextmanager
    def open_memory(self) -> Iterator["Memory"]:
        """Open the memory of the project."""
        from ai_smartness.entrypoints.daemon.spawn import is_lock_held
        from ai_smartness.model.journal import Actor
        from ai_smartness.settings.paths import HomePaths
        from ai_smartness.wiring import build_memory

        # A project given by a part of its name has its own settings all the same.
        moved = self.project_folder is None and _is_folder(self.project_name)
        here = replace(self, project=self.project_name) if moved else self
        with build_memory(here.places, here.settings, self.project_name) as memory:
            user = memory.used_by(Actor("user", "ais"))
            if self.is_forgetting and not is_lock_held(HomePaths(str(self.places.home))):
                # A daemon does it by itself.
                self.print_finished(user.finish_forgetting())
            user.update_shared()
            yield user

    def print_finished(self, finished: "ForgetResult | None") -> None:
        """Say that a deletion was finished that had been interrupted, if there was one."""
        if finished is None:
            return
        left = f"{len(finished.left)} of their words are left" if finished.left else "no trace left"
        click.echo(
            f"note: finished a deletion that was interrupted ({finished.messages:,} messages, "
            f"{left}).",
            err=True,
        )

    @property
    def is_forgetting(self) -> bool:
        """Whether a deletion was begun and is not complete."""
        return self.places.intent.exists()

    @contextmanager
    def open_described_memory(self) -> Iterator["Memory"]:
        """Open the memory, and describe the threads that were captured since.

        With a bar: after an import it takes a while.
        """
        with self.open_memory() as memory:
            with progress_bar("describing threads") as progress:
                memory.tell(progress=progress)
            yield memory

    def print_warnings(self, warnings: Sequence[str]) -> None:
        """Print each warning once, however often the settings are loaded."""
        for warning in warnings:
            if warning not in self.printed_warnings:
                print_text(f"warning: {warning}", style="yellow", err=True)
                self.printed_warnings.add(warning)

    def print_outcome(
        self, outcome: "Outcome", *, dry_run: bool = False, as_json: bool = False
    ) -> None:
        """Print what a command changed and how to undo it, or what it would change."""
        if as_json:
            from ai_smartness.views.json import outcome_json

            print_json(outcome_json(outcome, dry_run=dry_run))
            return
        if dry_run:
            click.echo("dry run: nothing was changed. It would say:")
        print_text(self._named_sentence(outcome.said))
        if dry_run:
            for thread in outcome.threads:
                line = f"{thread.status}, weight {thread.weight:.2f}"
                print_text(f"  {thread.title} [{shown_thread_id(thread.id)}]: {line}", hang=2)
        elif outcome.number is not None:
            project = outcome.threads[0].project if outcome.threads else None
            undo = self.command_line("undo", str(outcome.number), project=project)
            click.echo(f"change {outcome.number}; undo with: {undo}")

    def _named_sentence(self, text: str) -> str:
        """Return a sentence as a person reads it, with titles; a program gets the whole ids."""
        from ai_smartness.entrypoints.cli.thread_names import ThreadNames

        if not sys.stdout.isatty():
            return text
        with self.open_memory() as memory:
            return ThreadNames(memory).named_text(text)

    def command_line(self, *words: str, project: str | None = None) -> str:
        """Return a command of `ais` to be copied, with the global options of this call."""
        home = ["--home", str(self.home)] if self.home else []
        target = project or self.project_name
        elsewhere = self.project is not None or target != self.project_name
        options = [*home, *(["--project", target] if elsewhere else [])]
        return safe_text(shlex.join(["ais", *options, *words]))


pass_context = click.make_pass_decorator(CliContext)


def prints_outcome(function: "Callable[..., Outcome]") -> Callable[..., None]:
    """Make a command of a function that changes a memory, with the options of every change."""

    @change_options
    @pass_context
    @wraps(function)
    def run(context: CliContext, /, *, dry_run: bool, as_json: bool, **arguments: object) -> None:
        with context.open_described_memory() as memory:
            outcome = function(memory, **arguments, dry_run=dry_run)
        context.print_outcome(outcome, dry_run=dry_run, as_json=as_json)

    return run


def resolved_project(name: str, known: Sequence[str]) -> str:
    """Return the known project of this name, or the only one whose path ends with it."""
    if name == USER_PROJECT or name in known:
        return name
    candidates = [path for path in known if name and path.endswith(f"/{name.rstrip('/')}")]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        msg = f"the project `{name}` can be any of {', '.join(candidates)}. Give more of its name."
        raise RefusedError(msg)
    raise NotFoundError(_unknown_project_message(name, known))


def _unknown_project_message(name: str, known: Sequence[str]) -> str:
    from difflib import SequenceMatcher

    def name_similarity(path: str) -> float:
        ends = (path, path.rpartition("/")[2])
        return max(SequenceMatcher(None, name, end).ratio() for end in ends)

    if not known:
        return f"there is no project `{name}`: this memory is empty, and there is no such folder."
    near = sorted(known, key=name_similarity, reverse=True)[:SHOWN_PROJECTS]
    more = f" and {len(known) - len(near)} more" if len(known) > len(near) else ""
    return (
        f"there is no project `{name}`, and no such folder. "
        f"The memory knows {', '.join(near)}{more}."
    )


def _is_folder(name: str) -> bool:
    # Not `Path.is_dir`, which raises where the name is too long or the path is not accessible.
    return name != USER_PROJECT and os.path.isdir(name)  # noqa: PTH112


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        msg = "the current folder no longer exists. Go to another one, or give --project."
        raise RefusedError(msg) from error
