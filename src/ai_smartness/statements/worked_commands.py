"""Find the commands that worked: how a project is built, tested, run, deployed or migrated.

Commands that only look at files are no use later. A command counts once, whatever files it named
and however its output was filtered.
"""

import re
from collections.abc import Iterator

from ai_smartness.capture.mentions.error_messages import find_error_messages
from ai_smartness.model.event import Event
from ai_smartness.text.display import one_line

__all__ = ["COMMAND_SIGN", "command_key", "worked_commands"]

COMMAND_SIGN = "$ "
MOST_CHARACTERS = 200  # a longer command is a script that was typed once
KEY_WORDS = 2  # of a command beside its options and files

_FOLDER_CHANGE = re.compile(r"^(?:cd|pushd) [^&;|]{1,200}(?:&&|;) *")
_OUTPUT_FILTER = re.compile(
    r"\s*(?:2>&1|[12&]?>{1,2} ?/dev/null|\| ?(?:tail|head|grep|less|cat|tee|wc|sed|awk|sort)\b[^"
    r"|&;]*"
    r"|\|\| true|; ?echo .*)\s*$"
)
_VARIABLES = re.compile(r"^(?:env )?(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*) +)+")
_WAY_TO_WORK = re.compile(
    r"(?:sudo )?(?:make|just|task|rake|mage|bazel|buck2?|ninja|cmake|ctest|meson|tox|nox|pytest"
    r"|jest"
    r"|vitest|mocha|phpunit|rspec|prove|dune|cabal|stack|mix|sbt|mvn|mvnw|gradlew?|ant|lein|colcon"
    r"|xcodebuild|fastlane|swift|zig|tsc|eslint|prettier|biome|ruff|mypy|pyright|flake8|black|isort"
    r"|golangci-lint|kamal|alembic|flyway|liquibase|prisma|sqlc|terraform|tofu|pulumi"
    r"|ansible-playbook"
    r"|helm|skaffold|serverless|wrangler|vercel|netlify|flyctl|fly|cap|gunicorn|uvicorn|flask"
    r"|streamlit"
    r"|hugo|jekyll|mkdocs|sphinx-build|latexmk|pre-commit|sbatch|west|pio|idf\.py|esptool\.py"
    r"|snakemake"
    r"|nextflow|dvc|dbt|airflow|godot|bundle exec|poetry run|pipenv run|uv run|hatch run|pdm run"
    r"|rye run"
    r"|(?:npm|pnpm|yarn|bun|deno)(?: run| test| start| ci| install| exec| build| dlx| task)?"
    r"|npx|bunx|cargo|go (?:test|build|run|generate|vet|install)|dotnet|composer|php (?:artisan"
    r"|bin)"
    r"|python3? (?:-m |\S*manage\.py|setup\.py|[\w./-]+\.py)|manage\.py|rails|node [\w./-]+"
    r"|ruby [\w./-]+"
    r"|docker (?:build|run|compose|stack)|docker-compose|podman (?:build|run|compose)"
    r"|kubectl (?:apply|rollout|create)|gcloud (?:run|app|builds)|aws (?:deploy|ecs|lambda|s3 sync)"
    r"|systemctl restart|rsync|pg_dump|pg_restore|psql .*(?:-f|<) |ros2 (?:launch|run)|opam|menhir"
    r"|(?:\./|bin/|scripts?/|tools?/|\.venv/bin/|vendor/bin/)[\w./-]+)(?= |$)"
)
_ONLY_LOOKS = re.compile(
    r"(?:npm|pnpm|yarn|pip|cargo|go|dotnet|docker|helm|terraform|composer)\s+(?:ls|list|view"
    r"|show|info"
    r"|outdated|ps|images|logs|inspect|why|search|version|config|state|tree|metadata)\b|.*(?:--version|--help"
    r"| -V| -h)$|.* -[ce] ['\"]"
    r"|(?:bundle exec )?(?:bin/)?rails (?:runner|console|routes|c\b)|.*<<"
)
_FAILURES = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?|errored)\b|\bFAIL(?:ED|URE)?\b|\bfailed\b.{0,3}:"
    r"|command not found|\bno tests ran\b",
)
_PLAIN_WORD = re.compile(r"[A-Za-z][\w:-]*")  # neither an option nor a file
_COMMAND_LINE = re.compile(rf"^{re.escape(COMMAND_SIGN)}(\S.*)$", re.MULTILINE)


def worked_commands(event: Event) -> Iterator[str]:
    """Yield the commands of a tool's output that worked and are worth knowing."""
    code = event.payload.get("exit_code")
    if (isinstance(code, int) and code != 0) or ("exit_code" in event.payload and code is None):
        return
    parts = _COMMAND_LINE.split(event.text)[1:]
    for command, output in zip(parts[::2], parts[1::2], strict=True):
        bare = _bare_command(command)
        if _is_worth_knowing(bare) and not _has_failed(output):
            yield bare


def command_key(command: str) -> str:
    """Return what commands share that differ only in options, files and variables."""
    words = _VARIABLES.sub("", command.removeprefix(COMMAND_SIGN)).split()
    plain = [word for word in words[1:] if _PLAIN_WORD.fullmatch(word)]
    return " ".join([*words[:1], *plain][: KEY_WORDS + 1])


def _bare_command(command: str) -> str:
    bare = _FOLDER_CHANGE.sub("", one_line(command))
    while (shorter := _OUTPUT_FILTER.sub("", bare)) != bare:
        bare = shorter
    return bare


def _is_worth_knowing(command: str) -> bool:
    plain = _VARIABLES.sub("", command)
    if len(command) > MOST_CHARACTERS or _ONLY_LOOKS.match(plain):
        return False
    return _WAY_TO_WORK.match(plain) is not None


def _has_failed(output: str) -> bool:
    return _FAILURES.search(output) is not None or any(find_error_messages(output))
