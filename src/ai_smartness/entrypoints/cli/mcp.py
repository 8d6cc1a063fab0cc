"""`ais mcp`: serve the memory's tools to any agent that speaks the Model Context Protocol."""

import os
from pathlib import Path

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.model.errors import RefusedError

__all__ = ["mcp"]

PROFILES = ("all", "core", "readonly")


@click.command(epilog="Example: ais mcp --profile core")
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="all",
    help="Which tools: all, core (recall, pin, rate, status), or readonly.",
)
@pass_context
def mcp(context: CliContext, profile: str) -> None:
    """The server uses the Model Context Protocol over standard input and output.

    `ais init` registers it, and agents start it themselves. It serves the project of the folder
    that it is started in, or of CLAUDE_PROJECT_DIR.
    """
    from ai_smartness.entrypoints.mcp.startup import run_server
    from ai_smartness.entrypoints.mcp.stdio import ServerOptions

    options = ServerOptions(
        home=_memory_home(context),
        cwd=_project_path(context),
        session=os.environ.get("CLAUDE_CODE_SESSION_ID") or None,
        profile=profile,
    )
    _leave_session_environment(options.home)
    run_server(options)


def _leave_session_environment(home: str) -> None:
    """Drop the variables of the session that started us, which its repository may have set."""
    from ai_smartness.settings.background_environment import background_environment

    environ = background_environment(home, os.environ)
    os.environ.clear()
    os.environ.update(environ)


def _memory_home(context: CliContext) -> str:
    from ai_smartness.settings.paths import memory_home

    # As the hooks name it, links and all.
    return os.path.abspath(memory_home(context.home, context.environ))  # noqa: PTH100


def _project_path(context: CliContext) -> str:
    name = context.project or os.environ.get("CLAUDE_PROJECT_DIR")
    folder = Path(name) if name else Path.cwd()
    if not folder.is_dir():
        msg = f"cannot serve {name}: it is not a folder. Give the folder of a project."
        raise RefusedError(msg)
    return str(folder.absolute())
