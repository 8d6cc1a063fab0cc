"""Every setting there is, declared once.

A section is a frozen dataclass, a key is one of its fields. The reference,
the validation and the names of the environment's variables follow from here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any

from ai_smartness.model.errors import NotFoundError
from ai_smartness.settings.declared_backup import BackupSettings
from ai_smartness.settings.declared_bridges import BridgeSettings
from ai_smartness.settings.declared_condense import CondenseSettings
from ai_smartness.settings.declared_history import HistorySettings
from ai_smartness.settings.declared_inject import InjectSettings, RecallSettings
from ai_smartness.settings.declared_llm import LlmSettings
from ai_smartness.settings.declared_place import PlaceSettings
from ai_smartness.settings.setting import Setting

__all__ = ["SECTIONS", "SETTINGS", "Settings", "known", "nearest"]


def said(doc: str, **bounds: float | tuple[str, ...]) -> dict[str, Any]:
    """Describe a key: a sentence with the reason for its default, and what it takes."""
    return {"doc": doc, **bounds}


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """How text becomes vectors."""

    model: str = field(
        default="arctic-embed-s",
        metadata=said(
            "The embedding model: a name from the catalogue, a directory, "
            "`http(s)://host/v1#model` for a server, or `none` to search by words alone. The "
            "default is small and finds as much as full text does on real conversations.",
            user_only=True,
        ),
    )
    threads: int = field(
        default=0,
        metadata=said(
            "How many processor threads the model may use; 0 is one less than there are cores, at "
            "least one, so that the machine stays usable while it embeds.",
            low=0,
            high=64,
            user_only=True,
        ),
    )
    max_chunks: int = field(
        default=64,
        metadata=said(
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
        metadata=said(
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
        metadata=said(
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
        metadata=said(
            "How much a match by words counts, set against the best match by words; 1 is the "
            "measure that `search.meaning_weight` is set against.",
            low=0,
            high=10,
        ),
    )
    meaning_weight: float = field(
        default=0.8,
        metadata=said(
            "How much a match by meaning counts, by how far it stands out from a typical one; a "
            "little less than one by words was best over all the conversations it was tried on.",
            low=0,
            high=10,
        ),
    )
    candidates: int = field(
        default=100,
        metadata=said(
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
        metadata=said(
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


def _declared(section: str) -> Iterator[Setting]:
    defaults = getattr(Settings(), section)
    for key in fields(defaults):
        default = getattr(defaults, key.name)
        yield Setting(section=section, name=key.name, default=default, **key.metadata)


SECTIONS: dict[str, str] = {
    section.name: getattr(Settings(), section.name).__doc__ for section in fields(Settings)
}
"""What each section is about."""

SETTINGS: dict[str, Setting] = {
    setting.key: setting for section in SECTIONS for setting in _declared(section)
}
"""Every setting by its key."""


def known(key: str) -> Setting:
    """Return the setting with this key."""
    if key not in SETTINGS:
        msg = f"there is no setting `{key}`. {nearest(key)}"
        raise NotFoundError(msg)
    return SETTINGS[key]


def nearest(key: str) -> str:
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
