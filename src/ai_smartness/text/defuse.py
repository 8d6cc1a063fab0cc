"""Make stored text unable to write the tags by which a client marks its own text.

A tag of a client or of ours (`<system-reminder>`, `</tool_result>`, `< /ai-smartness-memory>`)
loses its bracket, however it is spelled: in another case, with spaces, with letters and brackets
that only look the same, with invisible characters in it. All other brackets stay, so that code
reads as it was written. Standard library only, and without regular expressions: the hook imports
this.
"""

__all__ = ["DEFUSED", "defused_text", "is_client_tag"]

DEFUSED = "&lt;"  # stands for the bracket of a tag

_BRACKETS = frozenset(
    "<\ufe64\uff1c\u2039\u27e8\u2329\u3008\u276e\u2770\u02c2\u1438\u16b2\u227a\u29fc"
)
"""The less-than sign, and what looks like one."""

_BEFORE_NAME = frozenset("/\\|!?\u2044\u2215\u29f8\uff0f\u2571")  # may stand before a tag's name
_IN_NAME = frozenset("-_:.\u2010\u2011\u2012\u2013\u2212")  # joins words, not compared
_INVISIBLE = ("Cf", "Cc", "Mn", "Me")

READ_CHARACTERS = 64  # after a bracket: no tag of a client has a longer name

TAG_FAMILIES = (
    *("aismartness", "system", "antml", "functioncall", "functionresult", "functionresponse"),
    *("tooluse", "toolcall", "toolresult", "toolresponse", "toolerror", "tooloutput", "toolinput"),
    *("invoke", "commandname", "commandmessage", "commandargs", "commandcontents"),
    *("commandstdout", "commandstderr", "localcommand", "bashinput", "bashstdout", "bashstderr"),
    *("userprompt", "userinstruction", "usermemory", "usermessage", "assistantmessage"),
    *("environmentcontext", "untrustedcontext", "tasknotification", "persistedoutput"),
    *("newdiagnostics", "ideopened", "ideselection", "sessionstart", "turnaborted"),
    *("imstart", "imend", "imsep", "endoftext", "startheader", "endheader", "eotid", "eomid"),
    *("beginoftext", "startofturn", "endofturn", "thinking", "permissions", "private"),
)
"""The starts of the names of tags and tokens that clients and models use, without their hyphens."""

TAG_NAMES = frozenset(
    (
        *("user", "human", "assistant", "developer", "tool", "function", "parameter"),
        *("parameters", "instruction", "instructions", "result", "think", "skill"),
        *("admin", "agent", "command"),
    )
)
"""Names that count only as a whole: `<users>` is no tag of a client."""

_LOOK_ALIKES = {
    ord(double): letter
    for letter, doubles in {
        "a": "\u0430\u03b1\u0251\u1d00",
        "b": "\u0432\u0299",
        "c": "\u0441\u03f2\u1d04",
        "d": "\u0501\u1d05",
        "e": "\u0435\u03b5\u0454\u1d07",
        "g": "\u0261\u0262",
        "h": "\u04bb\u0570\u029c",
        "i": "\u0456\u03b9\u0131\u0269\u026a",
        "j": "\u0458\u1d0a",
        "k": "\u043a\u03ba\u1d0b",
        "l": "\u04cf\u01c0\u029f",
        "m": "\u043c\u1d0d",
        "n": "\u0578\u03b7\u043f\u0274",
        "o": "\u043e\u03bf\u0585\u1d0f",
        "p": "\u0440\u03c1\u1d18",
        "r": "\u0433\u0280",
        "s": "\u0455\ua731",
        "t": "\u0442\u03c4\u1d1b",
        "u": "\u057d\u03c5\u1d1c",
        "v": "\u0475\u03bd\u1d20",
        "w": "\u051d\u1d21",
        "x": "\u0445\u03c7",
        "y": "\u0443\u03b3\u028f\u04af",
    }.items()
    for double in doubles
}
"""Letters of other alphabets that look like a letter of a tag's name."""


def defused_text(text: str) -> str:
    """Return the text with the brackets of clients' tags written as `&lt;`."""
    if _BRACKETS.isdisjoint(text):
        return text
    parts, start = list[str](), 0
    for place, character in enumerate(text):
        if character in _BRACKETS and is_client_tag(text[place + 1 : place + 1 + READ_CHARACTERS]):
            parts += (text[start:place], DEFUSED)
            start = place + 1
    return "".join((*parts, text[start:])) if parts else text


def is_client_tag(text: str) -> bool:
    """Say whether a text is, after its bracket, a tag that a client or the memory writes."""
    name = _tag_name(text)
    return name in TAG_NAMES or name.startswith(TAG_FAMILIES)


def _tag_name(text: str) -> str:
    """Return the letters of a tag's name, as they look and in one case; empty without a name."""
    from unicodedata import category, normalize

    letters = ""
    for character in text:
        plain = normalize("NFKD", character).casefold()
        base = "".join(part for part in plain if category(part) not in _INVISIBLE)
        joins = _IN_NAME if letters else _BEFORE_NAME
        if not base or base in joins or (not letters and base.isspace()):
            continue
        if not base.isalnum():
            break
        letters += base.translate(_LOOK_ALIKES)
    return letters
