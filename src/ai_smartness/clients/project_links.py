"""The user's word on which folders are one project: `projects.json` in the memory's home.

A folder is a project named by its path. Only the user can say that it is another one, with
`ais project link`, and that is written here: path by path, the name of the project. A repository
has no say in it. The hook reads this at every event: standard library only.
"""

import os

from ai_smartness.clients.fast_json import dumps, loads

__all__ = ["LINKS_FILE", "BrokenLinksError", "change_links", "linked_paths", "read_links"]

LINKS_FILE = "projects.json"


class BrokenLinksError(Exception):
    """The file is there and cannot be used: messages wait rather than go to a wrong project."""


def read_links(home: str) -> "dict[str, str]":
    """Return the project's name of each linked path; none if nothing is linked."""
    path = f"{home}/{LINKS_FILE}"
    try:
        with open(path, encoding="utf-8") as file:
            links = loads(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise BrokenLinksError(_problem(path)) from error
    if not isinstance(links, dict) or not all(isinstance(name, str) for name in links.values()):
        raise BrokenLinksError(_problem(path))
    return links


def linked_paths(home: str, project: str) -> "tuple[str, ...]":
    """Return the paths that are linked to a project: what they remembered before is seen too."""
    return tuple(path for path, name in read_links(home).items() if name == project != path)


def change_links(home: str, before: "dict[str, str]", after: "dict[str, str]") -> None:
    """Make a change of the links; a change that another program makes meanwhile stays too."""
    import fcntl

    handle = os.open(f"{home}/{LINKS_FILE}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        removed = before.keys() - after.keys()
        links = {path: to for path, to in read_links(home).items() if path not in removed}
        links.update(after.items() - before.items())
        _write_links(home, {path: to for path, to in links.items() if path != to})
    finally:
        os.close(handle)


def _write_links(home: str, links: "dict[str, str]") -> None:
    """Replace the file, durably; without links there is none."""
    path = f"{home}/{LINKS_FILE}"
    if not links:
        if os.path.exists(path):
            os.unlink(path)
        return
    handle = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(dumps(dict(sorted(links.items()))) + "\n")
        file.flush()
        os.fsync(handle)
    os.replace(f"{path}.new", path)


def _problem(path: str) -> str:
    return (
        f"the list of linked projects {path} cannot be read. Correct it: an object of JSON with "
        "the name of a project for each path. Or move it away to have no links."
    )
