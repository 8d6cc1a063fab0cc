"""What `ais forget` prints: what would go, and what went."""

import click

from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.moment import written
from ai_smartness.entrypoints.cli.output import print_table, visible
from ai_smartness.model.forgetting import Forgotten

__all__ = ["print_done", "print_foreseen"]

SHOWN_CHARACTERS = 100
SHOWN_LEFT = 20


def print_foreseen(foreseen: Forgotten) -> None:
    """Show what would go."""
    click.echo(
        f"This would forget {counted(foreseen.messages, 'message')}: "
        f"{counted(foreseen.threads, 'thread')} with all of theirs, and some of "
        f"{counted(foreseen.described, 'other')}."
    )
    if len(foreseen.projects) > 1:
        rows = sorted(foreseen.projects.items(), key=lambda each: -each[1])
        print_table(["project", "messages"], [(name, f"{count:,}") for name, count in rows])
    if foreseen.examples:
        print_table(
            ["message", "when", "who", "said"],
            [
                (each.id, written(each.at), each.role, _line(each.text))
                for each in foreseen.examples
            ],
        )
    if foreseen.messages > len(foreseen.examples):
        click.echo(f"… and {foreseen.messages - len(foreseen.examples):,} more.")
    click.echo(
        "It cannot be undone. Backups are rewritten too, or with --backups remove removed; what "
        "you exported is yours, and stays."
    )


def print_done(done: Forgotten) -> None:
    """Say what went, and what the search for it found."""
    click.echo(
        f"Forgot {counted(done.messages, 'message')}. "
        f"{counted(done.threads, 'thread')} went with the last of theirs; "
        f"{counted(done.described, 'other')} described anew."
    )
    if done.compactions or done.changes:
        click.echo(
            f"Also {counted(done.compactions, 'compaction')} gone that stood for them, and "
            f"{counted(done.changes, 'change')} of the journal told without them."
        )
    for name, what in done.files.items():
        click.echo(f"  {visible(name)}: {visible(what)}")
    if done.left:
        _print_left(done)
    elif done.words:
        click.echo(
            f"Searched {done.read / 1e6:,.1f} MB in every file of the memory for "
            f"{counted(done.words, 'word')} that only they held: none was found."
        )
    else:
        click.echo("No word was theirs alone, so there was none to search for.")
    if done.kept:
        click.echo(
            f"{counted(done.kept, 'word')} of theirs stay: other messages hold them too, or the "
            "program's own files are written with them."
        )


def _print_left(done: Forgotten) -> None:
    click.echo(f"error: {counted(len(done.left), 'forgotten word')} still found:", err=True)
    for trace in done.left[:SHOWN_LEFT]:
        click.echo(f"  {visible(trace.place)}: {visible(trace.word)}", err=True)
    click.echo(
        "If it is a backup, `--backups remove` removes it; else end what uses the memory, and "
        "run the command again.",
        err=True,
    )


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARACTERS else line[: SHOWN_CHARACTERS - 1] + "…"
