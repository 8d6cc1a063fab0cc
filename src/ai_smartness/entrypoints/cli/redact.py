"""`ais redact --scan`: find secrets that were kept before secrets were taken out.

Look for secrets in the files beside the store: the inbox, the logs, the answers to reads.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.entrypoints.cli.output import counted_noun, print_json, print_table, progress_bar
from ai_smartness.model.erasure import StoredSecret, described_secret
from ai_smartness.redact import find_secrets

__all__ = ["redact", "secrets_in_files"]


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
    context = ctx.find_object(CliContext) or CliContext()
    with context.open_memory() as memory, progress_bar("looking for secrets") as told:
        found = memory.kept_secrets(progress=told)
    found += secrets_in_files(context.places.home)
    if as_json:
        print_json({"found": len(found), "kinds": _kind_counts(found), "secrets": found})
    else:
        _print_secrets(found)
    ctx.exit(EXIT_FOUND if found else 0)


def _print_secrets(found: Sequence[StoredSecret]) -> None:
    if not found:
        click.echo("No secrets found.")
        return
    click.echo(f"{counted_noun(len(found), 'secret')} found:")
    print_table(["kind", "how many"], _kind_counts(found).items())
    click.echo()
    rows = [(each.kind, each.where, each.id, _secret_hint(each)) for each in found[:SHOWN_FINDS]]
    print_table(["kind", "where", "id", "looks like"], rows)
    if len(found) > SHOWN_FINDS:
        click.echo(f"… and {len(found) - SHOWN_FINDS:,} more: `ais redact --scan --json` has all.")
    click.echo("\nNothing was changed. `ais forget` takes a message, a thread or a session out.")
    click.echo("A key that was kept should be replaced where it was made, too.")


def _kind_counts(found: Sequence[StoredSecret]) -> dict[str, int]:
    return dict(Counter(each.kind for each in found).most_common())


def _secret_hint(secret: StoredSecret) -> str:
    return f"{secret.begins}… ({secret.length} characters)"


SCANNED_FOLDERS = ("inbox", "logs", "recalls")
LINES_AT_ONCE = 2_000
"""A key block may span lines; a file of any size is read."""


def secrets_in_files(home: Path) -> list[StoredSecret]:
    """Return the secrets in the text files of a memory's home, without telling them."""
    found = list[StoredSecret]()
    for path in _text_files(home):
        for first, text in _file_pieces(path):
            for secret in find_secrets(text):
                line = first + text.count("\n", 0, secret.start)
                told = text[secret.start : secret.end]
                place = str(path.relative_to(home))
                found.append(described_secret(secret.kind, told, where=f"line {line}", id_=place))
    return found


def _text_files(home: Path) -> list[Path]:
    inside = [path for name in SCANNED_FOLDERS for path in sorted((home / name).glob("**/*"))]
    return [path for path in [*sorted(home.glob("recall.log*")), *inside] if path.is_file()]


def _file_pieces(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line of each piece of a file, and its text."""
    lines, first = list[str](), 1
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            lines.append(line)
            if len(lines) == LINES_AT_ONCE:
                yield first, "".join(lines)
                first, lines = first + len(lines), []
    yield first, "".join(lines)
