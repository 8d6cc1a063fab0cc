"""`ais recall`: the threads that answer a question, as an agent reads them."""

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context, readable
from ai_smartness.entrypoints.cli.output import print_json, visible

__all__ = ["recall"]

MARKS = ("<ai-smartness-memory", "</ai-smartness-memory")
"""What keeps an agent's reading of it from being kept anew; a person need not see that."""


@click.command(epilog="Example: ais recall solana validators")
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 50), default=5, help="How many threads (5).")
@as_json
@pass_context
def recall(context: Context, query: tuple[str, ...], limit: int, *, as_json: bool) -> None:
    """Answer QUERY with threads: what they are about, what matched, what they link to.

    The id of a thread, or the start of one, gives that thread. A suspended
    thread that answers well is active again; `ais undo` takes that back.
    """
    question = readable(" ".join(query)).strip()
    if not question:
        msg = "Say what to recall."
        raise click.UsageError(msg)
    with context.memory() as memory:
        found = memory.recall(question, limit)
    if as_json:
        from ai_smartness.entrypoints.tools.shapes import recalled_shape  # noqa: PLC0415

        print_json(recalled_shape(found))
    else:
        lines = [line for line in found.text.splitlines() if not line.startswith(MARKS)]
        click.echo("\n".join(visible(line) for line in lines))
