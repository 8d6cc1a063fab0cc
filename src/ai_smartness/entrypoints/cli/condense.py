"""`ais threads condense` and `ais threads restore`: say a long thread in few words, or not."""

from datetime import datetime
from typing import TYPE_CHECKING, cast

import click

from ai_smartness.entrypoints.cli.completed import thread_ids
from ai_smartness.entrypoints.cli.context import Context, pass_context, readable
from ai_smartness.entrypoints.cli.described import described
from ai_smartness.entrypoints.cli.moment import read_moment
from ai_smartness.entrypoints.cli.outcome import changing, plain, print_outcome
from ai_smartness.entrypoints.cli.output import print_json, progress

if TYPE_CHECKING:
    from ai_smartness.model.condensed import CondenseOutcome
    from ai_smartness.model.event import Event

__all__ = ["CONDENSING", "compaction_line", "read_point"]

SCOPES = ("incremental", "full", "hybrid")

MOST_COMPACTIONS = 9_999
"""A longer number is a date without its dashes."""


def _parameters(
    _ctx: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, object]:
    """Read the parameters of a condenser, each NAME=VALUE; a number or yes and no are such."""
    return dict(_read(each) for each in given)


def _read(given: str) -> tuple[str, object]:
    name, is_given, text = given.partition("=")
    if not is_given or not name.isidentifier():
        msg = f"{given!r} is not NAME=VALUE, like files=3."
        raise click.BadParameter(msg)
    if text.lower() in ("true", "false"):
        return name, text.lower() == "true"
    return name, int(text) if text.isdecimal() else text


@click.command(epilog="Example: ais threads condense thread_20260302 --with digest --target 2000")
@click.argument("thread_id", metavar="ID", shell_complete=thread_ids)
@click.option("--with", "how", metavar="CONDENSER", help="How (the setting condense.default).")
@click.option("--scope", type=click.Choice(SCOPES), default="incremental", show_default=True)
@click.option("--target", type=click.IntRange(min=1), help="Tokens that its view may take.")
@click.option(
    "--set",
    "more",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_parameters,
    help="A parameter of the condenser.",
)
@changing
@pass_context
def condense(context: Context, /, thread_id: str, **given: object) -> None:
    """Say what grew long on the thread ID in few words.

    Its messages are kept, and shown with `ais threads show ID --full`; an agent sees what
    stands for them. The scope `incremental` condenses what came since the last time, `hybrid`
    also what was condensed before, `full` all that was ever said anew.
    """
    dry_run, as_json = bool(given["dry_run"]), bool(given["as_json"])
    with described(context) as memory, progress("condensing"):
        outcome = memory.condense(
            readable(thread_id),
            readable(str(given["how"])) if given["how"] else None,
            scope=str(given["scope"]),
            target=given["target"] if isinstance(given["target"], int) else None,
            dry_run=dry_run,
            **cast("dict[str, object]", given["more"]),
        )
    if as_json:
        print_json({**plain(outcome, dry_run=dry_run), "compaction": _plain(outcome)})
    else:
        print_outcome(context, outcome, dry_run=dry_run, as_json=False)


@click.command(epilog="Example: ais threads restore thread_20260302 --before comp_7f2a")
@click.argument("thread_id", metavar="ID", shell_complete=thread_ids)
@click.option("--before", metavar="COMPACTION", required=True, help="The id of a compaction.")
@changing
@pass_context
def restore(context: Context, thread_id: str, before: str, *, dry_run: bool, as_json: bool) -> None:
    """Show the thread ID again as it was before a compaction.

    That one and those after it are set aside, not deleted. `ais threads show` lists them.
    """
    with described(context) as memory:
        outcome = memory.restore(readable(thread_id), before=readable(before), dry_run=dry_run)
    print_outcome(context, outcome, dry_run=dry_run, as_json=as_json)


CONDENSING = (condense, restore)


def read_point(
    ctx: click.Context, parameter: click.Parameter, text: str | None
) -> datetime | int | None:
    """Read a moment, or a number of compactions."""
    if text is not None and text.isdecimal() and int(text) <= MOST_COMPACTIONS:
        return int(text)
    return read_moment(ctx, parameter, text)


def compaction_line(event: "Event", *, set_aside: bool) -> str:
    """Write on one line what a compaction stands for."""
    from ai_smartness.model.condensed import condensed_of  # noqa: PLC0415 - not for --help

    made = condensed_of(event)
    aside = " (set aside)" if set_aside else ""
    return (
        f"[condensed with {made.condenser}, {made.scope}: {made.originals:,} messages stand as "
        f"{len(made.replacements)}, about {made.tokens_before:,} tokens as "
        f"{made.tokens_after:,}]{aside}"
    )


def _plain(outcome: "CondenseOutcome") -> dict[str, object]:
    made = outcome.compaction
    return {
        "id": made.id,
        "condenser": made.condenser,
        "version": made.version,
        "scope": made.scope,
        "parameters": made.parameters,
        "messages": made.originals,
        "tokens_before": made.tokens_before,
        "tokens_after": made.tokens_after,
        "replacements": made.replacements,
    }
