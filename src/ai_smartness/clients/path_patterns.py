"""Match a path against all patterns of a `.gitignore` at once, in one pass over the path.

The patterns become one automaton whose states are the bits of a number. Each character of the
path takes a handful of operations on that number, whatever the patterns are, so a hostile file
cannot hold up the agent. `tests/unit/test_ignore.py` compares the answers with git's own.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Ranges = tuple[tuple[str, str], ...]
    Token = tuple[str, bool, Ranges]

__all__ = ["PathPatterns"]

STAR = ("*", False, ())
ANY_FOLDERS = ("**/", False, ())
ANYTHING = ("**", False, ())
ANY_CHARACTER = ("", True, ())

_WILDCARDS = "*?[\\"
_CLASSES: "dict[str, Ranges]" = {
    "alnum": (("0", "9"), ("A", "Z"), ("a", "z")),
    "alpha": (("A", "Z"), ("a", "z")),
    "blank": (("\t", "\t"), (" ", " ")),
    "cntrl": (("\0", "\x1f"), ("\x7f", "\x7f")),
    "digit": (("0", "9"),),
    "graph": (("!", "~"),),
    "lower": (("a", "z"),),
    "print": ((" ", "~"),),
    "punct": (("!", "/"), (":", "@"), ("[", "`"), ("{", "~")),
    "space": (("\t", "\r"), (" ", " ")),
    "upper": (("A", "Z"),),
    "xdigit": (("0", "9"), ("A", "F"), ("a", "f")),
}


class PathPatterns:
    """The patterns of one file, in its order."""

    def __init__(self, text: str) -> None:
        self._size = 0
        self._starts = list[int]()
        self._loops = list[int]()
        self._endless = list[int]()
        self._folders = list[int]()
        self._steps = _Entries()
        self._skips = _Entries()
        self._ends = list[int]()
        self._file_ends = list[int]()
        self._negated = set[int]()
        for line in text.removeprefix("\ufeff").split("\n"):
            self._add_line(_trimmed_line(line.removesuffix("\r")))
        self._moves: dict[str, tuple[int, int, int, int]] = {}
        self._masks = tuple(map(_mask, (self._starts, self._ends, self._file_ends)))

    def __bool__(self) -> bool:
        return bool(self._ends)

    def is_selected(self, path: str) -> bool:
        """Say whether the last pattern that matches selects the path, or a folder above it."""
        states, ends, file_ends = self._masks
        if not ends:
            return False
        for character in path:
            if character == "/" and self._is_selecting(states & ends):
                return True
            step, loop, skip, folder = self._moves_on(character)
            states = (
                (states << 1 & step)
                | (states & loop)
                | (states << 2 & skip)
                | (states >> 1 & folder)
            )
        return self._is_selecting(states & file_ends)

    def _is_selecting(self, matching: int) -> bool:
        return matching > 0 and matching.bit_length() - 1 not in self._negated

    def _moves_on(self, character: str) -> "tuple[int, int, int, int]":
        """Return the masks for a character: enter from one or two states before, stay, go back."""
        if character not in self._moves:
            if character == "/":
                after_folders = [state + 1 for state in self._folders]
                loop, folder = _mask([*self._endless, *after_folders]), 0
            else:
                folder = _mask(self._folders)
                loop = _mask([*self._endless, *self._loops]) | folder
            step, skip = self._steps.mask_on(character), self._skips.mask_on(character)
            self._moves[character] = (step, loop, skip, folder)
        return self._moves[character]

    def _add_line(self, line: str) -> None:
        is_negated = line.startswith("!")
        pattern = line[1:] if is_negated else line
        folders_only = pattern.endswith("/")
        pattern = pattern[:-1] if folders_only else pattern
        tokens = [] if line.startswith("#") else _tokens_of(pattern)
        if not tokens:
            return
        self._add_tokens(tokens)
        end = self._size - 1
        self._ends.append(end)
        if not folders_only:
            self._file_ends.append(end)
        if is_negated:
            self._negated.add(end)

    def _add_tokens(self, tokens: "list[Token]") -> None:
        """Append the states of a pattern; the first one is entered by nothing before it."""
        if tokens[0] is ANY_FOLDERS:
            self._add_folder_states()
        else:
            self._size += 1
        self._starts.append(self._size - 1)
        for token, following in zip(tokens, [*tokens[1:], None], strict=True):
            if token is STAR:
                self._loops.append(self._size - 1)
            elif token is ANYTHING:
                self._endless.append(self._size - 1)
            elif token is ANY_FOLDERS:
                continue
            elif following is ANY_FOLDERS:
                self._add_folder_states()
                self._skips.add(self._size - 1, token)
            else:
                self._size += 1
                self._steps.add(self._size - 1, token)

    def _add_folder_states(self) -> None:
        """Append a state within the name of a folder, and the one after its slash."""
        self._folders.append(self._size)
        self._size += 2
        self._steps.add(self._size - 1, ("/", False, ()))


class _Entries:
    """The states that are entered on a character."""

    def __init__(self) -> None:
        self._literals: dict[str, list[int]] = {}
        self._sets: dict[tuple[bool, Ranges], list[int]] = {}

    def add(self, state: int, token: "Token") -> None:
        literal, is_negated, ranges = token
        if literal:
            self._literals.setdefault(literal, []).append(state)
        else:
            self._sets.setdefault((is_negated, ranges), []).append(state)

    def mask_on(self, character: str) -> int:
        states = list(self._literals.get(character, ()))
        if character != "/":
            for (is_negated, ranges), entered in self._sets.items():
                if any(low <= character <= high for low, high in ranges) != is_negated:
                    states += entered
        return _mask(states)


def _mask(states: "Iterable[int]") -> int:
    """Return the number with these bits."""
    numbers = list(states)
    octets = bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        octets[number // 8] |= 1 << number % 8
    return int.from_bytes(octets, "little")


def _trimmed_line(line: str) -> str:
    """Return a line without the blanks at its end, unless they are escaped."""
    while line.endswith(" "):
        before = line[:-1]
        if (len(before) - len(before.rstrip("\\"))) % 2:
            break
        line = before
    return line


def _tokens_of(pattern: str) -> "list[Token]":
    """Return the elements of a pattern; none if it can match nothing."""
    is_anchored = "/" in pattern
    pattern = pattern.removeprefix("/")
    wildcards = (place for place, letter in enumerate(pattern) if letter in _WILDCARDS)
    first = next(wildcards, -1)
    tokens: list[Token] = [] if is_anchored else [ANY_FOLDERS]
    place = 0
    while place < len(pattern):
        if pattern[place] == "*":
            token, place = _star_token(pattern, place, first if is_anchored else -1)
        else:
            parsed = _character_token(pattern, place)
            if parsed is None:
                return []
            token, place = parsed
        if token is not ANY_FOLDERS or tokens[-1:] != [ANY_FOLDERS]:
            tokens.append(token)
    return tokens if pattern else []


def _star_token(pattern: str, place: int, first: int) -> "tuple[Token, int]":
    """Read stars; two between slashes stand for folders. `first` is the first wildcard.

    Git compares what is before the first wildcard apart, so two stars there count as two stars at
    the beginning.
    """
    end = place
    while pattern[end : end + 1] == "*":
        end += 1
    is_left = place in (0, first) or pattern[place - 1] == "/"
    if end - place == 1 or not is_left or pattern[end : end + 1] not in ("", "/"):
        return STAR, end
    return (ANY_FOLDERS, end + 1) if end < len(pattern) else (ANYTHING, end)


def _character_token(pattern: str, place: int) -> "tuple[Token, int] | None":
    letter = pattern[place]
    if letter == "?":
        return ANY_CHARACTER, place + 1
    if letter == "[":
        return _set_token(pattern, place + 1)
    if letter == "\\":
        place += 1
    literal = pattern[place : place + 1]
    return ((literal, False, ()), place + 1) if literal else None


def _set_token(pattern: str, place: int) -> "tuple[Token, int] | None":
    """Read a set of characters behind its bracket; nothing if it does not end."""
    is_negated = pattern[place : place + 1] in ("!", "^")
    place += is_negated
    ranges, first = list[tuple[str, str]](), place
    previous = ""
    while place < len(pattern) and (pattern[place] != "]" or place == first):
        letter = pattern[place]
        if letter == "[" and pattern[place + 1 : place + 2] == ":":
            named = _named_class(pattern, place)
            if named is None:
                return None
            members, place, previous = named
            ranges += members
            continue
        is_range = letter == "-" and previous and pattern[place + 1 : place + 2] not in ("", "]")
        place += 1 if is_range else 0
        if pattern[place] == "\\":
            place += 1
        letter = pattern[place : place + 1]
        ranges.append((previous if is_range else letter, letter))
        previous = "" if is_range else letter
        place += 1
    if place >= len(pattern):
        return None
    return ("", is_negated, tuple(ranges)), place + 1


def _named_class(pattern: str, place: int) -> "tuple[Ranges, int, str] | None":
    """Read `[:alpha:]` at a place; a bracket that only looks like one stands for itself."""
    end = pattern.find("]", place + 2)
    if end < 0:
        return None
    name = pattern[place + 2 : end]
    if not name.endswith(":"):
        return (("[", "["),), place + 1, "["
    ranges = _CLASSES.get(name[:-1])
    return None if ranges is None else (ranges, end + 1, "")
