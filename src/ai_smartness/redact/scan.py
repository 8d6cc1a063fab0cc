"""Run the rules on a text: private keys, known formats, contexts and assignments."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from ai_smartness.redact import Secret, SecretClues
from ai_smartness.redact.formats import DOTTED, bounded_pattern
from ai_smartness.redact.plausibility import is_cut_short, is_placeholder
from ai_smartness.text.lazy_pattern import compiled_pattern

__all__ = ["scan_text"]


def scan_text(text: str, clues: SecretClues) -> list[Secret]:
    """Return the secrets of a text, from first to last, without overlaps."""
    return _merged_overlaps(_without_public(text, [*_matches(text, clues)]))


def _matches(text: str, clues: SecretClues) -> Iterator[Secret]:
    """Yield the matches of each rule that has a reason to run; rules are loaded when needed."""
    if clues.blocks:
        from ai_smartness.redact.private_keys import find_private_keys

        yield from find_private_keys(text)
    yield from _format_matches(text, clues)
    if clues.contexts or clues.vendors:
        from ai_smartness.redact.context import find_secrets_in_context

        yield from find_secrets_in_context(text, clues.contexts, clues.vendors)
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
        for beginning in beginnings.split():
            yield from _matches_beginning(text, kind, beginning, bounded_pattern(pattern))
    hidden = [(kind, bounded_pattern(pattern)) for kind, _, _, pattern in clues.hidden]
    if clues.dotted:
        hidden.append((DOTTED[0], DOTTED[2]))
    for kind, pattern in hidden:
        for match in compiled_pattern(pattern).finditer(text):
            if _is_complete(text, match):
                yield Secret(kind, match.start(), match.end())


def _matches_beginning(text: str, kind: str, beginning: str, pattern: str) -> Iterator[Secret]:
    """Yield the matches that begin with these letters, which are much faster to find."""
    match_at = compiled_pattern(pattern).match
    start = text.find(beginning)
    while start >= 0:
        match = match_at(text, start)
        if match and _is_complete(text, match):
            yield Secret(kind, start, match.end())
        start = text.find(beginning, match.end() if match else start + 1)


def _is_complete(text: str, match: re.Match[str]) -> bool:
    return not is_placeholder(match[0]) and not is_cut_short(text, match.end())


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
