"""Where stored text comes from, and how far it is trusted: its tier.

The tier of an event follows from its role, its source and its payload, and from nothing else. A
tool's output, a web page and a file are data: they state no rule and no decision, and they are
shown unasked only if the prompt names their source. Standard library only, and without regular
expressions: the hook imports this.
"""

from ai_smartness.text.words import has_words

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "AGENT",
    "CONTENT",
    "IMPORTED",
    "SHARED",
    "SHARED_SOURCE",
    "STATING_TIERS",
    "TOOL",
    "UNTRUSTED_TIERS",
    "USER",
    "content_kind",
    "is_command_output",
    "is_named",
    "is_own_line",
    "is_own_record",
    "origin_label",
    "trust_tier",
]

USER = "user"  # a person, in a session of theirs
AGENT = "agent"
TOOL = "tool"  # the output of a tool or a command
CONTENT = "content"  # a web page or a file, whoever fetched it
IMPORTED = "imported"  # a line of a file that somebody imported; its role is only claimed
SHARED = "shared"  # what a teammate shared

STATING_TIERS = frozenset((USER, AGENT))  # can state rules, preferences and decisions
UNTRUSTED_TIERS = frozenset((TOOL, CONTENT))  # data, shown unasked only if the prompt names it

ANSWERING_ROLES = frozenset(("assistant", "agent", "model", "system", "note"))
FILE_SOURCE, IMPORT_SOURCE, SHARED_SOURCE = "file", "import", "shared"
_CONTENT_SOURCES = frozenset((FILE_SOURCE, "web"))
_AGENT_SOURCES = frozenset(("agent", "agent_pin", "condenser"))
_WEB_TOOLS = frozenset(("webfetch", "websearch"))
_FILE_TOOLS = frozenset(("read", "notebookread"))
_WEB_PROGRAMS = frozenset(("curl", "wget", "lynx", "w3m", "links", "http", "xh", "aria2c", "gh"))
_FILE_PROGRAMS = frozenset(
    ("cat", "head", "tail", "less", "more", "bat", "nl", "strings", "get-content")
)
_SCRIPTED_PRINTERS = frozenset(("sed", "awk", "grep", "rg", "jq"))  # the last word is the file
"""Programs that print what somebody else wrote, from the web or from a file."""

_LOG_ENDINGS = (".log", ".out", ".err")
_EDIT_HEADS = ("Edited ", "Created ")
_OWN_HEADS = ("$ ", "Read ", "Fetched ", "Searched the web for ", "Asked a subagent", *_EDIT_HEADS)
"""How the record of a tool's use begins: the agent's own words, before any output."""

_JOINS = "|&;"
_QUOTES = "\"'`()[]{}<>,:;"
_GENERIC_WORDS = frozenset(
    (
        *("test", "tests", "build", "check", "start", "install", "make", "lint", "update"),
        *("list", "show", "status", "main", "python", "node", "bash", "exec", "file", "index"),
    )
)
"""Words of many commands and file names, which name none of them alone."""

LABEL_CHARACTERS = 32
LEAST_NAME_CHARACTERS = 3
LEAST_WORD_CHARACTERS = 4
LEAST_STEM_CHARACTERS = 5
HEAD_CHARACTERS = 600


def trust_tier(role: str, source: str, payload: "Mapping[str, object]", text: str = "") -> str:
    """Return the tier of an event.

    `trusted` in a payload says that the user imported the line with `--trust`.
    """
    role, source = role.casefold(), source.casefold()
    if payload.get("trusted") is not True:
        if source.startswith(SHARED_SOURCE):
            return SHARED
        if source in _CONTENT_SOURCES or payload.get("client") == "specstory":
            return CONTENT
        if source == IMPORT_SOURCE or payload.get("what") == "note":
            return IMPORTED
    if source in _AGENT_SOURCES:
        return AGENT
    if TOOL in (role, source):
        return CONTENT if content_kind(source, payload, text) else TOOL
    return AGENT if role in ANSWERING_ROLES else USER


def content_kind(source: str, payload: "Mapping[str, object]", text: str) -> str:
    """Return `web` or `file` for what a tool only passed on; nothing for its own output."""
    tool = _field(payload, "tool").casefold()
    if source == "web" or tool in _WEB_TOOLS or "url" in payload:
        return "web"
    if source == FILE_SOURCE or tool in _FILE_TOOLS or payload.get("client") == "specstory":
        return "file"
    commands = list(_commands(_command(payload, text)))
    if any(words[0] in _WEB_PROGRAMS for words in commands):
        return "web"
    return "file" if any(map(_printed_files, commands)) else ""


def origin_label(role: str, source: str, payload: "Mapping[str, object]", text: str) -> str:
    """Return who or what speaks, with the file, host, command or tool, for all but plain speakers.

    A user's and an agent's line need no label beside the role: they have none.
    """
    tier = trust_tier(role, source, payload, text)
    if tier == SHARED and (author := _plain_name(_field(payload, "author"))):
        disputer = _plain_name(_field(payload, "disputed_by"))
        return f"shared by {author}" + (f", disputed by {disputer}" if disputer else "")
    if tier in (IMPORTED, SHARED):
        return f"{role}, {tier}"
    if tier not in UNTRUSTED_TIERS:
        return ""
    kind = content_kind(source.casefold(), payload, text) or TOOL
    name = _plain_name(next(_named_sources(kind, payload, text), ""))
    return f"{kind} ({name})" if name else kind


