"""JSON as the standard library writes and reads it, without the library's own start-up cost.

`import json` takes longer than starting Python, for its regular expressions; what does the work
is the C module beneath, and that loads at once. Where it cannot help, the library is asked.
"""

import _json

__all__ = ["dumps", "loads"]

_SPACE = " \t\n\r"
_ENCODER_FLAGS = (False, False, True)
"""Neither sorted nor skipping keys, and as `json.dumps` with what is no number."""


class _ScannerOptions:
    """How values are read: as `json.loads` does by default."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: "dict[str, str]" = {}  # noqa: RUF012 - the C scanner wants one, and has its own


def loads(text: str) -> object:
    """Read one JSON value; raise ValueError for what is none."""
    whole = text.strip(_SPACE)
    try:
        value, end = _json.make_scanner(_ScannerOptions)(whole, 0)  # type: ignore[arg-type]
    except (StopIteration, SystemError, ValueError, TypeError):
        # It has no words for what is wrong; the library has.
        return _loads_slowly(text)
    return value if end == len(whole) else _loads_slowly(text)


def dumps(value: object) -> str:
    """Write a value in ASCII, on one line."""
    try:
        write = _json.make_encoder(
            {},
            _refuse_type,
            _json.encode_basestring_ascii,
            None,
            ":",
            ",",
            *_ENCODER_FLAGS,
        )
        return "".join(write(value, 0))
    except (SystemError, TypeError):
        return _dumps_slowly(value)


def _refuse_type(value: object) -> object:
    raise TypeError(type(value).__name__)


def _loads_slowly(text: str) -> object:
    import json

    return json.loads(text)


def _dumps_slowly(value: object) -> str:
    import json

    return json.dumps(value, separators=(",", ":"))
