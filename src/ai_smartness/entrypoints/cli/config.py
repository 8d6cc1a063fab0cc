"""`ais config`: see every setting with where it comes from, and change it."""

import click

from ai_smartness.entrypoints.cli.completed import setting_names
from ai_smartness.entrypoints.cli.context import Context, ListFirst, pass_context
from ai_smartness.entrypoints.cli.output import print_json, print_table, visible
from ai_smartness.settings import SETTINGS, Layer, Loaded, gathered, known
from ai_smartness.settings.reference import reference
from ai_smartness.settings.setting import shown

__all__ = ["config"]

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")
for_project = click.option(
    "--project",
    "for_project",
    is_flag=True,
    help="Change the project's .ai/config.toml in place of your own file.",
)


@click.group(cls=ListFirst)
def config() -> None:
    """See and change the settings.

    Without a subcommand, list them all.
    """


@config.command("list")
@as_json
@pass_context
def list_all(context: Context, *, as_json: bool) -> None:
    """List every setting, its value and where it comes from."""
    loaded = context.loaded
    if as_json:
        print_json([_described(loaded, key) for key in SETTINGS])
    else:
        print_table(
            ("setting", "value", "from"),
            [(key, _written(loaded.value(key)), loaded.origin(key)) for key in SETTINGS],
        )


@config.command()
@click.argument("key", shell_complete=setting_names)
@as_json
@pass_context
def show(context: Context, key: str, *, as_json: bool) -> None:
    """Explain KEY: what it does, what it takes, its default, its value and where that is from."""
    setting, loaded = known(key), context.loaded
    if as_json:
        print_json({**_described(loaded, key), "allowed": setting.allowed, "doc": setting.doc})
        return
    click.echo(f"{setting.key}\n\n{click.wrap_text(setting.doc)}\n")
    click.echo(f"value:        {_written(loaded.value(key))} ({visible(str(loaded.origin(key)))})")
    click.echo(f"default:      {_written(setting.default)}")
    click.echo(f"takes:        {setting.allowed}")
    click.echo(f"environment:  {setting.variable}")
    if setting.user_only:
        click.echo("yours alone:  ignored in a project's file")


@config.command()
@click.argument("key", shell_complete=setting_names)
@pass_context
def get(context: Context, key: str) -> None:
    """Print the value of KEY and nothing else."""
    click.echo(_written(context.loaded.value(known(key).key)))


# A negative number is a value to be checked, not an option nobody knows.
@config.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("key", shell_complete=setting_names)
@click.argument("value")
@for_project
@pass_context
def set_value(context: Context, key: str, value: str, *, for_project: bool) -> None:
    """Set KEY to VALUE in your file, or in the project's.

    Comments and order of the file stay as they are.
    """
    from ai_smartness.settings.edit import put  # noqa: PLC0415 - the editor is slow to import

    path = put(context.places, Layer.PROJECT if for_project else Layer.USER, key, value)
    click.echo(f"{key} = {shown(known(key).parsed(value))} in {path}")
    _say_what_is_in_force(context, key, str(path))


@config.command()
@click.argument("key", shell_complete=setting_names)
@for_project
@pass_context
def unset(context: Context, key: str, *, for_project: bool) -> None:
    """Take KEY out of your file, or out of the project's.

    KEY may be one that `ais` does not know, to mend a file.
    """
    from ai_smartness.settings.edit import remove  # noqa: PLC0415 - the editor is slow to import

    path = remove(context.places, Layer.PROJECT if for_project else Layer.USER, key)
    click.echo(f"{key} is no longer set in {path}")


@config.command()
@as_json
@pass_context
def path(context: Context, *, as_json: bool) -> None:
    """Name the files that settings are read from, whether they exist or not."""
    places = context.places
    files = {Layer.USER: places.user_file, Layer.PROJECT: places.project_file}
    if as_json:
        print_json({str(layer): file for layer, file in files.items()})
        return
    for layer, file in files.items():
        if file is not None:
            click.echo(f"{layer}\t{file}")


@config.command("reference", hidden=True)
def print_reference() -> None:
    """Write docs/settings.md."""
    click.echo(reference(), nl=False)


def _described(loaded: Loaded, key: str) -> dict[str, object]:
    origin = loaded.origin(key)
    return {
        "key": key,
        "value": loaded.value(key),
        "default": SETTINGS[key].default,
        "origin": {"layer": origin.layer, "where": origin.where or None, "line": origin.line},
    }


def _written(value: object) -> str:
    return value if isinstance(value, str) else shown(value)


def _say_what_is_in_force(context: Context, key: str, path: str) -> None:
    origin = gathered(context.places, context.environ).origin(key)
    if origin.where != path:
        click.echo(f"warning: {origin} says otherwise, and wins", err=True)
