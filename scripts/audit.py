#!/usr/bin/env python3
"""Ask PyPI for known vulnerabilities of everything in .venv: `scripts/audit.py`.

`scripts/check` runs it. A vulnerability fails the check. Where the index does not answer, that is
said and is no failure. The answer holds for a day, or until a package changes.
"""

import hashlib
import json
import subprocess
import sys
import time
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

__all__ = ["audit_summary"]

LIMIT_SECONDS = 30  # for all packages together
REQUEST_SECONDS = 3
FRESH_SECONDS = 86_400
ANSWER_FILE = Path(sys.prefix) / ".audited.json"
PIP_AUDIT = ["-m", "pip_audit", "--local", "--skip-editable", "--format", "json"]


def main() -> int:
    """Print one line, or a line for each vulnerability, and return the exit code."""
    packages = _installed_packages()
    fresh = _fresh_answer(packages)
    summary, problems = fresh or audit_summary(_pip_audit_report())
    for line in [*problems, summary]:
        print(line)
    if not problems and not fresh:
        answer = {"packages": packages, "at": time.time(), "summary": summary}
        ANSWER_FILE.write_text(json.dumps(answer))
    return 1 if problems else 0


def audit_summary(report: "dict[str, Any] | str") -> tuple[str, list[str]]:
    """Return a sentence about a report of pip-audit, or why there is none, and the problems."""
    if isinstance(report, str):
        return f"dependencies: not checked: {report}", []
    known = [package for package in report["dependencies"] if "skip_reason" not in package]
    skipped = len(report["dependencies"]) - len(known)
    problems = [
        f"{package['name']} {package['version']} has {problem['id']}: update it to "
        f"{' or '.join(problem['fix_versions']) or 'a version that is yet to come'}"
        for package in known
        for problem in package["vulns"]
    ]
    if not known:
        return f"dependencies: not checked: the index knows none of {skipped} packages", []
    unknown = f", {skipped} that the index does not know" if skipped else ""
    result = f"{len(problems)} vulnerabilities" if problems else "no known vulnerability"
    return f"dependencies: {result} in {len(known)} packages{unknown}", problems


def _pip_audit_report() -> "dict[str, Any] | str":
    options = ["--timeout", str(REQUEST_SECONDS), "--progress-spinner", "off"]
    try:
        done = subprocess.run(  # noqa: S603 - our own Python
            [sys.executable, *PIP_AUDIT, *options],
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
        report: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return f"no answer within {LIMIT_SECONDS} seconds"
    except ValueError:
        return (done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1][:200]
    return report


def _fresh_answer(packages: str) -> tuple[str, list[str]] | None:
    try:
        answer = json.loads(ANSWER_FILE.read_text())
        is_fresh = answer["packages"] == packages and time.time() - answer["at"] < FRESH_SECONDS
        return (f"{answer['summary']} (asked within a day)", []) if is_fresh else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _installed_packages() -> str:
    names = sorted(f"{package.name}=={package.version}" for package in distributions())
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
