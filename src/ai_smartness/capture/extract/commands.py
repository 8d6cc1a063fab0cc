"""Find the commands a text runs or asks to run.

A line after a prompt, a line in a shell block, words in backticks, or a known
program with what follows it; `make sure` and `go on` are no commands.
"""

import re
from collections.abc import Iterator

from ai_smartness.capture.extract.programs import PROGRAMS, SUBCOMMANDS

__all__ = ["found_commands"]

LONGEST_COMMAND_CHARACTERS = 300
"""Longer is a script, and its first lines say what it does."""

SHORT_LINE_WORDS = 5
"""A line of its own that is this short is all command, without a sentence after it."""

_PROMPT = re.compile(
    r"[ \t]*(?:\$|PS [^>\n]{0,80}>|(?:\([\w.-]{1,40}\) )?[\w.-]{1,40}@[^$\n]{1,80}\$) +(?=\S)"
)
_FENCE = re.compile(r"[ \t]*(?:```|~~~)([\w-]*)")
_SHELLS = frozenset(
    {"bash", "console", "fish", "powershell", "sh", "shell", "shell-session", "zsh"}
)
_SHELL_LINE = re.compile(r"[ \t]*(?:[A-Z_]+=\S+ +)?[a-z.~/][\w./~-]*(?: |$)")
_SHELL_WORD = re.compile(r"[ \t]*(?:if|then|else|elif|fi|for|do|done|while|case|esac|return)\b")
_BACKTICKS = re.compile(r"(?<!`)`([^`\n]{2,300})`(?!`)")
_BEFORE_HEAD = re.compile(r"(?:(?:sudo|time|env|then|&&) +|[A-Z_][A-Z0-9_]{0,40}=\S{0,100} +){1,5}")
_PROGRAM = re.compile(r"[a-z][a-z0-9-]{0,40}")
_HEAD = re.compile(r"(?<![\w./@-])(?:\./)?[a-z][a-z0-9-]{1,20}(?= +[^\s])")
_WORD = re.compile(r"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s`]+")
_TECHNICAL = re.compile(r"-{1,2}[A-Za-z0-9]|[\"'$./~@]|[^\s]*[/=:._\d@]|[|&<>]{1,2}$|\d?>")
_ASKED = re.compile(
    r"(?:^|[:>;&(-])\s*$|\b(?:[Rr][ua]n(?:ning)?|[Uu]s(?:e|ing)|[Vv]ia|[Ee]xecut\w+|[Tt]ry|[Tt]hen"
    r"|[Ll]ance[rz]?|[Ee]xécute[rz]?|[Ff]ühre|[Зз]апусти\w*|[Uu]sa|[Ee]jecuta)\s+$"
)
_CLAUSE_END = re.compile(r"(?<=[\w\"'])[.,;:!?)]{1,5}$")


def found_commands(text: str) -> Iterator[str]:
    """Yield each command, in order, as it would be typed."""
    if not _may_hold_commands(text):
        return
    shell = fenced = False
    for line in filter(None, text.split("\n")):
        fence = _FENCE.match(line)
        if fence:
            fenced = not fenced
            shell = fenced and fence[1].lower() in _SHELLS
            continue
        for command in _in_line(line, shell=shell, fenced=fenced):
            yield command[:LONGEST_COMMAND_CHARACTERS].strip()


def _may_hold_commands(text: str) -> bool:
    if "`" in text or "$ " in text or "> " in text or "~~~" in text:
        return True
    return not PROGRAMS.isdisjoint(_HEAD.findall(text))


def _in_line(line: str, *, shell: bool, fenced: bool) -> Iterator[str]:
    prompt = _PROMPT.match(line)
    if prompt:
        yield line[prompt.end() : prompt.end() + LONGEST_COMMAND_CHARACTERS]
    elif shell:
        if _SHELL_LINE.match(line) and not _SHELL_WORD.match(line):
            yield line[: 2 * LONGEST_COMMAND_CHARACTERS].partition(" #")[0].strip()
    elif fenced:
        if len(line) <= LONGEST_COMMAND_CHARACTERS and _starts_command(line.strip()):
            yield line
    else:
        yield from _in_prose(line)


def _in_prose(line: str) -> Iterator[str]:
    found: list[tuple[int, str]] = []
    if "`" in line:
        quotes = list(_BACKTICKS.finditer(line))
        found = [(quote.start(), quote[1]) for quote in quotes if _is_quoted_command(quote[1])]
        line = _BACKTICKS.sub(lambda quote: "`" * len(quote[0]), line)
    for _, command in sorted([*found, *_unquoted(line)]):
        yield command


def _unquoted(line: str) -> Iterator[tuple[int, str]]:
    if PROGRAMS.isdisjoint(_HEAD.findall(line)):
        return
    position = 0
    for head in _HEAD.finditer(line):
        start = head.start()
        if start < position or head[0] not in PROGRAMS:
            continue
        rest, quote, _ = line[start : start + LONGEST_COMMAND_CHARACTERS].partition("`")
        command = _typed(rest, alone=not quote and not line[:start].strip(" \t-*"))
        # `the git tag` is a thing; `run git tag` and `git tag -a` are commands.
        if command.count(" ") > 1 or (command and _ASKED.search(line[:start][-20:])):
            position = start + len(command)
            yield start, command


def _typed(rest: str, *, alone: bool) -> str:
    """Return the command at the start of a text, without the sentence it stands in."""
    if not _starts_command(rest):
        return ""
    words = list(_WORD.finditer(rest))
    if (
        alone
        and len(words) <= SHORT_LINE_WORDS
        and not any(_ends_clause(word[0]) for word in words)
    ):
        return rest[: words[-1].end()]
    last = words[1]
    for word in words[2:]:
        if _ends_clause(last[0]) or not _TECHNICAL.match(word[0]):
            break
        last = word
    return _CLAUSE_END.sub("", rest[: last.end()])


def _ends_clause(word: str) -> bool:
    return _CLAUSE_END.search(word) is not None


def _is_quoted_command(quoted: str) -> bool:
    """Say whether a quote is typed at a prompt: a program and something after it."""
    start = _BEFORE_HEAD.match(quoted)
    head, _, rest = quoted[start.end() if start else 0 :].partition(" ")
    if not rest.strip():
        return False
    if head in PROGRAMS or (head.startswith(("./", "~/")) and "=" not in head):
        return True
    if rest.startswith(("=", ":")):
        return False
    return _PROGRAM.fullmatch(head) is not None and " --" in f" {rest}"


def _starts_command(line: str) -> bool:
    start = _BEFORE_HEAD.match(line)
    head, _, rest = line[start.end() if start else 0 :].partition(" ")
    argument = _CLAUSE_END.sub("", rest.split(maxsplit=1)[0]) if rest.strip() else ""
    if not argument or head not in PROGRAMS:
        return False
    if argument in SUBCOMMANDS.get(head, ()):
        return True
    return _TECHNICAL.match(argument) is not None
