"""Export a memory as markdown pages: one for each thread, linked by its bridges, and an index.

They are for people to read, in Obsidian or elsewhere. Messages are quoted, so that nothing in
them becomes a heading, a link or an instruction of the page.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore

__all__ = [
    "INDEX_TITLE",
    "FileNames",
    "MarkdownPage",
    "PresentWeights",
    "folded_name",
    "markdown_pages",
]


INDEX_TITLE = "Memory"  # the title of the page that lists the others


@dataclass(frozen=True, slots=True)
class MarkdownPage:
    """One file: its folder within the export, its name without a suffix, and its text.

    `number` of `total` is the progress.
    """

    folder: str
    name: str
    text: str
    number: int
    total: int


class PresentWeights(NamedTuple):
    """Return a thread or a bridge with its weight of today."""

    thread: Callable[[Thread], Thread]
    bridge: Callable[[Bridge], Bridge]


def markdown_pages(
    store: ThreadStore,
    project: str | None,
    used_names: Iterable[str],
    now: PresentWeights,
) -> Iterator[MarkdownPage]:
    """Yield a page for each thread of one project, or of all, and then the index.

    `used_names` are not given again; `now` returns the present weights of threads and bridges.
    """
    projects = [counts.project for counts in store.project_counts()]
    export = _MarkdownExport(store, projects if project is None else [project], used_names, now)
    total = len(export.threads) + 1
    for number, thread in enumerate(export.threads, 1):
        yield MarkdownPage(*export.places[thread.id], export.thread_page(thread), number, total)
    yield MarkdownPage("", export.index_name, export.index_page(), total, total)


class _MarkdownExport:
    """The threads that become pages, and the place of each."""

    def __init__(
        self,
        store: ThreadStore,
        projects: Sequence[str],
        used_names: Iterable[str],
        now: PresentWeights,
    ) -> None:
        self._store = store
        self._projects = projects
        self._now = now
        names = FileNames(used_names)
        self.index_name = names.unique_name(INDEX_TITLE, "index")
        folders = FileNames()
        self.threads: list[Thread] = []
        self.places: dict[str, tuple[str, str]] = {}
        for project in projects:
            name = project.rpartition("/")[2]
            folder = folders.unique_name(name, "project") if projects[1:] else ""
            # By id, which is by age: an older thread keeps its name when others come.
            for thread in sorted(store.threads.all(project), key=lambda thread: thread.id):
                self.threads.append(now.thread(thread))
                self.places[thread.id] = (folder, names.unique_name(thread.title, thread.id))

    def thread_page(self, thread: Thread) -> str:
        bridges = map(self._now.bridge, self._store.bridges.of(thread.id))
        links = "\n".join(self._bridge_line(thread, bridge) for bridge in bridges)
        messages = [_message_block(event) for event in self._store.events.of_thread(thread.id)]
        parts = [
            front_matter(thread),
            f"# {escaped_line(thread.title) or thread.id}\n",
            *([f"{quoted_block(thread.summary)}\n"] if thread.summary else []),
            *self._family_lines(thread),
            *(["## Links\n", f"{links}\n"] if links else []),
            *(["## Messages\n", *messages] if messages else []),
        ]
        return "\n".join(parts)

    def index_page(self) -> str:
        """Write the list of all threads, by project, the most recently active first."""
        lines = [f"# {INDEX_TITLE}\n"]
        for project in self._projects:
            threads = [thread for thread in self.threads if thread.project == project]
            threads.sort(key=lambda thread: thread.last_active, reverse=True)
            lines.append(f"## {escaped_line(project)}\n")
            lines += [
                f"- {self._wiki_link(thread.id)} · {thread.kind} · {thread.status} · "
                f"{thread.last_active:%Y-%m-%d}"
                for thread in threads
            ]
            lines.append("")
        return "\n".join(lines)

    def _family_lines(self, thread: Thread) -> list[str]:
        relatives = [
            ("Split off from", thread.parent_id),
            *(("Split into", child) for child in thread.child_ids),
            ("Merged into", thread.merged_into),
        ]
        lines = [
            f"{words} {self._wiki_link(id_)}." for words, id_ in relatives if id_ in self.places
        ]
        return ["\n".join(lines) + "\n"] if lines else []

    def _bridge_line(self, thread: Thread, bridge: Bridge) -> str:
        reason = f": {escaped_line(bridge.reason)}" if bridge.reason else ""
        if bridge.source == thread.id:
            link = f"{bridge.relation} {self._wiki_link(bridge.target)}"
        else:
            link = f"{self._wiki_link(bridge.source)} {bridge.relation} this"
        return f"- {link} ({bridge.weight:.2f}){reason}"

    def _wiki_link(self, thread_id: str) -> str:
        # A thread of a project that is not exported has no page.
        place = self.places.get(thread_id)
        return f"[[{place[1]}]]" if place else f"`{thread_id}`"


def _message_block(event: Event) -> str:
    head = f"**{escaped_line(event.role)}** · {event.at:%Y-%m-%d %H:%M} UTC"
    return f"{head}\n\n{quoted_block(event.text)}\n"


# JSON is YAML, except for characters that YAML does not take as they are.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def front_matter(thread: Thread) -> str:
    """Write the properties of a thread as YAML."""
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
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*(\S*)[ \t]*(.*)$")
_PLAIN_LANGUAGES = frozenset(
    (
        *("bash", "c", "console", "cpp", "cs", "css", "diff", "go", "html", "http"),
        *("ini", "java", "javascript", "js", "json", "jsx", "kotlin", "lua"),
        *("makefile", "md", "php", "python", "py", "rb", "ruby", "rs", "rust", "sh"),
        *("shell", "sql", "swift", "text", "toml", "ts", "tsx", "typescript", "xml"),
        *("yaml", "yml", "zig"),
    )
)
"""Languages that a reader only colours. Others may be run: `dataviewjs` is a script in Obsidian."""

# What a reader would load or run: tags, images, links with a scheme of their own, definitions of
# links, and what Obsidian embeds or hides.
_ACTIVE = re.compile(
    r"<(?=[A-Za-z/!?])|(?<=!)\[|\](?=\(\s*<?\s*[A-Za-z][\w+.-]*\s*(?::|&))(?!\(<?(?:https?|mailto):)"
    r"|^\s*\[(?=[^\]\n]{0,999}\]:)|\[\[|%%",
    re.IGNORECASE,
)
_MARKDOWN_CHARACTERS = re.compile(r"([\\`*_\[\]<>#|])")
_CONTROLS = {code: " " for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}


def quoted_block(text: str) -> str:
    """Quote a text so that nothing in it runs, loads or links: scripts and images are inert.

    A code block begins and ends where we say so: an unclosed one ends with the quote.
    """
    lines, fence = list[str](), ""
    for line in text.replace("\r\n", "\n").translate(_CONTROLS).split("\n"):
        mark = _FENCE.match(line)
        if fence and mark and mark[1].startswith(fence) and not mark[2]:
            line, fence = fence, ""  # noqa: PLW2901 - the same line, as we write it
        elif not fence and mark:
            fence = mark[1]
            line = fence + (mark[2] if mark[2].casefold() in _PLAIN_LANGUAGES else "")  # noqa: PLW2901
        elif not fence:
            line = _ACTIVE.sub(_escaped_match, line)  # noqa: PLW2901
        lines.append(f"> {line}".rstrip())
    return "\n".join(lines)


def _escaped_match(match: re.Match[str]) -> str:
    if match[0] in ("[[", "%%"):
        return "".join(f"\\{sign}" for sign in match[0])
    # Not by a backslash: one that stands before it already would take its effect away.
    return "".join(f"&#{ord(sign)};" if sign in "<[]" else sign for sign in match[0])


def escaped_line(text: str) -> str:
    """Escape a text for use within a line."""
    return _MARKDOWN_CHARACTERS.sub(r"\\\1", " ".join(text.translate(_CONTROLS).split()))


MAX_NAME_BYTES = 120  # some encrypted file systems allow 143 bytes, and a suffix follows

# Windows refuses these in a name, or Obsidian gives them a meaning in a link.
_FORBIDDEN_CHARACTERS = re.compile(r'[<>:"/\\|?*#^\[\]\x00-\x1f\x7f-\x9f]')
_RESERVED_NAMES = re.compile(
    r"(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\..*)?", re.IGNORECASE
)


class FileNames:
    """Gives file names; no two differ only in case or in how characters are composed."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = {folded_name(name) for name in used}

    def unique_name(self, title: str, tail: str) -> str:
        """Return a name for a title, with a tail if the name is used already."""
        plain = _cut_to_bytes(safe_name(title) or safe_name(tail) or "untitled", MAX_NAME_BYTES)
        name, number = plain, 1
        while folded_name(name) in self._used:
            ending = f" ({safe_name(tail)})" if number == 1 else f" ({safe_name(tail)} {number})"
            name = _cut_to_bytes(plain, MAX_NAME_BYTES - len(ending.encode())) + ending
            number += 1
        self._used.add(folded_name(name))
        return name


def folded_name(name: str) -> str:
    """Return the form in which some file system takes two names for the same."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def safe_name(title: str) -> str:
    """Return a title without characters that some file system refuses."""
    text = unicodedata.normalize("NFC", title)
    text = "".join(" " if _is_invisible(character) else character for character in text)
    text = " ".join(_FORBIDDEN_CHARACTERS.sub(" ", text).split())
    # Windows drops a dot at the end; one at the beginning hides the file.
    text = text.strip(". ")
    return f"_{text}" if _RESERVED_NAMES.fullmatch(text) else text


def _is_invisible(character: str) -> bool:
    # Format characters are invisible or reverse a name; surrogates cannot be written at all. The
    # two joiners belong to letters and emoji.
    category = unicodedata.category(character)
    return category in ("Cc", "Cs", "Cn", "Co") or (
        category == "Cf" and character not in "\u200c\u200d"
    )


def _cut_to_bytes(text: str, longest: int) -> str:
    """Cut a name to a number of bytes, between two characters."""
    encoded = text.encode()
    if len(encoded) <= longest:
        return text
    return encoded[:longest].decode(errors="ignore").rstrip(". \u200c\u200d")
