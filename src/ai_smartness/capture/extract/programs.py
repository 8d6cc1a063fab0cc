"""What programs are called at a prompt, and the words that follow their names there."""

__all__ = ["PROGRAMS", "SUBCOMMANDS"]

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

# Everyday words too, or programs that take anything: only a flag, a path or the like after
# one of these tells that it is meant.
_OTHERS = """
./gradlew ./mvnw ansible-playbook awk bash black cat cd chmod chown cmake cp curl deactivate
diff du echo env eslint export find gcc gradle grep head java javac jest jq just kill ln ls lsof
make mkdir mv mypy nano node nohup openssl perl php playwright prettier ps psql pwd pytest
python python3 rg rm rsync ruby ruff scp sed sh sort source sqlite3 ssh sudo tail tar tee time
timeout touch tox tsc tsx unzip uvicorn vi vim vite vitest wc wget which xargs zip zsh
"""


def _table(written: str) -> dict[str, frozenset[str]]:
    entries = written.strip().replace("\n    ", " ").split("\n")
    pairs = (entry.partition(":") for entry in entries)
    return {program: frozenset(words.split()) for program, _, words in pairs}


SUBCOMMANDS = _table(_SUBCOMMANDS)
"""The first argument of the programs that are told what to do by a word."""

PROGRAMS = frozenset(_OTHERS.split()) | SUBCOMMANDS.keys()
"""Every program known by name."""
