"""The composition root: the one place that knows which adapter fulfils which port."""

import os
import shutil
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ai_smartness.adapters.embedders import model_cache
from ai_smartness.adapters.embedders.model_cache import ModelCache
from ai_smartness.adapters.git import GitWorktree
from ai_smartness.adapters.local_files import LocalMemoryFiles, RecallLog
from ai_smartness.adapters.repository_identity import RepositoryIdentity, repository_identity
from ai_smartness.adapters.sqlite.backup_files import SqliteBackups
from ai_smartness.adapters.sqlite.library_check import checked_sqlite
from ai_smartness.adapters.sqlite.open_database import IN_MEMORY
from ai_smartness.adapters.sqlite.restore_file import DatabaseRestore
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.adapters.sqlite.store_files import SqliteStoreFiles
from ai_smartness.clients.project import project_at, project_by_path
from ai_smartness.clients.project_links import BrokenLinksError, linked_paths
from ai_smartness.condense import CondenserRegistry, plugin_condensers
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.model.transfer import Backup
from ai_smartness.ports import Embedder, Progress, Reranker, ThreadStore
from ai_smartness.ports.safekeeping import BackupFolder, RestoreTarget, StoreFiles
from ai_smartness.settings.load import load_settings
from ai_smartness.settings.paths import MemoryPaths, memory_home, memory_paths
from ai_smartness.settings.schema import Settings

if TYPE_CHECKING:
    from ai_smartness.adapters.llm import ChosenModel
    from ai_smartness.adapters.postgres.server_check import ServerReport
    from ai_smartness.adapters.postgres.team_notices import TeamNotices

__all__ = [
    "ProjectFolder",
    "backup_store",
    "build_memory",
    "check_server",
    "checked_sqlite",
    "contacted_addresses",
    "dump_server",
    "dumped_backups",
    "has_memory",
    "identity_of",
    "is_on_server",
    "known_projects",
    "language_model",
    "load_embedder",
    "load_reranker",
    "local_models",
    "open_memory",
    "open_store",
    "prepare_vector_search",
    "project_folder_of",
    "restore_target",
    "store_name",
    "team_notices",
    "team_script",
    "update_local_copy",
]


def open_memory(
    path: Path | str | None = None,
    *,
    project: str | Path | None = None,
    home: Path | str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Memory:
    """Open a memory with the settings of this user and this project."""
    folder = project_folder_of(project, memory_home(Path(home) if home else None, environ))
    paths = memory_paths(Path(home) if home else None, folder.root if folder else None, environ)
    settings = load_settings(paths, environ).settings
    name = folder.name if folder else str(project)
    memory = build_memory(paths, settings, name, path)
    memory.update_shared()
    return memory


def build_memory(
    paths: MemoryPaths,
    settings: Settings,
    project: str,
    path: Path | str | None = None,
    *,
    embedder: Callable[[], Embedder | None] | None = None,
    reranker: Callable[[], Reranker | None] | None = None,
) -> Memory:
    """Build a memory of its parts.

    In the daemon, which hands in its shared models, a memory neither embeds before it searches
    nor has a language model: nothing that runs there may ask one.
    """
    if not project.strip():
        msg = "a project needs a name. Give one, or a folder, or none for the current folder's."
        raise RefusedError(msg)
    store = open_store(paths, settings, path)
    # The name of a folder may be any bytes; the store takes text.
    project = project.encode(errors="backslashreplace").decode()
    worktree = GitWorktree(paths.project_file.parents[1]) if paths.project_file else None
    files = _memory_files(paths, settings, path)
    parts = MemoryParts(
        store=store,
        linked=linked_paths(str(paths.home), project) if path is None else (),
        embedder=embedder or (lambda: load_embedder(paths, settings)),
        clock=partial(datetime.now, UTC),
        worktree=worktree,
        read_file=worktree.file_text if worktree else None,
        condensers=CondenserRegistry(plugin_condensers),
        # A memory with a file of its own leaves the user's home alone.
        recall_log=RecallLog(paths.home / "recall.log").append_line if path is None else None,
        patient=embedder is None,
        language_model=(lambda: language_model(settings)) if embedder is None else None,
        files=files,
        reranker=reranker or cache(lambda: load_reranker(settings)),
        store_files=_store_files(paths, settings, path, files),
    )
    return Memory(parts, project, settings)


def open_store(
    paths: MemoryPaths, settings: Settings, path: Path | str | None = None
) -> ThreadStore:
    """Open the store of the settings: a file in the home, or a server; or another file."""
    waits, limit = settings.store.busy_timeout_ms, settings.vectors.exact_limit
    if path is not None:
        return SqliteStore.open(path, busy_timeout_ms=waits, exact_limit=limit)
    if is_on_server(settings):
        _mark_server(paths)
        _require_driver()
        from ai_smartness.adapters.postgres.postgres_store import PostgresStore

        return PostgresStore.open(settings.store.url, busy_timeout_ms=waits, exact_limit=limit)
    with suppress(NotADirectoryError):  # a home that is a file is refused below, with a way out
        paths.server_mark.unlink(missing_ok=True)
    backup_store(paths, settings).refuse_emptied_database(datetime.now(UTC))
    return SqliteStore.open(paths.database, busy_timeout_ms=waits, exact_limit=limit)


def is_on_server(settings: Settings) -> bool:
    """Say whether the memory is in a PostgreSQL database."""
    return settings.store.url != "none"


def has_memory(paths: MemoryPaths, settings: Settings) -> bool:
    """Say whether there is a memory to open; one on a server is taken to be there."""
    return is_on_server(settings) or os.access(paths.database, os.F_OK)


def store_name(paths: MemoryPaths, settings: Settings) -> str:
    """Return where the memory is: its file, or the server without user and password."""
    if not is_on_server(settings):
        return str(paths.database)
    _require_driver()
    from ai_smartness.adapters.postgres.connections import connection_name

    return connection_name(settings.store.url)


def check_server(url: str) -> "ServerReport":
    """Connect to a server and say what it is; nothing is changed."""
    _require_driver()
    from ai_smartness.adapters.postgres.server_check import server_report

    return server_report(url)


def update_local_copy(
    paths: MemoryPaths, settings: Settings, projects: Collection[str], progress: Progress
) -> None:
    """Copy what is new in projects of a memory on a server, if the user wants a local copy.

    One that nobody wants is deleted. One that holds what was deleted on the server is made again.
    """
    is_wanted = settings.team.read_copy and is_on_server(settings)
    if is_wanted and _is_copied(paths, settings, projects, progress):
        return
    for file in paths.home.glob(f"{paths.read_copy.name}*"):
        shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)
    if is_wanted:
        _is_copied(paths, settings, projects, progress)


