"""What `scripts/check` says about the vulnerabilities of our dependencies."""

from audit import audit_summary

SOUND = {"name": "click", "version": "8.3", "vulns": []}
UNKNOWN = {"name": "ours", "skip_reason": "Dependency not found on PyPI"}
HOLE = {"id": "PYSEC-1", "fix_versions": ["2.1"]}
BROKEN = {"name": "mcp", "version": "2.0", "vulns": [HOLE]}


def test_a_vulnerability_is_named_with_the_version_that_mends_it() -> None:
    summary, problems = audit_summary({"dependencies": [SOUND, BROKEN]})

    assert problems == ["mcp 2.0 has PYSEC-1: update it to 2.1"]
    assert summary == "dependencies: 1 vulnerabilities in 2 packages"


def test_an_index_that_knows_no_package_has_checked_nothing() -> None:
    summary, problems = audit_summary({"dependencies": [UNKNOWN, UNKNOWN]})

    assert summary == "dependencies: not checked: the index knows none of 2 packages"
    assert problems == []


def test_without_an_answer_nothing_is_checked_and_nothing_fails() -> None:
    assert audit_summary("no answer") == ("dependencies: not checked: no answer", [])


def test_packages_that_the_index_does_not_know_are_counted() -> None:
    summary, _ = audit_summary({"dependencies": [SOUND, UNKNOWN]})

    assert summary.endswith("in 1 packages, 1 that the index does not know")
