"""Lines without a secret that look as if they had one: hashes, ids, placeholders, code, prose.

Redaction must leave all of them alone. Their formats stand in `ordinary_lines.txt` and, beside the
secrets of the same name, in `ordinary_lines_fresh.txt`; as with `secret_lines`, half of them are
left out of the development of rules. `changeme` and its like are placeholders: they stay.
"""

import random
from base64 import b64encode
from collections.abc import Iterator

from kit.secret_lines import VALUE, VALUES, MadeLine, line_formats

__all__ = ["made_ordinary_lines"]

WORDS = (
    *("order", "invoice", "customer", "report", "section", "handler", "request", "buffer"),
    *("layout", "widget", "parser", "cursor", "session", "market", "window", "export", "import"),
    *("filter", "branch", "driver", "planet", "garden", "orange", "silver"),
)


def made_ordinary_lines(
    per_format: int = 2, table: str = "ordinary_lines.txt"
) -> Iterator[MadeLine]:
    """Yield ordinary lines of every format, the same ones in every run."""
    for name, template in line_formats(table):
        for number in range(per_format):
            chance = random.Random(f"ordinary {name} {number}")
            pieces = VALUE.split(template)
            pieces[1::2] = [_value(kind, chance) for kind in pieces[1::2]]
            yield MadeLine(name, "".join(pieces))


def _value(kind: str, chance: random.Random) -> str:
    if kind == "word":
        return chance.choice(WORDS)
    if kind == "image":
        return b64encode(chance.randbytes(90)).decode()
    return VALUES[kind](chance)