def _is_copied(
    paths: MemoryPaths, settings: Settings, projects: Collection[str], progress: Progress
) -> bool:
    """Copy what is new, and say whether the copy holds nothing that is gone."""
    from ai_smartness.transfer.read_copy import update_read_copy

    with ExitStack() as stack:
        source = stack.enter_context(closing(open_store(paths, settings)))
        copy = stack.enter_context(closing(open_store(paths, settings, paths.read_copy)))
        return all(update_read_copy(source, copy, one, progress) for one in projects)


def team_notices(settings: Settings) -> "TeamNotices | None":
    """Return what waits for notices of teammates; nothing for a memory in a file."""
    if not is_on_server(settings):
        return None
    _require_driver()
    from ai_smartness.adapters.postgres.team_notices import TeamNotices

    return TeamNotices(settings.store.url)


def dump_server(paths: MemoryPaths, settings: Settings, to: Path | None = None) -> Path:
    """Have `pg_dump` write the database of a server into the folder of backups."""
    _require_driver()
    from ai_smartness.adapters.postgres.dump import dump_database

    folder = to or paths.home / Path(settings.backup.folder).expanduser()
    return dump_database(settings.store.url, folder, datetime.now(UTC))


def dumped_backups(paths: MemoryPaths, settings: Settings, to: Path | None = None) -> list[Backup]:
    """Return the dumps of the memory of a server, the newest first."""
    _require_driver()
    from ai_smartness.adapters.postgres.dump import dumps_in

    return dumps_in(to or paths.home / Path(settings.backup.folder).expanduser())


def team_script(name: str) -> str:
    """Return the SQL with which an administrator adds a person to a server."""
    _require_driver()
    from ai_smartness.adapters.postgres.team_tables import setup_script

    return setup_script(name)


def _require_driver() -> None:
    if find_spec("psycopg") is None:
        msg = (
            "a memory on a server needs the driver of PostgreSQL, which is not installed. "
            "Run `pip install 'ai-smartness[postgres]'`."
        )
        raise RefusedError(msg)


def _mark_server(paths: MemoryPaths) -> None:
    if not paths.server_mark.exists():
        paths.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        paths.server_mark.touch(mode=0o600)


def _memory_files(
    paths: MemoryPaths, settings: Settings, path: Path | str | None
) -> LocalMemoryFiles | None:
    """Return the files beside the database; a memory outside of its home has few of them."""
    if path is None:
        backups = backup_store(paths, settings).folder
        read = [file for file in (paths.user_file, paths.project_file) if file is not None]
        return LocalMemoryFiles(paths.database, paths.home, backups, read)
    return None if str(path) == IN_MEMORY else LocalMemoryFiles(Path(path), None, None)


def _store_files(
    paths: MemoryPaths, settings: Settings, path: Path | str | None, files: LocalMemoryFiles | None
) -> StoreFiles | None:
    """Return the files of the store and its copies, if any can be there."""
    if files is None:
        return None
    if path is not None:
        return SqliteStoreFiles(Path(path), files.all)
    return SqliteStoreFiles(paths.database, files.all, is_on_server=is_on_server(settings))


