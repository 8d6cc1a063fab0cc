"""The memories behind the page: one is opened for each project that somebody looks at."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2s
from pathlib import Path

from ai_smartness.entrypoints.daemon.memory_pool import MemoryPool, Work, project_of
from ai_smartness.memory import Memory
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.journal import Actor
from ai_smartness.model.search import USER_PROJECT
from ai_smartness.model.status import ProjectCount
from ai_smartness.settings.load import LoadedSettings, gather_settings
from ai_smartness.settings.paths import MemoryPaths, paths_of_home
from ai_smartness.wiring import known_projects

__all__ = ["OpenMemories", "ProjectAddress", "project_address"]

WEB_USER = Actor("user", "web")


@dataclass(frozen=True, slots=True)
class ProjectAddress:
    """A project: its name, the part of an address that stands for it, and what people call it."""

    name: str
    key: str
    label: str


class OpenMemories:
    """The memory of one home, seen from any of its projects.

    `folder` is where the page was started; its project is the first one that is shown.
    """

    def __init__(self, home: str, folder: str, project: str) -> None:
        self.home = home
        self.first_project = project
        self._folder = folder
        self._pool = MemoryPool(home)

    @contextmanager
    def memory_of(self, project: str) -> Iterator[Memory]:
        """Yield the memory seen from a project, for the caller alone."""
        folder = project if self._is_folder_of(project) else self._folder
        with self._pool.memory_for(folder, Work.READ) as memory:
            own = memory if memory.project == project else memory.seen_from(project)
            yield own.used_by(WEB_USER)

    def projects(self) -> list[ProjectCount]:
        """Return the projects that remember something, and the first one in any case."""
        with self.memory_of(self.first_project) as memory:
            counts = memory.projects()
        if all(count.project != self.first_project for count in counts):
            counts = [ProjectCount(self.first_project, 0, 0), *counts]
        return counts

    def project_at(self, key: str) -> ProjectAddress:
        """Return the project that a part of an address stands for."""
        for name in (self.first_project, *known_projects(self.paths_of(self.first_project))):
            address = project_address(name)
            if address.key == key:
                return address
        msg = f"there is no project {key[:80]} in this memory. Choose one from the list."
        raise NotFoundError(msg)

    def paths_of(self, project: str) -> MemoryPaths:
        """Return the files of the memory, seen from a project."""
        return paths_of_home(self.home, self.root_of(project), os.environ)

    def root_of(self, project: str) -> Path | None:
        """Return the folder of a project, if it is there."""
        return Path(project) if self._is_folder_of(project) else None

    def settings_of(self, project: str) -> LoadedSettings:
        """Return the settings in force for a project, with everything that is wrong in them."""
        return gather_settings(self.paths_of(project), os.environ)

    def close(self) -> None:
        """Close them all."""
        self._pool.close()

    def _is_folder_of(self, project: str) -> bool:
        """Say whether a project is named by a folder that is there."""
        is_folder = project.startswith("/") and Path(project).is_dir()
        return is_folder and project_of(project, self.home).name == project


def project_address(name: str) -> ProjectAddress:
    """Return the address of a project: readable, and different for every name."""
    last = name.rstrip("/").rpartition("/")[2]
    label = "every project" if name == USER_PROJECT else last or name
    word = "".join(char if char.isascii() and char.isalnum() else "-" for char in label.lower())
    number = blake2s(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return ProjectAddress(name, f"{word[:40].strip('-') or 'project'}-{number}", label)
