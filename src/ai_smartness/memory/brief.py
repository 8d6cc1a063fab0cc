"""The brief at the start of a session: `greeting` says it, `renew_brief` keeps it ready as a file.

The file is what a session gets that begins while no daemon runs. It also has the entries of the
last few briefs that were written to it: what a hook has printed counts as shown by these.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ai_smartness.memory.base import MemoryBase, VerbCall
from ai_smartness.model.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from ai_smartness.inject.brief_candidates import BriefStatements
    from ai_smartness.inject.inject import PromptTurn
    from ai_smartness.model.brief import Brief
    from ai_smartness.model.event import Event
    from ai_smartness.model.injection import InjectedLine, InjectedThread, PreparedInjection
    from ai_smartness.model.journal import Outcome
    from ai_smartness.model.thread import Thread
    from ai_smartness.ports import Embedder
    from ai_smartness.ports.erasure import MemoryFiles
    from ai_smartness.threads.change_plan import ChangePlan

__all__ = ["BriefVerbs"]

FILE_FORMAT = 2  # of the file's fields; a file of another format is written again
RENEWALS = 3  # at most, while the memory changes meanwhile
KNOWN_BRIEFS = 5  # of the last ones in the file; a hook's record of what it printed comes soon


class BriefVerbs(MemoryBase):
    """A session begins with what holds, and where things stand."""

    def greeting(self, session: str | None = None, source: str = "startup") -> str:
        """Return the brief for an agent whose session begins: what holds, where things stand.

        `source` says how it begins. After `compact` the text includes the handoff of the
        session itself, after `clear` none, otherwise the end of the last session.
        Everything in it counts as shown.
        """
        return self.settle_injection(self.prepared_greeting(session, source)).text

    def prepared_greeting(
        self, session: str | None = None, source: str = "startup"
    ) -> PreparedInjection:
        """Return the greeting; it counts as shown once `settle_injection` is called."""
        from ai_smartness.model.injection import Injection

        started = perf_counter()
        turn = self._next_turn(session)
        brief = self._session_brief(turn, source, self._reachable_embedder())
        injection = Injection(text=brief.text, entries=brief.entries)
        return self._prepared_injection(injection, turn, started)

    def subagent_brief(self) -> str:
        """Return the brief for a subagent that starts; empty unless `inject.subagents` is on.

        Nothing counts as shown: the session itself does not see it.
        """
        return self.brief().text if self._settings.inject.subagents else ""

    def brief(self) -> Brief:
        """Return the brief for the next session, in its parts; nothing counts as shown."""
        return self._session_brief(self._next_turn(None), "startup", self._reachable_embedder())

    def record_brief(self, session: str, digest: str) -> bool:
        """Count what a hook printed from the brief's file as shown; say if that brief is known.

        The memory may have changed since: what counts is the brief that was written to the file.
        """
        from ai_smartness.model.injection import Injection

        started, turn = perf_counter(), self._next_turn(session)
        files = self._parts.files
        printed = _printed_briefs(files.saved_brief(self.project) if files else "")
        entries = self._read_entries(printed[digest]) if digest in printed else None
        if entries is None:
            return False
        injection = Injection(entries=entries)
        self.settle_injection(self._prepared_injection(injection, turn, started))
        return True

    def renew_brief(self) -> bool:
        """Write the brief to its file if the memory has changed; say whether it was written.

        A memory without a home has no such file.
        """
        return self._renew_brief(self._reachable_embedder())

    def _renew_brief(self, embedder: Embedder | None) -> bool:
        files, is_written = self._parts.files, False
        if files is None:
            return False
        for _ in range(RENEWALS):
            version = self._brief_version(embedder)
            saved = files.saved_brief(self.project)
            if _is_current_file(files, _file_fields(saved), version):
                break
            brief = self._session_brief(self._next_turn(None), "startup", embedder)
            fields = self._brief_fields(brief, version)
            fields["settings"] = files.inject_settings()
            fields["printed"] = self._with_brief(_printed_briefs(saved), brief)
            files.save_brief(self.project, json.dumps(fields))
            is_written = True
        return is_written

    def _with_brief(self, printed: dict[str, Any], brief: Brief) -> dict[str, Any]:
        """Add a brief's entries to those of the last ones, as the latest."""
        from ai_smartness.model.injection import InjectionReason
        from ai_smartness.text.brief_page import brief_digest

        # One with a forgotten message must not stay, if the file was read before the deletion.
        known = {
            digest: entries
            for digest, entries in printed.items()
            if self._read_entries(entries) is not None
        }
        digest = brief_digest(brief.lasting)
        known.pop(digest, None)
        # Not where the last session stood: after a clear or a compaction that is not printed.
        known[digest] = [
            _entry_fields(entry)
            for entry in brief.entries
            if entry.reason is not InjectionReason.RECENT
        ]
        return dict(list(known.items())[-KNOWN_BRIEFS:])

    def _read_entries(self, saved: list[dict[str, Any]]) -> tuple[InjectedThread, ...] | None:
        """Return a brief's entries from the file; None if damaged, or if a message is gone."""
        store = self._store
        try:
            events = store.events.by_seq(
                {line["seq"] for entry in saved for line in entry["lines"]}
            )
            return tuple(
                _read_entry(store.threads.get(entry["thread"]), entry, events) for entry in saved
            )
        except (KeyError, TypeError, ValueError, NotFoundError):
            return None

    def _brief_version(self, embedder: Embedder | None) -> str:
        """Name everything that the brief depends on."""
        store, rules = self._store, self._settings.inject
        statements = [store.statements.revision(project) for project in self._visible_projects()]
        changes = store.journal.latest_entries(self.project, 1)
        parts = (
            FILE_FORMAT,
            f"{self._clock():%Y-%m-%d}",
            *statements,
            store.events.last_seq(self.project),
            store.annotations.described_through(self.project),
            changes[0].seq if changes else 0,
            rules.brief_tokens,
            rules.beat_minutes,
            rules.lines,
            embedder.space if embedder else "",
        )
        return " ".join(map(str, parts))

    def _brief_fields(self, brief: Brief, version: str) -> dict[str, Any]:
        return {
            "version": version,
            "first": brief.first.isoformat() if brief.first else None,
            "last": brief.last.isoformat() if brief.last else None,
            "beat_minutes": float(self._settings.inject.beat_minutes),
            "lasting": brief.lasting,
            "stood": brief.stood,
        }

    def _apply_plan(self, call: VerbCall, make_plan: Callable[[], ChangePlan]) -> Outcome:
        from ai_smartness.model.journal import READ_VERBS

        outcome = super()._apply_plan(call, make_plan)
        files = self._parts.files
        if outcome.number is None or files is None or call.verb in READ_VERBS:
            # Nobody who asks waits for the brief: the daemon renews it.
            return outcome
        if files.saved_brief(self.project):
            # At once: a statement that was just rejected must not be said by the next session.
            # The change is made; if the file cannot be written now, the daemon tries again.
            with suppress(OSError, StoreError):
                self._renew_brief(self._loaded_embedder[0] if self._loaded_embedder else None)
        return outcome

    def _session_brief(self, turn: PromptTurn, source: str, embedder: Embedder | None) -> Brief:
        from ai_smartness.handoff.handoff import handoff_at_start
        from ai_smartness.inject.brief import BriefSources, session_brief

        candidates = self._brief_statements.current_candidates(
            self._store, turn.projects, embedder.space if embedder else None
        )
        sources = BriefSources(
            source=source,
            handoff=handoff_at_start(self._store, turn.session, source),
            candidates=candidates,
        )
        return session_brief(self._store, turn, self._settings.inject, sources)

    @cached_property
    def _brief_statements(self) -> BriefStatements:
        from ai_smartness.inject.brief_candidates import BriefStatements

        return BriefStatements()