def local_models(paths: MemoryPaths) -> ModelCache:
    """Return the embedding models in the user's cache."""
    return ModelCache(paths.cache / "models")


def backup_store(paths: MemoryPaths, settings: Settings, to: Path | None = None) -> BackupFolder:
    """Return the backups of the memory, in the folder of the settings or another one."""
    folder = paths.home / Path(settings.backup.folder).expanduser()
    return SqliteBackups(paths.database, to or folder)


def restore_target(paths: MemoryPaths) -> RestoreTarget:
    """Return the object that replaces the memory file with a backup."""
    return DatabaseRestore(paths.database, datetime.now(UTC))


def known_projects(paths: MemoryPaths) -> list[str]:
    """Return the names of the memory's projects; a missing memory is not created."""
    settings = load_settings(paths, os.environ).settings
    if not has_memory(paths, settings):
        return []
    store = open_store(paths, settings)
    try:
        return [count.project for count in store.project_counts()]
    finally:
        store.close()


class ProjectFolder(NamedTuple):
    """A project's name, the same from all its worktrees, and the root of this one.

    `path` is its name without the user's links.
    """

    name: str
    root: Path
    path: str = ""


def identity_of(folder: "ProjectFolder") -> RepositoryIdentity:
    """Return what the repository of a folder says it is."""
    return repository_identity(folder.root, folder.path)


def project_folder_of(
    project: str | Path | None, home: Path, *, with_links: bool = True
) -> ProjectFolder | None:
    """Find the folder of a project; a project that is only a name has none."""
    spelled = _spelled_folder(project) if isinstance(project, str) else project
    if isinstance(project, str) and spelled is None:
        return None
    folder = str(spelled or Path.cwd())
    try:
        place = project_at(folder, str(home)) if with_links else project_by_path(folder)
    except BrokenLinksError as error:
        raise StoreError(str(error)) from error
    return ProjectFolder(place.name, Path(place.root), place.path)


def _spelled_folder(project: str) -> Path | None:
    """Return the folder that a text spells as a path: `.`, `../shop`, `~/shop` or `/work/shop`.

    A plain word is a name wherever the program runs, also beside a folder of that name. So is the
    path of a folder that is gone: projects are named after their folders.
    """
    is_relative = project in {".", ".."} or project.startswith(("./", "../", "~"))
    if not is_relative and not project.startswith("/"):
        return None
    folder = Path(project).expanduser()
    if is_relative and not folder.is_dir():
        msg = f"there is no folder {project} here. Give the path of a folder, or a plain name."
        raise NotFoundError(msg)
    return folder if folder.is_dir() else None


def language_model(
    settings: Settings, environ: Mapping[str, str] = os.environ
) -> "ChosenModel | None":
    """Return the configured language model, if there is one."""
    from ai_smartness.adapters.llm import chosen_model

    return chosen_model(settings.llm, environ)


def contacted_addresses(
    paths: MemoryPaths, settings: Settings, environ: Mapping[str, str] = os.environ
) -> list[str]:
    """Return every address that may be contacted, with what is sent there."""
    from ai_smartness.adapters import addresses

    chosen = settings.embedder
    # Only beside a model on this machine is there one for other languages.
    is_alone = chosen.model == model_cache.NO_MODEL or chosen.model.startswith("http")
    wanted = (chosen.model,) if is_alone else (chosen.model, chosen.languages)
    unpulled = local_models(paths).unpulled_models(wanted)
    return addresses.contacted_addresses(settings, unpulled, environ)


def load_embedder(paths: MemoryPaths, settings: Settings) -> Embedder | None:
    """Load the configured embedding model; one that was not pulled yet is absent."""
    models, choice = local_models(paths), settings.embedder.model
    if models.is_unpulled(choice):
        return None
    return models.load_embedder(
        choice,
        threads=_model_threads(settings),
        max_chunks=settings.embedder.max_chunks,
        languages=settings.embedder.languages,
        key_file=settings.embedder.key_file,
    )


def prepare_vector_search() -> None:
    """Import and start what the first search by meaning needs, before somebody waits for it."""
    import ai_smartness.adapters.sqlite.nearest_vectors
    import ai_smartness.adapters.tables.statement_search
    import ai_smartness.search.line_ranking  # noqa: F401
    from ai_smartness.search.search import start_embedding_threads

    start_embedding_threads()


def load_reranker(settings: Settings) -> Reranker | None:
    """Load the configured reranker, if there is one."""
    choice = settings.search.reranker
    if choice == model_cache.NO_MODEL:
        return None
    return model_cache.load_reranker(choice, threads=_model_threads(settings))


def _model_threads(settings: Settings) -> int:
    return settings.embedder.threads or max(1, (os.cpu_count() or 1) - 1)
