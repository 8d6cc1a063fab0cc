"""The table of commands: each with its module, its one-sentence help, and the task it is for.

This is the only place that describes a command in one sentence. `ais --help`, `ais help`, the
shell's completion and `ais COMMAND --help` take it from here; the docstring of a command adds
the details. To add a command, write its module and add one line here.
"""

from typing import NamedTuple, TypeAlias

__all__ = ["COMMANDS", "TASKS", "CommandEntry", "Usage"]


class CommandEntry(NamedTuple):
    """A command that is not imported yet: `module:function`, and its help in one sentence."""

    target: str
    help: str


Usage: TypeAlias = "CommandEntry | str | None"
"""A command; or another way to use one, with a sentence or with the subcommand's own (None)."""

TASKS: dict[str, dict[str, Usage]] = {
    "Begin": {
        "init": CommandEntry("init:init", "Set up the memory and connect the coding agent."),
        "tour": CommandEntry("tour:tour", "Try the memory in a temporary demo."),
        "status": CommandEntry("status:status", "Show the state of the memory."),
        "import": CommandEntry("import_:import_", "Import earlier sessions and notes."),
        "completion": CommandEntry("completion:completion", "Set up tab completion."),
        "help": CommandEntry("main:help_", "List the commands by task, or explain one."),
    },
    "Find something": {
        "recall QUERY": CommandEntry("recall:recall", "Find the threads that answer a question."),
        "search WORDS": CommandEntry("search:search", "Find messages by keyword and meaning."),
        "statements": CommandEntry(
            "statements:statements", "List the rules, decisions and facts that hold."
        ),
        "statements show ID": None,
        "threads": CommandEntry("threads:threads", "List threads, read one, or organise them."),
        "threads show ID": None,
        "bridges": CommandEntry("bridges:bridges", "List, add and follow links between threads."),
        "handoff": CommandEntry("recall:handoff", "Show where a session left off."),
    },
    "See why": {
        "web": CommandEntry("web:web", "Look at the memory in a browser."),
        "why": CommandEntry("recall:why", "Show what an agent was shown, and why."),
        "threads show ID --why": "Show why each message is on this thread.",
        "log": CommandEntry("log:log", "Show what was changed, when and by whom."),
    },
    "Steer what is shown": {
        "focus TOPIC": CommandEntry("focus:focus", "Show threads about a topic first."),
        "unfocus": CommandEntry("focus:unfocus", "End the focus on a topic, or on all."),
        "pin TEXT": CommandEntry("pin:pin", "Keep a note permanently."),
        "rate ID --useful": CommandEntry("pin:rate", "Say whether a thread was useful."),
        "hide MESSAGE TEXT": CommandEntry(
            "pin:hide", "Never show a line again, wherever it was said."
        ),
        "off": CommandEntry("switch:off", "Switch the memory off, for a while or until `ais on`."),
        "on": CommandEntry("switch:on", "Switch the memory on again."),
        "statements confirm ID": None,
        "statements reject ID": None,
        "statements correct ID": None,
    },
    "Tidy": {
        "suggestions": CommandEntry(
            "suggestions:suggestions", "Suggest threads to merge, split or archive."
        ),
        "compact": CommandEntry("compact:compact", "Merge similar threads and archive old ones."),
        "compact --dry-run": "Show that plan, and change nothing.",
        "threads merge A B": None,
        "threads keep-apart A B": None,
        "threads split ID": None,
        "threads keep-whole ID": None,
        "threads unlock ID": None,
        "threads condense ID": None,
        "threads rename ID TITLE": None,
        "threads archive ID": None,
    },
    "Undo": {
        "undo": CommandEntry("log:undo", "Undo a change, or the latest one."),
        "log --oneline": "Find the number of an earlier change.",
        "undo CHANGE": "Undo that change.",
    },
    "Keep it safe": {
        "backup": CommandEntry("backup:backup", "Back up the memory while it is in use."),
        "move": CommandEntry("server_store:move", "Move the memory to a PostgreSQL server."),
        "restore": CommandEntry("backup:restore", "Restore the memory from a backup."),
        "export PATH": CommandEntry(
            "export:export", "Export the memory as JSON lines or Markdown."
        ),
        "doctor": CommandEntry("doctor:doctor", "Check the setup, and say how to fix problems."),
        "forget": CommandEntry("forget:forget", "Delete messages permanently, and verify it."),
        "forget message ID": None,
        "forget matching WORDS": None,
        "redact --scan": CommandEntry("redact:redact", "Find secrets stored in the memory."),
        "uninstall": CommandEntry(
            "uninstall:uninstall", "Remove the hooks and tools from the client."
        ),
    },
    "Share with a team": {
        "share ID": CommandEntry("share:share", "Share a thread or a statement with your team."),
        "share --git": "Write statements as files of the repository, for your team.",
        "unshare ID": CommandEntry("share:unshare", "Take back what you shared."),
        "dispute ID": CommandEntry("team:dispute", "Say that something shared is wrong."),
        "team": CommandEntry("team:team", "Show your team and what it shares, or add a person."),
        "team add NAME": None,
    },
    "Connect an agent": {
        "init --user": "Connect Claude Code in all projects.",
        "plugin DIR": CommandEntry("plugin:plugin", "Write a plugin for Claude Code."),
        "mcp": CommandEntry("mcp:mcp", "Serve the memory's tools to an agent."),
    },
    "Look after it": {
        "project": CommandEntry(
            "project:project", "Show the project of this folder, and link folders to one."
        ),
        "config": CommandEntry("config:config", "Show and change the settings."),
        "model": CommandEntry("model:model", "List, download and choose the embedding model."),
        "daemon": CommandEntry("daemon:daemon", "Start, stop or inspect the background daemon."),
        "reindex": CommandEntry("model:reindex", "Rebuild the index from the stored messages."),
    },
}
"""For each task, the commands as they are typed."""

COMMANDS: dict[str, CommandEntry] = {
    typed.split()[0]: usage
    for usages in TASKS.values()
    for typed, usage in usages.items()
    if isinstance(usage, CommandEntry)
}
