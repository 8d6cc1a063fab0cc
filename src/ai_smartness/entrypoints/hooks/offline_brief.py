"""The brief of a project, read from the file that the daemon keeps ready.

A session that begins while no daemon runs gets it in the time of a file read.
"""

from ai_smartness.clients.fast_json import loads
from ai_smartness.clients.hook_event import text_field
from ai_smartness.clients.project import project_at
from ai_smartness.settings.inject_section import inject_sections
from ai_smartness.settings.paths import HomePaths
from ai_smartness.text.brief_page import brief_digest, page_of_parts

__all__ = ["OfflineBrief", "offline_brief"]


class OfflineBrief:
    """A brief as text, and the digest by which the daemon knows what was shown."""

    __slots__ = ("digest", "text")

    def __init__(self, text: str, digest: str) -> None:
        self.text = text
        self.digest = digest


def offline_brief(paths: HomePaths, cwd: str, source: str) -> OfflineBrief | None:
    """Return the brief for a session that begins in a folder, if there is one."""
    from datetime import UTC, datetime

    try:
        with open(paths.brief_file(project_at(cwd, paths.home).name), encoding="utf-8") as file:
            parts = loads(file.read())
        if not isinstance(parts, dict) or not _keeps_to_settings(parts):
            return None
        page = page_of_parts(parts, source, datetime.now(UTC))
    except (OSError, ValueError, TypeError):
        # Missing, damaged, or the folder is not one that a project can be in.
        return None
    return OfflineBrief(page, brief_digest(text_field(parts, "lasting")))


def _keeps_to_settings(parts: "dict[str, object]") -> bool:
    """Say whether the settings are those that the brief was written with."""
    written = parts.get("settings")
    return not isinstance(written, dict) or inject_sections(written) == written
