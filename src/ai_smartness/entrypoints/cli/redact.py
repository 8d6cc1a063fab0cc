"""`ais redact --scan`: find secrets that older versions stored before redaction existed.

It searches the memory and the files beside it: the inbox, the logs, the answers to reads.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    print_json,
    print_table,
    print_text,
    progress_bar,
)
from ai_smartness.model.erasure import StoredSecret, described_secret
from ai_smartness.redact import find_secrets

__all__ = ["redact"]

EXIT_FOUND = 1
SHOWN_SECRETS = 50

SCANNED_FOLDERS = ("inbox", "logs", "recalls", "briefs")
LINES_AT_ONCE = 2_000  # a key block may span lines, and a file may have any size


@click.command(epilog="Example: ais redact --scan --json")
@click.option("--scan", is_flag=True, required=True, help="Look for secrets; change nothing.")
@json_option
@click.pass_context
def redact(ctx: click.Context, *, scan: bool, as_json: bool) -> None:
    """A secret is a key, a token or a password.

    New messages are redacted before they are written, as `[redacted:kind]`. This searches what
    older versions stored, in every project: messages, titles, the journal, injected text, the
    inbox and the logs. It prints the kind and the place of each secret, never the secret itself.

    The exit code is 1 if a secret is found, and 0 otherwise. Nothing is changed: `ais forget`
    deletes what you find.
    """
    assert scan  # noqa: S101 - click requires it
    context = ctx.find_object(CliContext) or CliContext()
    with context.open_memory() as memory, progress_bar("looking for secrets") as progress:
        secrets = memory.kept_secrets(progress=progress)
    secrets += _secrets_in_files(context.places.home)
    if as_json:
        print_json({"found": len(secrets), "kinds": _kind_counts(secrets), "secrets": secrets})
    else:
        _print_secrets(secrets)
    ctx.exit(EXIT_FOUND if secrets else 0)


def _print_secrets(secrets: Sequence[StoredSecret]) -> None:
    if not secrets:
        click.echo("No secrets found.")
        return
    click.echo(f"{counted_noun(len(secrets), 'secret')} found:")
    print_table(["kind", "how many"], _kind_counts(secrets).items())
    click.echo()
    rows = [
        (secret.kind, secret.where, secret.id, f"{secret.begins}… ({secret.length} characters)")
        for secret in secrets[:SHOWN_SECRETS]
    ]
    print_table(["kind", "where", "id", "looks like"], rows)
    more = len(secrets) - SHOWN_SECRETS
    if more > 0:
        print_text(f"… and {more:,} more: `ais redact --scan --json` has all.")
    print_text("\nNothing was changed. `ais forget` deletes a message, a thread or a session.")
    click.echo("Also replace each key where it was issued.")


def _kind_counts(secrets: Sequence[StoredSecret]) -> dict[str, int]:
    return dict(Counter(secret.kind for secret in secrets).most_common())


def _secrets_in_files(home: Path) -> list[StoredSecret]:
    """Find the secrets in the text files of a memory's home, without revealing them."""
    secrets = list[StoredSecret]()
    for path in _text_files(home):
        for first, text in _file_pieces(path):
            for span in find_secrets(text):
                line = first + text.count("\n", 0, span.start)
                value, place = text[span.start : span.end], str(path.relative_to(home))
                secret = described_secret(span.kind, value, where=f"line {line}", id_=place)
                secrets.append(secret)
    return secrets


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
