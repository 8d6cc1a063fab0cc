"""What a memory is put together from, and the numbers it goes by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ai_smartness.capture.blocks import BLOCK_EVENTS
from ai_smartness.capture.placing import PlaceRules
from ai_smartness.compact.condensers import Condensers
from ai_smartness.compact.rules import CondenseRules
from ai_smartness.inject.rules import InjectRules
from ai_smartness.ports import (
    Clock,
    Embedder,
    LanguageModel,
    ProjectCount,
    ThreadStore,
    Worktree,
)
from ai_smartness.ports.forgetting import OwnFiles
from ai_smartness.retrieve.fuse import Weights
from ai_smartness.threads.bridges import BridgeRules

__all__ = ["Parts", "Rules", "Status"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The numbers the rules go by, as the settings have them."""

    weights: Weights = field(default_factory=Weights)
    place: PlaceRules = field(default_factory=PlaceRules)
    bridges: BridgeRules = field(default_factory=BridgeRules)
    inject: InjectRules = field(default_factory=InjectRules)
    recall_floor: float = 0.1
    half_life_days: float = 14.0
    block_events: int = BLOCK_EVENTS
    condense: CondenseRules = field(default_factory=CondenseRules)
    daily_tokens: int = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a memory is put together from; a model is loaded when it is first needed.

    A patient memory embeds what is not embedded yet before it searches; where somebody
    else does that in the background, none waits for it. A language model is there for
    condensing alone, where it is asked for by name. What is forgotten is also taken out of
    the files beside the store, and of copies of it, which are opened one by one.
    """

    store: ThreadStore
    embedder: Callable[[], Embedder | None]
    clock: Clock
    worktree: Worktree | None = None
    recall_log: Callable[[str], None] | None = None
    patient: bool = True
    condensers: Condensers = field(default_factory=Condensers)
    read_file: Callable[[str], str | None] | None = None
    language_model: Callable[[], LanguageModel | None] | None = None
    files: OwnFiles | None = None
    open_copy: Callable[[Path], ThreadStore] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What there is, on one screen.

    `pending` counts what is in sight and not embedded yet. `trouble` says why
    the model that is set cannot be used; nothing where it can, or none is set.
    `injected` counts what was ever shown to agents unasked, `used` what of it came
    back in what they did.
    """

    project: str
    threads: int
    events: int
    projects: tuple[ProjectCount, ...]
    space: str | None
    pending: int
    trouble: str
    spaces: Mapping[str, int]
    injected: int = 0
    used: int = 0
