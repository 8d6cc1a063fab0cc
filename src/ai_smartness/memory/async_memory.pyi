"""`AsyncMemory`: the verbs of `Memory` for programs that use `async`.

There is one core, and it is synchronous. Each verb runs in a thread that belongs to the memory,
in the order of the calls, while the event loop goes on. The methods are made from those of
`Memory`; `async_memory.pyi`, which `scripts/reference.py` writes, has their types.
"""

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from ai_smartness import (
    Actor,
    Annotation,
    Bridge,
    BridgeDraft,
    Brief,
    Captured,
    Compaction,
    CompactionStrategy,
    CondenseOutcome,
    Condenser,
    ContextPressure,
    Document,
    Event,
    ExportHeader,
    Focus,
    ForgetResult,
    Handoff,
    HeldGroup,
    Hit,
    ImportResult,
    Injection,
    JournalEntry,
    Kind,
    LedgerPage,
    LineSource,
    LoadResult,
    MarkdownPage,
    Memory,
    MemoryStatus,
    Message,
    Neighbourhood,
    Outcome,
    PastThread,
    PreparedInjection,
    Progress,
    ProjectCount,
    RecallResult,
    Scope,
    Selection,
    Session,
    SharedDraft,
    SharedItem,
    SplitLock,
    SplitPart,
    SplitProposal,
    Statement,
    StatementKind,
    StoredSecret,
    Suggestions,
    TeamMember,
    TeamUpdate,
    Thread,
    ThreadActivity,
    ThreadFilter,
    ThreadList,
    ThreadPosition,
    TranscriptFile,
    TranscriptHistory,
    UnreadableFile,
)

__all__ = ["PLAIN_MEMBERS", "AsyncMemory", "OpeningMemory"]

PLAIN_MEMBERS: frozenset[str]