def is_named(prompt: str, role: str, payload: "Mapping[str, object]", text: str) -> bool:
    """Say whether a prompt names the source of a tool's output, a page or a file."""
    folded = prompt.casefold()
    names = (name for name in _names(payload, text) if len(name) >= LEAST_NAME_CHARACTERS)
    if any(has_words(folded, name) for name in names):
        return True
    # The words of a command name its own output; of what it only printed, the file or host does.
    if role != TOOL or content_kind("", payload, text):
        return False
    return any(_has_command_word(folded, word) for word in _command_words(payload, text))


def is_own_line(line: str, text: str) -> bool:
    """Say whether a line of a tool's record is the agent's own: its command, its edit, its call."""
    head = " ".join(text[:HEAD_CHARACTERS].lstrip().partition("\n")[0].split())
    if not line or not head.startswith(_OWN_HEADS):
        return False
    return head.startswith(_EDIT_HEADS) or line.startswith(head) or head.startswith(line)


def is_own_record(text: str) -> bool:
    """Say whether a tool's record has no words but the agent's own: an edit, or a bare call."""
    head, _, output = text.strip().partition("\n")
    return head.startswith(_EDIT_HEADS) or (head.startswith(_OWN_HEADS) and not output)


def is_command_output(payload: "Mapping[str, object]", text: str) -> bool:
    """Say whether a record is that of a command which the agent ran."""
    return bool(_command(payload, text))


def _names(payload: "Mapping[str, object]", text: str) -> "Iterator[str]":
    """Yield what a person calls a source by, in lower case."""
    path = _field(payload, "path").casefold()
    if path:
        yield path
        yield from _file_names(path)
    url = _field(payload, "url").casefold()
    if url:
        yield url
        yield _host(url)
    tool = _field(payload, "tool").casefold()
    if tool and tool not in ("bash", "powershell"):
        last = tool.rpartition("__")[2]
        yield from (name for name in (tool, last) if not name.isalpha() or name in _WEB_TOOLS)
    for words in _commands(_command(payload, text)):
        arguments = [word for word in words[1:] if not word.startswith("-")]
        if arguments:
            yield f"{words[0]} {arguments[0].casefold()}"
        for word in map(str.casefold, words):
            yield from (_host(word),) if "://" in word else _file_names(word)
        printed = (name.casefold().rpartition("/")[2] for name in _printed_files(words))
        yield from (name for name in printed if name not in _GENERIC_WORDS)


def _printed_files(words: "list[str]") -> "list[str]":
    """Return the files that a program prints; a log is the output of a program, and no file."""
    arguments = [word for word in words[1:] if not word.startswith("-") and not word.isdigit()]
    if words[0] in _SCRIPTED_PRINTERS:
        arguments = arguments[1:][-1:]
    elif words[0] not in _FILE_PROGRAMS:
        return []
    return [word for word in arguments if not word.endswith(_LOG_ENDINGS)]


def _file_names(path: str) -> "Iterator[str]":
    """Yield a file's name, and its stem if that is no ordinary word; nothing of another word."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if not (dot and stem and suffix.isalnum() and not suffix.isdigit()):
        return
    yield name
    if stem == "readme" or (len(stem) >= LEAST_WORD_CHARACTERS and not stem.isalpha()):
        yield stem


def _command_words(payload: "Mapping[str, object]", text: str) -> "Iterator[str]":
    for words in _commands(_command(payload, text)):
        for word in words[1:]:
            parts = "".join(sign if sign.isalpha() else " " for sign in word.casefold()).split()
            yield from (part for part in parts if part not in _GENERIC_WORDS)


def _has_command_word(prompt: str, word: str) -> bool:
    """Say whether a prompt has a word of a command, or for a long one a word that begins so."""
    if len(word) < LEAST_WORD_CHARACTERS:
        return False
    if has_words(prompt, word):
        return True
    return len(word) >= LEAST_STEM_CHARACTERS and f" {word}" in prompt


def _named_sources(kind: str, payload: "Mapping[str, object]", text: str) -> "Iterator[str]":
    """Yield what a label says of a source, the most telling first."""
    if kind == "web" and (url := _field(payload, "url")):
        yield _host(url)
    if path := _field(payload, "path"):
        yield path
    if command := _command(payload, text):
        for words in _commands(command):
            yield from (_host(word) for word in words if kind == "web" and "://" in word)
            yield from _printed_files(words) if kind == "file" else ()
        yield command
    if (tool := _field(payload, "tool")) and tool.casefold() not in _WEB_TOOLS | _FILE_TOOLS:
        yield tool


def _command(payload: "Mapping[str, object]", text: str) -> str:
    """Return the command whose output a record is, if it is one."""
    command = _field(payload, "command")
    if not command and text.startswith("$ "):
        command = text[2:HEAD_CHARACTERS].partition("\n")[0]
    return command


def _commands(line: str) -> "Iterator[list[str]]":
    """Yield the words of each program that a command line runs."""
    for sign in _JOINS:
        line = line.replace(sign, "\n")
    for part in line.split("\n"):
        words = [word.strip(_QUOTES) for word in part.split()]
        while words and ("=" in words[0] or words[0] in ("", "sudo", "time", "nice", "env")):
            del words[0]
        if words and words[0] != "cd":
            words[0] = (words[0].rpartition("/")[2] or words[0]).casefold()
            yield words


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0]


def _plain_name(name: str) -> str:
    """Return a name that cannot pass for the end of a label: it is text that others chose."""
    plain = "".join(sign if sign.isalnum() or sign in " ./-_~" else "_" for sign in name)
    plain = " ".join(plain.split())
    return plain if len(plain) <= LABEL_CHARACTERS else plain[: LABEL_CHARACTERS - 1] + "…"


def _field(payload: "Mapping[str, object]", name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""
