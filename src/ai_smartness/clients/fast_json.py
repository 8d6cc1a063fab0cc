"""JSON as the standard library reads and writes it, without the library's start-up cost.

`import json` takes longer than starting Python, because of its regular expressions. The C module
below it loads at once; the library is asked only where that module cannot help.
"""

import _json

__all__ = ["dumps", "loads"]

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
