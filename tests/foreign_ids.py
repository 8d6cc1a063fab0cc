"""Calls that give a verb, a tool, a path or a command the ids of somebody else.

Each table is complete: a test compares it with the registry of verbs, tools, paths or commands, so
a new one has to be listed here, with such calls or as one that takes no ids.
"""

import typing
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from ai_smartness import Memory
from ai_smartness.model.erasure import Selection
from ai_smartness.model.link import (
    HandoffLink,
    MergeLink,
    RecallLink,
    SplitLink,
    SplitProposalLink,
    StatementsLink,
    StatusLink,
    SuggestionsLink,
    UnlockLink,
)
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import Kind
from builders import NOON, said
from two_projects import PANGOLIN, Ids, a_draft

__all__ = [
    "COMMANDS",
    "OTHER_COMMANDS",
    "PATHS",
    "TOOLS_OF_ANY_TEXT",
    "TOOL_CALLS",
    "UNREFUSED",
    "VERBS",
    "WHOLE_MEMORY",
    "WITHOUT_IDS",
]

Verb = Callable[[Memory, Ids, Ids], object]

VERBS: dict[str, list[Verb]] = {
    "all_events": [lambda m, _, theirs: m.all_events(theirs.thread)],
    "append": [lambda m, _, theirs: m.append(theirs.thread, said("x"))],
    "archive": [lambda m, _, theirs: m.archive(theirs.thread)],
    "bridges": [lambda m, _, theirs: m.bridges(theirs.thread)],
    "capture": [lambda m, _, t: m.capture(typing.cast("typing.Any", _on(t.thread)))],
    "condense": [lambda m, _, theirs: m.condense(theirs.thread)],
    "confirm": [lambda m, _, theirs: m.confirm(theirs.thread, Kind.DECISION)],
    "confirm_statement": [lambda m, _, theirs: m.confirm_statement(theirs.statement)],
    "correct_statement": [lambda m, _, theirs: m.correct_statement(theirs.statement, "x")],
    "drift": [lambda m, _, theirs: m.drift(theirs.thread)],
    "events": [lambda m, _, theirs: m.events(theirs.thread)],
    "events_after": [lambda m, _, theirs: m.events_after(theirs.thread, 0)],
    "focus": [lambda m, _, theirs: m.focus(theirs.thread)],
    "follow": [lambda m, _, theirs: m.follow(theirs.bridge)],
    "forget": [
        lambda m, _, theirs: m.forget(Selection(thread=theirs.thread)),
        lambda m, _, theirs: m.forget(Selection(messages=(theirs.message,))),
        lambda m, _, theirs: m.forget(Selection(thread=theirs.thread), dry_run=True),
    ],
    "handoff": [lambda m, _, theirs: m.handoff(theirs.session)],
    "hide": [lambda m, _, theirs: m.hide(theirs.message, "x")],
    "keep_apart": [
        lambda m, mine, t: m.keep_apart(mine.thread, t.thread),
        lambda m, mine, t: m.keep_apart(t.thread, mine.thread),
    ],
    "keep_whole": [lambda m, _, theirs: m.keep_whole(theirs.thread)],
    "link": [
        lambda m, mine, t: m.link(a_draft(mine.thread, t.thread)),
        lambda m, mine, t: m.link(a_draft(t.thread, mine.thread)),
    ],
    "latest_messages": [lambda m, _, theirs: m.latest_messages(theirs.thread)],
    "log": [lambda m, _, theirs: m.log(theirs.thread)],
    "merge": [
        lambda m, mine, theirs: m.merge(mine.thread, theirs.thread),
        lambda m, mine, theirs: m.merge(theirs.thread, mine.thread, force=True),
    ],
    "message": [lambda m, _, theirs: m.message(theirs.message)],
    "messages": [lambda m, _, theirs: m.messages(theirs.thread)],
    "move": [
        lambda m, mine, theirs: m.move(theirs.message, mine.thread),
        lambda m, mine, theirs: m.move(mine.message, theirs.thread),
    ],
    "moments": [lambda m, _, theirs: m.moments(theirs.thread)],
    "neighbourhood": [lambda m, _, theirs: m.neighbourhood(theirs.thread)],
    "notes": [lambda m, _, theirs: m.notes(theirs.thread)],
    "propose_split": [lambda m, _, theirs: m.propose_split(theirs.thread)],
    "rate": [
        lambda m, _, theirs: m.rate(theirs.thread, useful=True),
        lambda m, _, theirs: m.rate(theirs.message, useful=True),
    ],
    "reactivate": [lambda m, _, theirs: m.reactivate(theirs.thread)],
    "recall": [lambda m, _, theirs: m.recall(theirs.thread)],
    "reject_statement": [lambda m, _, theirs: m.reject_statement(theirs.statement)],
    "rename": [lambda m, _, theirs: m.rename(theirs.thread, "x")],
    "restore": [
        lambda m, _, theirs: m.restore(theirs.thread, before=theirs.compaction),
        lambda m, mine, theirs: m.restore(mine.thread, before=theirs.compaction),
    ],
    "split": [
        lambda m, _, t: m.split(t.thread, [SplitPart("x", (f"{PANGOLIN}-0",))]),
        lambda m, mine, t: m.split(mine.thread, [SplitPart("x", (t.message,))]),
    ],
    "statement": [lambda m, _, theirs: m.statement(theirs.statement)],
    "stood": [lambda m, _, theirs: m.stood(theirs.session)],
    "superseded_statements": [lambda m, _, theirs: m.superseded_statements(theirs.statement)],
    "suspend": [lambda m, _, theirs: m.suspend(theirs.thread)],
    "thread": [lambda m, _, theirs: m.thread(theirs.thread)],
    "thread_at": [lambda m, _, theirs: m.thread_at(theirs.thread, NOON)],
    "thread_title": [lambda m, _, theirs: m.thread_title(theirs.thread)],
    "undo": [lambda m, _, theirs: m.undo(theirs.change)],
    "unlink": [lambda m, _, theirs: m.unlink(theirs.bridge)],
    "unlock": [lambda m, _, theirs: m.unlock(theirs.thread)],
}


