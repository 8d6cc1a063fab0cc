r"""Find the files and folders that a text names.

`src/auth/jwt.py:42`, `C:\repo\\main.cs`, `.github/workflows`, `Dockerfile`; not dates, fractions
or `and/or`. The suffixes and names are those of real repositories; a suffix that is also an
everyday word or attribute (`text`, `env`) counts only after a folder.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["FilePlace", "TextSpan", "blanked_text", "find_paths"]

LONGEST_PATH_CHARACTERS = 400  # a longer run without spaces is a blob
SUFFIXLESS_PATH_PARTS = 3  # `read/write` is two words; three parts in backticks are a path

_SUFFIXES = """
adoc astro avif awk bash bat bazel bib bmp c cc cfg cjs clj cmake cmd conf cpp crt cs csproj css
csv cts cu cxx dart diff dll docx edn elm erl exe exs fish gemspec gif go gql gradle graphql
groovy gz h hbs hcl heex hh hpp hs htm html hxx ico iml ini ino ipynb jar java jinja jl jpeg jpg
js json json5 jsonc jsonl jsx kt kts less lock log lua mako md mdc mdx mjs mk ml mli mm mp3 mp4
mts nim nix odt ogg parquet patch pbxproj pcap pdf pem php pl plist pm png prisma proto ps1 psd
psm1 py pyc pyi pyx r rake rb rego rkt rs rst s sass sbt scala scm scss sh sln sol sql sqlite
sqlite3 srt styl svelte svg swift tar tex tf tfvars tgz tmpl toml tpl ts tsv tsx ttf txt vb vim
vue wasm wav webm webp whl woff woff2 xaml xcodeproj xhtml xls xlsx xml xsd xsl yaml yml zig zip
zsh
"""
SUFFIXES = frozenset(_SUFFIXES.split())
_WORDLIKE_SUFFIXES = (
    "bin db el env ex feature fs in m4 node orig out po pub rej service snap so sum text typed"
)
WORDLIKE_SUFFIXES = frozenset(_WORDLIKE_SUFFIXES.split())
_SOURCE_FOLDERS = "cmd crates internal lib node_modules packages pkg src"
SOURCE_FOLDERS = frozenset(_SOURCE_FOLDERS.split())
"""A path without a suffix may start with one of these."""

_BRANCH_PREFIXES = "bugfix chore feat feature fix hotfix origin refs release upstream"
BRANCH_PREFIXES = frozenset(_BRANCH_PREFIXES.split())

_BARE = re.compile(
    "Dockerfile|Containerfile|(?:GNUm|M)akefile|[Jj]ustfile|Gemfile|Rakefile|Procfile|Jenkinsfile"
    r"|Vagrantfile|Brewfile|Pipfile|Podfile|Caddyfile|go\.(?:mod|sum|work)"
)
_DOTFILE = re.compile(
    r"\.(?:git(?:attributes|modules|keep)|[a-z]{2,12}ignore|[a-z]{2,12}rc(?:\.[a-z]{2,5})?"
    r"|bash_profile|profile|editorconfig|env(?:\.[\w-]{1,20}){0,2}|flake8|python-version"
    r"|tool-versions|[a-z][\w-]{0,40}\.(?:json|ya?ml|toml|js|cjs|mjs))"
)
# These read like files, but are products or parts of objects.
_NO_FILE = re.compile(
    r"(?:[Nn]ode|[Nn]ext|[Vv]ue|[Rr]eact|[Ee]xpress|[Nn]uxt|[Tt]hree|[Dd]3|Chart|Socket|Ember"
    r"|Backbone|Angular|Moment|Alpine|Discord|Solid|Nest|Day|Electron)\.js"
    r"|(?:console|[Mm]ath|np|numpy|torch|log|logger)\.log"
    r"|(?:res|response|req|request|r|resp)\.(?:json|log)|(?:this|self|window|document)\.\w+"
)
_FILE_NAME = re.compile(r"[\w@$+()\[\]~-][\w.@$+()\[\]~-]*?\.([A-Za-z][A-Za-z0-9]{0,9})")
_WINDOWS = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]:\\{1,2}"
    r"(?:[\w.()+@~-]{1,64}(?: [\w.()+@~-]{1,64}){0,2}\\{1,2}){0,20}[\w.()+@~-]{1,100}"
)
_BACKSLASHED = re.compile(r"[\w.@-]{1,64}(?:\\[\w.@-]{1,64}){1,20}")
_OUTSIDE = (
    r"\s\"'`<>|,;{}=?*!：，。、；（）「」『』《》“”‘’"  # noqa: RUF001 - punctuation of other scripts
    r"\u0e00-\u0eff\u1000-\u11ff\u3000-\u9fff\uac00-\ud7a3"
)
# The look ahead passes over words without a slash or an inner dot, which are nearly all.
_CHUNK = re.compile(
    rf"(?<![^{_OUTSIDE}])(?=[^{_OUTSIDE}/.\\]*+(?:[/\\]|\.[^{_OUTSIDE}])|[A-Za-z]{{3,9}}file)"
    rf"[^{_OUTSIDE}]++"
)
_POSITION = re.compile(
    r"(?::(\d{1,7})(?::\d{1,7})?(?:-\d{1,7})?|#L(\d{1,7})(?:-L?\d{1,7})?|\((\d{1,7})\)?)$"
)
_LINE_AFTER = re.compile(r'"?, line (\d{1,7})|:line (\d{1,7})')
_DOMAIN = re.compile(r"(?:[\w-]{1,63}\.){1,6}(?:com|org|net|io|dev|ai|app|co|edu|gov)(?:/|$)")
# Clients let a file be named by `@path`; a package's scope has no ending after it.
_MENTION = re.compile(r"@(?=[\w./-]{1,200}\.\w{1,10}\W*$)")
_HIDDEN = re.compile(r"\.[^\W\d_]")
_LETTER = re.compile(r"[^\W\d_]")


class TextSpan(NamedTuple):
    """A stretch of a text, without its end position."""

    start: int
    end: int


class FilePlace(NamedTuple):
    """A file or folder, and the line if one is named."""

    path: str
    line: int | None = None


def find_paths(text: str) -> list[tuple[TextSpan, FilePlace]]:
    """Return each file or folder that the text names, in order, with its span."""
    places = []
    if "\\" in text:
        places = [_split_position(text, *match.span()) for match in _WINDOWS.finditer(text)]
        text = blanked_text(text, (span for span, _ in places))
    # A link in Markdown is two chunks; blanking its seam keeps every position.
    for match in _CHUNK.finditer(text.replace("](", "  ")):
        start, end = match.span()
        if end - start <= LONGEST_PATH_CHARACTERS:
            span, place = _split_position(text, *_trimmed_span(text, start, end))
            if _is_path(place.path, quoted=text[start - 1 : start] == "`"):
                places.append((span, place))
    return sorted(places)


def _trimmed_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out brackets and full stops around a path, but not those inside."""
    while start < end:
        if text[end - 1] in ".:…)]" and not _closes_inside(text[start:end]):
            end -= 1
        elif _is_wrapping(text[start:end]):
            start += 1
        else:
            break
    return start, end


