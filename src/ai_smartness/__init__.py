"""The memory of a coding agent: local, threaded, undoable.

Everything goes through `Memory`, or `AsyncMemory`; its methods are what it can do. Every type
that they take or return is exported here, and docs/reference/python.md describes them all.
"""

_EXPORT_MODULES = {
    "capture.capture": ("Captured",),
    "condense": ("Condenser", "Context", "Wrote"),
    "memory": ("Memory",),
    "memory.async_memory": ("AsyncMemory", "OpeningMemory"),
    "model.annotation": (
        "Annotation",
        "KindProposal",
        "Mention",
        "MentionKind",
        "RecordedPlacement",
    ),
    "model.bridge": ("Bridge", "BridgeDraft", "Relation"),
    "model.brief": ("Brief",),
    "model.browse": (
        "Neighbourhood",
        "ThreadActivity",
        "ThreadFilter",
        "ThreadList",
        "ThreadPosition",
    ),
    "model.compaction": (
        "ArchiveReason",
        "ArchiveStep",
        "Compaction",
        "CompactionStep",
        "CompactionStrategy",
        "MemoryLoad",
        "MergeStep",
        "SuspendStep",
    ),
    "model.condensation": (
        "Anchor",
        "Condensation",
        "CondenseOutcome",
        "ContextPressure",
        "Replacement",
        "Scope",
    ),
    "model.erasure": ("ForgetResult", "Selection", "StoredSecret", "Trace"),
    "model.document": ("Document",),
    "model.errors": ("AisError", "NotFoundError", "RefusedError", "StoreError"),
    "model.event": ("Event", "EventType", "Message"),
    "model.focus": ("Focus",),
    "model.handoff": ("Handoff",),
    "model.injection": (
        "InjectedLine",
        "InjectedThread",
        "Injection",
        "InjectionReason",
        "PreparedInjection",
    ),
    "model.journal": (
        "Actor",
        "BridgeEdit",
        "Change",
        "FocusEdit",
        "JournalEntry",
        "Move",
        "Outcome",
        "ReviewEdit",
        "ThreadEdit",
    ),
    "model.link": (
        "HandoffLink",
        "Link",
        "MergeLink",
        "ReadingLink",
        "RecallLink",
        "Remedy",
        "RemedyLink",
        "SplitLink",
        "SplitProposalLink",
        "StatementsLink",
        "StatusLink",
        "SuggestionsLink",
        "SurvivorLink",
        "ThreadListLink",
        "UndoLink",
        "UnlockLink",
    ),
    "model.search": (
        "Hit",
        "HitReason",
        "RecallResult",
        "RecalledBridge",
        "RecalledLine",
        "RecalledThread",
    ),
    "model.session": (
        "LedgerEntry",
        "LedgerPage",
        "LineScores",
        "LineSource",
        "Session",
        "ShownLine",
        "SkippedThread",
    ),
    "model.shared_item": (
        "Dispute",
        "SharedDraft",
        "SharedItem",
        "SharedMessage",
        "TeamMember",
        "TeamUpdate",
    ),
    "model.split": ("SplitPart", "SplitProposal"),
    "model.statement": (
        "HeldGroup",
        "HeldStatement",
        "ReviewState",
        "Speaker",
        "Statement",
        "StatementKind",
        "StatementReview",
    ),
    "model.status": ("MemoryStatus", "ProjectCount"),
    "model.suggestion": (
        "Conflict",
        "ForgottenPin",
        "Health",
        "MergeCandidate",
        "RecallHint",
        "SplitCandidate",
        "Suggestions",
    ),
    "model.thread": ("Kind", "Origin", "Rating", "SplitLock", "Status", "Thread"),
    "model.transfer": (
        "ExportHeader",
        "ImportResult",
        "LoadResult",
        "ProjectImport",
        "UnreadableFile",
    ),
    "ports.services": ("Completion", "Embedder", "LanguageModel", "Progress"),
    "ports.transfer": (
        "ImportMark",
        "ImportedMessage",
        "RecordedHookEvent",
        "TranscriptChunk",
        "TranscriptFile",
        "TranscriptHistory",
        "TranscriptItem",
    ),
    "threads.history": ("PastThread",),
    "transfer.markdown_export": ("MarkdownPage",),
}

# Type checkers and editors read `__init__.pyi`, which `scripts/reference.py` writes from this.
__all__ = [name for names in _EXPORT_MODULES.values() for name in names]


def __getattr__(name: str) -> object:
    # Looked up on first use: the hook imports this package and must not pay for all of it.
    for module, names in _EXPORT_MODULES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"{__name__}.{module}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