def _is_current_file(files: MemoryFiles, fields: dict[str, Any], version: str) -> bool:
    """Say whether a brief's file is of this version, and its settings are as they were."""
    settings = fields.get("settings")
    is_known = isinstance(settings, dict) and files.inject_settings(settings) == settings
    return is_known and str(fields.get("version", "")) == version


def _file_fields(text: str) -> dict[str, Any]:
    """Return the fields of a brief's file; none if it is missing or damaged."""
    try:
        fields = json.loads(text) if text else {}
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _printed_briefs(text: str) -> dict[str, Any]:
    """Return the entries of the last briefs in a file, by digest, the latest last."""
    printed = _file_fields(text).get("printed")
    return printed if isinstance(printed, dict) else {}


def _entry_fields(entry: InjectedThread) -> dict[str, Any]:
    return {
        "thread": entry.thread.id,
        "revision": entry.thread.revision,
        "reason": entry.reason.value,
        "why": entry.why,
        "tokens": entry.tokens,
        "lines": [
            {"seq": line.seq, "id": line.id, "text": line.text, "why": line.why}
            for line in entry.lines
        ],
    }


def _read_entry(
    thread: Thread, fields: dict[str, Any], events: Mapping[int, Event]
) -> InjectedThread:
    from ai_smartness.model.injection import InjectedThread, InjectionReason

    return InjectedThread(
        thread=replace(thread, revision=fields["revision"]),
        lines=tuple(_read_line(events[line["seq"]], line) for line in fields["lines"]),
        reason=InjectionReason(fields["reason"]),
        relevance=0.0,
        priority=0.0,
        why=fields["why"],
        tokens=fields["tokens"],
    )


def _read_line(event: Event, fields: dict[str, Any]) -> InjectedLine:
    from ai_smartness.model.event import event_origin
    from ai_smartness.model.injection import InjectedLine

    if event.id != fields["id"]:
        msg = f"message {event.seq} is another one now."
        raise ValueError(msg)
    return InjectedLine(
        seq=event.seq,
        id=event.id,
        role=event.role,
        at=event.at,
        text=fields["text"],
        why=fields["why"],
        origin=event_origin(event),
    )
