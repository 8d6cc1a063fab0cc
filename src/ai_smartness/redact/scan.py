"""Run the rules on a text: private keys, known formats, contexts, commands and assignments."""

from bisect import bisect_right
from collections.abc import Iterator

from ai_smartness.redact import Secret
from ai_smartness.redact.formats import DOTTED, expanded_pattern
from ai_smartness.redact.plausibility import is_cut_short, is_masked
from ai_smartness.redact.prefilter import SecretClues
from ai_smartness.text.lazy_pattern import LazyPattern, compiled_pattern

__all__ = ["scan_text"]

_STOP = r"(?![A-Za-z0-9])"
_WORD = r"(?<![A-Za-z0-9])"
_ESCAPE_CHARACTERS = 8
_AFTER_ESCAPE = LazyPattern(r"(?:\\[nrt]|\[(?:\d;)?\d{0,2}m|%[0-9A-Fa-f]{2}|\\u00[0-9a-fA-F]{2})\Z")
"""An escaped line break or sign, or a terminal colour, ends in a letter or digit."""


def scan_text(text: str, clues: SecretClues) -> list[Secret]:
    """Return the secrets of a text, from first to last, without overlaps."""
    return _merged_overlaps(_without_public(text, [*_matches(text, clues)]))


def _matches(text: str, clues: SecretClues) -> Iterator[Secret]:
    """Yield the matches of each rule that has a reason to run; rules are loaded when needed."""
    if clues.blocks:
        from ai_smartness.redact.private_keys import find_private_keys

        yield from find_private_keys(text)
    yield from _format_matches(text, clues)
    if clues.contexts or clues.vendors or clues.commands:
        from ai_smartness.redact.context import find_secrets_in_context

        yield from find_secrets_in_context(text, clues)
    if clues.tables:
        from ai_smartness.redact.tables import find_secrets_in_tables

        yield from find_secrets_in_tables(text)
    if clues.named:
        from ai_smartness.redact.assignments import find_assigned_secrets

        yield from find_assigned_secrets(text)


def _without_public(text: str, secrets: list[Secret]) -> list[Secret]:
    """Drop matches inside certificates and public keys."""
    if not secrets or "-----" not in text:
        return secrets
    from ai_smartness.redact.private_keys import find_public_blocks

    public = find_public_blocks(text)
    starts = [start for start, _ in public]

    def is_public(secret: Secret) -> bool:
        before = bisect_right(starts, secret.start) - 1
        return before >= 0 and secret.start < public[before][1]

    return [secret for secret in secrets if not is_public(secret)]


def _format_matches(text: str, clues: SecretClues) -> Iterator[Secret]:
    for kind, _, beginnings, pattern in clues.formats:
        for beginning in beginnings:
            yield from _matches_beginning(text, kind, beginning, expanded_pattern(pattern) + _STOP)
    hidden = [(kind, pattern) for kind, _, _, pattern in clues.hidden]
    if clues.dotted:
        hidden.append((DOTTED[0], DOTTED[2]))
    for kind, pattern in hidden:
        for match in compiled_pattern(_bounded_pattern(pattern)).finditer(text):
            if _is_complete(text, match[0], match.end()):
                yield Secret(kind, match.start(), match.end())


def _matches_beginning(text: str, kind: str, beginning: str, rest: str) -> Iterator[Secret]:
    """Yield the matches that begin with these letters, which are much faster to find."""
    letters = beginning.lstrip("^")
    match_at = compiled_pattern(rest).match
    start = text.find(letters)
    while start >= 0:
        match = None
        if not letters[0].isalnum() or _is_free(text, start, strict=letters != beginning):
            match = match_at(text, start + len(letters))
        if match and _is_complete(text, match[0], match.end()):
            yield Secret(kind, start, match.end())
        start = text.find(letters, match.end() if match else start + 1)


def _is_free(text: str, start: int, *, strict: bool) -> bool:
    """Say whether a word may begin here; if `strict`, not after `_` and `-` either."""
    before = text[start - 1 : start]
    if not (before.isascii() and before.isalnum()) and not (strict and before in ("_", "-")):
        return True
    return _AFTER_ESCAPE.search(text, max(0, start - _ESCAPE_CHARACTERS), start) is not None


def _bounded_pattern(pattern: str) -> str:
    r"""Return a pattern with its first and last `\b` spelled out: no letter or digit beyond."""
    pattern = expanded_pattern(pattern)
    if pattern.startswith(r"\b"):
        pattern = _WORD + pattern[2:]
    return pattern[:-2] + _STOP if pattern.endswith(r"\b") else pattern


def _is_complete(text: str, secret: str, end: int) -> bool:
    return not is_masked(secret) and not is_cut_short(text, end)


def _merged_overlaps(secrets: list[Secret]) -> list[Secret]:
    """Merge overlapping secrets; the first one that was found gives the kind."""
    merged = list[Secret]()
    merged_rank = 0
    ranked = sorted(enumerate(secrets), key=lambda item: (item[1].start, -item[1].end))
    for rank, secret in ranked:
        if merged and secret.start < merged[-1].end:
            last = merged[-1]
            kind = secret.kind if rank < merged_rank else last.kind
            merged_rank = min(merged_rank, rank)
            merged[-1] = Secret(kind, last.start, max(last.end, secret.end))
        else:
            merged.append(secret)
            merged_rank = rank
    return merged
