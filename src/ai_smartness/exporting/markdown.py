"""A memory as pages of markdown: a thread each, linked as its bridges go, and one that lists them.

They are for people to read, in Obsidian or anywhere: what was said is quoted, so that no
word of it is a heading, a link or an order.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from ai_smartness.exporting.front_matter import front_matter
from ai_smartness.exporting.names import Names
from ai_smartness.exporting.quoted import inline, quoted
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore

__all__ = ["INDEX", "Page", "pages"]

INDEX = "Memory"
"""The name of the page that lists the others."""


@dataclass(frozen=True, slots=True)
class Page:
    """A file to be: its folder within the export, its name without an ending, its text.

    `of` and `total` say how far it is.
    """

    folder: str
    name: str
    text: str
    of: int
    total: int


def pages(
    store: ThreadStore,
    project: str | None,
    taken: Iterable[str],
    now: Callable[[Thread], Thread],
) -> Iterator[Page]:
    """Yield a page for each thread of one project, or of all, and then the list of them."""
    projects = [each.project for each in store.projects()] if project is None else [project]
    binding = _Binding(store, projects, taken, now)
    total = len(binding.threads) + 1
    for number, thread in enumerate(binding.threads, 1):
        yield Page(*binding.places[thread.id], binding.page(thread), number, total)
    yield Page("", binding.index_name, binding.index(), total, total)


class _Binding:
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
        names = Names(taken)
        self.index_name = names.name(INDEX, "index")
        folders = Names()
        self.threads: list[Thread] = []
        self.places: dict[str, tuple[str, str]] = {}
        for project in projects:
            folder = folders.name(project.rpartition("/")[2], "project") if projects[1:] else ""
            # By id, which is by age: an older thread keeps its name whatever comes.
            for thread in sorted(store.threads.all(project), key=lambda each: each.id):
                self.threads.append(now(thread))
                self.places[thread.id] = (folder, names.name(thread.title, thread.id))

    def page(self, thread: Thread) -> str:
        """Write a thread."""
        bridges = [self._bridge(thread, each) for each in self._store.bridges.of(thread.id)]
        said = [_message(event) for event in self._store.events.of_thread(thread.id)]
        parts = [
            front_matter(thread),
            f"# {inline(thread.title) or thread.id}\n",
            *([f"{quoted(thread.summary)}\n"] if thread.summary else []),
            *self._family(thread),
            *(["## Links\n", "\n".join(bridges) + "\n"] if bridges else []),
            *(["## Messages\n", *said] if said else []),
        ]
        return "\n".join(parts)

    def index(self) -> str:
        """Write the list of all threads, by project, the most recently active first."""
        lines = [f"# {INDEX}\n"]
        for project in self._projects:
            ours = [thread for thread in self.threads if thread.project == project]
            ours.sort(key=lambda thread: thread.last_active, reverse=True)
            lines.append(f"## {inline(project)}\n")
            lines += [
                f"- {self._link(each.id)} · {each.kind} · {each.status} · {_day(each.last_active)}"
                for each in ours
            ]
            lines.append("")
        return "\n".join(lines)

    def _family(self, thread: Thread) -> list[str]:
        told = [
            *([("Split off from", thread.parent_id)] if thread.parent_id else []),
            *(("Split into", child) for child in thread.child_ids),
            *([("Merged into", thread.merged_into)] if thread.merged_into else []),
        ]
        lines = [f"{words} {self._link(id_)}." for words, id_ in told if id_ in self.places]
        return ["\n".join(lines) + "\n"] if lines else []

    def _bridge(self, thread: Thread, bridge: Bridge) -> str:
        leaves = bridge.source == thread.id
        other = bridge.target if leaves else bridge.source
        reason = f": {inline(bridge.reason)}" if bridge.reason else ""
        here = "" if leaves else " this"
        if leaves:
            return f"- {bridge.relation} {self._link(other)} ({bridge.weight:.2f}){reason}"
        return f"- {self._link(other)} {bridge.relation}{here} ({bridge.weight:.2f}){reason}"

    def _link(self, thread_id: str) -> str:
        if thread_id not in self.places:
            # Of a project that is not among these.
            return f"`{thread_id}`"
        _, name = self.places[thread_id]
        return f"[[{name}]]"


def _message(event: Event) -> str:
    return f"**{inline(event.role)}** · {event.at:%Y-%m-%d %H:%M} UTC\n\n{quoted(event.text)}\n"


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"
