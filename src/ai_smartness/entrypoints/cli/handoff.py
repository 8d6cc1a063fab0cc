"""`ais handoff`: where a session stood, as an agent that goes on with it reads it."""

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context, readable
from ai_smartness.entrypoints.cli.output import print_json, visible

__all__ = ["handoff"]


@click.command(epilog="Example: ais handoff --json")
@click.option("--session", metavar="ID", help="Of this session (the one that spoke last).")
@as_json
@pass_context
def handoff(context: Context, session: str | None, *, as_json: bool) -> None:
    """Say where a session stood: goal, decisions, open tasks, files, commands, last words.

    An agent is told this by itself after its context was compacted, and in short
    when the next session begins. `ais recall ID` gives each of the threads named.
    """
    wanted = None if session is None else readable(session)
    with context.memory() as memory:
        found = memory.stood(wanted)
    if found is None:
        if as_json:
            print_json(None)
        else:
            click.echo(f"Nothing was said in the project {visible(context.name)} yet.")
    elif as_json:
        print_json(
            {
                "session": found.session,
                "began": found.began,
                "ended": found.ended,
                "messages": found.messages,
                "text": found.text,
                "threads": [{"id": each.id, "title": each.title} for each in found.threads],
            }
        )
    else:
        click.echo("\n".join(visible(line) for line in found.text.splitlines()))