def _printed(memory: Memory, mine: Ids, theirs: Ids) -> object:
    memory.record_printed("s", {theirs.thread: [1, 2], mine.thread: [1, 2]})
    return memory.why("s")


DAY = timedelta(days=1)

UNREFUSED: dict[str, Verb] = {
    "activity": lambda m, _, t: m.activity([t.thread], NOON - DAY, NOON + DAY, 4),
    "context_compacted": lambda m, _, theirs: m.context_compacted(theirs.session),
    "foci": lambda m, _, theirs: m.foci(theirs.session),
    "greeting": lambda m, _, theirs: m.greeting(theirs.session),
    "message_counts": lambda m, _, theirs: m.message_counts([theirs.thread]),
    "held_statements": lambda m, _, theirs: m.held_statements("rule", after=theirs.statement),
    "inject": lambda m, _, theirs: m.inject(f"{theirs.thread} {PANGOLIN}?", session=theirs.session),
    "line_sources": lambda m, _, _theirs: m.line_sources(range(1, 1_000)),
    "pressure": lambda m, _, theirs: m.pressure(theirs.session, 190_000, 200_000),
    "prepared_greeting": lambda m, _, theirs: m.prepared_greeting(theirs.session),
    "prepared_injection": lambda m, _, theirs: m.prepared_injection(theirs.thread),
    "read_virtual": lambda m, _, theirs: m.read_virtual(f".ai/recall/{theirs.thread}"),
    "record_brief": lambda m, _, theirs: m.record_brief(theirs.session, "0"),
    "record_printed": _printed,
    "search": lambda m, _, theirs: m.search(PANGOLIN, session=theirs.session),
    "session_clients": lambda m, _, theirs: m.session_clients([theirs.session]),
    "session_id": lambda m, _, theirs: m.session_id(theirs.session[:9]),
    "sessions": lambda m, _, theirs: m.sessions([theirs.session]),
    "statements": lambda m, _, theirs: m.statements(query=theirs.statement),
    "suggestions": lambda m, _, theirs: m.suggestions(theirs.thread, session=theirs.session),
    "titles": lambda m, _, theirs: m.titles([theirs.thread]),
    "unfocus": lambda m, _, theirs: m.unfocus(theirs.thread),
    "why": lambda m, _, theirs: m.why(theirs.session),
    "with_memory": lambda m, _, theirs: m.with_memory([{"role": "user", "content": theirs.thread}]),
}
"""They take any text, or the name of a session: they answer, but with nothing of the other one."""

