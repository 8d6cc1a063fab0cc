"""The time of this machine."""

from datetime import UTC, datetime

__all__ = ["SystemClock"]


class SystemClock:
    """Fulfils the port `Clock`."""

    def now(self) -> datetime:
        return datetime.now(UTC)
