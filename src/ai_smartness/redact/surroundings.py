"""Say which surroundings of secrets a text has: URLs, headers, commands; by letters alone."""

__all__ = ["suspected_shapes"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SIGNS = tuple(":=,")
_SHORTEST_BEARER = 16
_SHORTEST_BASIC = 12
_NEAR_CHARACTERS = 100
_OF_FIELDS = ("password", "passwd", "pwd", "token", "secret")


def suspected_shapes(text: str, low: str, *, named: bool) -> "list[str]":
    """Return the names of the shapes that may be in a text; it is given in lower case too.

    `named` says that something in it is named like a secret and given a value.
    """
    found = [letters for letters, claim in _CLAIMS if letters in low and claim(text, low)]
    if named and "x-" in low:
        found.append("x-")
    return found


def _is_url(text: str, _low: str) -> bool:
    if "@" not in text:
        return False
    return any(
        ":" in word.partition("://")[2].rpartition("@")[0] for word in text.split() if "@" in word
    )


def _is_curl(_text: str, low: str) -> bool:
    return "-u" in low


def _has_p(_text: str, low: str) -> bool:
    return "-p" in low


def _is_pair(_text: str, low: str) -> bool:
    return "/pw" in low or "/pass" in low


def _is_sql(_text: str, low: str) -> bool:
    squeezed = " ".join(low.split())
    return any(f"{word} password " in squeezed for word in ("with", "login", "encrypted"))


def _is_identified(_text: str, low: str) -> bool:
    squeezed = " ".join(low.split())
    return any(f"identified {word} " in squeezed for word in ("by", "with", "as"))


def _is_field(_text: str, low: str) -> bool:
    return "name=" in low and any(name in low for name in _OF_FIELDS)


def _always(_text: str, _low: str) -> bool:
    return True


def _is_header(_text: str, low: str) -> bool:
    """Say whether `authorization` is given anything."""
    return any(rest.lstrip(" \t\n\"'")[:1] in _SIGNS for rest in _after(low, "authorization", low))


def _is_bearer(text: str, low: str) -> bool:
    return any(
        len(word) >= _SHORTEST_BEARER and any(each.isdigit() for each in word)
        for word in _words_after(text, "bearer", low)
    )


def _is_basic(text: str, low: str) -> bool:
    return any(
        len(word) >= _SHORTEST_BASIC and (not word[1:].islower() or not word.isalpha())
        for word in _words_after(text, "basic ", low)
    )


def _words_after(text: str, letters: str, low: str) -> "list[str]":
    return [words[0] for rest in _after(text, letters, low) if (words := rest.split(None, 1))]


def _after(text: str, letters: str, low: str) -> "list[str]":
    """Return what stands after each place where the letters are, some way on."""
    found, at = list[str](), low.find(letters)
    while at >= 0:
        at += len(letters)
        found.append(text[at : at + _NEAR_CHARACTERS])
        at = low.find(letters, at)
    return found


_CLAIMS: "tuple[tuple[str, Callable[[str, str], bool]], ...]" = (
    ("://", _is_url),
    ("contribsys", _always),
    ("curl", _is_curl),
    ("mysql", _has_p),
    ("sshpass", _has_p),
    ("/p", _is_pair),
    ("password", _is_sql),
    ("value=", _is_field),
    ("identified", _is_identified),
    ("securestring", _always),
    ("authorization", _is_header),
    ("bearer", _is_bearer),
    ("basic ", _is_basic),
    ('"kty"', _always),
)
"""What is in it, and what must be true besides."""
