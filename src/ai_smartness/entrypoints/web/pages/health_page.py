"""Health: hooks by client, prompts without an answer, daemon, backlog, sizes and settings."""

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ai_smartness.clients.client import InstallTarget
from ai_smartness.clients.hook_log import prompts_text, read_hook_runs, runs_by_client
from ai_smartness.entrypoints.daemon.client import NoAnswerError, NoDaemonError, ask_daemon
from ai_smartness.entrypoints.daemon.inbox import lost_events
from ai_smartness.entrypoints.setup_checks import CheckedSetup, all_findings
from ai_smartness.entrypoints.web.page import PageRequest, Rendered
from ai_smartness.settings.load import LoadedSettings
from ai_smartness.settings.paths import HomePaths
from ai_smartness.settings.setting import SETTINGS, Layer, shown_value

__all__ = ["PARTS", "show"]

DAEMON_SECONDS = 0.5  # that the page waits for the daemon's word


class FileSize(NamedTuple):
    """A file or folder of the memory, and its bytes."""

    name: str
    size: int


class SettingRow(NamedTuple):
    """A setting with its value and where that comes from."""

    key: str
    value: str
    origin: str
    explanation: str
    is_set: bool


def show(request: PageRequest) -> Rendered:
    """Show how the memory works on this machine."""
    home = HomePaths(request.memories.home)
    runs = read_hook_runs(Path(home.logs), request.project.name)
    loaded = request.memories.settings_of(request.project.name)
    sizes = sorted(_file_sizes(Path(home.home)), key=lambda file: -file.size)
    settings = list(_setting_rows(loaded))
    values = {
        "clients": runs_by_client(runs),
        "prompts_text": prompts_text,
        "daemon": _daemon_status(home),
        "lost": lost_events(home.run)[0],
        "status": request.memory.status(),
        "home": home.home,
        "sizes": sizes,
        "total": sum(file.size for file in sizes),
        "changed_settings": [row for row in settings if row.is_set],
        "settings": settings,
        "problems": [*map(str, loaded.problems), *loaded.warnings],
    }
    return Rendered("health.html", values)


def _checks(request: PageRequest) -> Rendered:
    """Run the checks of `ais doctor`; they read the whole memory, so only on request."""
    name = request.project.name
    paths = request.memories.paths_of(name)
    target = InstallTarget(
        home=paths.home,
        environ=os.environ,
        project_name=name,
        project_root=request.memories.root_of(name),
    )
    setup = CheckedSetup(paths, request.memories.settings_of(name), name, target)
    findings = list(all_findings(setup, start_server=False))
    problems = sum(not finding.ok for finding in findings)
    return Rendered("health_checks.html", {"findings": findings, "problems": problems})


PARTS = {"checks": _checks}


def _daemon_status(home: HomePaths) -> Mapping[str, object]:
    try:
        return ask_daemon(home, "status", until=time.monotonic() + DAEMON_SECONDS)
    except NoDaemonError:
        return {}
    except NoAnswerError as error:
        return {"trouble": f"The daemon gives no answer ({error}). Run `ais daemon stop`."}


def _file_sizes(home: Path) -> Iterator[FileSize]:
    """Measure the files and folders of the memory; one may go while we look."""
    with os.scandir(home) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                files = (file for file in Path(entry.path).rglob("*") if file.is_file())
                yield FileSize(f"{entry.name}/", sum(map(_size_of, files)))
            else:
                yield FileSize(entry.name, _size_of(Path(entry.path)))


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _setting_rows(loaded: LoadedSettings) -> Iterator[SettingRow]:
    for key, setting in SETTINGS.items():
        value, origin = loaded.value_of(key), loaded.value_origin(key)
        text = value if isinstance(value, str) else shown_value(value)
        yield SettingRow(key, text, str(origin), setting.doc, origin.layer is not Layer.DEFAULT)
