"""Lines with made-up secrets, in the formats of configuration files, programs, commands and prose.

A format is a line of `secret_lines.txt`: a name and a template with values in guillemets,
which `VALUES` makes up; the last one is the secret. By a hash of its name, a format is either
"seen", and its misses may be read while a rule is written, or "left out": how redaction does there
shows whether the rule generalises. The formats of `secret_lines_later.txt`, after them of
`secret_lines_last.txt` and at last of `secret_lines_fresh.txt` were thought of when the rules for
the others stood; those of the last by somebody who had not read the others.
"""

import hashlib
import random
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

__all__ = [
    "LATER_TABLES",
    "VALUE",
    "VALUES",
    "MadeLine",
    "left_out",
    "line_formats",
    "made_secret_lines",
]

LATER_TABLES = ("secret_lines_later.txt", "secret_lines_last.txt", "secret_lines_fresh.txt")

HEX = "0123456789abcdef"
MIXED = ascii_letters + digits
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
PHRASE = [
    *("copper", "violin", "marble", "sunset", "anchor", "walnut", "ginger", "meadow", "pepper"),
    *("falcon", "timber", "velvet"),
]
USERS = ("ada", "grace", "deploy", "svc_app", "root", "linus")
HOSTS = ("db.acme.test", "10.0.3.7", "mail.acme.test", "localhost", "registry.acme.test")

TABLES = Path(__file__).parent
VALUE = re.compile("«(.+?)»")


@dataclass(frozen=True)
class MadeLine:
    """A made-up line; `secret` is empty for an ordinary one."""

    format: str
    text: str
    secret: str = ""


def left_out(name: str) -> bool:
    """Say whether a format is kept out of the development of rules."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 1


def made_secret_lines(per_format: int = 3, table: str = "secret_lines.txt") -> Iterator[MadeLine]:
    """Yield lines of every format, the same ones in every run."""
    for name, template in line_formats(table):
        for number in range(per_format):
            chance = random.Random(f"{name} {number}")
            yield _made_line(name, template, chance)


def line_formats(table: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the template of each format of a table."""
    for line in (TABLES / table).read_text("utf-8").splitlines():
        name, _, template = line.partition(" | ")
        yield name, template.replace("\\n", "\n")


def _made_line(name: str, template: str, chance: random.Random) -> MadeLine:
    pieces = VALUE.split(template)
    values = [VALUES[kind](chance) for kind in pieces[1::2]]
    text = pieces[0] + "".join(map("".join, zip(values, pieces[2::2], strict=True)))
    text = text.replace("USER", chance.choice(USERS)).replace("HOST", chance.choice(HOSTS))
    return MadeLine(name, text, values[-1])


def _from(letters: str, count: int) -> Callable[[random.Random], str]:
    return lambda chance: "".join(chance.choices(letters, k=count))


def _strong(chance: random.Random) -> str:
    """Return a password as a password manager makes them."""
    body = chance.choices(MIXED, k=chance.randint(9, 16))
    return "".join(
        [chance.choice(ascii_letters), *body, chance.choice("!%*+?^~"), chance.choice(digits)]
    )


def _person(chance: random.Random) -> str:
    """Return a password as people make them: a word, a number, a sign."""
    word = "".join(chance.choices(SYLLABLES, k=3))
    return f"{word.capitalize()}{chance.randint(10, 2029)}{chance.choice('!.$#')}"


def _letters(chance: random.Random) -> str:
    """Return letters only: random, or syllables that are no word."""
    if chance.choice((True, False)):
        return "".join(chance.choices(ascii_lowercase, k=chance.randint(9, 14)))
    return "".join(chance.choices(SYLLABLES, k=5))


def _words(chance: random.Random) -> str:
    return chance.choice("-_").join(chance.sample(PHRASE, 4))


VALUES: dict[str, Callable[[random.Random], str]] = {
    "strong": _strong,
    "person": _person,
    "letters": _letters,
    "words": _words,
    "pin": _from(digits, 6),
    "hex16": _from(HEX, 16),
    "hex32": _from(HEX, 32),
    "hex40": _from(HEX, 40),
    "hex64": _from(HEX, 64),
    "hex128": _from(HEX, 128),
    "HEX32": _from("0123456789ABCDEF", 32),
    "token": _from(MIXED + "_-", 40),
    "alnum20": _from(MIXED, 20),
    "alnum24": _from(MIXED, 24),
    "alnum32": _from(MIXED, 32),
    "alnum48": _from(MIXED, 48),
    "alnum70": _from(MIXED, 70),
    "lower26": _from(ascii_lowercase + digits, 26),
    "upper26": _from(ascii_uppercase + digits, 26),
    "base32": _from(ascii_uppercase + "234567", 32),
    "key40": _from(MIXED + "+/", 40),
    "key43": lambda chance: _from(MIXED + "+/", 43)(chance) + "=",
    "key86": lambda chance: _from(MIXED + "+/", 86)(chance) + "==",
    "uuid": lambda chance: "-".join(_from(HEX, size)(chance) for size in (8, 4, 4, 4, 12)),
    "basic": lambda chance: b64encode(f"ada:{_strong(chance)}".encode()).decode(),
    "b64word": lambda chance: b64encode(_strong(chance).encode()).decode(),
    "number10": _from("123456789", 10),
    "number18": _from("123456789", 18),
    "mnemonic": lambda chance: " ".join(chance.sample(PHRASE, 12)),
    "keylines": lambda chance: "\n".join(_from(MIXED + "+/", 64)(chance) for _ in range(4)),
}
