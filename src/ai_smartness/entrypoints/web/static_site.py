"""`ais web --export`: threads, statements and timeline of a project as files that open from disk.

The pages need no server, no script and no network, and every link is relative. Stored text is
free of secrets already; it is written as text and is never markup.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2s
from pathlib import Path
from typing import TypeVar

from ai_smartness.entrypoints.web.rendering import STATIC_FOLDER, rendered_page
from ai_smartness.memory import Memory
from ai_smartness.model.browse import ThreadFilter
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.thread import Thread
from ai_smartness.views.statements import statement_groups
from ai_smartness.views.thread_view import bridge_views, message_views
from ai_smartness.views.timeline import SPANS, STEPS, fitting_span, timeline

__all__ = ["ExportedSite", "export_site"]

THREAD_ROWS = 200  # of one page of the list
MESSAGE_ROWS = 500
STATEMENT_ROWS = 500
LANES = 100
STYLES = ("page.css", "threads.css")
OWNER_ONLY = 0o700
MAX_FILE_NAME = 100

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class ExportedSite:
    """What was written, and the file to open."""

    threads: int
    statements: int
    files: int
    first_page: Path


def export_site(memory: Memory, folder: Path, label: str) -> ExportedSite:
    """Write the site of the memory's project into a new or empty folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        msg = f"cannot export to {folder}: it is there and not empty. Name a new folder."
        raise RefusedError(msg)
    folder.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
    return _SiteWriter(memory, folder, label).write()


class _SiteWriter:
    def __init__(self, memory: Memory, folder: Path, label: str) -> None:
        self._memory = memory
        self._folder = folder
        self._label = label
        self._at = datetime.now(UTC)
        self._files = 0

    def write(self) -> ExportedSite:
        threads = list(self._all_threads())
        self._files_of_style()
        self._write_list(threads)
        for thread in threads:
            self._write_thread(thread)
        statements = self._write_statements()
        self._write_timeline()
        first = self._folder / "index.html"
        return ExportedSite(len(threads), statements, self._files, first)

    def _all_threads(self) -> Iterator[Thread]:
        page = self._memory.list_threads(limit=THREAD_ROWS)
        yield from page.threads
        while page.next is not None:
            page = self._memory.list_threads(limit=THREAD_ROWS, after=page.next)
            yield from page.threads

    def _files_of_style(self) -> None:
        (self._folder / "style").mkdir()
        (self._folder / "threads").mkdir()
        for name in STYLES:
            shutil.copyfile(STATIC_FOLDER / name, self._folder / "style" / name)
            self._files += 1

    def _write_list(self, threads: Sequence[Thread]) -> None:
        pages = _pages_of(threads, THREAD_ROWS)
        for number, rows in enumerate(pages):
            values = {
                "threads": rows,
                "counts": self._memory.message_counts([thread.id for thread in rows]),
                "total": len(threads),
                **_neighbour_pages("index", number, len(pages)),
            }
            self._write(_page_name("index", number), "export_threads.html", values)

    def _write_thread(self, thread: Thread) -> None:
        events = self._memory.latest_messages(thread.id, MESSAGE_ROWS)
        pages = [events]
        while len(events) == MESSAGE_ROWS:
            events = self._memory.latest_messages(thread.id, MESSAGE_ROWS, before=events[0].seq)
            pages.append(events)
        pages = [page for page in reversed(pages) if page] or [[]]
        bridges = self._memory.bridges(thread.id)
        ends = [end for bridge in bridges for end in (bridge.source, bridge.target)]
        titles = self._memory.titles([*ends, *thread.child_ids, thread.parent_id or thread.id])
        name = thread_file(thread.id)
        for number, page in enumerate(pages):
            values = {
                "thread": thread,
                "messages": self._views(thread, page),
                "bridges": bridge_views(thread.id, bridges, titles),
                "titles": titles,
                **_neighbour_pages(name, number, len(pages)),
            }
            self._write(f"threads/{_page_name(name, number)}", "export_thread.html", values)

    def _views(self, thread: Thread, events: Sequence[Event]) -> list[object]:
        return list(message_views(events, self._memory.notes(thread.id, events), {}))

    def _write_statements(self) -> int:
        statements = self._memory.statements(superseded=True)
        pages = _pages_of(statements, STATEMENT_ROWS)
        by_id = {statement.id: statement for statement in statements}
        for number, rows in enumerate(pages):
            values = {
                "groups": statement_groups(rows),
                "by_id": by_id,
                "total": len(statements),
                **_neighbour_pages("statements", number, len(pages)),
            }
            self._write(_page_name("statements", number), "export_statements.html", values)
        return len(statements)

    def _write_timeline(self) -> None:
        """Write one page for each span, all of them up to the latest message."""
        latest = self._memory.list_threads(limit=20).threads
        until = (latest[0].last_active if latest else self._at) + timedelta(minutes=1)
        fitting = fitting_span(latest, until)
        for span, length in SPANS.items():
            chosen = ThreadFilter(since=until - length, until=until)
            threads = self._memory.list_threads(chosen, LANES).threads
            ids = [thread.id for thread in threads]
            activity = self._memory.activity(ids, until - length, until, STEPS)
            clients = self._memory.session_clients({one.session for one in activity if one.session})
            drawing = timeline(threads, activity, clients, span=span, until=until)
            values = {"drawing": drawing, "spans": list(SPANS), "fitting": fitting}
            names = [f"timeline-{span}.html", *(["timeline.html"] if span == fitting else [])]
            for name in names:
                self._write(name, "export_timeline.html", values)

    def _write(self, name: str, template: str, values: dict[str, object]) -> None:
        root = "../" * name.count("/")
        every = {"root": root, "label": self._label, "written": self._at, "file_of": thread_file}
        page = rendered_page(template, {**every, **values})
        (self._folder / name).write_text(page, encoding="utf-8")
        self._files += 1


def thread_file(thread_id: str) -> str:
    """Return the name of a thread's file without its ending; an id may have any characters."""
    is_plain = (
        thread_id.isascii()
        and thread_id.replace("_", "").isalnum()
        and len(thread_id) < MAX_FILE_NAME
    )
    if is_plain:
        return thread_id
    return blake2s(thread_id.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _pages_of(rows: Sequence[Row], most: int) -> list[Sequence[Row]]:
    """Cut rows into pages; without any there is one page, which says so."""
    return [rows[start : start + most] for start in range(0, len(rows), most)] or [()]


def _page_name(name: str, number: int) -> str:
    return f"{name}.html" if number == 0 else f"{name}-{number + 1}.html"


def _neighbour_pages(name: str, number: int, pages: int) -> dict[str, object]:
    return {
        "number": number + 1,
        "pages": pages,
        "earlier": _page_name(name, number - 1) if number else "",
        "later": _page_name(name, number + 1) if number + 1 < pages else "",
    }
