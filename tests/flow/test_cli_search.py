"""Search on the command line, and rebuild what a search looks in."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.entrypoints.cli.search import query_stems
from ai_smartness.text.display import matching_excerpt
from builders import said
from command_line import ais, captured, standing_in_a_project, three_threads
from embedding_server import embedding_server


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def test_a_search_takes_its_words_without_quotes(project: Path) -> None:
    three_threads(project)

    ran = ais("search", "rotate", "the", "keys", "--limit", "1")

    head, said_when, _ = ran.stdout.splitlines()
    assert re.fullmatch(r"1\. Rotating the JWT keys every month \[[0-9a-f]{6}\]", head)
    assert said_when == "    user, 2026-03-02 12:00 UTC, message m1, session s1"
    assert ran.stdout.endswith("    rotate the JWT keys every month\n")


def test_a_search_for_programs_says_why(project: Path) -> None:
    three_threads(project)

    hits = json.loads(ais("search", "连接", "--json").stdout)

    assert [hit["id"] for hit in hits] == ["m3"]
    assert hits[0]["why"]["words_rank"] == 1
    assert "words #1 (bm25" in ais("search", "连接", "--why").stdout


def test_a_search_can_be_narrowed_to_a_session_and_to_a_time(project: Path) -> None:
    captured(
        project,
        said("alpha one", id_="m1", session="s1"),
        said("alpha two", id_="m2", session="s2", minute=60),
    )

    def found(*options: str) -> list[str]:
        return [hit["id"] for hit in json.loads(ais("search", "alpha", "--json", *options).stdout)]

    assert found("--session", "s2") == ["m2"]
    assert found("--before", "2026-03-02T12:30") == ["m1"]
    assert found("--before", "2026-03-02") == []
    assert found("--before", "2026-03-02T14:30+02:00") == ["m1"]


def test_nothing_found_is_no_failure(project: Path) -> None:
    plain, for_programs = ais("search", "zebra"), ais("search", "zebra", "--json")

    assert plain.exit_code == for_programs.exit_code == 0
    assert (plain.stdout, json.loads(for_programs.stdout)) == ("", [])
    assert f"nothing found in the project {project}" in plain.stderr


def test_a_small_backlog_is_embedded_before_the_search(project: Path) -> None:
    three_threads(project)

    with embedding_server() as server:
        ran = ais("search", "keys", "--why", AIS_EMBEDDER_MODEL=server.url)
        told = json.loads(ais("status", "--json", AIS_EMBEDDER_MODEL=server.url).stdout)

    assert "meaning #1" in ran.stdout
    assert (told["waiting"], ran.stderr) == (0, "")


def test_a_large_backlog_is_found_by_words_and_said(project: Path) -> None:
    captured(project, *(said(f"message {number}", id_=f"m{number}") for number in range(201)))

    with embedding_server() as server:
        ran = ais("search", "message", "77", AIS_EMBEDDER_MODEL=server.url)
        caught_up = ais("reindex", "--missing", AIS_EMBEDDER_MODEL=server.url)

    assert ran.stdout.splitlines()[1].endswith(", message m77, session s1")
    assert "201 messages not embedded yet, and found by keyword only" in ran.stderr
    assert "`ais reindex --missing` embeds them" in ran.stderr
    assert caught_up.stdout == f"{project}: 201 messages embedded\n"


def test_a_search_by_words_asks_no_model(project: Path) -> None:
    three_threads(project)

    with embedding_server() as server:
        ran = ais("search", "keys", "--words", AIS_EMBEDDER_MODEL=server.url)

    assert ran.stdout.splitlines()[1].endswith(", message m1, session s1")
    assert server.sizes == []


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("arctic-embed-s", "`ais model pull arctic-embed-s` downloads it"),
        ("http://127.0.0.1:9/v1#gone", "Start the server"),
    ],
)
def test_without_its_model_a_search_goes_by_words_and_says_so(
    project: Path, model: str, told: str
) -> None:
    three_threads(project)

    ran = ais("search", "keys", AIS_EMBEDDER_MODEL=model)

    assert ran.stdout.splitlines()[1].endswith(", message m1, session s1")
    assert told in ran.stderr
    assert "by keyword only" in ran.stderr


def test_the_excerpt_is_where_the_words_are() -> None:
    text = "the keys " * 500 + "rotating the needles " + "the keys " * 500

    shown = matching_excerpt(text, query_stems("why rotate the needle"), 300)

    assert "rotating the needles" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")


@given(st.text(), st.text(), st.integers(80, 300))
def test_an_excerpt_is_one_line_of_at_most_the_size(text: str, question: str, size: int) -> None:
    shown = matching_excerpt(text, query_stems(question), size)

    assert len(shown) <= size + len("…  …")
    assert len(shown.splitlines()) <= 1


def test_reindexing_gives_the_same_answers(project: Path) -> None:
    three_threads(project)

    with embedding_server() as server:
        before = ais("search", "rotate", "keys", "--json", AIS_EMBEDDER_MODEL=server.url).stdout
        rebuilt = ais("reindex", AIS_EMBEDDER_MODEL=server.url)
        after = ais("search", "rotate", "keys", "--json", AIS_EMBEDDER_MODEL=server.url).stdout

    assert rebuilt.stdout == f"{project}: 4 messages rebuilt\n"
    assert before == after


def test_words_are_rebuilt_without_asking_the_model(project: Path) -> None:
    three_threads(project)

    with embedding_server() as server:
        ran = ais("reindex", "--keep-vectors", AIS_EMBEDDER_MODEL=server.url)

    assert ran.stdout == f"{project}: 4 messages rebuilt\n"
    assert server.sizes == []


def test_all_projects_are_rebuilt_at_once(project: Path) -> None:
    three_threads(project)
    captured("other", said("elsewhere"))

    ran = ais("reindex", "--all-projects")

    assert ran.stdout == f"{project}: 4 messages rebuilt\nother: 1 message rebuilt\n"


def test_without_the_model_words_are_rebuilt_and_embedding_is_refused() -> None:
    whole = ais("reindex", AIS_EMBEDDER_MODEL="arctic-embed-s")
    missing = ais("reindex", "--missing", AIS_EMBEDDER_MODEL="arctic-embed-s")

    assert (whole.exit_code, missing.exit_code) == (0, 1)
    assert "ais model pull arctic-embed-s" in whole.stderr
    assert "ais model pull arctic-embed-s" in missing.stderr
