"""The memory of a coding agent: local, threaded, undoable.

Everything goes through `Memory`, or `AsyncMemory`; its methods are what it can do. Every type
that they take or return is exported here, and docs/reference/python.md describes them all.
"""

from ai_smartness.capture.capture import Captured
from ai_smartness.condense import Condenser, Context, Wrote
from ai_smartness.memory import Memory
from ai_smartness.memory.async_memory import AsyncMemory, OpeningMemory
from ai_smartness.model.annotation import (
    Annotation,
    KindProposal,
    Mention,
    MentionKind,
    RecordedPlacement,
)
from ai_smartness.model.bridge import Bridge, BridgeDraft, Relation
from ai_smartness.model.brief import Brief
from ai_smartness.model.compaction import (
    ArchiveReason,
    ArchiveStep,
    Compaction,
    CompactionStep,
    CompactionStrategy,
    MemoryLoad,
    MergeStep,
    SuspendStep,
)
from ai_smartness.model.condensation import (
    Anchor,
    Condensation,
    CondenseOutcome,
    ContextPressure,
    Replacement,
    Scope,
)
from ai_smartness.model.document import Document
from ai_smartness.model.erasure import ForgetResult, Selection, StoredSecret, Trace
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError, StoreError
from ai_smartness.model.event import Event, EventType, Message
from ai_smartness.model.focus import Focus
from ai_smartness.model.handoff import Handoff
from ai_smartness.model.injection import (
    InjectedLine,
    InjectedThread,
    Injection,
    InjectionReason,
    PreparedInjection,
)
from ai_smartness.model.journal import (
    Actor,
    BridgeEdit,
    Change,
    FocusEdit,
    JournalEntry,
    Move,
    Outcome,
    ReviewEdit,
    ThreadEdit,
)
from ai_smartness.model.link import (
    HandoffLink,
    Link,
    MergeLink,
    ReadingLink,
    RecallLink,
    Remedy,
    RemedyLink,
    SplitLink,
    SplitProposalLink,
    StatementsLink,
    StatusLink,
    SuggestionsLink,
    SurvivorLink,
    ThreadListLink,
    UndoLink,
    UnlockLink,
)
from ai_smartness.model.search import (
    Hit,
    HitReason,
    RecalledBridge,
    RecalledLine,
    RecalledThread,
    RecallResult,
)
from ai_smartness.model.session import LedgerEntry, LedgerPage, Session, ShownLine, SkippedThread
from ai_smartness.model.split import SplitPart, SplitProposal
from ai_smartness.model.statement import (
    ReviewState,
    Speaker,
    Statement,
    StatementKind,
    StatementReview,
)
from ai_smartness.model.status import MemoryStatus, ProjectCount
from ai_smartness.model.suggestion import (
    Conflict,
    ForgottenPin,
    Health,
    MergeCandidate,
    RecallHint,
    SplitCandidate,
    Suggestions,
)
from ai_smartness.model.thread import Kind, Origin, Rating, SplitLock, Status, Thread
from ai_smartness.model.transfer import (
    ExportHeader,
    ImportResult,
    LoadResult,
    ProjectImport,
    UnreadableFile,
)
from ai_smartness.ports.services import Completion, Embedder, LanguageModel, Progress
from ai_smartness.ports.transfer import (
    ImportedMessage,
    ImportMark,
    RecordedHookEvent,
    TranscriptChunk,
    TranscriptFile,
    TranscriptHistory,
    TranscriptItem,
)
from ai_smartness.threads.history import PastThread
from ai_smartness.transfer.markdown_export import MarkdownPage

__all__ = [
    "Actor",
    "AisError",
    "Anchor",
    "Annotation",
    "ArchiveReason",
    "ArchiveStep",
    "AsyncMemory",
    "Bridge",
    "BridgeDraft",
    "BridgeEdit",
    "Brief",
    "Captured",
    "Change",
    "Compaction",
    "CompactionStep",
    "CompactionStrategy",
    "Completion",
    "Condensation",
    "CondenseOutcome",
    "Condenser",
    "Conflict",
    "Context",
    "ContextPressure",
    "Document",
    "Embedder",
    "Event",
    "EventType",
    "ExportHeader",
    "Focus",
    "FocusEdit",
    "ForgetResult",
    "ForgottenPin",
    "Handoff",
    "HandoffLink",
    "Health",
    "Hit",
    "HitReason",
    "ImportMark",
    "ImportResult",
    "ImportedMessage",
    "InjectedLine",
    "InjectedThread",
    "Injection",
    "InjectionReason",
    "JournalEntry",
    "Kind",
    "KindProposal",
    "LanguageModel",
    "LedgerEntry",
    "LedgerPage",
    "Link",
    "LoadResult",
    "MarkdownPage",
    "Memory",
    "MemoryLoad",
    "MemoryStatus",
    "Mention",
    "MentionKind",
    "MergeCandidate",
    "MergeLink",
    "MergeStep",
    "Message",
    "Move",
    "NotFoundError",
    "OpeningMemory",
    "Origin",
    "Outcome",
    "PastThread",
    "PreparedInjection",
    "Progress",
    "ProjectCount",
    "ProjectImport",
    "Rating",
    "ReadingLink",
    "RecallHint",
    "RecallLink",
    "RecallResult",
    "RecalledBridge",
    "RecalledLine",
    "RecalledThread",
    "RecordedHookEvent",
    "RecordedPlacement",
    "RefusedError",
    "Relation",
    "Remedy",
    "RemedyLink",
    "Replacement",
    "ReviewEdit",
    "ReviewState",
    "Scope",
    "Selection",
    "Session",
    "ShownLine",
    "SkippedThread",
    "Speaker",
    "SplitCandidate",
    "SplitLink",
    "SplitLock",
    "SplitPart",
    "SplitProposal",
    "SplitProposalLink",
    "Statement",
    "StatementKind",
    "StatementReview",
    "StatementsLink",
    "Status",
    "StatusLink",
    "StoreError",
    "StoredSecret",
    "Suggestions",
    "SuggestionsLink",
    "SurvivorLink",
    "SuspendStep",
    "Thread",
    "ThreadEdit",
    "ThreadListLink",
    "Trace",
    "TranscriptChunk",
    "TranscriptFile",
    "TranscriptHistory",
    "TranscriptItem",
    "UndoLink",
    "UnlockLink",
    "UnreadableFile",
    "Wrote",
]
