"""Homes and projects with files of settings in them."""

from pathlib import Path

from ai_smartness.settings.paths import MemoryPaths, memory_paths


def paths_in(folder: Path, user: str | bytes = "", project: str | bytes = "") -> MemoryPaths:
    """Lay out a home and a project with these files of settings; an empty one is not there."""
    paths = memory_paths(folder / "home", folder / "project", {"AIS_CACHE": str(folder / "cache")})
    assert paths.project_file
    for path, content in ((paths.user_file, user), (paths.project_file, project)):
        if content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return paths
