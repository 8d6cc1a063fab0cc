"""`ais pin`: keep something for good, as it is said.

`ais rate`: say whether a thread that was shown was of use.
"""

import sys
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.cli_context import (
    CliContext,
    open_described_memory,
    pass_context,
    valid_text,
)
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import print_outcome
from ai_smartness.model.errors import StoreError
from ai_smartness.model.thread import Kind

__all__ = ["pin", "rate"]


STDIN = "-"
DEFAULT_BOOST = 0.3
MAX_BOOST = 0.5


@click.command(epilog='Example: ais pin "We deploy on Tuesdays" --kind decision --topic deploy')
@click.argument("text", nargs=-1)
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Pin what this file says.",
)
@click.option("--title", help="What to call it; made from the text if left out.")
@click.option("--topic", "topics", multiple=True, help="What it is about; may be given again.")
@click.option(
    "--boost",
    type=click.FloatRange(0, MAX_BOOST),
    default=DEFAULT_BOOST,
    help=f"How much above the weight of others, 0–{MAX_BOOST} ({DEFAULT_BOOST}).",
)
@click.option("--kind", type=click.Choice([each.value for each in Kind]), help="What it is.")
@json_option
@pass_context
def pin(  # noqa: PLR0913 - one parameter for each option
    context: CliContext,
    text: tuple[str, ...],
    *,
    file: Path | None,
    title: str | None,
    topics: tuple[str, ...],
    boost: float,
    kind: str | None,
    as_json: bool,
) -> None:
    """Keep TEXT for good: it never fades and is never tidied away.

    With - in place of TEXT it is read from the input. The same text twice is one pin.
    """
    content = _pinned_text(text, file)
    with open_described_memory(context) as memory:
        outcome = memory.pin(
            content,
            title=None if title is None else valid_text(title),
            topics=tuple(valid_text(each) for each in topics),
            weight_boost=boost,
            kind=Kind(kind) if kind else None,
        )
    print_outcome(context, outcome, dry_run=False, as_json=as_json)


def _pinned_text(text: tuple[str, ...], file: Path | None) -> str:
    if bool(text) == (file is not None):
        msg = "Give the text to pin, - to read it from the input, or --file."
        raise click.UsageError(msg)
    content = _file_text(file) if file else _typed_text(text)
    if not content.strip():
        msg = "There is nothing to pin: the text is empty."
        raise click.UsageError(msg)
    return content


def _file_text(file: Path) -> str:
    try:
        return file.read_bytes().decode(errors="replace")
    except OSError as barred:
        msg = f"cannot read {file}: {barred.strerror}. Name another file."
        raise StoreError(msg) from barred


def _typed_text(text: tuple[str, ...]) -> str:
    if text == (STDIN,):
        return sys.stdin.buffer.read().decode(errors="replace")
    return valid_text(" ".join(text))


@click.command(epilog='Example: ais rate thread_20260302 --not-useful --reason "redesigned since"')
@click.argument("thread_id", metavar="ID", shell_complete=thread_ids)
@click.option("--useful/--not-useful", default=None, help="Whether it helped, or was noise.")
@click.option("--reason", help="Why; kept with the rating.")
@json_option
@pass_context
def rate(
    context: CliContext,
    thread_id: str,
    reason: str | None,
    *,
    useful: bool | None,
    as_json: bool,
) -> None:
    """Say whether the thread ID was of use, so that it is shown more or less often.

    The id is printed beside whatever was shown to an agent; `ais why` lists it too.
    """
    if useful is None:
        msg = "Say which: --useful or --not-useful."
        raise click.UsageError(msg)
    why = None if reason is None else valid_text(reason)
    with context.open_memory() as memory:
        outcome = memory.rate(valid_text(thread_id), useful=useful, reason=why)
    print_outcome(context, outcome, dry_run=False, as_json=as_json)
