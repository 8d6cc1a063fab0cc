"""What one may want to do with a memory, and by which commands: the order of `ais help`."""

from collections.abc import Sequence

__all__ = ["TASKS", "commands_by_task"]

OTHER_COMMANDS = "Other commands"

TASKS: dict[str, dict[str, str]] = {
    "Begin": {
        "init": "set up the memory, and connect the coding agent to it",
        "tour": "see it at work, on a throw-away memory",
        "status": "see what there is",
        "import": "take in what was said before",
        "completion": "have the shell complete `ais`",
        "help": "see this list, or how one command is used",
    },
    "Find something": {
        "recall QUERY": "the threads that answer a question",
        "search WORDS": "the messages that answer it",
        "threads": "all threads of the project",
        "threads show ID": "one thread with its messages",
        "bridges": "what is linked to what",
        "handoff": "where the last session stood, to go on from there",
    },
    "See why": {
        "why": "what was shown to an agent, and why",
        "threads show ID --why": "why each message is on this thread",
        "log": "what was changed, when and by whom",
    },
    "Steer what is shown": {
        "focus TOPIC": "show threads about a topic first; alone, list what is in focus",
        "unfocus": "stop that",
        "pin TEXT": "keep something for good",
        "rate ID --useful": "say that a thread helped, or with --not-useful that it did not",
    },
    "Tidy": {
        "suggestions": "what could be merged, split or put away",
        "compact --dry-run": "see what tidying all of it would do; without --dry-run, do it",
        "threads merge A B": "put the messages of B on A",
        "threads split ID": "put some messages of a thread on others",
        "threads unlock ID": "let a thread that was split off be merged again",
        "threads condense ID": "say what grew long on a thread in few words",
        "threads rename ID TITLE": "call a thread something else",
        "threads archive ID": "put a thread away; it is still found",
    },
    "Undo": {
        "undo": "take the latest change back",
        "log --oneline": "find the number of an earlier one",
        "undo CHANGE": "take that one back",
    },
    "Keep it safe": {
        "backup": "copy the memory while it is in use; `backup list` shows the copies",
        "restore": "put the newest good backup in the memory's place, and keep what was there",
        "export PATH": "take all of it out, as JSON lines or a folder of markdown",
        "doctor": "check that everything is as it should be",
        "forget message ID": "let go of a message for good; also thread, session, project, time",
        "forget matching WORDS": "let go of every message that holds some words",
        "redact --scan": "find secrets that were kept before they were taken out",
        "uninstall": "take out what `init` put into the client",
    },
    "Connect an agent": {
        "init --user": "connect Claude Code in all projects",
        "plugin DIR": "write a plugin for Claude Code, in place of changing its settings",
        "mcp": "serve the tools to an agent's client, which starts this by itself",
    },
    "Look after it": {
        "config": "see and change the settings",
        "model": "see, get and choose the embedding model",
        "daemon": "see, start and end what keeps the memory warm",
        "reindex": "build what follows from the messages anew",
    },
}
"""Per task the commands for it as they are typed, and what each does."""


def commands_by_task(names: Sequence[str]) -> dict[str, list[str]]:
    """Sort commands by the first task that names each."""
    sorted_: dict[str, list[str]] = {task: [] for task in (*TASKS, OTHER_COMMANDS)}
    firsts = {typed.split()[0]: task for task in reversed(TASKS) for typed in reversed(TASKS[task])}
    order = [typed.split()[0] for commands in TASKS.values() for typed in commands]
    for name in sorted(names, key=lambda name: order.index(name) if name in order else len(order)):
        sorted_[firsts.get(name, OTHER_COMMANDS)].append(name)
    return {task: found for task, found in sorted_.items() if found}
