"""JSON as the standard library reads and writes it, without the library's start-up cost.

`import json` takes longer than starting Python, because of its regular expressions. The C module
below it loads at once; the library is asked only where that module cannot help.
"""

import _json

__all__ = ["MAX_DEPTH", "dumps", "loads", "loads_bounded"]

MAX_DEPTH = 64
"""How deep a stranger's value may be nested; deeper, everything that walks it would fail."""

DEEP_PART = "[nested too deep]"

_ENCODER_FLAGS = (False, False, True)
"""Keys are neither sorted nor skipped, and NaN is allowed, as in `json.dumps`."""


class _ScannerOptions:
    """The defaults of `json.loads`."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: "dict[str, str]" = {}  # noqa: RUF012 - the C scanner wants one, and has its own


def loads(text: str) -> object:
    """Read one JSON value; raise ValueError for any other text."""
    whole = text.strip(" \t\n\r")
    try:
        value, end = _json.make_scanner(_ScannerOptions)(whole, 0)  # type: ignore[arg-type]
        if end == len(whole):
            return value
    except (StopIteration, SystemError, ValueError, TypeError):
        # The scanner does not say what is wrong; the library does.
        pass
    import json

    return json.loads(text)


def loads_bounded(text: str) -> object:
    """Read one JSON value, with everything that is nested deeper than `MAX_DEPTH` left out."""
    try:
        value = loads(text)
    except RecursionError:
        value = loads(_text_without_depth(text))
    may_be_deep = text.count("[") + text.count("{") > MAX_DEPTH
    return _bounded_value(value, MAX_DEPTH) if may_be_deep else value


def _bounded_value(value: object, depth: int) -> object:
    if not isinstance(value, list | dict):
        return value
    if not depth:
        return DEEP_PART
    if isinstance(value, list):
        return [_bounded_value(part, depth - 1) for part in value]
    return {name: _bounded_value(part, depth - 1) for name, part in value.items()}


def _text_without_depth(text: str) -> str:
    """Return a JSON text with a mark in place of each part that is nested too deep."""
    import re

    pieces, start, depth = list[str](), 0, 0
    for token in re.finditer(r'"[^"\\]*(?:\\.[^"\\]*)*"|[][{}]', text, re.DOTALL):
        match token[0]:
            case "[" | "{":
                depth += 1
                if depth == MAX_DEPTH + 1:
                    pieces.append(text[start : token.start()])
            case "]" | "}":
                if depth == MAX_DEPTH + 1:
                    pieces.append(f'"{DEEP_PART}"')
                    start = token.end()
                depth -= 1
    return "".join([*pieces, text[start:]] if depth <= MAX_DEPTH else pieces)


def dumps(value: object) -> str:
    """Write a value in ASCII, on one line."""
    try:
        write = _json.make_encoder(
            {}, _refuse_type, _json.encode_basestring_ascii, None, ":", ",", *_ENCODER_FLAGS
        )
        return "".join(write(value, 0))
    except (SystemError, TypeError):
        import json

        return json.dumps(value, separators=(",", ":"))


def _refuse_type(value: object) -> object:
    raise TypeError(type(value).__name__)
