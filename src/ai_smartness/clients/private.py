"""Cut what is between `<private>` and `</private>` out of everything, before it is kept.

In doubt more is cut: to the end where it is not closed, from the beginning where it was
not opened.
"""

__all__ = ["has_private", "without_private"]


def without_private(value: object) -> object:
    """Return a value of JSON without its private parts, however deep they are."""
    match value:
        case str():
            return _without_tagged_parts(value) if has_private(value) else value
        case list():
            return [without_private(each) for each in value]
        case dict():
            return {
                _without_tagged_parts(name) if has_private(name) else name: without_private(each)
                for name, each in value.items()
            }
    return value


def has_private(text: str) -> bool:
    """Say whether a text may have private parts."""
    return "private" in text or "private" in text.lower()


def _without_tagged_parts(text: str) -> str:
    import re

    kept, start, depth = list[str](), 0, 0
    for tag in re.finditer(r"<\s*(/?)\s*private\b[^<>]*>", text, re.IGNORECASE):
        if tag[1] and depth == 0:
            kept.clear()
        elif not tag[1] and depth == 0:
            kept.append(text[start : tag.start()])
        depth = max(0, depth - 1) if tag[1] else depth + 1
        start = tag.end()
    if depth == 0:
        kept.append(text[start:])
    # One that the client itself cut off has no end of its own.
    return re.sub(r"<\s*private\b[^<>]*\Z", "", "".join(kept), flags=re.IGNORECASE)