WITHOUT_IDS = {
    *(
        "begun_at",
        "brief",
        "check",
        "clients",
        "close",
        "compact",
        "condensers",
        "create",
        "drop_vectors",
        "embed",
    ),
    *("embedder", "open", "pin", "rename_project", "register", "reindex", "renew_brief"),
    *(
        "list_threads",
        "redaction_counts",
        "rejected_statements",
        "seen_from",
        "subagent_brief",
        "tell",
    ),
    *("document", "documents", "remove_documents", "rename_documents", "write_document"),
    *("add_team_member", "dispute", "share", "shared_items", "team_members", "unshare"),
    *(
        "update_shared",
        "settle_injection",
        "status",
        "threads",
        "tokens_today",
        "used_by",
        "window_tokens",
    ),
}
WHOLE_MEMORY = {
    *("export", "finish_forgetting", "import_history", "kept_secrets", "pages", "projects"),
    *("take_in", "unembedded"),
}
"""For all projects, or the one that is named."""


def _on(thread: str) -> object:
    return replace(said("x"), thread=thread)


TOOL_CALLS: dict[str, list[Callable[[Ids, Ids], dict[str, object]]]] = {
    "ai_recall": [lambda _, theirs: {"query": theirs.thread}],
    "ai_merge": [
        lambda mine, theirs: {"survivor": mine.thread, "absorbed": theirs.thread},
        lambda mine, theirs: {"survivor": theirs.thread, "absorbed": mine.thread},
    ],
    "ai_split": [lambda _, theirs: {"thread": theirs.thread}],
    "ai_unlock": [lambda _, theirs: {"thread": theirs.thread}],
    "ai_focus": [lambda _, theirs: {"topic": theirs.thread}],
    "ai_unfocus": [lambda _, theirs: {"topic": theirs.thread}],
    "ai_rate_context": [
        lambda _, theirs: {"thread_id": theirs.thread, "useful": True},
        lambda _, theirs: {"thread_id": theirs.message, "useful": True},
    ],
    "ai_undo": [lambda _, theirs: {"change": theirs.change}],
    "thread": [lambda _, theirs: {"thread": theirs.thread}],
}
TOOLS_OF_ANY_TEXT: dict[str, Callable[[Ids], dict[str, object]]] = {
    "ai_pin": lambda theirs: {"content": theirs.thread},
    "ai_statements": lambda theirs: {"query": theirs.thread},
    "ai_suggestions": lambda theirs: {"context": theirs.thread},
    "ai_compact": lambda _: {},
    "ai_status": lambda _: {},
    "threads": lambda _: {},
    "handoff": lambda _: {},
}


PATHS: dict[type, Callable[[Ids, Ids], str]] = {
    MergeLink: lambda mine, theirs: f"merge/{mine.thread}/{theirs.thread}",
    SplitProposalLink: lambda _, theirs: f"split/{theirs.thread}",
    SplitLink: lambda _, t: f"split/{t.thread}/confirm?titles=x&msgs_0={PANGOLIN}-0",
    UnlockLink: lambda _, theirs: f"unlock/{theirs.thread}",
    RecallLink: lambda _, theirs: f"recall/{theirs.thread}",
    SuggestionsLink: lambda _, theirs: f"suggestions/{theirs.thread}",
    StatementsLink: lambda _, theirs: f"statements/{theirs.statement}",
    HandoffLink: lambda _, theirs: f"handoff/{theirs.session}",
    StatusLink: lambda *_: "status",
}


