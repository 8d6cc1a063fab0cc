"""The other real clients, from npm: how each is installed, pointed at the script, and run once.

Each gets one prompt, answers it and ends. Where a client keeps its own settings, the script's
address stands there before our entries come.
"""

import json
import os
import platform
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from e2e import npm
from e2e.scripted_model import ScriptedModel, Step, scripted_model
from e2e.site import PATIENCE_SECONDS, Site

__all__ = ["CLIENTS", "OtherClient", "OtherSite", "Recipe"]

RUN_SECONDS = 2 * PATIENCE_SECONDS

KEY = "no-key-at-all"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to run one client: its package, its program, and what it needs to know of the model."""

    package: str
    known_good: str
    program: str
    command: tuple[str, ...]
    env: Callable[[str], dict[str, str]]
    settings: Callable[["OtherSite", str], dict[Path, str]]
    node: str = ""  # the version of Node that it needs, if the machine's own may be too old


@dataclass(frozen=True, slots=True)
class OtherClient:
    """A program that runs, the version it says it is, and the folders it needs on the PATH."""

    name: str
    program: Path
    version: str
    path: str

    @property
    def recipe(self) -> Recipe:
        """Return how it is run."""
        return CLIENTS[self.name]


def installed(name: str, cache: Path) -> OtherClient:
    """Return a client, fetched by npm if it is not here yet."""
    recipe = CLIENTS[name]
    node = _installed_node(recipe.node, cache) if recipe.node else None

    def find(folder: Path) -> OtherClient | None:
        for program in sorted(folder.glob(recipe.program)):
            folders = [str(program.parent), *([str(node.parent)] if node else [])]
            path = os.pathsep.join(folders)
            done = subprocess.run(
                [str(program), "--version"],
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE_SECONDS,
                env={
                    **os.environ,
                    "HOME": str(folder),
                    "PATH": f"{path}{os.pathsep}{os.environ['PATH']}",
                },
            )
            words = [word for word in done.stdout.split() if word[:1].isdigit()]
            if words:
                return OtherClient(name, program, words[0].rstrip("."), path)
        return None

    return npm.installed(cache, recipe.package, recipe.known_good, find)


def _installed_node(version: str, cache: Path) -> Path:
    """Return a newer Node, of the registry's package for this platform."""
    package = f"node-linux-{'arm64' if platform.machine() == 'aarch64' else 'x64'}"

    def find(folder: Path) -> Path | None:
        return next(folder.glob(f"node_modules/{package}/bin/node"), None)

    return npm.installed(cache, package, version, find)


class OtherSite(Site):
    """One user's machine with another client than Claude Code."""

    def use(self, client: OtherClient) -> None:
        """Put a client on the user's PATH."""
        self.other = client
        self.env["PATH"] = f"{client.path}{os.pathsep}{self.env['PATH']}"
        # Offline, a client that wants to install something is refused at once.
        (self.home / ".npmrc").write_text("fetch-retries=0\nregistry=http://127.0.0.1:9/\n")

    def write_settings(self) -> dict[Path, bytes]:
        """Write the user's own settings of the client; return the bytes of each file."""
        files = self.other.recipe.settings(self, "http://127.0.0.1:9")
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return {path: path.read_bytes() for path in files}

    def asks(self, prompt: str, *steps: Step) -> ScriptedModel:
        """Give the client one prompt, wait for its end, and see what it asked the model."""
        with scripted_model(self.network, *steps) as model:
            recipe = self.other.recipe
            for path in recipe.settings(self, model.url):
                path.write_text(_pointed_at(path.read_text(), model.url))
            self.network.run(
                self._run_client,
                [str(self.other.program), *recipe.command, prompt],
                {**self.env, **recipe.env(model.url)},
            )
        assert model.is_done, "the client ended before the script did"
        return model

    def _run_client(self, command: list[str], env: Mapping[str, str]) -> None:
        done = subprocess.run(
            command,
            cwd=self.project,
            env={**env, "PWD": str(self.project), "AIS_HOME": str(self.memory)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )
        assert not done.returncode, done.stdout[-3_000:]


def _pointed_at(text: str, url: str) -> str:
    """Return settings in which the model is served at another port."""
    before, mark, rest = text.partition("http://127.0.0.1:")
    return f"{before}{url}{rest.lstrip('0123456789')}" if mark else text


def _codex_settings(site: OtherSite, url: str) -> dict[Path, str]:
    text = f"""\
# mine
model = "gpt-5"
model_provider = "script"

[model_providers.script]
name = "script"
base_url = "{url}/v1"
env_key = "SCRIPT_KEY"
wire_api = "responses"
"""
    return {site.home / ".codex" / "config.toml": text}


def _gemini_settings(site: OtherSite, _url: str) -> dict[Path, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    return {site.home / ".gemini" / "settings.json": json.dumps(settings, indent=2)}


def _opencode_settings(site: OtherSite, url: str) -> dict[Path, str]:
    options = {"baseURL": f"{url}/v1", "apiKey": KEY}
    limit = {"context": 100_000, "output": 8_000}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Script",
        "options": options,
        "models": {"scripted": {"name": "Scripted", "limit": limit}},
    }
    settings = {
        "model": "script/scripted",
        "small_model": "script/scripted",
        "autoupdate": False,
        "share": "disabled",
        "permission": {"*": "allow"},
        "provider": {"script": provider},
    }
    return {site.project / "opencode.json": json.dumps(settings, indent=2)}


def _qwen_settings(site: OtherSite, _url: str) -> dict[Path, str]:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    return {site.home / ".qwen" / "settings.json": json.dumps(settings, indent=2)}


def _no_settings(_site: OtherSite, _url: str) -> dict[Path, str]:
    return {}


CLIENTS = {
    "codex": Recipe(
        package="@openai/codex",
        known_good="0.169.0",
        program="node_modules/@openai/codex-*/vendor/*/bin/codex",
        command=("exec", "--skip-git-repo-check", "-s", "danger-full-access"),
        env=lambda _url: {"SCRIPT_KEY": KEY},
        settings=_codex_settings,
    ),
    "copilot": Recipe(
        package="@github/copilot",
        known_good="1.0.102",
        program="node_modules/.bin/copilot",
        command=("--allow-all-tools", "--trust-folder", "--no-auto-update", "-p"),
        env=lambda url: {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": url,
            "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_PROVIDER_API_KEY": KEY,
            "COPILOT_MODEL": "claude-sonnet-4.5",
            "COPILOT_AUTO_UPDATE": "false",
        },
        settings=_no_settings,
    ),
    "gemini": Recipe(
        package="@google/gemini-cli",
        known_good="0.61.0",
        program="node_modules/.bin/gemini",
        command=("-y", "-m", "gemini-2.5-pro", "-p"),
        env=lambda url: {
            "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        settings=_gemini_settings,
    ),
    "opencode": Recipe(
        package="opencode-ai",
        known_good="1.18.33",
        program="node_modules/opencode-linux-x64/bin/opencode",
        command=("run",),
        env=lambda _url: {
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        },
        settings=_opencode_settings,
    ),
    "qwen": Recipe(
        package="@qwen-code/qwen-code",
        known_good="0.24.4",
        program="node_modules/.bin/qwen",
        command=("-y", "-p"),
        env=lambda url: {
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_MODEL": "scripted",
        },
        settings=_qwen_settings,
        node="24.4.1",
    ),
}
