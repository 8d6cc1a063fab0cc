"""What Ctrl-C leaves behind, for each command that takes a while."""

__all__ = ["interruption_text"]

LEFT_BEHIND = {
    "backup": "No backup was made.",
    "compact": "A clean-up is one change: it was made as a whole or not at all. See `ais log`.",
    "export": "Nothing was written to the file. Pages of a Markdown export may be incomplete.",
    "forget": "The next command completes a deletion that has begun.",
    "import": "Imported messages stay; the same command goes on with the rest.",
    "init": "The lines above are done; the same command goes on with the rest.",
    "model": "The previous model stays in use; the same command goes on with the rest.",
    "reindex": "The same command rebuilds the rest. Until then, some messages are not found.",
    "restore": "The memory is the old one or the restored one, complete. Run it again if needed.",
    "tour": "The demo's data is deleted; your memory was not touched.",
}
"""The state of the memory after an interruption, and how to go on."""

UNKNOWN = "A change is made as a whole or not at all; `ais log` lists the changes."


def interruption_text(command: str | None, error: KeyboardInterrupt) -> str:
    """Say how far a command got and what is left to do."""
    notes = [note.rstrip(".") for note in getattr(error, "__notes__", [])]
    progress = f" while {'; '.join(notes)}" if notes else ""
    return f"interrupted{progress}. {LEFT_BEHIND.get(command or '', UNKNOWN)}"
