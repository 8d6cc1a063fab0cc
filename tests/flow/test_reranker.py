"""A cross-encoder reorders the first hits of a search, and never breaks one."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ai_smartness.adapters.embedders.model_cache import load_reranker
from ai_smartness.entrypoints.daemon.shared_reranker import SharedReranker
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.memory.reranking import TimedReranking
from ai_smartness.model.errors import NotFoundError, StoreError
from ai_smartness.model.search import SearchMatch
from ai_smartness.ports import Reranker
from ai_smartness.settings.schema import SearchSettings, Settings
from ai_smartness.testing import SetClock
from ai_smartness.views.ledger import ledger_page_lines
from builders import NOON, said
from command_line import ais, captured, standing_in_a_project
from engines import open_store
from tiny_reranker import write_reranker

QUESTION = "where are the signing keys kept?"
LINES = {
    "loud": "signing again: where are the signing people, are the signing papers signed today",
    "answer": "the credentials for signing are in the vault of the second floor",
    "logo": "the logo of the start page should be larger",
}


@pytest.fixture
def reranker(tmp_path: Path) -> Reranker:
    return load_reranker(str(write_reranker(tmp_path / "reranker")))


def memory_of_lines(reranker: Callable[[], Reranker | None] | None = None) -> Memory:
    memory = empty_memory(reranker)
    memory.capture(said(text, id_=id_, session=f"of-{id_}") for id_, text in LINES.items())
    return memory


def empty_memory(reranker: Callable[[], Reranker | None] | None) -> Memory:
    parts = MemoryParts(
        store=open_store(),
        embedder=lambda: None,
        clock=SetClock(NOON),
        reranker=reranker,
    )
    return Memory(parts, "demo", Settings())


class BrokenReranker:
    """A model that was there when it was loaded."""

    name = "broken"

    def score(self, query: str, text: str) -> float:
        msg = f"cannot read {len(query)} and {len(text)} characters."
        raise StoreError(msg)


def test_the_reranker_puts_the_message_that_answers_above_the_one_with_the_words(
    reranker: Reranker,
) -> None:
    plain = [hit.id for hit in memory_of_lines().search(QUESTION)]
    reranked = memory_of_lines(lambda: reranker).search(QUESTION)

    assert plain[0] == "loud"
    assert reranked[0].id == "answer"
    assert {hit.id for hit in reranked} == set(plain)
    assert [hit.score for hit in reranked] == sorted((hit.score for hit in reranked), reverse=True)


def test_a_recall_answers_with_what_the_reranker_puts_first(reranker: Reranker) -> None:
    plain = memory_of_lines().recall(QUESTION)
    reranked = memory_of_lines(lambda: reranker).recall(QUESTION)

    assert plain.lines[0].text != LINES["answer"]
    assert reranked.lines[0].text == LINES["answer"]


def test_a_model_of_two_classes_is_read_by_the_second(tmp_path: Path) -> None:
    two = load_reranker(str(write_reranker(tmp_path / "two", outputs=2)))

    assert two.score(QUESTION, LINES["answer"]) > two.score(QUESTION, LINES["logo"])


def test_a_reranker_that_fails_leaves_the_search_as_it_was() -> None:
    plain = memory_of_lines().search(QUESTION)

    assert memory_of_lines(BrokenReranker).search(QUESTION) == plain


def test_a_reranker_that_cannot_be_loaded_leaves_the_search_as_it_was(tmp_path: Path) -> None:
    plain = memory_of_lines().search(QUESTION)

    assert memory_of_lines(lambda: load_reranker(str(tmp_path / "gone"))).search(QUESTION) == plain


def test_what_is_no_cross_encoder_is_refused(tmp_path: Path) -> None:
    folder = write_reranker(tmp_path / "reranker")
    with pytest.raises(NotFoundError, match="there is no model folder"):
        load_reranker(str(tmp_path / "gone"))
    (folder / "model.onnx").write_bytes(b"no model" * 100)
    with pytest.raises(StoreError, match="cannot load the model"):
        load_reranker(str(folder))
    (folder / "tokenizer.json").write_text('{"model": 1}')
    with pytest.raises(StoreError, match="cannot read"):
        load_reranker(str(folder))
    (folder / "tokenizer.json").unlink()
    with pytest.raises(StoreError, match=r"has no tokenizer\.json"):
        load_reranker(str(folder))


def test_a_long_message_is_judged_by_the_part_that_has_the_words(reranker: Reranker) -> None:
    memory = empty_memory(lambda: reranker)
    memory.capture([said("papers " * 3_000 + "signing: the credentials are in the vault", id_="a")])

    assert memory.search(QUESTION)[0].id == "a"
    assert reranker.score(QUESTION, "papers " * 100_000) == 0
    assert reranker.score("keys " * 100_000, "papers") == 0


def test_before_a_prompt_why_tells_what_the_reranker_cost(reranker: Reranker) -> None:
    memory = memory_of_lines(lambda: reranker)

    memory.inject(QUESTION, session="new")
    page = memory.why("new")[0]
    plain = memory_of_lines()
    plain.inject(QUESTION, session="new")

    assert page.reranked_ms > 0
    assert ", of which the reranker " in list(ledger_page_lines(page, {}))[1]
    assert plain.why("new")[0].reranked_ms == 0
    assert "reranker" not in list(ledger_page_lines(plain.why("new")[0], {}))[1]


class SlowReranker:
    """A model that takes a second for a message, on a clock that the test sets."""

    name = "slow"

    def __init__(self) -> None:
        self.now = 0.0
        self.read: list[str] = []

    def score(self, query: str, text: str) -> float:
        assert query
        self.now += 1
        self.read.append(text)
        return float(len(self.read))


def test_a_reranker_without_time_left_orders_the_messages_that_it_has_read() -> None:
    slow = SlowReranker()
    matches = [SearchMatch(seq, 1 - seq / 10) for seq in range(8)]
    texts = {seq: f"text {seq}" for seq in range(8)}
    reranking = TimedReranking(slow, until=3.5, clock=lambda: slow.now)

    ordered = reranking.reordered("which?", matches, lambda seqs: {seq: texts[seq] for seq in seqs})

    assert [match.seq for match in ordered] == [2, 1, 0, 3, 4, 5, 6, 7]
    assert [match.score for match in ordered] == [match.score for match in matches]
    assert reranking.took == 3


def wait_until_loaded() -> None:
    for thread in threading.enumerate():
        if thread.name == "reranker":
            thread.join()


def test_the_daemon_loads_the_reranker_beside_its_prompts_and_again_when_it_changes(
    tmp_path: Path,
) -> None:
    folder = write_reranker(tmp_path / "reranker")
    settings = Settings(search=SearchSettings(reranker=str(folder)))
    shared = SharedReranker()

    shared.if_loaded(settings)
    wait_until_loaded()
    first = shared.if_loaded(settings)
    (folder / "model.onnx").write_bytes(b"broken")
    shared.if_loaded(settings)
    wait_until_loaded()
    broken = shared.if_loaded(settings)
    write_reranker(folder)
    shared.if_loaded(settings)
    wait_until_loaded()

    assert first is not None
    assert broken is None
    assert shared.if_loaded(settings) is not None
    assert shared.if_loaded(Settings()) is None


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = standing_in_a_project(tmp_path, monkeypatch)
    captured(root, *(said(text, id_=id_, session=id_) for id_, text in LINES.items()))
    return root


def first_hit() -> str:
    return str(json.loads(ais("search", QUESTION, "--json").stdout)[0]["id"])


@pytest.mark.usefixtures("project")
def test_a_folder_is_chosen_as_reranker_and_given_up_again(tmp_path: Path) -> None:
    folder = write_reranker(tmp_path / "reranker")

    before = first_hit()
    used = ais("model", "use", "--reranker", str(folder))
    chosen, listed = first_hit(), json.loads(ais("model", "list", "--json").stdout)[-1]
    examined = {each["check"]: each for each in json.loads(ais("doctor", "--json").stdout)}
    given_up = ais("model", "use", "--reranker", "none")

    assert used.exit_code == 0, used.stderr
    assert used.stdout.startswith(f"search.reranker is now {folder}, in ")
    assert (before, chosen, first_hit()) == ("loud", "answer", "loud")
    assert (listed["name"], listed["in_use"]) == (str(folder), True)
    assert listed["origin"] == f"the folder {folder}"
    assert "reorders the first 20" in listed["description"]
    assert examined["reranker"]["ok"]
    assert given_up.exit_code == 0
    assert ais("config", "get", "search.reranker").stdout == "none\n"


@pytest.mark.usefixtures("project")
def test_a_folder_is_written_down_so_that_the_reranker_is_found_from_everywhere(
    project: Path,
) -> None:
    write_reranker(project / "mine")

    ais("model", "use", "--reranker", "mine")

    assert ais("config", "get", "search.reranker").stdout == f"{project / 'mine'}\n"


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("choice", "code", "reason"),
    [
        ("ms-marco-minilm", 3, "no reranker is in the catalogue"),
        ("./nowhere", 3, "there is no model folder"),
        ("arctic-embed-s", 3, "no reranker is in the catalogue"),
    ],
)
def test_what_is_no_reranker_leaves_the_setting_as_it_was(
    choice: str, code: int, reason: str
) -> None:
    ran = ais("model", "use", "--reranker", choice)

    assert ran.exit_code == code
    assert reason in ran.stderr
    assert ais("config", "get", "search.reranker").stdout == "none\n"


def test_an_embedding_model_is_no_reranker(models_folder: Path, real_embedder: object) -> None:
    assert real_embedder
    folder = next(models_folder.glob("arctic-embed-s@*"))

    with pytest.raises(StoreError, match="gives vectors and no score"):
        load_reranker(str(folder))


@pytest.mark.usefixtures("project")
def test_a_reranker_that_is_gone_is_found_by_doctor_and_search_goes_on(tmp_path: Path) -> None:
    folder = write_reranker(tmp_path / "reranker")
    ais("model", "use", "--reranker", str(folder))
    (folder / "model.onnx").write_bytes(b"broken")

    examined = {each["check"]: each for each in json.loads(ais("doctor", "--json").stdout)}

    assert first_hit() == "loud"
    assert not examined["reranker"]["ok"]
    assert "searches are not reordered" in examined["reranker"]["found"]
    assert "`ais model use --reranker none`" in examined["reranker"]["found"]


def test_something_to_use_must_be_named() -> None:
    ran = ais("model", "use")

    assert ran.exit_code == 2
    assert "--reranker" in ran.stderr
