"""The settings of what is read from other tools' files."""

from dataclasses import dataclass, field

__all__ = ["HistorySettings"]


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
