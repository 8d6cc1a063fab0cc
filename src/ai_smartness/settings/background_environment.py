"""The environment of the daemon and of the MCP server: the user's, never a session's.

A session has whatever variables its repository asked for (direnv, `.claude/settings.json`), and
the daemon that it starts serves every project after it. So a background process takes its
settings from the user's files. Of the session's environment it gets only `SESSION_VARIABLES`; the
folders, the PATH and the proxies are those that `ais init` found in the user's shell and recorded.
Standard library only: the hook imports this before it starts a daemon.
"""

import os

from ai_smartness.settings.regular_file import read_regular_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "RECORDED_VARIABLES",
    "SESSION_VARIABLES",
    "background_environment",
    "record_environment",
    "recorded_environment",
]

SESSION_VARIABLES = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "TZ", "USER")
"""None of them names an address, a program or a key."""

RECORDED_VARIABLES = (
    "HOME",
    "PATH",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "AIS_CACHE",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_MEM_DATA_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "https_proxy",
    "http_proxy",
    "no_proxy",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
)
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"

RECORD_FILE = "environment.json"
MAX_RECORD_BYTES = 65_536


def background_environment(home: str, environ: "Mapping[str, str]") -> "dict[str, str]":
    """Return the environment for a background process of this memory, started from a session."""
    session = {name: environ[name] for name in SESSION_VARIABLES if name in environ}
    return {"PATH": DEFAULT_PATH, **session, **recorded_environment(home)}


def recorded_environment(home: str) -> "dict[str, str]":
    """Return the variables that `ais init` recorded; none if there is no sound record."""
    import json

    try:
        record = json.loads(read_regular_file(f"{home}/{RECORD_FILE}", MAX_RECORD_BYTES).decode())
    except (OSError, ValueError, RecursionError):
        return {}
    values = record if isinstance(record, dict) else {}
    return {
        name: value
        for name in RECORDED_VARIABLES
        if isinstance(value := values.get(name), str) and "\0" not in value
    }


def record_environment(home: str, environ: "Mapping[str, str]", project: str) -> None:
    """Record the user's variables, except for anything inside the current project's folder."""
    import json

    values = dict(_recordable_variables(environ, project))
    path = f"{home}/{RECORD_FILE}"
    draft = f"{path}.{os.getpid()}"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(values, file, indent=2)
    os.replace(draft, path)


def _recordable_variables(
    environ: "Mapping[str, str]", project: str
) -> "Iterator[tuple[str, str]]":
    for name in RECORDED_VARIABLES:
        value = environ.get(name, "")
        if name == "PATH":
            folders = [folder for folder in value.split(":") if _is_users(folder, project)]
            value = ":".join(folders)
        elif name.lower().endswith("_proxy"):
            # A password stays in the user's shell.
            value = "" if "@" in value else value
        elif not _is_users(value, project):
            value = ""
        if value:
            yield name, value


def _is_users(folder: str, project: str) -> bool:
    """Say whether a folder has a full path and is not one of the project's."""
    if not folder.startswith("/"):
        return False
    inside = (os.path.abspath(folder), os.path.realpath(folder))
    prefix = os.path.realpath(project).rstrip("/") + "/"
    return not project or not any(f"{path}/".startswith(prefix) for path in inside)