COMMANDS: dict[str, list[Callable[[Ids, Ids], list[str]]]] = {
    "recall": [lambda _, theirs: [theirs.thread]],
    "statements confirm": [lambda _, theirs: [theirs.statement]],
    "statements correct": [lambda _, theirs: [theirs.statement, "--text", "x"]],
    "statements reject": [lambda _, theirs: [theirs.statement]],
    "statements show": [lambda _, theirs: [theirs.statement]],
    "threads archive": [lambda _, theirs: [theirs.thread]],
    "threads condense": [lambda _, theirs: [theirs.thread]],
    "hide": [lambda _, theirs: [theirs.message, "x"]],
    "threads keep-apart": [
        lambda mine, theirs: [mine.thread, theirs.thread],
        lambda mine, theirs: [theirs.thread, mine.thread],
    ],
    "threads keep-whole": [lambda _, theirs: [theirs.thread]],
    "threads kind": [lambda _, theirs: [theirs.thread, "decision"]],
    "threads merge": [
        lambda mine, theirs: [mine.thread, theirs.thread],
        lambda mine, theirs: [theirs.thread, mine.thread],
    ],
    "threads move": [
        lambda mine, theirs: [theirs.message, mine.thread],
        lambda mine, theirs: [mine.message, theirs.thread],
    ],
    "threads reactivate": [lambda _, theirs: [theirs.thread]],
    "threads rename": [lambda _, theirs: [theirs.thread, "x"]],
    "threads restore": [lambda _, theirs: [theirs.thread, "--before", theirs.compaction]],
    "threads show": [
        lambda _, theirs: [theirs.thread],
        lambda _, theirs: [theirs.thread, "--why"],
        lambda _, theirs: [theirs.thread, "--json"],
    ],
    "threads split": [lambda _, theirs: [theirs.thread]],
    "threads suspend": [lambda _, theirs: [theirs.thread]],
    "threads unlock": [lambda _, theirs: [theirs.thread]],
    "bridges add": [
        lambda mine, theirs: [mine.thread, "extends", theirs.thread],
        lambda mine, theirs: [theirs.thread, "extends", mine.thread],
    ],
    "bridges follow": [lambda _, theirs: [theirs.bridge]],
    "bridges list": [lambda _, theirs: [theirs.thread]],
    "bridges remove": [lambda _, theirs: [theirs.bridge]],
    "handoff": [lambda _, theirs: ["--session", theirs.session]],
    "log": [lambda _, theirs: [theirs.thread]],
    "focus": [lambda _, theirs: [theirs.thread]],
    "rate": [
        lambda _, theirs: [theirs.thread, "--useful"],
        lambda _, theirs: [theirs.message, "--useful"],
    ],
    "share": [lambda _, theirs: ["--git", theirs.statement]],
    "undo": [lambda _, theirs: [str(theirs.change)]],
    "forget message": [lambda _, theirs: [theirs.message, "--yes"]],
    "forget thread": [lambda _, theirs: [theirs.thread, "--yes"]],
}
OTHER_COMMANDS = {
    *("init", "tour", "status", "import", "completion", "help", "search", "statements list"),
    *("threads list", "why", "unfocus", "pin", "suggestions", "compact", "backup", "backup list"),
    *("restore", "export", "doctor", "forget matching", "forget project", "forget session"),
    *("forget time", "redact", "uninstall", "plugin", "mcp", "config get", "config list"),
    *("config path", "config set", "config show", "config unset", "model list", "model pull"),
    *("model remove", "model use", "daemon logs", "daemon restart", "daemon run", "daemon start"),
    *("daemon status", "daemon stop", "reindex", "project link", "project rename"),
    *("project show", "project unlink", "move", "off", "on", "unshare", "web"),
    *("team list", "team add", "dispute"),
}
"""They take no id of a thread, message, statement, bridge or change."""
