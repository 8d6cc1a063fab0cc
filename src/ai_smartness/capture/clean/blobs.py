"""Replace encoded files and minified code, which no person reads, by a short note.

The note names the kind and the length. Hashes, ids, paths and prose of any length are no blobs.
"""

import re

__all__ = ["without_blobs"]

SHORTEST_BLOB_CHARACTERS = 200  # longer than any hash, id or ordinary token
SHORTEST_MINIFIED_CHARACTERS = 1_000  # people do write lines of several hundred characters
LEAST_LETTERS = 0.12
LEAST_DIGITS = 0.02
"""Encoded bytes are two fifths capitals and a sixth digits; a path has hardly any of either."""

MOST_SPACE = 0.12
LEAST_STRUCTURE = 0.1
"""Prose is a sixth spaces and hardly any brackets; minified code is the other way round."""

_DATA_URI = re.compile(
    r"data:([\w.+-]{1,64}+/[\w.+-]{1,64}+)?(?:;[\w=.-]{1,64}+){0,4},[\w%+/=.~!*&-]*+"
)
_TOKEN = re.compile(r"(?<![\w-])eyJ[\w-]++\.[\w-]++(?:\.[\w-]++)?")
_RUN = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{200,}+={0,2}")
_LINE = r"[ \t]{0,8}[A-Za-z0-9+/]{60,100}+(?=\n|\Z)"
_WRAPPED = re.compile(
    rf"^{_LINE}(?:\n{_LINE}){{3,}}+"
    r"(?:\n[ \t]{0,8}(?:[A-Za-z0-9+/]{20,99}+={0,2}|[A-Za-z0-9+/]{1,99}+={1,2})$)?",
    re.MULTILINE,
)
_UPPER = re.compile("[A-Z]+")
_LOWER = re.compile("[a-z]+")
_DIGIT = re.compile("[0-9]+")
_HEX = re.compile("[0-9a-f]+|[0-9A-F]+")
_STRUCTURE = re.compile(r"""[{}()\[\];,:="']+""")
_SPACE = re.compile(r"\s+")
_JSON = re.compile(r"""\s*[\[{]\s*(?:["\[{]|[-0-9])""")
_CSS = re.compile(r"[{;][a-z-]{2,40}:[^{};]{1,200}+[;}]")
_LABEL = re.compile(r"[\w .#>*-]{1,80}:\s+")
_JAVASCRIPT = re.compile(r"\bfunction\b|=>|\breturn\b|\bvar |\bconst |\blet ")


def without_blobs(text: str) -> str:
    """Replace encoded data and minified lines by a note."""
    if len(text) < SHORTEST_BLOB_CHARACTERS:
        return text
    text = _DATA_URI.sub(_data_note, text)
    text = _TOKEN.sub(_token_note, text)
    text = _WRAPPED.sub(_run_note, text)
    text = _RUN.sub(_run_note, text)
    if len(text) < SHORTEST_MINIFIED_CHARACTERS:
        return text
    return "\n".join(map(_without_minified, text.split("\n")))


def _size_note(what: str, length: int) -> str:
    return f"[{what}, {length:,} characters]"


def _data_note(match: re.Match[str]) -> str:
    kind = f"data:{match[1]}" if match[1] else "data"
    length = len(match[0])
    return match[0] if length < SHORTEST_BLOB_CHARACTERS else _size_note(kind, length)


def _token_note(match: re.Match[str]) -> str:
    length = len(match[0])
    return match[0] if length < SHORTEST_BLOB_CHARACTERS else _size_note("token", length)


def _run_note(match: re.Match[str]) -> str:
    blob = match[0]
    if _HEX.fullmatch(blob):
        return _size_note("hex", len(blob))
    return _size_note("base64", len(blob)) if _is_encoded(blob) else blob


def _is_encoded(blob: str) -> bool:
    """Tell encoded bytes, a mix of capitals, small letters and digits, from a long path."""
    mixed = min(_share_of(_UPPER, blob), _share_of(_LOWER, blob)) > LEAST_LETTERS
    return mixed and _share_of(_DIGIT, blob) > LEAST_DIGITS


def _share_of(kind: re.Pattern[str], text: str) -> float:
    return sum(map(len, kind.findall(text))) / len(text)


def _without_minified(line: str) -> str:
    if len(line) < SHORTEST_MINIFIED_CHARACTERS:
        return line
    if _share_of(_SPACE, line) > MOST_SPACE or _share_of(_STRUCTURE, line) < LEAST_STRUCTURE:
        return line
    label = _LABEL.match(line)
    start = label.end() if label else 0
    return line[:start] + _size_note(_minified_kind(line[start:]), len(line) - start)


def _minified_kind(code: str) -> str:
    if _share_of(_LOWER, code) + _share_of(_UPPER, code) < LEAST_LETTERS:
        return "numbers"
    if _JSON.match(code):
        return "minified JSON"
    if _JAVASCRIPT.search(code):
        return "minified JavaScript"
    return "minified CSS" if _CSS.search(code) else "minified"
