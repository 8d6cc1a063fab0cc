"""A memory as pages of markdown: a thread each, linked as its bridges go, and one that lists them.

They are for people to read, in Obsidian or anywhere: what was said is quoted, so that no
word of it is a heading, a link or an order.

What a page says about its thread before its text, as YAML.

What was said, so that a page shows it and does not obey it.

Within a quote a heading is no heading of the page, and a block of code that nobody closed
ends with the quote. Doubled brackets, which are links, are shown as they are.

Names for files, made from titles: readable, unique, and good on every file system.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore

__all__ = [
    "INDEX_TITLE",
    "FileNames",
    "MarkdownPage",
    "escaped_line",
    "folded_name",
    "front_matter",
    "markdown_pages",
    "quoted_block",
]


INDEX_TITLE = "Memory"
"""The name of the page that lists the others."""


@dataclass(frozen=True, slots=True)
class MarkdownPage:
    """A file to be: its folder within the export, its name without an ending, its text.

    `of` and `total` say how far it is.
    """

    folder: str
    name: str
    text: str
    number: int
    total: int


def markdown_pages(
    store: ThreadStore, project: str | None, taken: Iterable[str], now: Callable[[Thread], Thread]
) -> Iterator[MarkdownPage]:
    """Yield a page for each thread of one project, or of all, and then the list of them."""
    projects = [each.project for each in store.project_counts()] if project is None else [project]
    binding = _MarkdownExport(store, projects, taken, now)
    total = len(binding.threads) + 1
    for number, thread in enumerate(binding.threads, 1):
        yield MarkdownPage(*binding.places[thread.id], binding.thread_page(thread), number, total)
    yield MarkdownPage("", binding.index_name, binding.index_page(), total, total)


class _MarkdownExport:
    """The threads that become pages, and where each is."""

    def __init__(
        self,
        store: ThreadStore,
        projects: Sequence[str],
        taken: Iterable[str],
        now: Callable[[Thread], Thread],
    ) -> None:
        self._store = store
        self._projects = projects
        names = FileNames(taken)
        self.index_name = names.unique_name(INDEX_TITLE, "index")
        folders = FileNames()
        self.threads: list[Thread] = []
        self.places: dict[str, tuple[str, str]] = {}
        for project in projects:
            folder = (
                folders.unique_name(project.rpartition("/")[2], "project") if projects[1:] else ""
            )
            # By id, which is by age: an older thread keeps its name whatever comes.
            for thread in sorted(store.threads.all(project), key=lambda each: each.id):
                self.threads.append(now(thread))
                self.places[thread.id] = (folder, names.unique_name(thread.title, thread.id))

    def thread_page(self, thread: Thread) -> str:
        """Write a thread."""
        bridges = [self._bridge_line(thread, each) for each in self._store.bridges.of(thread.id)]
        said = [_message_block(event) for event in self._store.events.of_thread(thread.id)]
        parts = [
            front_matter(thread),
            f"# {escaped_line(thread.title) or thread.id}\n",
            *([f"{quoted_block(thread.summary)}\n"] if thread.summary else []),
            *self._family_lines(thread),
            *(["## Links\n", "\n".join(bridges) + "\n"] if bridges else []),
            *(["## Messages\n", *said] if said else []),
        ]
        return "\n".join(parts)

    def index_page(self) -> str:
        """Write the list of all threads, by project, the most recently active first."""
        lines = [f"# {INDEX_TITLE}\n"]
        for project in self._projects:
            ours = [thread for thread in self.threads if thread.project == project]
            ours.sort(key=lambda thread: thread.last_active, reverse=True)
            lines.append(f"## {escaped_line(project)}\n")
            lines += [
                f"- {self._wiki_link(each.id)} · {each.kind} · {each.status} · {_date_text(each.last_active)}"
                for each in ours
            ]
            lines.append("")
        return "\n".join(lines)

    def _family_lines(self, thread: Thread) -> list[str]:
        told = [
            *([("Split off from", thread.parent_id)] if thread.parent_id else []),
            *(("Split into", child) for child in thread.child_ids),
            *([("Merged into", thread.merged_into)] if thread.merged_into else []),
        ]
        lines = [f"{words} {self._wiki_link(id_)}." for words, id_ in told if id_ in self.places]
        return ["\n".join(lines) + "\n"] if lines else []

    def _bridge_line(self, thread: Thread, bridge: Bridge) -> str:
        leaves = bridge.source == thread.id
        other = bridge.target if leaves else bridge.source
        reason = f": {escaped_line(bridge.reason)}" if bridge.reason else ""
        here = "" if leaves else " this"
        if leaves:
            return f"- {bridge.relation} {self._wiki_link(other)} ({bridge.weight:.2f}){reason}"
        return f"- {self._wiki_link(other)} {bridge.relation}{here} ({bridge.weight:.2f}){reason}"

    def _wiki_link(self, thread_id: str) -> str:
        if thread_id not in self.places:
            # Of a project that is not among these.
            return f"`{thread_id}`"
        _, name = self.places[thread_id]
        return f"[[{name}]]"


def _message_block(event: Event) -> str:
    return f"**{escaped_line(event.role)}** · {event.at:%Y-%m-%d %H:%M} UTC\n\n{quoted_block(event.text)}\n"


def _date_text(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


# JSON is YAML, but for characters that YAML does not take as they are.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def front_matter(thread: Thread) -> str:
    """Write what there is to know of a thread."""
    lines = {
        "id": _yaml_text(thread.id),
        "title": _yaml_text(thread.title),
        "project": _yaml_text(thread.project),
        "kind": thread.kind.value,
        "status": thread.status.value,
        "topics": _yaml_list(thread.topics),
        "tags": _yaml_list(thread.tags),
        "created": f"{thread.created_at:%Y-%m-%dT%H:%M:%SZ}",
        "last_active": f"{thread.last_active:%Y-%m-%dT%H:%M:%SZ}",
        "weight": f"{thread.weight:.2f}",
        "files": _yaml_list(thread.files),
    }
    return "\n".join(["---", *(f"{name}: {value}" for name, value in lines.items()), "---", ""])


def _yaml_list(values: Sequence[str]) -> str:
    return "[" + ", ".join(_yaml_text(value) for value in values) + "]"


def _yaml_text(value: str) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_MARKDOWN_CHARACTERS = re.compile(r"([\\`*_\[\]<>#|])")
_CONTROLS = {code: " " for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}


def quoted_block(text: str) -> str:
    """Write a text as a quote."""
    lines, fence = list[str](), ""
    for line in text.replace("\r\n", "\n").translate(_CONTROLS).split("\n"):
        found = _FENCE.match(line)
        if found and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
            shown = line
        else:
            shown = line if fence else line.replace("[[", "\\[\\[").replace("%%", "\\%%")
        lines.append(f"> {shown}".rstrip())
    return "\n".join(lines)


def escaped_line(text: str) -> str:
    """Write words within a line, none of them a mark."""
    return _MARKDOWN_CHARACTERS.sub(r"\\\1", " ".join(text.translate(_CONTROLS).split()))


MAX_NAME_BYTES = 120
"""Some encrypted file systems take 143 bytes, and a name gets an ending."""

# What Windows refuses in a name, and what has a meaning in a link of Obsidian.
_FORBIDDEN_CHARACTERS = re.compile(r'[<>:"/\\|?*#^\[\]\x00-\x1f\x7f-\x9f]')
_RESERVED_NAMES = re.compile(
    r"(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\..*)?", re.IGNORECASE
)


class FileNames:
    """Names that were given; none is given twice, whatever its case or how it is composed."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {folded_name(name) for name in taken}

    def unique_name(self, title: str, tail: str) -> str:
        """Return a name for a title; where it is taken, with a tail that tells it apart."""
        plain = _cut_to_bytes(safe_name(title) or safe_name(tail) or "untitled", MAX_NAME_BYTES)
        name, number = plain, 1
        while folded_name(name) in self._taken:
            ending = f" ({safe_name(tail)})" if number == 1 else f" ({safe_name(tail)} {number})"
            name = _cut_to_bytes(plain, MAX_NAME_BYTES - len(ending.encode())) + ending
            number += 1
        self._taken.add(folded_name(name))
        return name


def folded_name(name: str) -> str:
    """Return what two names share that some file system holds for the same."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def safe_name(title: str) -> str:
    """Return a title without what some file system does not take."""
    text = unicodedata.normalize("NFC", title)
    text = "".join(" " if _is_invisible(each) else each for each in text)
    text = " ".join(_FORBIDDEN_CHARACTERS.sub(" ", text).split())
    # Windows drops a dot at the end; at the beginning it hides the file.
    text = text.strip(". ")
    return f"_{text}" if _RESERVED_NAMES.fullmatch(text) else text


def _is_invisible(character: str) -> bool:
    # Format characters turn the direction of a name around or cannot be seen; surrogates
    # cannot be written at all. Two joiners are letters' own, and of emoji.
    category = unicodedata.category(character)
    return category in ("Cc", "Cs", "Cn", "Co") or (
        category == "Cf" and character not in "\u200c\u200d"
    )


def _cut_to_bytes(text: str, longest: int) -> str:
    """Cut a name to so many bytes, between two characters."""
    encoded = text.encode()
    if len(encoded) <= longest:
        return text
    return encoded[:longest].decode(errors="ignore").rstrip(". \u200c\u200d")
