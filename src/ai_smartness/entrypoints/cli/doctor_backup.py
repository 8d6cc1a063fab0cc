"""What `ais doctor` says of backups, and of a memory that is damaged or gone."""

from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.doctor_case import Case, refuse_readable_by_others
from ai_smartness.entrypoints.cli.moment import written

__all__ = ["backed_up", "way_back"]


def backed_up(case: Case) -> str:
    """Say what backups there are."""
    from ai_smartness.wiring import backups  # noqa: PLC0415 - not for --help

    kept = backups(case.places, case.loaded.settings)
    found = kept.all()
    refuse_readable_by_others([each.path for each in found])
    if found:
        return f"{counted(len(found), 'backup')} in {kept.folder}, newest {written(found[0].at)}"
    if case.loaded.settings.backup.automatic:
        return "none yet; the daemon makes one a day, `ais backup` makes one now"
    return "none, and `backup.automatic` is off; `ais backup` makes one"


def way_back(case: Case) -> str:
    """Say how a memory that is damaged is had again, as far as it can be."""
    from ai_smartness.wiring import backups  # noqa: PLC0415 - not for --help

    found = backups(case.places, case.loaded.settings).all()
    if not found:
        return (
            "There is no backup: `ais restore --begin-anew` sets the file aside and begins an "
            "empty memory, and `ais import` brings in what the clients' transcripts hold. What "
            "waits in the inbox is stored then."
        )
    return (
        f"The newest backup is of {written(found[0].at)}: `ais restore latest` puts the newest "
        "good one in place and keeps this file; then `ais import` brings in what was said since. "
        "What waits in the inbox is stored then."
    )
