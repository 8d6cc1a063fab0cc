"""Find the secrets of a text: key blocks, known formats, and values of what names a secret."""

from bisect import bisect_right
from collections.abc import Iterator

from ai_smartness.redact import Secret
from ai_smartness.redact.formats import DOTTED
from ai_smartness.redact.plausibility import is_cut_short, is_placeholder
from ai_smartness.redact.prefilter import SecretClues
from ai_smartness.text.lazy_pattern import compiled_pattern

__all__ = ["scan_text"]


def scan_text(text: str, clues: SecretClues) -> list[Secret]:
    """Return the secrets of a text, from first to last; they do not overlap."""
    return _merged_overlaps(_without_public(text, [*_matches(text, clues)]))


def _matches(text: str, clues: SecretClues) -> Iterator[Secret]:
    """Yield what each rule finds that something speaks for; each is loaded where it is needed."""
    if clues.blocks:
        from ai_smartness.redact.private_keys import find_private_keys

        yield from find_private_keys(text)
    yield from _format_matches(text, clues)
    if clues.shapes or clues.vendors:
        from ai_smartness.redact.context import find_secrets_in_context

        yield from find_secrets_in_context(text, clues.shapes, clues.vendors)
    if clues.named:
        from ai_smartness.redact.assignments import find_assigned_secrets

        yield from find_assigned_secrets(text)


def _without_public(text: str, secrets: list[Secret]) -> list[Secret]:
    if not secrets or "-----" not in text:
        return secrets
    from ai_smartness.redact.private_keys import find_public_blocks

    return _outside_spans(secrets, find_public_blocks(text))


def _outside_spans(secrets: list[Secret], public: list[tuple[int, int]]) -> list[Secret]:
    if not public:
        return secrets
    starts = [start for start, _ in public]

    def is_public(secret: Secret) -> bool:
        before = bisect_right(starts, secret.start) - 1
        return before >= 0 and secret.start < public[before][1]

    return [secret for secret in secrets if not is_public(secret)]


def _format_matches(text: str, clues: SecretClues) -> Iterator[Secret]:
    for kind, _, starts, pattern in clues.formats:
        for start in starts.split():
            yield from _matches_starting(text, kind, start, pattern)
    hidden = [(kind, pattern) for kind, _, _, pattern in clues.hidden]
    if clues.dotted:
        hidden.append((DOTTED[0], DOTTED[2]))
    for kind, pattern in hidden:
        for match in compiled_pattern(pattern).finditer(text):
            if not is_placeholder(match[0]) and not is_cut_short(text, match.end()):
                yield Secret(kind, match.start(), match.end())


def _matches_starting(text: str, kind: str, start: str, pattern: str) -> Iterator[Secret]:
    """Yield what a pattern finds that begins with these letters: they are found much faster."""
    matched = compiled_pattern(pattern).match
    at = text.find(start)
    while at >= 0:
        match = matched(text, at)
        if match and not is_placeholder(match[0]) and not is_cut_short(text, match.end()):
            yield Secret(kind, at, match.end())
        at = text.find(start, match.end() if match else at + 1)


def _merged_overlaps(secrets: list[Secret]) -> list[Secret]:
    """Join those that overlap: the first one named says what it is."""
    order = {id(each): place for place, each in enumerate(secrets)}
    apart = list[Secret]()
    rank = 0
    for each in sorted(secrets, key=lambda one: (one.start, -one.end)):
        if apart and each.start < apart[-1].end:
            last = apart[-1]
            kind = each.kind if order[id(each)] < rank else last.kind
            rank = min(rank, order[id(each)])
            apart[-1] = Secret(kind, last.start, max(last.end, each.end))
        else:
            apart.append(each)
            rank = order[id(each)]
    return apart
