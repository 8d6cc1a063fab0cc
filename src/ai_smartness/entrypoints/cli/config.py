"""`ais config`: show every setting with its origin, and change it."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.completion import setting_names
from ai_smartness.entrypoints.cli.options import ListByDefaultGroup, json_option
from ai_smartness.entrypoints.cli.output import print_json, print_table, safe_text
from ai_smartness.model.errors import AisError
from ai_smartness.settings.load import LoadedSettings, gather_settings
from ai_smartness.settings.paths import HomePaths
from ai_smartness.settings.setting import SETTINGS, Layer, known_setting, shown_value

__all__ = ["config"]

project_file_option = click.option(
    "--project",
    "for_project",
    is_flag=True,
    help="Change the project's .ai/config.toml instead of your own file.",
)


@click.group(cls=ListByDefaultGroup)
def config() -> None:
    """Without a subcommand, list all of them."""


@config.command("list")
@json_option
@pass_context
def list_all(context: CliContext, *, as_json: bool) -> None:
    """List every setting with its value and origin."""
    loaded = context.loaded_settings
    if as_json:
        print_json([_setting_json(loaded, key) for key in SETTINGS])
    else:
        rows = [
            (key, _value_text(loaded.value_of(key)), loaded.value_origin(key)) for key in SETTINGS
        ]
        print_table(("setting", "value", "from"), rows)


@config.command()
@click.argument("key", shell_complete=setting_names)
@json_option
@pass_context
def show(context: CliContext, key: str, *, as_json: bool) -> None:
    """Explain KEY: its effect, allowed values, default, current value and origin."""
    setting, loaded = known_setting(key), context.loaded_settings
    if as_json:
        details = {"allowed": setting.allowed_values, "doc": setting.doc}
        print_json({**_setting_json(loaded, key), **details})
        return
    value, origin = _value_text(loaded.value_of(key)), safe_text(str(loaded.value_origin(key)))
    click.echo(f"{setting.key}\n\n{click.wrap_text(setting.doc)}\n")
    click.echo(f"value:        {value} ({origin})")
    click.echo(f"default:      {_value_text(setting.default)}")
    click.echo(f"takes:        {setting.allowed_values}")
    click.echo(f"environment:  {setting.variable}")
    if setting.user_only:
        click.echo("yours alone:  ignored in a project's file")


@config.command()
@click.argument("key", shell_complete=setting_names)
@pass_context
def get(context: CliContext, key: str) -> None:
    """Print the value of KEY and nothing else."""
    click.echo(_value_text(context.loaded_settings.value_of(known_setting(key).key)))


# A negative number is a value to be checked, not an unknown option.
@config.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("key", shell_complete=setting_names)
@click.argument("value")
@project_file_option
@pass_context
def set_key(context: CliContext, key: str, value: str, *, for_project: bool) -> None:
    """Set KEY to VALUE in your settings file, or in the project's.

    Comments and order of the file are kept.
    """
    from ai_smartness.settings.edit import write_value

    path = write_value(context.places, Layer.PROJECT if for_project else Layer.USER, key, value)
    click.echo(f"{key} = {shown_value(known_setting(key).parsed_value(value))} in {path}")
    _warn_if_overridden(context, key, str(path))
    _renew_briefs(context, key, for_project=for_project)


@config.command()
@click.argument("key", shell_complete=setting_names)
@project_file_option
@pass_context
def unset(context: CliContext, key: str, *, for_project: bool) -> None:
    """Remove KEY from your settings file, or from the project's.

    KEY may be unknown to `ais`, so that you can clean up a file.
    """
    from ai_smartness.settings.edit import remove_value

    path = remove_value(context.places, Layer.PROJECT if for_project else Layer.USER, key)
    click.echo(f"{key} is no longer set in {path}")
    _renew_briefs(context, key, for_project=for_project)


@config.command()
@json_option
@pass_context
def path(context: CliContext, *, as_json: bool) -> None:
    """Name the settings files, whether they exist or not."""
    places = context.places
    files = {Layer.USER: places.user_file, Layer.PROJECT: places.project_file}
    if as_json:
        print_json({str(layer): file for layer, file in files.items()})
        return
    for layer, file in files.items():
        if file is not None:
            click.echo(f"{layer}\t{file}")


def _setting_json(loaded: LoadedSettings, key: str) -> dict[str, object]:
    origin = loaded.value_origin(key)
    return {
        "key": key,
        "value": loaded.value_of(key),
        "default": SETTINGS[key].default,
        "origin": {"layer": origin.layer, "where": origin.where or None, "line": origin.line},
    }


def _value_text(value: object) -> str:
    return value if isinstance(value, str) else shown_value(value)


def _warn_if_overridden(context: CliContext, key: str, path: str) -> None:
    origin = gather_settings(context.places, context.environ).value_origin(key)
    if origin.where != path:
        click.echo(f"warning: {origin} overrides this value", err=True)


def _renew_briefs(context: CliContext, key: str, *, for_project: bool) -> None:
    """Have the next session's brief keep to a changed setting, though no daemon may run."""
    home = HomePaths(str(context.places.home))
    if not key.startswith("inject.") or not Path(home.briefs).is_dir():
        return
    from ai_smartness.wiring import known_projects

    # The setting is written; a brief that cannot be renewed now is renewed by the daemon.
    with suppress(AisError, OSError):
        for name in [context.project_name] if for_project else known_projects(context.places):
            if Path(home.brief_file(name)).exists():
                _renew_brief(replace(context, project=name), name)


def _renew_brief(context: CliContext, project: str) -> None:
    from ai_smartness.wiring import build_memory

    # Another project's own settings may be broken. The model would take seconds to load, and
    # the daemon renews the brief with it.
    with (
        suppress(AisError, OSError),
        build_memory(context.places, context.settings, project, embedder=lambda: None) as memory,
    ):
        memory.renew_brief()
