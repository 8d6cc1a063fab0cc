"""The time of this machine."""

from datetime import UTC, datetime

__all__ = ["SystemClock"]


class SystemClock:
    """Fulfils the port `Clock`."""

    def now(self) -> datetime:
        """Return the present moment in UTC."""
        return datetime.now(UTC)