class AsyncMemory:
    """A memory whose verbs are awaited: it has every method of `Memory`.

    They run in a thread of the memory's own, in the order of the calls. A call that is cancelled
    is carried out all the same; only its answer is lost. `progress` is called in that thread.
    """

    def __init__(self, memory: Memory, worker: ThreadPoolExecutor | None = None) -> None: ...
    @classmethod
    def open(
        cls,
        path: Path | str | None = None,
        *,
        project: str | Path | None = None,
        home: Path | str | None = None,
    ) -> OpeningMemory:
        """Open a memory, with `async with` or with `await`: the named file, or the user's own."""
    @property
    def memory(self) -> Memory:
        """The memory itself, for code that does not wait."""
    @property
    def project(self) -> str:
        """The project that the memory is seen from."""
    @property
    def who(self) -> Actor:
        """Who the journal says made the changes."""
    @property
    def window_tokens(self) -> int:
        """The size of an agent's context window in tokens, if the client does not report it."""
    def seen_from(self, project: str) -> AsyncMemory:
        """Return the same memory seen from another project; it is closed with this one."""
    def used_by(self, who: Actor) -> AsyncMemory:
        """Return the same memory in somebody else's hands: the journal says who did what."""
    async def close(self) -> None:
        """Close the file, after the calls that were made before."""
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...
    async def tell(self, *, progress: Progress = ...) -> int:
        """Describe and link the threads of newly captured events, and return how many events.

        Every verb that reads threads does this first. Call it yourself to see the
        progress after capturing a long history. Without a model, it also finds the statements
        among the messages, by plain rules.
        """

    async def embed(self, *, progress: Progress = ...) -> int:
        """Embed the captured events that have no embedding yet, and return how many.

        Their statements are found afterwards.
        """

    async def settle_injection(
        self, prepared: PreparedInjection, *, is_shown: bool = True
    ) -> Injection:
        """Record that the agent has seen a prepared injection, or that it came too late."""

    async def share(self, id_: str, *, dry_run: bool = False) -> SharedDraft:
        """Share a thread or a statement with the team, and return what the others can read.

        It is a copy: what is said on the thread later stays private until you share it again. A
        secret stops the sharing.
        """

    async def unshare(self, id_: str, *, dry_run: bool = False) -> SharedItem:
        """Take back what you shared; the others' copies are deleted when they next connect."""

    async def dispute(self, id_: str, reason: str = "", *, withdraw: bool = False) -> SharedItem:
        """Say that something shared by a teammate is wrong, or withdraw that.

        Everybody sees it as disputed, and by whom.
        """

    async def shared_items(self) -> list[SharedItem]:
        """Return what the team shares, in all projects, the oldest first."""

    async def team_members(self) -> list[TeamMember]:
        """Return the people of the team, by name."""

    async def update_shared(self) -> TeamUpdate:
        """Copy what teammates share in this project, and delete copies of what they took back."""

    async def add_team_member(self, name: str) -> bool:
        """Add a person to the server, and say whether it is a new one.

        Your role must be allowed to create roles. A member gets all rights of a member again.
        """

    async def import_history(
        self,
        history: TranscriptHistory,
        found: Sequence[TranscriptFile | UnreadableFile],
        *,
        home: str = "",
        project: str | None = None,
        dry_run: bool = False,
        trust: bool = False,
        gently: bool = False,
        progress: Progress = ...,
    ) -> ImportResult:
        """Read transcript files from where they were last read, and store what is new in them.

        Each message goes to the project it was said in, or all to the named one. Keyword
        search finds it at once, search by meaning after `embed`. `home` is the folder of
        the memory's own files, which agents may have read. Files that are not a client's own
        records are file content or imported lines, unless you `trust` them. With `gently`,
        other writers never wait long and the import takes longer.
        """

    async def unembedded(self) -> list[str]:
        """Name the projects with messages that are not embedded yet; none without a model."""

    async def export(
        self,
        write: Callable[[str], object],
        *,
        project: str | None = None,
        progress: Progress = ...,
    ) -> ExportHeader:
        """Write the memory, or one project, as lines of JSON.

        Derived data (full text, vectors) is left out and rebuilt on import. The export
        shows one moment; others can go on writing meanwhile.
        """

    async def take_in(
        self, lines: Iterable[bytes], *, dry_run: bool = False, progress: Progress = ...
    ) -> LoadResult:
        """Load an export: an empty memory becomes its copy, another one gets what is new.

        It is all or nothing. Others cannot write meanwhile; their captures wait.
        """

    async def pages(
        self, *, project: str | None = None, taken: Iterable[str] = ()
    ) -> list[MarkdownPage]:
        """Return the memory as Markdown pages, one for each thread and one that lists them.

        None of them gets a name in `taken`.
        """

    async def redaction_counts(self) -> dict[str, int]:
        """Count the secrets that were replaced in the project's messages, by kind."""

    async def kept_secrets(self, *, progress: Progress = ...) -> list[StoredSecret]:
        """Return the secrets in the store, of every project, without revealing them."""

    async def forget(
        self,
        selection: Selection,
        *,
        backups: str = "rewrite",
        dry_run: bool = False,
        progress: Progress = ...,
    ) -> ForgetResult:
        """Delete messages for good, and search every file for words that only they contained.

        This cannot be undone. Backups and other copies beside the store are rewritten, or
        removed with `backups="remove"`. Exports that were written elsewhere are yours. If the
        process is killed, `finish_forgetting`, or the same call again, does the rest.
        """

    async def finish_forgetting(self, *, progress: Progress = ...) -> ForgetResult | None:
        """Finish a deletion that was interrupted; None if there is none, or it still runs."""

    async def rename_project(self, name: str) -> None:
        """Give the project another name; everything that it remembers goes along.

        The folders that belong to it are linked by `ais project`.
        """

    async def write_document(
        self,
        name: str,
        text: str,
        *,
        payload: Mapping[str, Any] | None = None,
        session: str | None = None,
    ) -> Outcome:
        """Write a document, or replace the one of this name; the version before is archived.

        The name is one line of at most 200 characters. `payload` is plain JSON that belongs to
        the text. Search and recall find the text like any message.
        """

    async def document(self, name: str) -> Document:
        """Return the current version of a document."""

    async def documents(self, start: str = "") -> list[Document]:
        """Return the current documents whose names begin so, by name."""

    async def remove_documents(self, names: Collection[str]) -> Outcome:
        """Remove documents: they are archived, and `undo` brings them back."""

    async def rename_documents(self, names: Mapping[str, str]) -> Outcome:
        """Give documents new names, by their present ones."""

    async def create(self, title: str | None = None, *, session: str | None = None) -> str:
        """Create an empty thread for your own log, and return its id."""

    async def condense(
        self,
        thread_id: str,
        condenser: str | None = None,
        *,
        scope: Scope | str = "incremental",
        target: int | None = None,
        dry_run: bool = False,
        **parameters: object,
    ) -> CondenseOutcome:
        """Replace a thread's messages by a short version in its working view; they stay stored.

        `target` is the number of tokens the working view may take. The scope says what to
        condense: `incremental` the messages since the last time, `full` all messages from
        scratch, `hybrid` everything in view, earlier compactions included.
        """

    async def restore(self, thread_id: str, *, before: str, dry_run: bool = False) -> Outcome:
        """Show a thread again as it was before one of its compactions was made."""

    async def register(self, condenser: Condenser) -> None:
        """Add your own condenser, to be chosen by its id."""

    async def condensers(self) -> list[Condenser]:
        """Return the available condensers."""

    async def events_after(self, thread_id: str, compactions: int) -> list[Event]:
        """Return the working view as it was after that many compactions of the thread."""

    async def messages(self, thread_id: str, shape: str = "anthropic") -> list[dict[str, Any]]:
        """Return the working view as messages for a model's API: `anthropic` or `openai`."""

    async def tokens_today(self) -> int:
        """Return the tokens that language models used today (UTC), for all projects."""

    async def handoff(self, session: str | None = None, *, asker: str | None = None) -> str:
        """Return where a session stood, as text for an agent.

        Without a session it is the one that spoke last; the start of an id is enough.
        `asker` is the session that wants to know: it gets its own handoff if it can no
        longer see all of it, otherwise that of the last session before it.
        """

    async def stood(
        self, session: str | None = None, *, asker: str | None = None
    ) -> Handoff | None:
        """Return where a session stood, with its threads; nothing if nothing was said."""

    async def pressure(self, session: str, used: int, window: int | None = None) -> ContextPressure:
        """Record how full a session's window is, and condense its threads in time.

        When the window passes 0.6 or 0.9, each once, the long threads of the session are
        condensed, the second time to fewer tokens.
        """

    async def compact(
        self, strategy: CompactionStrategy = ..., *, dry_run: bool = False, progress: Progress = ...
    ) -> Compaction:
        """Merge threads about one subject, and archive the oldest and the surplus ones.

        It is one change, with one number for `undo`. A dry run returns the same plan
        without carrying it out.
        """

    async def greeting(self, session: str | None = None, source: str = "startup") -> str:
        """Return the brief for an agent whose session begins: what holds, where things stand.

        `source` says how it begins. After `compact` the text includes the handoff of the
        session itself, after `clear` none, otherwise the end of the last session.
        Everything in it counts as shown.
        """

    async def prepared_greeting(
        self, session: str | None = None, source: str = "startup"
    ) -> PreparedInjection:
        """Return the greeting; it counts as shown once `settle_injection` is called."""

    async def subagent_brief(self) -> str:
        """Return the brief for a subagent that starts; empty unless `inject.subagents` is on.

        Nothing counts as shown: the session itself does not see it.
        """

    async def brief(self) -> Brief:
        """Return the brief for the next session, in its parts; nothing counts as shown."""

    async def record_brief(self, session: str, digest: str) -> bool:
        """Count what a hook printed from the brief's file as shown; say if that brief is known.

        The memory may have changed since: what counts is the brief that was written to the file.
        """

    async def renew_brief(self) -> bool:
        """Write the brief to its file if the memory has changed; say whether it was written.

        A memory without a home has no such file.
        """

    async def recall(self, query: str, limit: int = 12, *, bring_back: bool = True) -> RecallResult:
        """Return the lines that answer and their threads, the best first.

        Something is returned whenever the search finds anything; `is_weak` says that nothing
        matches well. The id of a thread, or the start of one, returns that thread. A
        suspended thread that answers well becomes active again, unless `bring_back` is
        false; it is returned as it was found.
        """

    async def inject(
        self,
        text: str | Sequence[str],
        *,
        session: str | None = None,
        source: str = "user",
        budget: int | None = None,
        lasting: bool = True,
    ) -> Injection:
        """Return the memory to put in front of a turn; nothing where nothing is relevant.

        Several messages at once are one prompt. What the system says to itself
        (`source="system"`) is no prompt. With a session, entries that it can still see
        are not shown again; `lasting=False` is for an agent that does not keep in its
        history what it was shown, so that it sees nothing.
        """

    async def prepared_injection(
        self,
        text: str | Sequence[str],
        *,
        session: str | None = None,
        source: str = "user",
        budget: int | None = None,
        lasting: bool = True,
    ) -> PreparedInjection:
        """Return what `inject` would; it counts as shown once `settle_injection` is called."""

    async def record_printed(
        self, session: str, lines: Mapping[str, Sequence[int]], *, prompt_id: str = ""
    ) -> None:
        """Count messages that a hook found and printed itself as shown, by thread.

        `prompt_id` is the message before which they were printed.
        """

    async def with_memory(
        self, messages: Sequence[Mapping[str, Any]], *, session: str | None = None
    ) -> list[dict[str, Any]]:
        """Return a new list of messages with memory in front of the last prompt.

        For your own agent, in the shape of Anthropic's or OpenAI's messages. The given
        list is never changed, and its copy comes back unchanged if there is nothing to add.
        """

    async def why(
        self, session: str | None = None, limit: int = 10, *, before: datetime | None = None
    ) -> list[LedgerPage]:
        """Return the latest turns: what was shown, what was left out, and the numbers.

        The start of a session's id is enough. `before` leaves out the turns from that time on.
        """

    async def line_sources(self, seqs: Iterable[int]) -> dict[int, LineSource]:
        """Return the messages that shown lines are from, by number; those that are gone have none.

        With each come the statements in it that nobody rejected.
        """

    async def sessions(self, ids: Iterable[str]) -> dict[str, Session]:
        """Return sessions of the project by their ids; those that are not known have none."""

    async def session_id(self, start: str) -> str:
        """Return the whole id of the session that begins so; `start` itself if none does."""

    async def focus(
        self,
        topic: str,
        weight: float = 0.8,
        *,
        session: str | None = None,
        until: datetime | None = None,
    ) -> Outcome:
        """Put a topic or a thread in focus: whatever is about it is shown first.

        The focus belongs to one session, or to all, and lasts until a moment or until
        `unfocus`. A thread in focus by its id is shown whatever the prompt is, even an
        archived one: somebody asked for it.
        """

    async def unfocus(self, topic: str | None = None, *, session: str | None = None) -> Outcome:
        """Remove a topic or a thread from focus, or everything.

        With a session, that covers its own foci and the lasting ones; without one, the
        foci of every session.
        """

    async def foci(self, session: str | None = None) -> list[Focus]:
        """Return the foci in force: the lasting ones, and the session's own."""

    async def pin(
        self,
        content: str,
        *,
        title: str | None = None,
        topics: Sequence[str] = (),
        weight_boost: float = 0.3,
        kind: Kind | StatementKind | str | None = None,
        session: str | None = None,
    ) -> Outcome:
        """Keep a text word for word, on a thread of its own that weighs more and never fades.

        With a kind of statement, such as a rule or a decision, it is a confirmed statement.

        Pinning the same text again updates that pin: it takes the new title, topics and
        kind, never loses weight, and becomes active again.
        """

    async def rate(self, thread_id: str, *, useful: bool, reason: str | None = None) -> Outcome:
        """Rate a thread that was shown: it is shown more or less often from now on.

        Name the thread by its id, the start of its id, or the id of one of its messages.
        """

    async def suggestions(
        self, context: str | None = None, *, session: str | None = None
    ) -> Suggestions:
        """Suggest what to merge, split, recall, settle or let go, and report the memory's health.

        `context` is the subject at hand; without one it is the session's latest prompt.
        Threads that the session can still see are left out.
        """

    async def statements(
        self,
        kind: StatementKind | str | None = None,
        *,
        query: str | None = None,
        superseded: bool = False,
        rejected: bool = False,
        limit: int | None = None,
    ) -> list[Statement]:
        """Return the statements in force, the newest first; with a query, the best match first.

        `kind` and `query` select among them. `superseded` and `rejected` add those that no
        longer hold, behind the others.
        """

    async def held_statements(
        self,
        kind: StatementKind | str | None = None,
        *,
        query: str | None = None,
        after: str | None = None,
        limit: int = 40,
    ) -> list[HeldGroup]:
        """Return what holds by kind, newest first, with what each statement replaced.

        Of each kind at most `limit` statements are read; `after` is the last one of the page
        before. With a query, the best match comes first.
        """

    async def rejected_statements(self, limit: int = 40) -> list[Statement]:
        """Return the newest statements that were rejected."""

    async def statement(self, statement_id: str) -> Statement:
        """Return the statement with this id, or this unique start of an id."""

    async def superseded_statements(self, statement_id: str) -> list[Statement]:
        """Return the statements that this one superseded, the newest first."""

    async def confirm_statement(self, statement_id: str, *, dry_run: bool = False) -> Outcome:
        """Confirm a statement: from now on it is certain."""

    async def reject_statement(
        self, statement_id: str, reason: str = "", *, dry_run: bool = False
    ) -> Outcome:
        """Reject a statement: it is not shown any more, nor is the same sentence said again."""

    async def correct_statement(
        self,
        statement_id: str,
        text: str | None = None,
        kind: StatementKind | str | None = None,
        *,
        dry_run: bool = False,
    ) -> Outcome:
        """Correct the sentence or the kind of a statement, which also confirms it."""

    async def hide(self, message_id: str, text: str, *, dry_run: bool = False) -> Outcome:
        """Never show a line of a message again, nor the same sentences where they are said again.

        The message stays, and is found by its other sentences.
        """

    async def merge(
        self, survivor: str, absorbed: str, *, force: bool = False, dry_run: bool = False
    ) -> Outcome:
        """Move the messages of one thread to another, and archive the emptied thread."""

    async def propose_split(self, thread_id: str) -> SplitProposal:
        """List a thread's messages, and the groups in which its subject changed."""

    async def split(
        self,
        thread_id: str,
        parts: Sequence[SplitPart],
        *,
        lock: SplitLock = ...,
        session: str | None = None,
        dry_run: bool = False,
    ) -> Outcome:
        """Move groups of a thread's messages to threads of their own, locked against merging.

        A `compaction` lock ends with the next context compaction of the session, or
        without one, of the session that spoke last on the thread.
        """

    async def unlock(
        self, thread_id: str, *, force: bool = False, dry_run: bool = False
    ) -> Outcome:
        """Allow a split thread to be merged again; a `force` lock needs force."""

    async def context_compacted(self, session: str) -> Outcome:
        """Record that the agent's context was compacted: start an epoch and release its locks."""

    async def archive(self, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Archive a thread; search still finds it."""

    async def suspend(self, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Suspend a thread until it is recalled."""

    async def reactivate(self, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Make a thread active again that was archived, suspended or has faded."""

    async def move(self, message_id: str, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Move one message to another thread."""

    async def rename(self, thread_id: str, title: str, *, dry_run: bool = False) -> Outcome:
        """Give a thread a title that is never replaced by a derived one."""

    async def confirm(self, thread_id: str, kind: Kind, *, dry_run: bool = False) -> Outcome:
        """Set a thread's kind, as one of its messages proposes or as the user knows better."""

    async def link(self, wanted: BridgeDraft, *, dry_run: bool = False) -> Outcome:
        """Create a bridge between two threads."""

    async def keep_apart(self, first: str, second: str, *, dry_run: bool = False) -> Outcome:
        """Say that two threads are not one subject: no merge is suggested, and none compacted."""

    async def keep_whole(self, thread_id: str, *, dry_run: bool = False) -> Outcome:
        """Say that a thread is one subject: no split of it is suggested."""

    async def unlink(self, bridge_id: str, *, dry_run: bool = False) -> Outcome:
        """Remove a bridge for good: it is not derived again."""

    async def follow(self, bridge_id: str, *, dry_run: bool = False) -> Outcome:
        """Use a bridge: it gains weight, and its decay starts again."""

    async def log(
        self,
        thread_id: str | None = None,
        *,
        limit: int = 20,
        before: int | None = None,
        with_reads: bool = False,
    ) -> list[JournalEntry]:
        """Return the latest changes of the project, or those of one thread, the newest first.

        A recall that made suspended threads active again is a read, and listed on request.
        """

    async def undo(self, number: int | None = None, *, dry_run: bool = False) -> Outcome:
        """Undo a change: the one with this number, or the latest that is in force."""

    async def list_threads(
        self,
        chosen: ThreadFilter | None = None,
        limit: int = 20,
        after: ThreadPosition | None = None,
    ) -> ThreadList:
        """Return a page of the project's threads as they stand now, most recently active first.

        `after` is the `next` of the page before. A page with a filter may be shorter than
        `limit`; the list ends where `next` is None.
        """

    async def message_counts(self, thread_ids: Sequence[str]) -> dict[str, int]:
        """Return how many messages each of these threads has."""

    async def latest_messages(
        self, thread_id: str, limit: int = 50, *, before: int | None = None
    ) -> list[Event]:
        """Return a thread's latest messages, or the latest before a `seq`, in their order."""

    async def moments(self, thread_id: str) -> list[datetime]:
        """Return the times at which a thread got a message or was changed, in order."""

    async def begun_at(self) -> datetime | None:
        """Return when the project's first thread began; None without threads."""

    async def activity(
        self, thread_ids: Sequence[str], since: datetime, until: datetime, steps: int
    ) -> list[ThreadActivity]:
        """Count the messages of threads by session and step, in equal steps of a time."""

    async def clients(self) -> list[str]:
        """Return the clients that used the memory in this project."""

    async def session_clients(self, sessions: Iterable[str]) -> dict[str, str]:
        """Return the client of each of these sessions that has a known one."""

    async def neighbourhood(self, thread_id: str, *, most: int = 60) -> Neighbourhood:
        """Return a thread with those that it is bridged to, and those that they are bridged to."""

    async def capture(
        self,
        messages: Message | Mapping[str, Any] | Iterable[Message | Mapping[str, Any]],
        *,
        session: str | None = None,
        progress: Progress = ...,
    ) -> Captured:
        """Store messages, each on its thread; a message with a known id is left unchanged.

        A dictionary has the fields of `Message`, or is a message as the APIs of OpenAI and
        Anthropic have it. `session` is for the messages that name none. What an agent says
        or does also shows whether the memory it was shown was useful.
        """

    async def append(self, thread_id: str, event: Message) -> Event:
        """Store one message on the named thread; a message with a known id is left unchanged.

        Its text is kept whole, without secrets; only `capture` removes noise.
        """

    async def reindex(self, *, vectors: bool = True, progress: Progress = ...) -> int:
        """Rebuild everything derived from the events, and return how many events there are.

        Without `vectors`, the next `embed` finds the statements again.
        """

    async def drop_vectors(self, *, but: str | None) -> int:
        """Drop the vectors of all models but one in every project, and return how many.

        Those of the model for other languages stay with it.
        """

    async def search(
        self,
        query: str,
        limit: int = 10,
        before: datetime | None = None,
        session: str | None = None,
        *,
        wait: bool = True,
        words_only: bool = False,
    ) -> list[Hit]:
        """Return the messages that answer the query best, best first.

        `before` limits the search to what existed then, `session` to one session. Pending
        messages are embedded first; with `wait=False` they are found by keyword only, as
        everything is with `words_only` or while the model is unreachable.
        """

    async def message(self, message_id: str) -> Event:
        """Return a message as it is stored, with its thread."""

    async def thread(self, thread_id: str) -> Thread:
        """Return the thread with this id, or this unique start of an id, as it stands now."""

    async def thread_title(self, thread_id: str) -> str:
        """Return a thread's title as it was last described; no model is asked."""

    async def threads(self) -> list[Thread]:
        """Return the project's threads as they stand now, the most recently active first."""

    async def titles(self, thread_ids: Iterable[str]) -> dict[str, str]:
        """Return the titles of threads by their ids; those that are gone have none."""

    async def thread_at(self, thread_id: str, at: datetime) -> PastThread:
        """Return a thread with its messages and bridges as it was at a moment."""

    async def events(self, thread_id: str) -> list[Event]:
        """Return the thread's working view: its events as an agent should see them."""

    async def all_events(self, thread_id: str) -> list[Event]:
        """Return every event of the thread in order, its COMPACTION events included."""

    async def notes(
        self, thread_id: str, events: Sequence[Event] | None = None
    ) -> list[Annotation]:
        """Return the annotations of a thread's messages: why they are there, what they name.

        With `events`, only those of these messages.
        """

    async def bridges(self, thread_id: str | None = None) -> list[Bridge]:
        """Return the bridges of a thread or of the project with today's weights, heaviest first."""

    async def drift(self, thread_id: str) -> list[float]:
        """Measure after each message how far the thread had moved from its subject, 0–1."""

    async def status(self) -> MemoryStatus:
        """Return the state of the memory."""

    async def projects(self) -> list[ProjectCount]:
        """Return every project with its number of threads and events."""

    async def check(self) -> str:
        """Describe any damage of the store; return nothing if it is intact."""

    async def read_virtual(self, path: str, session: str | None = None) -> str:
        """Carry out the request of a virtual path, and return the answer as an agent reads it."""

class OpeningMemory:
    """A memory that is about to be opened: `async with` it, or `await` it and close it yourself."""

    def __init__(self, open_: Callable[[], Memory]) -> None: ...
    def __await__(self) -> Generator[Any, None, AsyncMemory]: ...
    async def __aenter__(self) -> AsyncMemory: ...
    async def __aexit__(self, *_: object) -> None: ...
