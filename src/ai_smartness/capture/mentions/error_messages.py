"""Find the error messages in a text, in the words that people search for later."""

import re
from collections.abc import Iterator

__all__ = ["find_error_messages"]

LONGEST_MESSAGE_CHARACTERS = 200  # the rest of a longer line is arguments and quoted input
LONGEST_NAME_CHARACTERS = 120

# Every match of the pattern below contains one of these. Looking for them first costs a
# twentieth, and most messages contain none.
_SIGNS = (
    *("Error", "Exception", "Interrupt", "Warning", "Fault", "Traceback", "ERR", "FAIL", "FATAL"),
    *("error: ", "error[", "error TS", "error C", "error MSB", "error LNK", "npm error ", "SIG"),
    *("fatal: ", "Fatal: ", "panic: ", "panicked at", "tion fault", "HTTP", "tatus", "xit"),
    *("command not found", "ermission denied", "No such file", "SQLSTATE", "ORA-", "Not ", "Bad "),
    *("Unauthorized", "Forbidden", "Conflict", "Gone", "Too ", "Unprocessable", "Unavailable"),
    *("Gateway", "rreur", "ehler", "rrore", "шибка", "错误", "錯誤", "エラー", "오류"),
)
_REST = ".{0,200}"
_REFUSALS = r"command not found(?:: \S{1,80})?|[Pp]ermission denied|No such file or directory"
_NOT_ZERO = r"(?:-?[1-9]\d{0,9}|0x[0-9a-fA-F]{1,8})"
_CODES = (
    "2BIG|ACCES|ADDRINUSE|ADDRNOTAVAIL|AGAIN|AI_AGAIN|BADF|BUSY|CONNABORTED|CONNREFUSED|CONNRESET"
    "|EXIST|HOSTUNREACH|INVAL|IO|ISDIR|LIFECYCLE|MFILE|NOENT|NOMEM|NOSPC|NOTDIR|NOTEMPTY|NOTFOUND"
    "|PERM|PIPE|RESOLVE|ROFS|TIMEDOUT"
)
_REASONS = (
    "Bad Request|Unauthorized|Forbidden|Not Found|Method Not Allowed|Conflict|Gone"
    "|Payload Too Large|Unprocessable (?:Entity|Content)|Too Many Requests"
    "|Internal Server Error|Not Implemented|Bad Gateway|Service Unavailable|Gateway Timeout"
)
# These begin a word; the rest may stand inside a word or begin with a sign.
_WORDS = [
    rf"(?<!\()(?:error|fatal|panic|ERROR|FATAL|Fatal)(?:\[\w{{1,12}}\])?: (?=\S){_REST}",
    rf"error [A-Z]{{1,6}}\d{{2,6}}: (?=\S){_REST}",
    rf"(?:[Ee]rreur|[Ff]ehler|[Ee]rrore|[Оо]шибка) ?: (?=\S){_REST}",  # noqa: RUF001
    rf"(?:npm|yarn|pnpm) (?:ERR!|error) {_REST}",
    rf"E(?:{_CODES})\b(?:: {_REST})?",
    rf"(?:ERROR|FATAL) [\w.-]{{1,60}}: (?=\S){_REST}",
    rf"(?:FAILED|FAIL|ERROR) (?=\S{{1,120}}(?:::|[/.]\w)|in \S){_REST}",
    rf"HTTP(?:/\d(?:\.\d)?)? [45]\d\d\b(?: (?:{_REASONS}))?",
    rf"[45]\d\d (?:{_REASONS})",
    r"[Ss]tatus(?: code)?:? [45]\d\d\b",
    rf"[Ee]xit(?:ed)?(?: with)?(?: (?:code|status))?:? {_NOT_ZERO}\b",
    r"[Ss]egmentation fault(?: \(core dumped\))?|SIG(?:SEGV|KILL|ABRT|BUS)\b",
    rf"thread '[^']{{1,80}}' panicked at {_REST}",
    rf"SQLSTATE\[\w{{5}}\]{_REST}|ORA-\d{{5}}: {_REST}",
]
_SYSTEM_CODE = re.compile(f"E(?:{_CODES})")
_ERROR_MESSAGE = re.compile(
    rf"(?P<named>Error|Exception|Interrupt|Warning|Fault)\b(?:: (?=\S){_REST})?"
    r"|Traceback \(most recent call last\)"
    rf"|--- FAIL: {_REST}|\[ERROR\] {_REST}"
    rf"|(?:错误|錯誤|エラー|오류) ?[:：] ?(?=\S){_REST}"  # noqa: RUF001
    rf"|(?P<after>: (?:{_REFUSALS}))"
    rf"|\b(?:{'|'.join(_WORDS)})"
)
_QUALIFIED = re.compile(r"[a-z][\w$.]*\.[\w$]+(?:Error|Exception)")
_EVERYDAY = frozenset({"Exception", "Fault", "Interrupt", "Warning"})


def find_error_messages(text: str) -> Iterator[str]:
    """Yield each error message, in order, up to the end of its line."""
    if _may_hold_errors(text):
        for line in filter(_may_hold_errors, text.split("\n")):
            yield from _errors_in_line(line)


def _may_hold_errors(text: str) -> bool:
    return any(map(text.__contains__, _SIGNS)) or _SYSTEM_CODE.search(text) is not None


def _errors_in_line(line: str) -> Iterator[str]:
    quotes = position = 0
    for match in _ERROR_MESSAGE.finditer(line):
        start, end = match.span()
        quotes += line.count("`", position, start)
        position = start
        if match["named"] or match["after"]:
            start = _name_start(line, start, "._$" if match["named"] else "._-/")
        message = line[start:end]
        if quotes % 2:
            message = message.partition("`")[0]
        if not match["named"] or _is_program_output(message, begins_line=start == 0):
            yield message[:LONGEST_MESSAGE_CHARACTERS].strip(" :")


def _name_start(text: str, end: int, inside: str) -> int:
    """Return the start of the name that ends here."""
    start = end
    least = max(0, end - LONGEST_NAME_CHARACTERS)
    while start > least and (text[start - 1].isalnum() or text[start - 1] in inside):
        start -= 1
    return start


def _is_program_output(message: str, *, begins_line: bool) -> bool:
    """Distinguish a message, or the full name of a class, from a class in a sentence."""
    name, colon, _ = message.partition(": ")
    if not colon:
        return _QUALIFIED.fullmatch(name) is not None
    return name not in _EVERYDAY or (begins_line and name == "Exception")
