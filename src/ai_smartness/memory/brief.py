"""The brief at the start of a session: `greeting` says it, `renew_brief` keeps it ready as a file.

The file is what a session gets that begins while no daemon runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

from ai_smartness.memory.base import MemoryBase, VerbCall
from ai_smartness.model.errors import StoreError

if TYPE_CHECKING:
    from ai_smartness.inject.brief_candidates import BriefStatements
    from ai_smartness.inject.inject import PromptTurn
    from ai_smartness.model.brief import Brief
    from ai_smartness.model.injection import PreparedInjection
    from ai_smartness.model.journal import Outcome
    from ai_smartness.ports import Embedder
    from ai_smartness.threads.change_plan import ChangePlan

__all__ = ["BriefVerbs"]

FILE_FORMAT = 1  # of the file's fields; a file of another format is written again
RENEWALS = 3  # at most, while the memory changes meanwhile


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
        """Count what a hook printed from the brief's file as shown, if it is still the same."""
        from ai_smartness.model.injection import Injection, InjectionReason
        from ai_smartness.text.brief_page import brief_digest

        started, turn = perf_counter(), self._next_turn(session)
        brief = self._session_brief(turn, "startup", self._reachable_embedder())
        if brief_digest(brief.lasting) != digest:
            return False
        # Not where the last session stood: after a clear or a compaction that was not printed.
        lasting = (entry for entry in brief.entries if entry.reason is not InjectionReason.RECENT)
        injection = Injection(entries=tuple(lasting))
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
            if _version_of_file(files.saved_brief(self.project)) == version:
                break
            brief = self._session_brief(self._next_turn(None), "startup", embedder)
            files.save_brief(self.project, self._brief_file_text(brief, version))
            is_written = True
        return is_written

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
            embedder.space if embedder else "",
        )
        return " ".join(map(str, parts))

    def _brief_file_text(self, brief: Brief, version: str) -> str:
        fields = {
            "version": version,
            "first": brief.first.isoformat() if brief.first else None,
            "last": brief.last.isoformat() if brief.last else None,
            "beat_minutes": float(self._settings.inject.beat_minutes),
            "lasting": brief.lasting,
            "stood": brief.stood,
        }
        return json.dumps(fields)

    def _apply_plan(self, call: VerbCall, make_plan: Callable[[], ChangePlan]) -> Outcome:
        outcome = super()._apply_plan(call, make_plan)
        files = self._parts.files
        if outcome.number is not None and files is not None and files.saved_brief(self.project):
            # At once: a statement that was just rejected must not be said by the next session.
            # The change is made; if the file cannot be written now, the daemon tries again.
            with suppress(OSError, StoreError):
                self._renew_brief(self.__dict__.get("embedder"))
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


def _version_of_file(text: str) -> str:
    try:
        fields = json.loads(text) if text else {}
    except ValueError:
        return ""
    return str(fields.get("version", "")) if isinstance(fields, dict) else ""
