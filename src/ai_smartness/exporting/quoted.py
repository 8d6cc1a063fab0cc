"""What was said, so that a page shows it and does not obey it.

Within a quote a heading is no heading of the page, and a block of code that nobody closed
ends with the quote. Doubled brackets, which are links, are shown as they are.
"""

import re

__all__ = ["inline", "quoted"]

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")
_CONTROLS = {code: " " for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}


def quoted(text: str) -> str:
    """Write a text as a quote."""
    lines, fence = list[str](), ""
    for line in text.replace("\r\n", "\n").translate(_CONTROLS).split("\n"):
        found = _FENCE.match(line)
        if found and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
            shown = line
        else:
            shown = line if fence else line.replace("[[", "\\[\\[").replace("%%", "\\%%")
        lines.append(f"> {shown}".rstrip())
    return "\n".join(lines)


def inline(text: str) -> str:
    """Write words within a line, none of them a mark."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.translate(_CONTROLS).split()))
