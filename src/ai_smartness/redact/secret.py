"""A secret in a text: what it is, and where."""

__all__ = ["Secret"]


class Secret:
    """What sort of secret stands between which characters.

    Neither a dataclass nor a named tuple: a hook would wait for them to be loaded.
    """

    __slots__ = ("end", "kind", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._told == other._told

    def __hash__(self) -> int:
        return hash(self._told)

    def __repr__(self) -> str:
        return f"Secret({self.kind!r}, {self.start}, {self.end})"

    @property
    def _told(self) -> "tuple[str, int, int]":
        return self.kind, self.start, self.end
