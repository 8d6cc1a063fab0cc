"""The settings of recall and of what is shown before each prompt.

The settings of condensing a thread that grew long.

The settings of what is read from other tools' files.

The settings of backups.

The settings of the language model: off by default, and the user's alone.

Every setting there is, declared once.

A section is a frozen dataclass, a key is one of its fields. The reference,
the validation and the names of the environment's variables follow from here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any

from ai_smartness.model.errors import NotFoundError
from ai_smartness.settings.fitted import BridgeSettings, PlaceSettings
from ai_smartness.settings.setting import Setting

__all__ = [
    "SECTIONS",
    "SETTINGS",
    "BackupSettings",
    "CondenseSettings",
    "HistorySettings",
    "InjectSettings",
    "LlmSettings",
    "RecallSettings",
    "Settings",
    "known_setting",
    "nearest_key_hint",
]


def _share_key(default: float, doc: str) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": 0, "high": 1})


def _count_key(default: int, doc: str, *, low: int = 1, high: int = 100) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "low": low, "high": high})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """What a recall answers."""

    floor: float = _share_key(
        0.1,
        "How relevant a thread must be to be an answer; who asks wants to see more than what is "
        "shown unasked, but not everything that shares a word.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectSettings:
    """What is shown to an agent before each prompt, unasked."""

    budget_tokens: int = _count_key(
        1_500,
        "How many tokens are shown at most; some twenty lines, a small part of any window.",
        low=100,
        high=2_500,
    )
    floor: float = _share_key(
        0.45,
        "How relevant the best must be for anything to be shown; what comes after it need be two "
        "thirds as relevant. Best over five sets of conversations: see docs/recall.md.",
    )
    standing_share: float = _share_key(
        0.25,
        "Which share of the tokens pins, identity and preferences may take; they are shown "
        "whatever is asked, and must not crowd out what answers.",
    )
    most_threads: int = _count_key(
        20,
        "How many threads are shown at most (`max_injection_count`); the tokens are used up before "
        "in most cases.",
    )
    depth_turns: int = _count_key(
        10,
        "After how many turns something may be shown again (`context_window_depth`); until then "
        "the agent has it in sight.",
        high=1_000,
    )
    recent_hours: float = field(
        default=6.0,
        metadata={
            "doc": "Within how many hours a thread counts as recent (`recent_duration`), and need "
            "be a little less relevant; a working day's half.",
            "low": 0,
            "high": 8_760,
        },
    )
    recent_session_only: bool = field(
        default=False,
        metadata={
            "doc": "Whether only threads of the same session count as recent (`channel_scope`); "
            "off, for what another session did this morning is of interest here.",
        },
    )
    important: float = _share_key(
        0.8,
        "From which importance on a thread need be a little less relevant; decisions and "
        "constraints are, work is not.",
    )
    same: float = _share_key(
        0.85,
        "From which similarity on two texts say the same, and only one is shown "
        "(`semantic_threshold`).",
    )
    in_sight: int = _count_key(
        100,
        "How many of the entries shown last are compared with (`max_semantic_buffer`).",
        high=100,
    )
    lines: int = _count_key(
        3,
        "How many messages are shown of one thread, those that match best.",
        high=10,
    )
    turns_before: int = _count_key(
        2,
        "With how many earlier prompts a short one is read together; what it leans on was said "
        "just before.",
        low=0,
        high=10,
    )
    beat_minutes: float = field(
        default=5.0,
        metadata={
            "doc": "How many minutes one beat of the memory's time is; five tell a pause from a "
            "night.",
            "low": 0.1,
            "high": 1_440,
        },
    )


def _condenser_names() -> Sequence[str]:
    from ai_smartness.condense import CondenserRegistry, plugin_condensers

    return [each.id for each in CondenserRegistry(plugin_condensers)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CondenseSettings:
    """How a long thread is said in few words."""

    default: str = field(
        default="digest",
        metadata={
            "doc": "The condenser that is used where none is named: one of ours (`digest`, "
            "`trim-tool-results`, `summarize-and-reload`, `llm-summary`) or of an installed "
            "package. The default needs no language model and keeps most of what was named.",
            "names": _condenser_names,
            "user_only": True,
        },
    )
    target_tokens: int = field(
        default=4_000,
        metadata={
            "doc": "How many tokens a thread's working view may take once it is condensed; some "
            "pages, a small part of any window.",
            "low": 100,
            "high": 1_000_000,
        },
    )
    deadline_seconds: float = field(
        default=30.0,
        metadata={
            "doc": "How many seconds a condenser may take; one that has not ended by then writes "
            "nothing. Ours take a second, a language model some ten.",
            "low": 0.1,
            "high": 3_600,
        },
    )
    window_tokens: int = field(
        default=200_000,
        metadata={
            "doc": "How many tokens the agent's window has, where it does not say. At 0.6 and 0.9 "
            "of it the threads of the session are condensed; most models have the default.",
            "low": 1_000,
            "high": 100_000_000,
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySettings:
    """What is read from the transcripts that clients write."""

    keep_up: bool = field(
        default=True,
        metadata={
            "doc": (
                "Whether the daemon reads new transcripts of the projects it knows, once a minute; "
                "so that a session in which no hook fired is remembered too."
            ),
            "user_only": True,
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSettings:
    """How the memory is backed up by itself."""

    automatic: bool = field(
        default=True,
        metadata={
            "doc": "Whether the daemon backs the memory up once a day, if it has changed; so that "
            "there is one when a disk or a hand fails.",
            "user_only": True,
        },
    )
    keep_days: int = field(
        default=3,
        metadata={
            "doc": "Of how many days the newest daily backup is kept; most mistakes are seen "
            "within three, and each takes as much room as the memory.",
            "low": 1,
            "high": 365,
            "user_only": True,
        },
    )
    keep_weeks: int = field(
        default=3,
        metadata={
            "doc": "Of how many weeks the newest daily backup is kept as well; the others are seen "
            "within three. What `ais backup` makes is kept until you remove it.",
            "low": 0,
            "high": 520,
            "user_only": True,
        },
    )
    folder: str = field(
        default="backups",
        metadata={
            "doc": "The folder that backups are kept in, within the memory's own unless it is an "
            "absolute path; one on another disk outlives this one.",
            "user_only": True,
        },
    )


def _user_only_key(default: str | float, doc: str, **bounds: object) -> Any:  # noqa: ANN401 - as `field` itself
    return field(default=default, metadata={"doc": doc, "user_only": True, **bounds})


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """A language model, for those who want one; only the condenser `llm-summary` asks it."""

    provider: str = _user_only_key(
        "none",
        "Who is asked: `claude` (Claude Code's `claude -p`), `anthropic`, `openai` (and all that "
        "speak its chat completions) or `ollama`. With `none`, nothing leaves this machine and "
        "`llm-summary` does what `digest` does.",
        choices=("none", "claude", "anthropic", "openai", "ollama"),
    )
    model: str = _user_only_key(
        "default",
        "The model by its provider's name; `default` is Claude Code's own choice, and for the "
        "others none, since what is good and cheap changes too often to be chosen here.",
    )
    base_url: str = _user_only_key(
        "default",
        "Where the server is; `default` is the provider's own: `https://api.anthropic.com`, "
        "`https://api.openai.com/v1`, `http://localhost:11434`.",
    )
    key_variable: str = _user_only_key(
        "default",
        "The variable of the environment that holds the key, which is itself never kept; `default` "
        "is `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, and none for `ollama`.",
    )
    max_tokens: int = _user_only_key(
        4_000,
        "How many tokens an answer may have; as many as `condense.target_tokens`, for it must fit.",
        low=50,
        high=100_000,
    )
    prompt_tokens: int = _user_only_key(
        30_000,
        "How many tokens of a thread it is given at most, the tools' outputs cut first; what most "
        "models take. A small one on this machine may need less.",
        low=500,
        high=1_000_000,
    )
    timeout_seconds: float = _user_only_key(
        60.0,
        "How many seconds an answer may take, added to `condense.deadline_seconds`; a page takes "
        "some twenty.",
        low=0.1,
        high=3_600,
    )
    daily_tokens: int = _user_only_key(
        200_000,
        "How many tokens may be used in a day of UTC, by all projects and programs together, asked "
        "and answered; some six long threads. At the ceiling `digest` is used.",
        low=0,
        high=1_000_000_000,
    )


def key_metadata(doc: str, **bounds: float | tuple[str, ...]) -> dict[str, Any]:
    """Describe a key: a sentence with the reason for its default, and what it takes."""
    return {"doc": doc, **bounds}


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """How text becomes vectors."""

    model: str = field(
        default="arctic-embed-s",
        metadata=key_metadata(
            "The embedding model: a name from the catalogue, a directory, "
            "`http(s)://host/v1#model` for a server, or `none` to search by words alone. The "
            "default is small and finds as much as full text does on real conversations.",
            user_only=True,
        ),
    )
    threads: int = field(
        default=0,
        metadata=key_metadata(
            "How many processor threads the model may use; 0 is one less than there are cores, at "
            "least one, so that the machine stays usable while it embeds.",
            low=0,
            high=64,
            user_only=True,
        ),
    )
    max_chunks: int = field(
        default=64,
        metadata=key_metadata(
            "At how many places, spread evenly, a long text is embedded at most; 64 keeps one "
            "huge log from holding up everything behind it, and full text still covers all of it.",
            low=1,
            high=4096,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Where the memory is kept."""

    busy_timeout_ms: int = field(
        default=30_000,
        metadata=key_metadata(
            "How many milliseconds a write waits for another one to finish; half a minute outlasts "
            "a large import, so that nothing captured meanwhile is turned away.",
            low=100,
            high=600_000,
            user_only=True,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorsSettings:
    """How vectors are compared."""

    exact_limit: int = field(
        default=100_000,
        metadata=key_metadata(
            "Up to how many vectors a search compares every one; beyond it an approximate index "
            "is used. At the default an exact search still takes about 16 ms, and misses nothing.",
            low=1000,
            high=10_000_000,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """How the search by words and the search by meaning become one answer."""

    words_weight: float = field(
        default=1.0,
        metadata=key_metadata(
            "How much a match by words counts, set against the best match by words; 1 is the "
            "measure that `search.meaning_weight` is set against.",
            low=0,
            high=10,
        ),
    )
    meaning_weight: float = field(
        default=0.8,
        metadata=key_metadata(
            "How much a match by meaning counts, by how far it stands out from a typical one; a "
            "little less than one by words was best over all the conversations it was tried on.",
            low=0,
            high=10,
        ),
    )
    candidates: int = field(
        default=100,
        metadata=key_metadata(
            "How many events each of the two searches hands on to be ranked together; with fewer "
            "than 100 an event that both find further down has no chance, and more costs time.",
            low=10,
            high=1000,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DecaySettings:
    """How a thread fades when it is not used."""

    half_life_days: float = field(
        default=14.0,
        metadata=key_metadata(
            "After how many days without use a thread weighs half; two weeks, so that last week's "
            "work is still at hand and last quarter's is not in the way.",
            low=0.1,
            high=36_500,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, by section."""

    embedder: EmbedderSettings = field(default_factory=EmbedderSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    vectors: VectorsSettings = field(default_factory=VectorsSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    decay: DecaySettings = field(default_factory=DecaySettings)
    place: PlaceSettings = field(default_factory=PlaceSettings)
    bridges: BridgeSettings = field(default_factory=BridgeSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    inject: InjectSettings = field(default_factory=InjectSettings)
    history: HistorySettings = field(default_factory=HistorySettings)
    backup: BackupSettings = field(default_factory=BackupSettings)
    condense: CondenseSettings = field(default_factory=CondenseSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)


def _section_settings(section: str) -> Iterator[Setting]:
    defaults = getattr(Settings(), section)
    for key in fields(defaults):
        default = getattr(defaults, key.name)
        yield Setting(section=section, name=key.name, default=default, **key.metadata)


SECTIONS: dict[str, str] = {
    section.name: getattr(Settings(), section.name).__doc__ for section in fields(Settings)
}
"""What each section is about."""

SETTINGS: dict[str, Setting] = {
    setting.key: setting for section in SECTIONS for setting in _section_settings(section)
}
"""Every setting by its key."""


def known_setting(key: str) -> Setting:
    """Return the setting with this key."""
    if key not in SETTINGS:
        msg = f"there is no setting `{key}`. {nearest_key_hint(key)}"
        raise NotFoundError(msg)
    return SETTINGS[key]


def nearest_key_hint(key: str) -> str:
    """Say what a mistyped key may have meant."""
    section, _, name = key.rpartition(".")
    here = [setting.name for setting in SETTINGS.values() if setting.section == section]
    close = [
        *(f"{section}.{similar}" for similar in get_close_matches(name, here, n=1)),
        *(setting.key for setting in SETTINGS.values() if setting.name == name),
        *([] if here else get_close_matches(key, [*SETTINGS, *SECTIONS], n=1)),
    ]
    if close:
        return f"Did you mean `{close[0]}`?"
    if here:
        return f"`{section}` has {', '.join(here)}."
    return f"The sections are {', '.join(SECTIONS)}."
