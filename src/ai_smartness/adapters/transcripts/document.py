"""Read a file that is written as a whole: again from its beginning whenever it has changed.

What it tells has ids made of its content, so that nothing is told twice.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ai_smartness.ports.history import Mark, Piece, Source, Told

__all__ = ["LARGEST_BYTES", "read_whole"]

LARGEST_BYTES = 32_000_000
"""Of a file that has to be held in memory as a whole."""

Read = Callable[[Source, str], tuple[Sequence[Told], Mapping[str, int]]]


def read_whole(source: Source, since: Mark | None, read: Read) -> Iterator[Piece]:
    """Read a document, or say that it is too large or no such document."""
    del since
    with source.path.open("rb") as file:
        # Read whole each time, it is not known by its beginning: no hash of it is kept.
        mark = Mark(source.size, source.size, source.changed_ns, head="")
        if source.size > LARGEST_BYTES:
            most = LARGEST_BYTES // 1_000_000
            said = f"a document of {source.size / 1e6:,.0f} MB (at most {most} MB)"
            yield Piece([], mark, troubles=(said,))
            return
        file.seek(0)
        text = file.read(LARGEST_BYTES).decode("utf-8-sig", "replace")
    try:
        told, skipped = read(source, text)
    except ValueError:
        yield Piece([], mark, troubles=("it is half-written, or of another format",))
        return
    yield Piece(told, mark, skipped)
