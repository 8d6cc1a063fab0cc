"""Cut everything between `<private>` and `</private>`, before anything is recorded.

In doubt more is cut: a tag that is never closed cuts to the end, one that was never opened cuts
from the beginning.
"""

__all__ = ["without_private"]


def without_private(value: object) -> object:
    """Return a JSON value without its private parts, at any depth."""
    match value:
        case str():
            return _without_tagged_parts(value) if _may_have_private(value) else value
        case list():
            return [without_private(part) for part in value]
        case dict():
            return {
                _without_tagged_parts(name) if _may_have_private(name) else name: without_private(
                    part
                )
                for name, part in value.items()
            }
    return value


def _may_have_private(text: str) -> bool:
    return "private" in text or "private" in text.lower()


def _without_tagged_parts(text: str) -> str:
    import re

    parts, start, depth = list[str](), 0, 0
    for tag in re.finditer(r"<\s*(/?)\s*private\b[^<>]*>", text, re.IGNORECASE):
        if tag[1] and depth == 0:
            parts.clear()
        elif not tag[1] and depth == 0:
            parts.append(text[start : tag.start()])
        depth = max(0, depth - 1) if tag[1] else depth + 1
        start = tag.end()
    if depth == 0:
        parts.append(text[start:])
    # The client itself may have cut the text within the tag.
    return re.sub(r"<\s*private\b[^<>]*\Z", "", "".join(parts), flags=re.IGNORECASE)
