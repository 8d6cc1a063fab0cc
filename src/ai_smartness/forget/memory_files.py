"""Take what was forgotten out of the files beside the store: the inbox, logs, answers to reads.

Forget in the other stores beside a memory's own: backups, and what upgrades have left.

Tell which records that wait in the inbox are meant when something is to be forgotten.
"""

import json
import re
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ai_smartness.clients.project import project_at
from ai_smartness.forget.forget import Erasure, ErasureRequest, forget
from ai_smartness.forget.rewrite import possible_ids
from ai_smartness.model.erasure import Selection
from ai_smartness.model.errors import AisError
from ai_smartness.model.event import as_utc
from ai_smartness.ports import ThreadStore
from ai_smartness.ports.erasure import MemoryFiles

__all__ = ["StoreCopies", "clean_files", "is_selected_record", "remaining_inbox_texts"]


_ESCAPED = re.compile(r"\\+u([0-9a-fA-F]{4})")


def clean_files(files: MemoryFiles, selection: Selection, gone: Erasure) -> dict[str, str]:
    """Take it out of all of them; tell what was done to which."""

    def is_clean(text: str) -> bool:
        return not gone.traces.are_in(_unescaped_line(text))

    def tells_nothing(text: str) -> bool:
        return is_clean(text) and possible_ids(text).isdisjoint(gone.ids)

    return {
        **files.filter_inbox(lambda line: not is_selected_record(line, selection, gone.ids)),
        **files.filter_logs(is_clean),
        **files.filter_answers(tells_nothing),
    }


def remaining_inbox_texts(files: MemoryFiles | None, selection: Selection) -> tuple[str, ...]:
    """Return what waits in the inbox and is not to be forgotten: its words remain."""
    lines = files.inbox_lines() if files else ()
    return tuple(
        _unescaped_line(line)
        for line in lines
        if line and not is_selected_record(line, selection, ())
    )


def _unescaped_line(line: str) -> str:
    """Return a line with the characters that JSON wrote as escapes."""
    if "\\u" not in line:
        return line
    read = _ESCAPED.sub(lambda each: chr(int(each[1], 16)), line)
    return read.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(slots=True)
class StoreCopies:
    """The copies of a store: what was done to each, and which words none should hold now."""

    files: MemoryFiles
    open_copy: Callable[[Path], ThreadStore]
    outcomes: dict[str, str] = field(default_factory=dict)
    words: dict[Path, frozenset[str]] = field(default_factory=dict)

    def rewrite_copies(self, deed: ErasureRequest) -> None:
        """Forget the same in each of them."""
        for copy in self.files.store_copies():
            self.words[copy] = deed.words
            try:
                self.outcomes[str(copy)] = self.files.rewrite_copy(
                    copy, self._copy_rewriter(copy, deed)
                )
            except AisError as error:
                # One that is damaged is still searched, and told of if it holds anything.
                self.outcomes[str(copy)] = f"could not be rewritten: {error}"

    def remove_copies(self) -> None:
        """Take them all away."""
        for copy in self.files.store_copies():
            self.outcomes[str(copy)] = self.files.remove_copy(copy)

    def _copy_rewriter(self, copy: Path, deed: ErasureRequest) -> Callable[[Path], bool]:
        def rewrite_draft(draft: Path) -> bool:
            with closing(self.open_copy(draft)) as store:
                gone = forget(store, deed)
                self.words[copy] = gone.traces.words
                changed = bool(gone.messages or gone.described or gone.changes or gone.threads)
                if changed:
                    store.erasure.purge_traces(lambda _done, _total: None)
                    store.erasure.leave_single_file()
                return changed

        return rewrite_draft


def is_selected_record(line: str, selection: Selection, ids: Collection[str]) -> bool:
    """Say whether a line of the inbox holds a message that is to be forgotten."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(record, dict):
        return False
    if record.get("id") in ids:
        return True
    return not (selection.messages or selection.thread) and all(_criteria_met(record, selection))


def _criteria_met(record: dict[str, object], selection: Selection) -> list[bool]:
    """Return for each thing that is given whether a record agrees with it."""
    at, cwd = _record_time(record), str(record.get("cwd") or "")
    found = list[bool]()
    if selection.project is not None:
        found.append(cwd.startswith("/") and project_at(cwd).name == selection.project)
    if selection.session is not None:
        found.append(record.get("session") == selection.session)
    if selection.since is not None:
        found.append(at is not None and at >= selection.since)
    if selection.until is not None:
        found.append(at is not None and at < selection.until)
    if selection.matching is not None:
        wanted = " ".join(selection.matching.casefold().split())
        told = json.dumps(record, ensure_ascii=False)
        found.append(wanted in " ".join(told.casefold().split()))
    return found


def _record_time(record: dict[str, object]) -> datetime | None:
    try:
        return as_utc(datetime.fromisoformat(str(record.get("at"))))
    except (ValueError, OverflowError):
        return None
