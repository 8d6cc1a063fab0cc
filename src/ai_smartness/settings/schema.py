"""Every setting: a section is a frozen dataclass, a key is one of its fields.

A section is also what its stage works with: `inject` takes an `InjectSettings`, search a
`SearchSettings`. The reference page, the checks and the names of the environment variables are
derived from the fields, so a new setting is one field here.
"""

from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "EMBEDDER_KEY_VARIABLE",
    "BackupSettings",
    "CondenseSettings",
    "DecaySettings",
    "EmbedderSettings",
    "HistorySettings",
    "InjectSettings",
    "LlmSettings",
    "RecallSettings",
    "SearchSettings",
    "Settings",
    "StoreSettings",
    "TeamSettings",
    "VectorsSettings",
]


EMBEDDER_KEY_VARIABLE = "AIS_EMBEDDER_KEY"
"""Holds the key of an embedding server, for one command; it is no setting."""


def _key(  # noqa: PLR0913 - one keyword for each thing a key can declare
    default: str | float,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    user_only: bool = False,
    plugins: str = "",
) -> Any:  # noqa: ANN401 - as `dataclasses.field` itself
    """Declare a key: its default, a sentence with the reason for it, and the values it takes.

    `plugins` is a group of entry points, whose names are choices too.
    """
    bounds = {} if low is None else {"low": low, "high": high}
    about = {"doc": doc, "choices": choices, "user_only": user_only, "plugins": plugins}
    return field(default=default, metadata={**about, **bounds})


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """How text becomes vectors."""

    model: str = _key(
        "arctic-embed-s",
        "The embedding model: a name from the catalogue, a directory, `http(s)://host/v1#model` "
        "for a server, or `none` for keyword search only. The default is small and finds as much "
        "as full-text search does on real conversations.",
        user_only=True,
    )
    key_file: str = _key(
        "none",
        "The full path of a file, readable only by you, with the key of an embedding server; or "
        "`none`. The daemon takes no key from the environment. A command prefers the variable "
        "`AIS_EMBEDDER_KEY`.",
        user_only=True,
    )
    languages: str = _key(
        "potion-multilingual",
        "The model for questions in languages that the first one does not read, of the catalogue, "
        "or `none`. Its vectors are kept beside the others: 256 bytes for a message.",
        user_only=True,
    )
    threads: int = _key(
        0,
        "How many processor threads the model may use. 0 means one less than the number of cores, "
        "so that the machine stays usable while it embeds.",
        low=0,
        high=64,
        user_only=True,
    )
    max_chunks: int = _key(
        64,
        "At how many evenly spread places a long text is embedded at most. 64 keeps one huge log "
        "from holding up everything behind it; full-text search still covers all of it.",
        low=1,
        high=4096,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Where the memory is stored, and how it is opened."""

    url: str = _key(
        "none",
        "The PostgreSQL database of a team's memory, `postgresql://host/database`, or `none` for a "
        "file on this machine. `ais init --store` checks the server and sets it. A password is "
        "taken from `.pgpass`, a service file or the environment, never from here.",
        user_only=True,
    )
    busy_timeout_ms: int = _key(
        30_000,
        "How many milliseconds a write waits for another one to finish. Half a minute outlasts a "
        "large import, so nothing captured meanwhile is turned away.",
        low=100,
        high=600_000,
        user_only=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamSettings:
    """How a memory on a server is used on this machine."""

    read_copy: bool = _key(
        default=False,
        doc="Whether the daemon keeps a copy of the projects you work on in a local file, from "
        "which hooks answer by keywords while the server is away. Off by default: what is "
        "forgotten on the server stays in the copy until this machine has reached it again.",
        user_only=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorsSettings:
    """How vectors are compared."""

    exact_limit: int = _key(
        100_000,
        "Up to how many vectors a search compares every one; above it an approximate index is "
        "used, if the extra `large` is installed. At the default an exact search still takes "
        "about 10 ms and misses nothing.",
        low=1000,
        high=10_000_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """How keyword search and semantic search are combined."""

    words_weight: float = _key(
        1.0,
        "How much a keyword match counts, relative to the best keyword match. "
        "`search.meaning_weight` is set against this.",
        low=0,
        high=10,
    )
    meaning_weight: float = _key(
        0.8,
        "How much a semantic match counts, by how far it stands out from a typical one. A little "
        "less than a keyword match was best over all the conversations it was tried on.",
        low=0,
        high=10,
    )
    candidates: int = _key(
        100,
        "How many events each of the two searches hands on to be ranked together. Below 100, an "
        "event that both find further down has no chance; more costs time.",
        low=10,
        high=1000,
    )
    reranker: str = _key(
        "none",
        "A directory with a cross-encoder (`model.onnx` and `tokenizer.json`) that reorders the "
        "first 20 hits of a search and a recall, or `none`. Off by default: none can be downloaded "
        "with a checksum that we know, and a search takes up to some seconds longer.",
        user_only=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DecaySettings:
    """How an unused thread fades."""

    half_life_days: float = _key(
        14.0,
        "After how many days without use a thread weighs half. With two weeks, last week's work is "
        "still at hand and last quarter's is not in the way.",
        low=0.1,
        high=36_500,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """When the answer to a recall is a weak one."""

    floor: float = _key(
        0.1,
        "How relevant the best message must be to count as an answer. Below it the nearest lines "
        "are shown all the same, and marked as weak.",
        low=0,
        high=1,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectSettings:
    """What is added to each prompt without being asked for."""

    budget_tokens: int = _key(
        350,
        "How many tokens are added to a prompt at most: some ten sentences. A long prompt may get "
        "twice as many.",
        low=100,
        high=2_500,
    )
    brief_tokens: int = _key(
        1_000,
        "How many tokens the brief at the start of a session takes at most, without the handoff "
        "after a compaction. Some thirty statements: nearly everything of a small project.",
        low=100,
        high=2_500,
    )
    floor: float = _key(
        0.45,
        "How sure the memory must be, from the words of the prompt and its best match, that the "
        "prompt needs it. See docs/recall.md.",
        low=0,
        high=1,
    )
    standing_share: float = _key(
        0.5,
        "Which share of the tokens and of the threads pins, identity and preferences may take. "
        "They are added to every prompt and must not crowd out what answers it.",
        low=0,
        high=1,
    )
    most_threads: int = _key(
        20,
        "How many threads are added at most (`max_injection_count`). The tokens usually run out "
        "first.",
        low=1,
        high=100,
    )
    depth_turns: int = _key(
        10,
        "After how many turns the same thing may be added again (`context_window_depth`). Until "
        "then the agent still sees it.",
        low=1,
        high=1_000,
    )
    subagents: bool = _key(
        default=False,
        doc="Whether a subagent of Claude Code gets the brief when it starts. Off by default: it "
        "has its task from the agent. It may ask in any case.",
    )
    recent_hours: float = _key(
        6.0,
        "Within how many hours a thread counts as recent (`recent_duration`). A recent thread need "
        "be a little less relevant.",
        low=0,
        high=8_760,
    )
    recent_session_only: bool = _key(
        default=False,
        doc="Whether only threads of the same session count as recent (`channel_scope`). Off by "
        "default: what another session did this morning is of interest here.",
    )
    important: float = _key(
        0.8,
        "From which importance on a thread need be a little less relevant. Decisions and "
        "constraints reach it, ordinary work does not.",
        low=0,
        high=1,
    )
    same: float = _key(
        0.85,
        "From which similarity on two texts count as the same, so that only one is added "
        "(`semantic_threshold`).",
        low=0,
        high=1,
    )
    in_sight: int = _key(
        100,
        "With how many of the latest added entries a new one is compared (`max_semantic_buffer`).",
        low=1,
        high=100,
    )
    lines: int = _key(
        3, "How many messages of one thread are added: those that match best.", low=1, high=10
    )
    turns_before: int = _key(
        2,
        "With how many earlier prompts a short prompt is read together that points at something. "
        "What it refers to was usually said just before.",
        low=0,
        high=10,
    )
    beat_minutes: float = _key(
        5.0,
        "How many minutes one beat of the memory's clock takes. Five tell a pause from a night.",
        low=0.1,
        high=1_440,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySettings:
    """Which transcripts of other tools are read."""

    keep_up: bool = _key(
        default=True,
        doc="Whether the daemon reads new transcripts of the projects it knows, once a minute, so "
        "that a session in which no hook fired is remembered too.",
        user_only=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSettings:
    """How the memory is backed up automatically."""

    automatic: bool = _key(
        default=True,
        doc="Whether the daemon backs the memory up once a day if it has changed, so that there "
        "is a copy when a disk fails or a file is deleted.",
        user_only=True,
    )
    keep_days: int = _key(
        3,
        "For how many days the newest daily backup is kept. Most mistakes are noticed within "
        "three, and each backup takes as much room as the memory.",
        low=1,
        high=365,
        user_only=True,
    )
    keep_weeks: int = _key(
        3,
        "For how many weeks the newest daily backup is kept as well. Backups made with `ais "
        "backup` are kept until you remove them.",
        low=0,
        high=520,
        user_only=True,
    )
    folder: str = _key(
        "backups",
        "The folder for backups, inside the memory's folder unless it is an absolute path. A "
        "folder on another disk survives a failure of this one.",
        user_only=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CondenseSettings:
    """How a long thread is condensed."""

    default: str = _key(
        "digest",
        "The condenser that is used when none is named: one of ours (`digest`, "
        "`trim-tool-results`, `summarize-and-reload`, `llm-summary`) or one from an installed "
        "package. The default needs no language model and keeps most of what was named.",
        choices=("digest", "trim-tool-results", "summarize-and-reload", "llm-summary"),
        plugins="ai_smartness.condensers",
        user_only=True,
    )
    target_tokens: int = _key(
        4_000,
        "How many tokens the working view of a condensed thread may take: some pages, a small part "
        "of any window.",
        low=100,
        high=1_000_000,
    )
    deadline_seconds: float = _key(
        30.0,
        "How many seconds a condenser may take; one that is late writes nothing. Ours take a "
        "second, a language model about ten.",
        low=0.1,
        high=3_600,
    )
    window_tokens: int = _key(
        200_000,
        "How many tokens the agent's window has, if the agent doesn't say. At 0.6 and 0.9 of it "
        "the threads of the session are condensed. Most models have the default.",
        low=1_000,
        high=100_000_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """An optional language model; only the condenser `llm-summary` uses it."""

    provider: str = _key(
        "none",
        "Who is asked: `claude` (Claude Code's `claude -p`), `anthropic`, `openai` (and every "
        "server with its chat completions) or `ollama`. With `none`, nothing leaves this machine "
        "and `llm-summary` does what `digest` does.",
        choices=("none", "claude", "anthropic", "openai", "ollama"),
        user_only=True,
    )
    model: str = _key(
        "default",
        "The provider's name for the model. `default` is Claude Code's own choice. The other "
        "providers have no default: which model is good and cheap changes too often.",
        user_only=True,
    )
    base_url: str = _key(
        "default",
        "The address of the server. `default` is the provider's own: `https://api.anthropic.com`, "
        "`https://api.openai.com/v1`, `http://localhost:11434`.",
        user_only=True,
    )
    key_variable: str = _key(
        "default",
        "The environment variable that holds the API key; the key itself is never stored. "
        "`default` is `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, and none for `ollama`.",
        user_only=True,
    )
    max_tokens: int = _key(
        4_000,
        "How many tokens an answer may have: as many as `condense.target_tokens`, since it must "
        "fit.",
        low=50,
        high=100_000,
        user_only=True,
    )
    prompt_tokens: int = _key(
        30_000,
        "How many tokens of a thread are sent at most; tool outputs are cut first. Most models "
        "take this many, a small local one may need less.",
        low=500,
        high=1_000_000,
        user_only=True,
    )
    timeout_seconds: float = _key(
        60.0,
        "How many seconds an answer may take, in addition to `condense.deadline_seconds`. A page "
        "takes about twenty.",
        low=0.1,
        high=3_600,
        user_only=True,
    )
    daily_tokens: int = _key(
        200_000,
        "How many tokens may be used in one day (UTC), by all projects and programs together, "
        "prompts and answers: about six long threads. Beyond that `digest` is used.",
        low=0,
        high=1_000_000_000,
        user_only=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, by section."""

    embedder: EmbedderSettings = field(default_factory=EmbedderSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    team: TeamSettings = field(default_factory=TeamSettings)
    vectors: VectorsSettings = field(default_factory=VectorsSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    decay: DecaySettings = field(default_factory=DecaySettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    inject: InjectSettings = field(default_factory=InjectSettings)
    history: HistorySettings = field(default_factory=HistorySettings)
    backup: BackupSettings = field(default_factory=BackupSettings)
    condense: CondenseSettings = field(default_factory=CondenseSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
