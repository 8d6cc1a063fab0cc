"""`ais pin`: keep something for good, as it is said."""

import sys
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context, readable
from ai_smartness.entrypoints.cli.described import described
from ai_smartness.entrypoints.cli.outcome import print_outcome
from ai_smartness.model.errors import StoreError
from ai_smartness.model.thread import Kind

__all__ = ["pin"]

STDIN = "-"
BOOST = 0.3
MOST_BOOST = 0.5


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
    type=click.FloatRange(0, MOST_BOOST),
    default=BOOST,
    help=f"How much above the weight of others, 0–{MOST_BOOST} ({BOOST}).",
)
@click.option("--kind", type=click.Choice([each.value for each in Kind]), help="What it is.")
@as_json
@pass_context
def pin(  # noqa: PLR0913 - one parameter for each option
    context: Context,
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
    content = _content(text, file)
    with described(context) as memory:
        outcome = memory.pin(
            content,
            title=None if title is None else readable(title),
            topics=tuple(readable(each) for each in topics),
            weight_boost=boost,
            kind=Kind(kind) if kind else None,
        )
    print_outcome(context, outcome, dry_run=False, as_json=as_json)


def _content(text: tuple[str, ...], file: Path | None) -> str:
    if bool(text) == (file is not None):
        msg = "Give the text to pin, - to read it from the input, or --file."
        raise click.UsageError(msg)
    content = _written(file) if file else _typed(text)
    if not content.strip():
        msg = "There is nothing to pin: the text is empty."
        raise click.UsageError(msg)
    return content


def _written(file: Path) -> str:
    try:
        return file.read_bytes().decode(errors="replace")
    except OSError as barred:
        msg = f"cannot read {file}: {barred.strerror}. Name another file."
        raise StoreError(msg) from barred


def _typed(text: tuple[str, ...]) -> str:
    if text == (STDIN,):
        return sys.stdin.buffer.read().decode(errors="replace")
    return readable(" ".join(text))