def _is_wrapping(chunk: str) -> bool:
    """Say whether the first character stands before the path, not in it."""
    if chunk[0] in "([":
        # As opposed to `(group)/page.tsx`, where the bracket is closed inside.
        return (")" if chunk[0] == "(" else "]") not in chunk[:-1]
    return _MENTION.match(chunk) is not None


def _closes_inside(chunk: str) -> bool:
    """Say whether the bracket at the end belongs to one inside."""
    opening = {")": "(", "]": "["}.get(chunk[-1])
    return opening is not None and chunk.count(opening, 1) >= chunk.count(chunk[-1])


def _split_position(text: str, start: int, end: int) -> tuple[TextSpan, FilePlace]:
    chunk = text[start:end]
    path = chunk.partition("::")[0]
    after = start + len(path.removesuffix(":line"))
    position = _POSITION.search(path) or _LINE_AFTER.match(text, after)
    line = next((int(number) for number in position.groups() if number), None) if position else None
    if position and position.string is path:
        path = path[: position.start()]
    path = path.removesuffix(":line")
    return TextSpan(start, start + len(path)), FilePlace(path, line)


def _is_path(path: str, *, quoted: bool) -> bool:
    if ":" in path or "//" in path or not _LETTER.search(path) or _DOMAIN.match(path):
        return False
    if "\\" in path:
        file_name = path.rpartition("\\")[2]
        return _BACKSLASHED.fullmatch(path) is not None and _has_known_suffix(file_name)
    if "/" not in path:
        return _is_file_name(path)
    parts = path.split("/")
    if path.startswith(("~/", "./", "../")):
        return True
    if path.startswith("/"):
        return len(parts) >= SUFFIXLESS_PATH_PARTS or _has_known_suffix(parts[-1])
    return _is_relative(parts, quoted=quoted)


def _is_relative(parts: list[str], *, quoted: bool) -> bool:
    if _has_known_suffix(parts[-1]):
        return True
    if not all(_LETTER.search(part) for part in parts[:-1]) or parts[0].startswith("@"):
        return False
    if _HIDDEN.match(parts[0]) or not parts[-1]:
        return True
    if not _LETTER.search(parts[-1]):
        return False
    if parts[0] in SOURCE_FOLDERS:
        return len(parts) >= SUFFIXLESS_PATH_PARTS or parts[1] not in SOURCE_FOLDERS
    return quoted and len(parts) >= SUFFIXLESS_PATH_PARTS and parts[0] not in BRANCH_PREFIXES


def _is_file_name(name: str) -> bool:
    """Say whether a word without a folder is a file name."""
    if _BARE.fullmatch(name) or _DOTFILE.fullmatch(name):
        return True
    match = _FILE_NAME.fullmatch(name)
    if match is None or _NO_FILE.fullmatch(name) or match[1].lower() not in SUFFIXES:
        return False
    # `a.b.c` is an attribute, `main.c` is a file; `done.Go` is a missing space.
    suffix, stem = match[1], name[: -len(match[1]) - 1]
    long_enough = len(suffix) > 1 or (len(stem) > 1 and "." not in stem)
    return long_enough and (suffix.islower() or suffix.isupper())


def _has_known_suffix(name: str) -> bool:
    """Say whether the last part of a path ends like a file."""
    match = _FILE_NAME.fullmatch(name)
    if match is None:
        return _BARE.fullmatch(name) is not None or _DOTFILE.fullmatch(name) is not None
    return match[1].lower() in SUFFIXES or match[1] in WORDLIKE_SUFFIXES


def blanked_text(text: str, spans: Iterable[TextSpan]) -> str:
    """Return the text with the spans replaced by spaces; all positions stay the same."""
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces += [text[position:start], " " * (end - start)]
        position = end
    return "".join([*pieces, text[position:]]) if pieces else text
