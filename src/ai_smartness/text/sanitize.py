"""Make a text safe to store, search and print, and change nothing else.

Control characters, lone surrogates and characters that hide or reorder text are removed;
joiners that a language or an emoji needs stay.
"""

import re

__all__ = ["sanitized_text"]

# Joiners mean something between emoji and in Persian and the scripts of India; elsewhere
# they only make two equal-looking words differ.
_JOINED = "\u0600-\u1aff\u20e3\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"

# Tag characters spell invisible ASCII. Only the flag of a region may carry a few.
_TAGS = re.compile(
    "(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f)"
    "|[\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NEWLINE = re.compile("\r\n?|\x85")
_HARMFUL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u2060-\u2064\ufeff\ufff9-\ufffb]"
    "|[\u202a-\u202e\u2066-\u2069]"
    f"|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
)
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200d\u202a-\u202e\u2060-\u2069"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def sanitized_text(text: str) -> str:
    r"""Drop control, zero-width and bidi-override characters; end every line with `\n`."""
    if _SUSPECT.search(text) is None:
        return text
    if _SURROGATE.search(text):
        # Through UTF-16, two halves that belong together become the character they meant.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _TAGS.sub(r"\1", _HARMFUL.sub("", _NEWLINE.sub("\n", text)))
