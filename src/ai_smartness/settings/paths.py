"""Where the files of a memory are: the database, its settings, its cache, the daemon's socket.

`--home` or `AIS_HOME` moves the memory and the user's settings together, so a second memory
beside the first is one variable away. Importing this costs next to nothing: the hook does so
before each prompt, and needs `HomePaths` only.
"""

import os
import sys

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from platformdirs.api import PlatformDirsABC

__all__ = [
    "READ_COPY_FILE",
    "SERVER_MARK",
    "HomePaths",
    "MemoryPaths",
    "cache_folder",
    "command_option",
    "hook_home",
    "make_private_folder",
    "memory_home",
    "memory_paths",
    "paths_of_home",
]

APPLICATION = "ai_smartness"
SETTINGS_FILE = "config.toml"
SERVER_MARK = "memory-is-on-a-server"
READ_COPY_FILE = "read-copy.db"
DATABASE_FILE = "memory.db"
"""The memory, if it is kept in a file; whatever is derived from it has a longer name."""

INTENT_SUFFIX = ".forgetting"  # of the file that says what is being forgotten
DATA_FOLDER = "~/Library/Application Support" if sys.platform == "darwin" else "~/.local/share"
"""Where programs keep a user's data, as platformdirs has it, which the hook does not import."""

MAX_SOCKET_PATH_BYTES = 100
"""A Unix socket's path may have 108 bytes, on macOS 104. With a longer home it is in /tmp."""


class HomePaths:
    """The files that hooks, daemon and inbox share, as plain text."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.database = f"{home}/{DATABASE_FILE}"
        self.intent = f"{self.database}{INTENT_SUFFIX}"
        self.server_mark = f"{home}/{SERVER_MARK}"
        self.inbox = f"{home}/inbox"
        self.recalls = f"{home}/recalls"
        self.briefs = f"{home}/briefs"
        self.logs = f"{home}/logs"
        self.run = f"{home}/run"
        self.lock = f"{home}/run/daemon.lock"
        self.process_file = f"{home}/run/daemon.json"

    def brief_file(self, project: str) -> str:
        """Return the file of a project's brief."""
        from _blake2 import blake2s

        name = blake2s(project.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return f"{self.briefs}/{name}.json"

    @property
    def socket(self) -> str:
        """The daemon's socket, in a folder that only its owner can enter."""
        inside = f"{self.run}/daemon.sock"
        if len(os.fsencode(inside)) <= MAX_SOCKET_PATH_BYTES:
            return inside
        import hashlib

        digest = hashlib.blake2s(os.fsencode(self.home), digest_size=8).hexdigest()
        return f"/tmp/ais-{os.getuid()}-{digest}/daemon.sock"  # noqa: S108 - 0700, and checked to be ours


class MemoryPaths:
    """The files and folders of one memory, seen from one project or from none."""

    def __init__(
        self, *, home: "Path", cache: "Path", user_file: "Path", project_file: "Path | None"
    ) -> None:
        self.home = home
        self.cache = cache
        self.user_file = user_file
        self.project_file = project_file

    @property
    def database(self) -> "Path":
        """The file that holds the memory."""
        return self.home / DATABASE_FILE

    @property
    def intent(self) -> "Path":
        """The file that says what is being forgotten, while it is."""
        return self.home / f"{DATABASE_FILE}{INTENT_SUFFIX}"

    @property
    def server_mark(self) -> "Path":
        """The file that is there while the memory is on a server.

        It tells programs that a file beside it is no longer the memory.
        """
        return self.home / SERVER_MARK

    @property
    def read_copy(self) -> "Path":
        """The file from which hooks read while the server is away, if the user wants one."""
        return self.home / READ_COPY_FILE


def memory_paths(
    home: "Path | None", root: "Path | None", environ: "Mapping[str, str]"
) -> MemoryPaths:
    """Return every path for a given home, or the default one, and the project at `root`."""
    user_folder = _moved_home(home, environ) or _platform_folders().user_config_path
    user_file = user_folder / SETTINGS_FILE
    project_file = root / ".ai" / SETTINGS_FILE if root else None
    return MemoryPaths(
        home=memory_home(home, environ),
        cache=cache_folder(environ),
        user_file=user_file,
        # With AIS_HOME=~/.ai the two are one file, and it is the user's.
        project_file=None if project_file == user_file else project_file,
    )


def paths_of_home(home: str, root: "Path | None", environ: "Mapping[str, str]") -> MemoryPaths:
    """Return every path for a home that is known by its full path.

    The default home has its settings elsewhere; any other one has them inside.
    """
    from pathlib import Path

    is_default = memory_home(None, environ) == Path(home)
    return memory_paths(None if is_default else Path(home), root, environ)


def memory_home(home: "Path | None", environ: "Mapping[str, str]") -> "Path":
    """Return the folder of the memory."""
    return _moved_home(home, environ) or _platform_folders().user_data_path


def hook_home(arguments: "list[str]", environ: "Mapping[str, str]") -> str:
    """Return the folder of the memory as the hook finds it: `--home`, the variable, the default.

    The installer writes `--home` into the hook's command. It comes first, as for every command: a
    repository can set variables for a session, and a memory has the user's settings in it.
    """
    home = command_option(arguments, "--home") or environ.get("AIS_HOME")
    if not home:
        home = f"{environ.get('XDG_DATA_HOME') or DATA_FOLDER}/{APPLICATION}"
    return os.path.abspath(os.path.expanduser(home))


def command_option(arguments: "list[str]", name: str) -> str:
    """Return the value of an option of the hook's command; empty if it is not given."""
    after = arguments.index(name) + 1 if name in arguments else len(arguments)
    return "".join(arguments[after : after + 1])


def cache_folder(environ: "Mapping[str, str]") -> "Path":
    """Return the folder for files that can be fetched or computed again, such as models."""
    from pathlib import Path

    if environ.get("AIS_CACHE"):
        return _absolute_path(Path(environ["AIS_CACHE"]))
    return _platform_folders().user_cache_path


def make_private_folder(path: str) -> None:
    """Create a folder for its owner alone; refuse one that belongs to somebody else."""
    os.makedirs(path, mode=0o700, exist_ok=True)
    status = os.lstat(path)
    if status.st_uid != os.getuid():
        raise PermissionError(path)
    if status.st_mode & 0o077:
        os.chmod(path, 0o700)


def _moved_home(home: "Path | None", environ: "Mapping[str, str]") -> "Path | None":
    from pathlib import Path

    if home is not None:
        return _absolute_path(home)
    return _absolute_path(Path(environ["AIS_HOME"])) if environ.get("AIS_HOME") else None


def _absolute_path(path: "Path") -> "Path":
    try:
        return path.expanduser().absolute()
    except RuntimeError as unknown:
        from ai_smartness.model.errors import RefusedError

        msg = f"cannot use {path} as a folder: there is no such user. Give an absolute path."
        raise RefusedError(msg) from unknown


def _platform_folders() -> "PlatformDirsABC":
    from platformdirs import PlatformDirs

    return PlatformDirs(APPLICATION)
