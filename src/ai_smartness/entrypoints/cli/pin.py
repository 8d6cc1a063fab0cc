"""`ais pin`, `ais rate` and `ais hide`: what to keep, what was useful, what never to show."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context, prints_outcome
from ai_smartness.entrypoints.cli.completion import thread_argument
from ai_smartness.entrypoints.cli.options import TEXT, json_option
from ai_smartness.model.errors import StoreError
from ai_smartness.model.statement import PIN_KINDS

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.journal import Outcome

__all__ = ["hide", "pin", "rate"]

STDIN = "-"
DEFAULT_BOOST = 0.3
MAX_BOOST = 0.5


@click.command(epilog='Example: ais pin "We deploy on Tuesdays" --kind rule --topic deploy')
@click.argument("text", nargs=-1, type=TEXT)
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Pin the text of this file.",
)
@click.option("--title", type=TEXT, help="Its title; made from the text if left out.")
@click.option("--topic", "topics", multiple=True, type=TEXT, help="A topic; may be repeated.")
@click.option(
    "--boost",
    type=click.FloatRange(0, MAX_BOOST),
    default=DEFAULT_BOOST,
    help=f"Additional weight, 0–{MAX_BOOST} ({DEFAULT_BOOST}).",
)
@click.option(
    "--kind", type=click.Choice(PIN_KINDS), help="Its kind; a rule or a decision holds at once."
)
@json_option
@pass_context
def pin(
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
    """A pinned TEXT never fades and is never tidied away.

    With - instead of TEXT it is read from standard input. The same text twice is one pin. With the
    kind of a statement, such as rule, it is a confirmed statement: see `ais statements`.
    """
    content = _pinned_text(text, file)
    with context.open_described_memory() as memory:
        outcome = memory.pin(
            content,
            title=title,
            topics=topics,
            weight_boost=boost,
            kind=kind,
        )
    context.print_outcome(outcome, as_json=as_json)


def _pinned_text(text: tuple[str, ...], file: Path | None) -> str:
    if bool(text) == (file is not None):
        msg = "Give the text to pin, - to read it from standard input, or --file."
        raise click.UsageError(msg)
    if file:
        content = _file_text(file)
    elif text == (STDIN,):
        content = sys.stdin.buffer.read().decode(errors="replace")
    else:
        content = " ".join(text)
    if not content.strip():
        msg = "There is nothing to pin: the text is empty."
        raise click.UsageError(msg)
    return content


def _file_text(file: Path) -> str:
    try:
        return file.read_bytes().decode(errors="replace")
    except OSError as error:
        msg = f"cannot read {file}: {error.strerror}. Name another file."
        raise StoreError(msg) from error


@click.command(epilog='Example: ais rate thread_20260302 --not-useful --reason "redesigned since"')
@thread_argument
@click.option("--useful/--not-useful", default=None, help="Whether it helped, or was noise.")
@click.option("--reason", type=TEXT, help="Why; kept with the rating.")
@json_option
@pass_context
def rate(
    context: CliContext, thread_id: str, reason: str | None, *, useful: bool | None, as_json: bool
) -> None:
    """The thread ID is then shown more or less often.

    The id is printed beside everything that an agent is shown; `ais why` lists it too.
    """
    if useful is None:
        msg = "Say which: --useful or --not-useful."
        raise click.UsageError(msg)
    with context.open_memory() as memory:
        outcome = memory.rate(thread_id, useful=useful, reason=reason)
    context.print_outcome(outcome, as_json=as_json)


@click.command(epilog='Example: ais hide msg_7f2a "The staging server is called otter."')
@click.argument("message", type=TEXT)
@click.argument("text", nargs=-1, required=True, type=TEXT)
@prints_outcome
def hide(memory: "Memory", message: str, text: tuple[str, ...], *, dry_run: bool) -> "Outcome":
    """The sentences of TEXT in the message MESSAGE are not shown to agents any more.

    The same sentences are hidden in other messages too. The message itself stays. `ais search`
    prints the ids of messages, and `ais undo` shows the line again.
    """
    return memory.hide(message, " ".join(text), dry_run=dry_run)
