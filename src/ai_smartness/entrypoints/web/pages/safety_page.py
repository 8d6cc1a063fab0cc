"""Safety: redacted secrets by kind, deletion with its proof, backups, and what may leave."""

import os
from datetime import UTC, datetime
from pathlib import Path

from ai_smartness.entrypoints.daemon.pause import without_daemon
from ai_smartness.entrypoints.web.page import PageRequest, Rendered
from ai_smartness.memory.base import ignore_progress
from ai_smartness.model.erasure import Selection
from ai_smartness.model.errors import RefusedError
from ai_smartness.wiring import backup_store, contacted_addresses, is_on_server

__all__ = ["ACTIONS", "PARTS", "show"]

SHOWN_BACKUPS = 10
SHOWN_SECRETS = 50


def show(request: PageRequest) -> Rendered:
    """Show what is protected and how."""
    paths = request.memories.paths_of(request.project.name)
    settings = request.memories.settings_of(request.project.name).settings
    store = backup_store(paths, settings)
    backups = store.all()
    values = {
        "addresses": contacted_addresses(paths, settings, os.environ),
        "backups": backups[:SHOWN_BACKUPS],
        "backup_count": len(backups),
        "folder": str(store.folder),
        "automatic": settings.backup.automatic,
    }
    return Rendered("safety.html", values)


def _redactions(request: PageRequest) -> Rendered:
    """Count the secrets that were replaced before they were stored."""
    return Rendered("safety_redactions.html", {"counts": request.memory.redaction_counts()})


def _secrets(request: PageRequest) -> Rendered:
    """Look for secrets that an earlier version stored in this project."""
    secrets = [
        secret for secret in request.memory.kept_secrets() if secret.project == request.project.name
    ]
    values = {"secrets": secrets[:SHOWN_SECRETS], "more": max(0, len(secrets) - SHOWN_SECRETS)}
    return Rendered("safety_secrets.html", values)


def _preview(request: PageRequest) -> Rendered:
    """Show which messages a deletion would remove; nothing is changed."""
    words = " ".join(request.value("words").split())
    result = request.memory.forget(_selection(request, words), dry_run=True)
    return Rendered("safety_forget.html", {"result": result, "words": words})


def _forget(request: PageRequest) -> Rendered:
    """Delete the messages for good, and show the proof."""
    words = " ".join(request.value("words").split())
    with without_daemon(Path(request.memories.home)):
        result = request.memory.forget(_selection(request, words))
    return Rendered("safety_forget.html", {"result": result, "words": ""})


def _selection(request: PageRequest, words: str) -> Selection:
    return Selection(project=request.project.name, matching=words)


def _back_up(request: PageRequest) -> Rendered:
    """Make a backup now, and check it."""
    paths = request.memories.paths_of(request.project.name)
    settings = request.memories.settings_of(request.project.name).settings
    if is_on_server(settings):
        msg = "the memory is on a server: `ais backup` in a terminal writes a dump of it."
        raise RefusedError(msg)
    made = backup_store(paths, settings).make_backup(datetime.now(UTC), ignore_progress)
    return Rendered("safety_backup.html", {"made": made})


ACTIONS = {"preview": _preview, "forget": _forget, "backup": _back_up}
PARTS = {"redactions": _redactions, "secrets": _secrets}
