"""Find the commands that a text runs or asks to run.

A line after a prompt, a line in a shell block, words in backticks, or a known program with its
arguments; `make sure` and `go on` are no commands.
"""

import re
from collections.abc import Iterator

__all__ = ["find_commands"]

LONGEST_COMMAND_CHARACTERS = 300  # a longer one is a script, and its first lines say what it does
SHORT_LINE_WORDS = 5  # a line this short is all command, without a sentence after it

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


def find_commands(text: str) -> Iterator[str]:
    """Yield each command, in order, as it would be typed."""
    if not any(sign in text for sign in ("`", "$ ", "> ", "~~~")) and PROGRAMS.isdisjoint(
        _HEAD.findall(text)
    ):
        return
    shell = fenced = False
    for line in filter(None, text.split("\n")):
        fence = _FENCE.match(line)
        if fence:
            fenced = not fenced
            shell = fenced and fence[1].lower() in _SHELLS
            continue
        for command in _commands_in_line(line, shell=shell, fenced=fenced):
            yield command[:LONGEST_COMMAND_CHARACTERS].strip()


def _commands_in_line(line: str, *, shell: bool, fenced: bool) -> Iterator[str]:
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
        yield from _commands_in_prose(line)


def _commands_in_prose(line: str) -> Iterator[str]:
    commands = [
        (quote.start(), quote[1])
        for quote in _BACKTICKS.finditer(line)
        if _is_quoted_command(quote[1])
    ]
    unquoted = _BACKTICKS.sub(lambda quote: "`" * len(quote[0]), line)
    for _, command in sorted([*commands, *_unquoted_commands(unquoted)]):
        yield command


def _unquoted_commands(line: str) -> Iterator[tuple[int, str]]:
    if PROGRAMS.isdisjoint(_HEAD.findall(line)):
        return
    position = 0
    for head in _HEAD.finditer(line):
        start = head.start()
        if start < position or head[0] not in PROGRAMS:
            continue
        rest, quote, _ = line[start : start + LONGEST_COMMAND_CHARACTERS].partition("`")
        command = _leading_command(rest, alone=not quote and not line[:start].strip(" \t-*"))
        # `the git tag` is a thing; `run git tag` and `git tag -a` are commands.
        if command.count(" ") > 1 or (command and _ASKED.search(line[:start][-20:])):
            position = start + len(command)
            yield start, command


def _leading_command(rest: str, *, alone: bool) -> str:
    """Return the command at the start of a text, without the sentence around it."""
    if not _starts_command(rest):
        return ""
    words = list(_WORD.finditer(rest))
    is_short = alone and len(words) <= SHORT_LINE_WORDS
    if is_short and not any(_CLAUSE_END.search(word[0]) for word in words):
        return rest[: words[-1].end()]
    last = words[1]
    for word in words[2:]:
        if _CLAUSE_END.search(last[0]) or not _TECHNICAL.match(word[0]):
            break
        last = word
    return _CLAUSE_END.sub("", rest[: last.end()])


def _is_quoted_command(quoted: str) -> bool:
    """Say whether a quote is a command: a program and something after it."""
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


_SUBCOMMANDS = """
ais:
alembic: current downgrade history revision upgrade
apt: install list remove search update upgrade
apt-get: install remove update upgrade
aws: cloudformation configure ec2 ecr ecs iam lambda logs s3 s3api ssm sts
brew: info install link list search services tap uninstall update upgrade
bun: add build create install link pm remove run test update x
bundle: add exec install update
bunx:
cargo: add bench build check clean clippy doc fix fmt install metadata publish run test tree
    update watch
conda: activate config create env info install list remove update
deno: bench bundle cache check compile fmt install lint run task test
docker: build buildx compose container cp exec image images info inspect kill login logs
    network ps pull push restart rm rmi run start stop system tag volume
docker-compose: build down exec logs ps pull restart run start stop up
dotnet: add build clean new nuget pack publish restore run test tool watch
flutter: analyze build clean create doctor pub run test
gh: api auth browse codespace gist issue pr release repo run workflow
git: add am apply bisect blame branch checkout cherry-pick clean clone commit config
    describe diff fetch grep gc init log ls-files merge mv notes pull push rebase reflog
    remote reset restore revert rev-parse rm show stash status submodule switch tag worktree
go: build clean doc env fmt generate get install list mod run test tool vet work
helm: install lint list repo rollback template uninstall upgrade
kubectl: apply auth cluster-info config cp create delete describe diff drain edit exec
    explain expose get label logs patch port-forward rollout run scale set top wait
mvn: clean compile deploy install package test verify
npm: audit ci config exec i info init install link ls outdated pack publish rebuild run
    start t test uninstall update version view
npx:
pip: check config download freeze install list show uninstall wheel
pipx: install run upgrade
pnpm: add audit dlx exec i install link list publish remove run start store test up update
    why
podman: build exec images logs ps pull push rm run start stop
poetry: add build config env install lock publish remove run shell show update
rails: console db generate new routes server test
rustup: component default override target toolchain update
systemctl: daemon-reload disable enable reload restart start status stop
terraform: apply destroy fmt import init output plan state validate
uv: add build lock pip publish python remove run sync tool tree venv
uvx:
yarn: add audit build dev dlx install link remove run start test up upgrade why workspace
"""

# These are everyday words too, or programs that take anything: only a flag, a path or the like
# after one shows that the program is meant.
_OTHER_PROGRAMS = """
./gradlew ./mvnw ansible-playbook awk bash black cat cd chmod chown cmake cp curl deactivate
diff du echo env eslint export find gcc gradle grep head java javac jest jq just kill ln ls lsof
make mkdir mv mypy nano node nohup openssl perl php playwright prettier ps psql pwd pytest
python python3 rg rm rsync ruby ruff scp sed sh sort source sqlite3 ssh sudo tail tar tee time
timeout touch tox tsc tsx unzip uvicorn vi vim vite vitest wc wget which xargs zip zsh
"""


def _subcommand_table(written: str) -> dict[str, frozenset[str]]:
    entries = written.strip().replace("\n    ", " ").split("\n")
    pairs = (entry.partition(":") for entry in entries)
    return {program: frozenset(words.split()) for program, _, words in pairs}


SUBCOMMANDS = _subcommand_table(_SUBCOMMANDS)
"""The possible first arguments of programs that take a subcommand."""

PROGRAMS = frozenset(_OTHER_PROGRAMS.split()) | SUBCOMMANDS.keys()  # every program known by name
