"""Delete forgotten messages from the files beside the store: inbox, logs, answers, backups.

The briefs are removed whole: the daemon writes them again from what is left.
"""

import json
import re
from collections.abc import Callable, Container, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ai_smartness.forget.forget import ErasureRequest, forget
from ai_smartness.forget.rewrite import Traces, possible_ids
from ai_smartness.model.erasure import Selection
from ai_smartness.model.errors import AisError
from ai_smartness.model.event import as_utc
from ai_smartness.ports.erasure import MemoryFiles
from ai_smartness.ports.safekeeping import StoreFiles

__all__ = [
    "StoreCopies",
    "clean_files",
    "is_selected_record",
    "remaining_inbox_texts",
    "selected_record_ids",
]

_BREAKS = re.compile(r"\\[nrtbf]")
_ESCAPED = re.compile(r"\\+u([0-9a-fA-F]{4})")


def clean_files(
    files: MemoryFiles, selection: Selection, traces: Traces, ids: Container[str]
) -> dict[str, str]:
    """Clean the inbox, logs, answers and briefs; return what was done to each file."""

    def is_clean(text: str) -> bool:
        return not traces.are_in(_unescaped_line(text))

    def is_unrelated(text: str) -> bool:
        return is_clean(text) and not any(id_ in ids for id_ in possible_ids(text))

    return {
        **files.filter_inbox(
            lambda line: not is_selected_record(line, selection, ids, files.project_name)
        ),
        **files.filter_logs(is_clean),
        **files.filter_answers(is_unrelated),
        **files.remove_briefs(),
    }


def remaining_inbox_texts(
    files: MemoryFiles | None, selection: Selection, ids: Container[str] = ()
) -> tuple[str, ...]:
    """Return the lines that stay in the inbox: their words are not unique to deleted messages."""
    if files is None:
        return ()
    name_of = files.project_name
    return tuple(
        _unescaped_line(line)
        for line in files.inbox_lines()
        if line and not is_selected_record(line, selection, ids, name_of)
    )


def _unescaped_line(line: str) -> str:
    """Return a line with its JSON escapes replaced by the characters."""
    if "\\" not in line:
        return line
    line = _BREAKS.sub(" ", line)
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), line)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def selected_record_ids(files: MemoryFiles, selection: Selection) -> set[str]:
    """Return the ids of the records in the inbox that hold a message to delete."""
    ids = set[str]()
    for line in files.inbox_lines():
        if is_selected_record(line, selection, (), files.project_name):
            ids.add(str(json.loads(line).get("id")))
    return ids


def is_selected_record(
    line: str, selection: Selection, ids: Container[str], project_name: Callable[[str], str]
) -> bool:
    """Say whether a line of the inbox holds a message to delete."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(record, dict):
        return False
    if str(record.get("id")) in ids:
        return True
    if selection.messages or selection.thread:
        return False
    return all(_criteria_met(record, selection, project_name))


def _criteria_met(
    record: dict[str, object], selection: Selection, project_name: Callable[[str], str]
) -> Iterator[bool]:
    """Yield for each criterion of a selection whether a record meets it."""
    at, cwd = _record_time(record), str(record.get("cwd") or "")
    if selection.project is not None:
        yield cwd.startswith("/") and project_name(cwd) == selection.project
    if selection.session is not None:
        yield record.get("session") == selection.session
    if selection.since is not None:
        yield at is not None and at >= selection.since
    if selection.until is not None:
        yield at is not None and at < selection.until
    if selection.matching is not None:
        phrase = " ".join(selection.matching.casefold().split())
        yield phrase in " ".join(json.dumps(record, ensure_ascii=False).casefold().split())


def _record_time(record: dict[str, object]) -> datetime | None:
    try:
        return as_utc(datetime.fromisoformat(str(record.get("at"))))
    except (ValueError, OverflowError):
        return None


@dataclass(slots=True)
class StoreCopies:
    """Backups and other copies of a store, and the words that each should not hold any more."""

    files: StoreFiles
    outcomes: dict[str, str] = field(default_factory=dict)
    traces: dict[Path, Traces] = field(default_factory=dict)

    def rewrite_copies(self, request: ErasureRequest) -> None:
        """Delete the same messages in every copy."""
        for copy in self.files.store_copies():
            self.traces[copy] = Traces(request.words, hashed=request.hashed)
            try:
                rewrite = self._copy_rewriter(copy, request)
                self.outcomes[str(copy)] = self.files.rewrite_copy(copy, rewrite)
            except AisError as error:
                # A damaged copy is still searched, and reported if it holds any of the words.
                self.outcomes[str(copy)] = f"could not be rewritten: {error}"

    def remove_copies(self) -> None:
        """Remove every copy."""
        for copy in (*self.files.store_copies(), *self.files.dumps()):
            self.outcomes[str(copy)] = self.files.remove_copy(copy)

    def _copy_rewriter(self, copy: Path, request: ErasureRequest) -> Callable[[Path], bool]:
        def rewrite_draft(draft: Path) -> bool:
            with closing(self.files.open_copy(draft)) as store:
                erasure = forget(store, request)
                self.traces[copy] = erasure.traces
                result = erasure.result
                is_changed = any(
                    (result.messages, result.described, result.changes, result.threads)
                )
                # A copy that was made after the messages had gone may hold them in unused pages.
                if not is_changed and request.hashed is None:
                    return False
                store.erasure.purge_traces(lambda _done, _total: None)
                store.erasure.leave_single_file()
                return True

        return rewrite_draft
