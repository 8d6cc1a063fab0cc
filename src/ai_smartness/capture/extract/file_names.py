"""What a file is called: the endings and names by which one is told from a word.

Taken from what repositories hold; an ending that is also an everyday word or
attribute (`text`, `env`) counts only after a folder.
"""

import re

__all__ = ["BRANCHES", "FOLDERS", "is_file_name", "is_known_ending"]

_ENDINGS = """
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
_WORDY_ENDINGS = """
bin db el env ex feature fs in m4 node orig out po pub rej service snap so sum text typed
"""

_FOLDERS = "cmd crates internal lib node_modules packages pkg src"
_BRANCHES = "bugfix chore feat feature fix hotfix origin refs release upstream"

ENDINGS = frozenset(_ENDINGS.split())
WORDY_ENDINGS = frozenset(_WORDY_ENDINGS.split())

FOLDERS = frozenset(_FOLDERS.split())
"""What a path without an ending may start with."""

BRANCHES = frozenset(_BRANCHES.split())
"""What the name of a git branch starts with."""

_BARE = re.compile(
    "Dockerfile|Containerfile|(?:GNUm|M)akefile|[Jj]ustfile|Gemfile|Rakefile|Procfile|Jenkinsfile"
    r"|Vagrantfile|Brewfile|Pipfile|Podfile|Caddyfile|go\.(?:mod|sum|work)"
)
_DOTFILE = re.compile(
    r"\.(?:git(?:attributes|modules|keep)|[a-z]{2,12}ignore|[a-z]{2,12}rc(?:\.[a-z]{2,5})?"
    r"|bash_profile|profile|editorconfig|env(?:\.[\w-]{1,20}){0,2}|flake8|python-version"
    r"|tool-versions|[a-z][\w-]{0,40}\.(?:json|ya?ml|toml|js|cjs|mjs))"
)
# What reads like a file and is a product, or a part of an object.
_NO_FILE = re.compile(
    r"(?:[Nn]ode|[Nn]ext|[Vv]ue|[Rr]eact|[Ee]xpress|[Nn]uxt|[Tt]hree|[Dd]3|Chart|Socket|Ember"
    r"|Backbone|Angular|Moment|Alpine|Discord|Solid|Nest|Day|Electron)\.js"
    r"|(?:console|[Mm]ath|np|numpy|torch|log|logger)\.log"
    r"|(?:res|response|req|request|r|resp)\.(?:json|log)|(?:this|self|window|document)\.\w+"
)
_NAME = re.compile(r"[\w@$+()\[\]~-][\w.@$+()\[\]~-]*?\.([A-Za-z][A-Za-z0-9]{0,9})")


def is_file_name(name: str) -> bool:
    """Say whether a word without a folder before it is the name of a file."""
    if _BARE.fullmatch(name) or _DOTFILE.fullmatch(name):
        return True
    found = _NAME.fullmatch(name)
    if found is None or _NO_FILE.fullmatch(name) or found[1].lower() not in ENDINGS:
        return False
    # `a.b.c` is an attribute, `main.c` is a file; `done.Go` is a missing space.
    stem = name[: -len(found[1]) - 1]
    long_enough = len(found[1]) > 1 or (len(stem) > 1 and "." not in stem)
    return long_enough and (found[1].islower() or found[1].isupper())


def is_known_ending(name: str) -> bool:
    """Say whether the last part of a path ends like a file."""
    found = _NAME.fullmatch(name)
    if found is None:
        return _BARE.fullmatch(name) is not None or _DOTFILE.fullmatch(name) is not None
    return found[1].lower() in ENDINGS or found[1] in WORDY_ENDINGS
