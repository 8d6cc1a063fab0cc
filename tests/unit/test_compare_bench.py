"""The benchmark that compares us with other memories: how a peer is run and scored."""

import sys
from pathlib import Path

import compare
from kit.conversations import Conversation
from kit.made_up_questions import made_up_conversations

PEER = """
from peer_task import run_task


def store(task):
    return [(message["id"], set(message["text"].split())) for message in task["messages"]]


def ask(memory, query, depth):
    words = set(query.split())
    ranked = sorted(memory, key=lambda item: -len(item[1] & words))
    return [id_ for id_, _ in ranked[:depth]]


run_task(store, ask)
"""


def a_small_talk() -> Conversation:
    (talk,) = made_up_conversations()
    queries = [query for query in talk.queries if int(min(query.gold)[1:]) < 100]
    return Conversation(talk.name, talk.messages[:100], queries, [])


def test_a_peer_is_run_in_a_process_of_its_own_and_scored_like_we_are(tmp_path: Path) -> None:
    program = tmp_path / "word_peer.py"
    program.write_text(f"import sys\nsys.path.append({str(peers_folder())!r})\n{PEER}")
    talk, peer, fts5 = a_small_talk(), compare.Row(), compare.Row()

    compare._run_peer([sys.executable, str(program)], talk, peer, "made_up")  # noqa: SLF001
    compare._run_fts5(talk, fts5, "made_up")  # noqa: SLF001
    page = "\n".join(compare._table("made_up", [talk], {"peer": peer, "fts5": fts5}))  # noqa: SLF001

    assert len(peer.qualities) == len(fts5.qualities) == len(talk.queries) > 5
    assert 0 < sum(row[0] for row in peer.qualities) <= len(talk.queries)
    assert "| peer | ." in page
    assert f"{len(talk.messages)} messages, {len(talk.queries)} questions" in page


def test_every_peer_has_a_program() -> None:
    names = {path.name for path in peers_folder().glob("*_peer.py")}

    assert names == {f"{peer.lower().replace('-', '_')}_peer.py" for peer in compare.PEERS}


def test_the_tables_go_between_the_marks_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Before\n<!-- tables: written by `scripts/bench compare` -->\nold\n"
        "<!-- end of tables -->\nafter\n"
    )

    compare._write_tables(page, "| new |")  # noqa: SLF001

    assert page.read_text().startswith("# Before\n<!-- tables")
    assert "| new |" in page.read_text()
    assert "old" not in page.read_text()
    assert page.read_text().endswith("<!-- end of tables -->\nafter\n")


def peers_folder() -> Path:
    return Path(compare.__file__).parent / "peers"
