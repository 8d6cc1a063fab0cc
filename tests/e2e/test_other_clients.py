"""Every other client that can be had: the brief, the right line, silence, and no trace left."""

import pytest

from ai_smartness.clients.registry import load_client
from e2e.model_request import ModelRequest
from e2e.other_clients import CLIENTS, OtherClient, OtherSite
from e2e.scripted_model import says, uses
from e2e.told import AFTERWARDS, DECISION, FACT, QUESTION, UNRELATED, shorten_briefs

READS = {
    "codex": lambda path: uses("exec_command", cmd=f"cat '{path}'"),
    "copilot": lambda path: uses("view", path=path),
    "gemini": lambda path: uses("read_file", file_path=path),
    "opencode": lambda path: uses("read", filePath=path),
    "qwen": lambda path: uses("read_file", file_path=path),
}


def memory_in(request: ModelRequest) -> str:
    """Return what the model was given by us; a client may escape our marks."""
    text = request.text.replace("&lt;", "<").replace("&gt;", ">")
    blocks = text.split("<ai-smartness-memory")[1:]
    return "\n".join(block.partition("</ai-smartness-memory>")[0] for block in blocks)


@pytest.fixture(params=sorted(CLIENTS))
def client(request: pytest.FixtureRequest) -> OtherClient:
    """Name one client after the other."""
    client: OtherClient = request.getfixturevalue("other_client")(request.param)
    return client


@pytest.fixture
def site(other_site: OtherSite, client: OtherClient) -> OtherSite:
    """Make a site at which the client is connected."""
    other_site.use(client)
    other_site.write_settings()
    other_site.ais("init", "--yes", "--client", client.name)
    return other_site


def test_what_was_decided_is_in_the_next_sessions_brief_and_can_be_read(
    site: OtherSite, client: OtherClient
) -> None:
    site.asks(DECISION, says("Understood."))
    site.settle()

    path = str(site.project / ".ai" / "recall" / "signing keys")
    model = site.asks(QUESTION, READS[client.name](path), says("Every 30 days."))

    first, last = model.requests[0], model.requests[-1]
    assert FACT in memory_in(first)
    assert load_client(client.name).read_call.partition("{")[0] + ".ai/" in memory_in(first)
    assert FACT in last.result.text
    assert "Memory Recall" in last.result.text


def test_a_prompt_gets_the_line_it_needs_and_an_unrelated_one_gets_nothing(
    site: OtherSite,
) -> None:
    shorten_briefs(site)
    for prompt in (DECISION, AFTERWARDS):
        site.asks(prompt, says("Understood."))
        site.settle()

    asked = memory_in(site.asks(QUESTION, says("Every 30 days.")).requests[-1])
    unrelated = memory_in(site.asks(UNRELATED, says("Rain.")).requests[-1])

    assert "Notes from this project's memory" in asked
    assert FACT in asked
    assert "Notes from this project's memory" not in unrelated


def test_the_hooks_and_tools_leave_no_trace(other_site: OtherSite, client: OtherClient) -> None:
    other_site.use(client)
    before = other_site.write_settings()

    other_site.ais("init", "--yes", "--client", client.name)
    status = other_site.ais("status")
    other_site.ais("uninstall", "--yes")

    assert f"{client.name:<10}" in status
    assert {path: path.read_bytes() for path in before} == before
    names = [path.name for path in other_site.home.rglob("*ai_smartness*")]
    assert names == []


def test_doctor_proves_that_the_hooks_fire_without_a_model(
    site: OtherSite, client: OtherClient
) -> None:
    site.env["AIS_CLAUDE"] = ""  # it is not connected here, which would be a problem
    proof = site.ais("doctor", "--prove")

    assert f"{client.name} proof" in proof
    assert "was started for one prompt, and ran our hook" in " ".join(proof.split())
    assert not list(site.memory.glob("inbox/*")), "nothing of the proof is captured"
