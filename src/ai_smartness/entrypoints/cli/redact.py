"""`ais redact --scan`: find secrets that were kept before secrets were taken out."""

from collections import Counter
from collections.abc import Sequence

import click

from ai_smartness.entrypoints.cli.context import Context
from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.output import print_json, print_table, progress
from ai_smartness.entrypoints.cli.redact_files import secrets_in_files
from ai_smartness.model.kept_secret import KeptSecret

__all__ = ["redact"]

EXIT_FOUND = 1
SHOWN_FINDS = 50


@click.command(epilog="Example: ais redact --scan --json")
@click.option("--scan", is_flag=True, required=True, help="Look for secrets; change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def redact(ctx: click.Context, *, scan: bool, as_json: bool) -> None:
    """Find keys, tokens and passwords that the memory holds.

    What is kept now has its secrets taken out before it is written, as `[redacted:kind]`.
    This looks through what older versions kept: messages, titles, the journal, what was shown,
    the inbox, the logs, of every project. It says what sort of secret is where, and never the
    secret itself.

    The exit code is 1 if something is found, 0 if nothing is. It changes nothing: `ais forget`
    takes out what it finds.
    """
    assert scan  # noqa: S101 - click requires it
    context = ctx.find_object(Context) or Context()
    with context.memory() as memory, progress("looking for secrets") as told:
        found = memory.kept_secrets(progress=told)
    found += secrets_in_files(context.places.home)
    if as_json:
        print_json({"found": len(found), "kinds": _kinds(found), "secrets": found})
    else:
        _print(found)
    ctx.exit(EXIT_FOUND if found else 0)


def _print(found: Sequence[KeptSecret]) -> None:
    if not found:
        click.echo("No secrets found.")
        return
    click.echo(f"{counted(len(found), 'secret')} found:")
    print_table(["kind", "how many"], _kinds(found).items())
    click.echo()
    rows = [(each.kind, each.where, each.id, _hint(each)) for each in found[:SHOWN_FINDS]]
    print_table(["kind", "where", "id", "looks like"], rows)
    if len(found) > SHOWN_FINDS:
        click.echo(f"… and {len(found) - SHOWN_FINDS:,} more: `ais redact --scan --json` has all.")
    click.echo("\nNothing was changed. `ais forget` takes a message, a thread or a session out.")
    click.echo("A key that was kept should be replaced where it was made, too.")


def _kinds(found: Sequence[KeptSecret]) -> dict[str, int]:
    return dict(Counter(each.kind for each in found).most_common())


def _hint(secret: KeptSecret) -> str:
    return f"{secret.begins}… ({secret.length} characters)"
