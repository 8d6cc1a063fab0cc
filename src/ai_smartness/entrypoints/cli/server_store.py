"""`ais move`: take the memory to a server; and what `ais init` and `ais doctor` say about one."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    print_json,
    print_note,
    progress_bar,
    safe_text,
)
from ai_smartness.model.errors import RefusedError, StoreError

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["move", "use_server"]

COMPARED_SEARCHES = 50
COMPARED_HITS = 10
QUERY_WORDS = 8


def use_server(context: CliContext, url: str, *, dry_run: bool = False) -> None:
    """Check a server, print what it is, and set `store.url`; one that does not fit is refused."""
    from ai_smartness.wiring import check_server

    report = check_server(url)
    click.echo(f"{'server':<10}{safe_text(str(report))}")
    for warning in report.warnings:
        print_note(warning)
    if report.problems:
        msg = (
            f"a memory cannot be in {report.name}: {'; '.join(report.problems)}. "
            "Nothing was changed."
        )
        raise RefusedError(msg)
    if not dry_run:
        file = set_server(context, url)
        click.echo(f"{'setting':<10}store.url, in {safe_text(str(file))}")


@dataclass(frozen=True, slots=True)
class MoveResult:
    """What was moved, and how both memories compare: `different` searches answer otherwise."""

    source: str
    target: str
    counts: dict[str, int]
    searches: int
    different: list[str] = field(default_factory=list)


@click.command(epilog="Example: ais move --to postgresql://db.example.com/memory")
@click.option("--to", "url", required=True, metavar="URL", help="The database to move to.")
@click.option("--dry-run", is_flag=True, help="Check the server, and change nothing.")
@json_option
@pass_context
def move(context: CliContext, url: str, *, dry_run: bool, as_json: bool) -> None:
    """All projects are exported, and imported into the empty database.

    Then both are compared: the numbers of all records, and the answers to 50 searches. If they
    are the same, `store.url` names the database from then on.

    The old memory stays where it is, and can be deleted when you no longer need it.
    """
    from ai_smartness.entrypoints.cli.daemon import finish_forgetting
    from ai_smartness.entrypoints.daemon.pause import without_daemon
    from ai_smartness.wiring import check_server

    report = check_server(url)
    if report.problems:
        msg = f"the memory cannot be moved to {report.name}: {'; '.join(report.problems)}."
        raise RefusedError(msg)
    if not as_json:
        click.echo(f"{'server':<10}{safe_text(str(report))}")
    if report.has_projects:
        msg = (
            f"{report.name} holds a memory already. Nothing was changed; name an empty database, "
            "or import into this one: `ais export`, then `ais import --trust`."
        )
        raise RefusedError(msg)
    if dry_run:
        click.echo("dry run: nothing was changed.")
        return
    finish_forgetting(context)
    with without_daemon(context.places.home):
        result = _move_memory(context, url)
        if not result.different:
            set_server(context, url)
    _print_moved(result, as_json=as_json)


def set_server(context: CliContext, url: str) -> Path:
    """Set `store.url` for this user, and return the file of the setting."""
    from ai_smartness.settings.edit import write_value
    from ai_smartness.settings.setting import Layer

    return write_value(context.places, Layer.USER, "store.url", url)


def _move_memory(context: CliContext, url: str) -> MoveResult:
    from ai_smartness.wiring import build_memory, store_name

    here = context.settings
    there = replace(here, store=replace(here.store, url=url))
    project = context.project_name
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(dir=context.places.home)))
        source = stack.enter_context(build_memory(context.places, here, project))
        target = stack.enter_context(build_memory(context.places, there, project))
        counts, queries = _carry_over(source, target, folder / "memory.jsonl")
        different = [query for query in queries if not _answers_alike(source, target, query)]
    return MoveResult(
        source=store_name(context.places, here),
        target=store_name(context.places, there),
        counts=counts,
        searches=len(queries),
        different=different,
    )


def _carry_over(source: "Memory", target: "Memory", file: Path) -> tuple[dict[str, int], list[str]]:
    """Export, import, and compare the counts; return them, and searches to compare."""
    with file.open("w", encoding="utf-8") as lines, progress_bar("exporting") as progress:
        header = source.export(lines.write, progress=progress)
    with file.open("rb") as read, progress_bar("importing") as progress:
        target.take_in(read, progress=progress)
    arrived = target.export(lambda _line: None)
    if arrived.counts != header.counts:
        msg = (
            f"not everything arrived: {dict(header.counts)} here, {dict(arrived.counts)} there. "
            "The setting was not changed, and the old memory is as it was."
        )
        raise StoreError(msg)
    return dict(header.counts), list(_sample_queries(file, header.counts.get("event", 0)))


def _sample_queries(file: Path, events: int) -> Iterator[str]:
    """Yield the first words of messages spread over the whole memory."""
    step, number = max(1, events // COMPARED_SEARCHES), 0
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            text = json.loads(line).get("event", {}).get("text", "")
            if text.strip():
                number += 1
                if number % step == 0 and number // step <= COMPARED_SEARCHES:
                    yield " ".join(text.split()[:QUERY_WORDS])


def _answers_alike(source: "Memory", target: "Memory", query: str) -> bool:
    """Say whether both find the same messages by words; vectors are made anew over there."""
    found = [
        [hit.id for hit in memory.search(query, COMPARED_HITS, words_only=True)]
        for memory in (source, target)
    ]
    return found[0] == found[1]


def _print_moved(result: MoveResult, *, as_json: bool) -> None:
    if as_json:
        print_json(result)
    else:
        click.echo(f"{'moved':<10}{safe_text(result.source)} to {safe_text(result.target)}")
        for kind, count in result.counts.items():
            if count:
                click.echo(f"{'':<10}{counted_noun(count, kind)}")
        same = result.searches - len(result.different)
        click.echo(f"{'compared':<10}{same} of {result.searches} searches have the same answers")
    if result.different:
        msg = (
            f"{len(result.different)} searches answer otherwise over there, the first of them "
            f"`{result.different[0]}`. The setting was not changed, and the old memory is in use."
        )
        raise StoreError(msg)
    if not as_json:
        click.echo(
            f"The memory is on the server from now on. {safe_text(result.source)} is left as it "
            "was; delete it when you no longer need it. The daemon embeds the messages over there; "
            "`ais reindex --missing` does it at once."
        )
