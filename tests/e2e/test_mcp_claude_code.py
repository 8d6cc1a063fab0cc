"""The tools as an agent has them in Claude Code, registered by `ais init`: what the model gets."""

import json
import re
from typing import Any

from ai_smartness import Memory
from ai_smartness.entrypoints.tools.definitions import TOOLS, Profile, offered_tools
from e2e.model_request import ModelRequest
from e2e.processes import at_work, ended
from e2e.scripted_model import Block, ScriptedModel, Step, says, uses
from e2e.site import PATIENCE_SECONDS, Site
from e2e.told import (
    AFTERWARDS,
    DECISION,
    FACT,
    QUESTION,
    UNRELATED,
    decide,
    shorten_briefs,
    threads_in,
)

SERVER = "mcp__ai_smartness__"
KEPT_IN = "The signing keys are kept in config/jwt_keys.yaml, encrypted for vault-2."
UNICODE = "Größe der 数据库: 3 Knoten 🦀"
PAGE = "the deployment checklist, step by step. " * 100
LONG = PAGE * 25
"""A hundred kilobytes."""


def calls(tool: str, /, **given: object) -> list[Block]:
    """Let the model call a tool of ours."""
    return uses(f"{SERVER}{tool}", **given)


def tools_of(request: ModelRequest) -> set[str]:
    names = (str(each["name"]) for each in request.body["tools"])
    return {each.removeprefix(SERVER) for each in names if each.startswith(SERVER)}


def messages_in(text: str) -> list[str]:
    return re.findall(r"^- (\w+) \[", text, re.MULTILINE)


class Told:
    """A script whose later steps go by what the earlier ones answered."""

    def __init__(self) -> None:
        self.answers: dict[str, str] = {}

    def by(self, name: str, tool: str, /, **given: Any) -> Step:  # noqa: ANN401 - JSON
        """Keep what the last step answered under a name, then call a tool.

        What is given may be worked out from what was answered so far.
        """

        def step(request: ModelRequest) -> list[Block]:
            self.answers[name] = request.result.text
            ready = {key: each(self) if callable(each) else each for key, each in given.items()}
            return calls(tool, **ready)

        return step

    def __getitem__(self, name: str) -> str:
        return self.answers[name]


def keys(told: Told) -> str:
    return threads_in(told["recall"])[0]


def parts(told: Told) -> list[dict[str, object]]:
    return [{"title": "Where they are kept", "messages": messages_in(told["proposal"])[-2:]}]


def child(told: Told) -> str:
    return threads_in(told["split"])[1]


def test_every_tool_is_at_hand_and_called_and_the_model_reads_what_it_says(
    site: Site,
) -> None:
    decide(site, KEPT_IN)
    told = Told()

    model = site.says(
        "put the memory in order",
        calls("ai_recall", query=QUESTION),
        told.by("recall", "ai_status"),
        told.by("status", "ai_focus", topic="signing keys"),
        told.by("focus", "ai_rate_context", thread_id=keys, useful=False, reason="old"),
        told.by("rate", "ai_pin", content=UNICODE, title="Größe 数据库", topics=["数据库"]),
        told.by("pin", "ai_suggestions", context="signing keys"),
        told.by("suggestions", "ai_split", thread=keys),
        told.by("proposal", "ai_split", thread=keys, parts=parts),
        told.by("split", "ai_merge", survivor=keys, absorbed=child),
        told.by("locked", "ai_unlock", thread=child),
        told.by("unlock", "ai_merge", survivor=keys, absorbed=child),
        told.by("merge", "ai_compact", strategy="gentle", dry_run=True),
        told.by("dry run", "ai_compact", strategy="gentle"),
        told.by("compact", "ai_undo"),
        told.by("undo", "ai_unfocus"),
        told.by("unfocus", "ai_recall", query="数据库"),
        says("Done."),
    )

    assert tools_of(model.requests[0]) == set(TOOLS)
    assert "ai_smartness is the memory of earlier sessions" in model.requests[0].text
    (thread,) = threads_in(told["rate"])
    assert thread.endswith(keys(told))
    assert told["recall"].startswith(f"<ai-smartness-memory>\n# Memory Recall: {QUESTION}\n")
    assert DECISION in told["recall"]
    assert json.loads(told["status"])["threads"] == 2 + 1
    assert told["focus"].startswith('Focus set on "signing keys" (weight=0.8). ')
    assert told["rate"] == f"Rated {thread} as not useful. Relevance score: 1.00 → 0.67"
    assert re.fullmatch(r"Pinned as thread_\w+ \(weight=1\.30\)", told["pin"])
    assert "health" in json.loads(told["suggestions"])
    assert f"ai_split('{thread}', parts=[" in told["proposal"]
    assert told["split"].startswith(f"Split {thread}: ")
    assert f"`ai_unlock('{child(told)}')` first" in told["locked"]
    assert told["merge"].startswith(f"Merged {child(told)} into {thread}")
    assert json.loads(told["dry run"])["dry_run"] is True
    assert re.match(
        r"Nothing to merge or archive: \d+ active threads\..*\nChange ", told["compact"]
    )
    assert told["undo"].startswith("Undid change ")
    assert told["unfocus"] == "All focus cleared. Returning to similarity-based injection."
    assert UNICODE in model.requests[-1].result.text
    wrong = [each.text for each in model.requests[-1].results if each.is_error]
    assert wrong == [told["locked"]]
    assert "agent (claude-code)" in site.ais("log")


def test_two_calls_at_once_are_both_answered_and_a_hundred_kilobytes_are_pinned(
    site: Site,
) -> None:
    decide(site)
    (pin,), (recall,) = calls("ai_pin", content=LONG), calls("ai_recall", query=QUESTION)

    model = site.says("do both", [pin, recall], says("Done."))

    request = model.requests[-1]
    assert [each.is_error for each in request.results] == [False, False]
    assert FACT in request.result_of(recall).text
    (thread,) = threads_in(request.result_of(pin).text)
    shown = json.loads(site.ais("threads", "show", thread, "--json"))
    assert [each["text"] for each in shown["messages"]] == [LONG]


def test_what_was_recalled_is_not_remembered_again(site: Site) -> None:
    decide(site)
    (thread,) = threads_in(site.ais("recall", QUESTION, "--limit", "1"))[:1]
    resource = {"server": "ai_smartness", "uri": f"memory://thread/{thread}"}

    with site.talk(
        calls("ai_recall", query=QUESTION),
        uses("ListMcpResourcesTool"),
        uses("ReadMcpResourceTool", **resource),
        says("Done."),
        says("Every month."),
        says("As I was told."),
    ) as talk:
        talk.says("look it up")
        talk.says(f"/{SERVER}recall {QUESTION}")
        talk.says(f"/{SERVER}handoff")
    site.settle()

    recalled, listed, read = (each.text for each in talk.model.requests[3].results)
    assert DECISION in recalled
    assert "memory://threads" in listed
    assert DECISION in read
    by_prompt, by_handoff = (each.last_text for each in talk.model.requests[4:])
    assert f"# Memory Recall: {QUESTION}\n" in by_prompt
    assert DECISION in by_prompt
    assert "Where a session of this project stood" in by_handoff
    assert f"{SERVER}recall" not in by_handoff
    found = json.loads(site.ais("search", f"{FACT} {QUESTION} {SERVER}", "--limit", "50", "--json"))
    about = [each["text"] for each in found if FACT in each["text"] or "mcp__" in each["text"]]
    assert about == [DECISION]


def test_what_is_put_in_focus_is_shown_with_the_next_prompt(site: Site) -> None:
    shorten_briefs(site)
    decide(site)
    # Where the last session stood is told anyway: by then another one has been.
    site.says(AFTERWARDS, says("Drawn."))
    site.settle()
    decided = threads_in(site.ais("recall", QUESTION))[0]

    with site.talk(
        calls("ai_focus", topic=decided),
        says("Done."),
        calls("ai_unfocus"),
        says("Drops."),
    ) as talk:
        talk.says("write a haiku about snow in the mountains")
        talk.says(UNRELATED)

    before, after, unfocused = (talk.model.requests[each] for each in (0, 2, 3))
    assert FACT not in before.text
    assert DECISION in after.shown[-1]
    assert unfocused.result.text.startswith("All focus cleared.")


def test_what_is_pinned_is_told_to_the_next_session(site: Site) -> None:
    pinned = "Answers to the customer are always written in Esperanto."
    site.says("remember", calls("ai_pin", content=pinned), says("Done."))

    model = site.says("write a haiku about rain", says("Drops on the old roof."))

    assert pinned in model.requests[0].text


IN_FRANKFURT = "The staging cluster of the payments team runs in Frankfurt on eight nodes."
IN_DUBLIN = "The staging cluster of the search team runs in Dublin on four nodes."
WHERE = "where does the staging cluster run, and on how many nodes?"


def test_what_was_rated_as_noise_comes_later_in_the_next_session(site: Site) -> None:
    shorten_briefs(site)
    for each in (IN_FRANKFURT, IN_DUBLIN):
        with site.talk() as talk:
            talk.says(each)
            talk.says(AFTERWARDS)
    site.settle()

    def rate(request: ModelRequest) -> list[Block]:
        first = threads_in(request.shown[-1])[0]
        return [
            use for _ in range(3) for use in calls("ai_rate_context", thread_id=first, useful=False)
        ]

    rated = site.says(WHERE, rate, says("In both."))
    after = site.says(WHERE, says("In both."))

    first, second = threads_in(rated.requests[0].shown[-1])[:2]
    later = threads_in(after.requests[0].shown[-1])
    assert later.index(second) < later.index(first)


def with_profile(site: Site, profile: Profile) -> tuple[str, ...]:
    """Return the options by which the client has our server with a profile, and no other."""
    config = json.loads((site.config / ".claude.json").read_text(encoding="utf-8"))
    (entry,) = [
        each["mcpServers"]["ai_smartness"]
        for each in config["projects"].values()
        if each.get("mcpServers")
    ]
    entry["args"] += ["--profile", profile]
    path = site.folder / f"{profile}.json"
    path.write_text(json.dumps({"mcpServers": {"ai_smartness": entry}}), encoding="utf-8")
    return ("--strict-mcp-config", "--mcp-config", str(path))


def test_a_profile_gives_the_model_its_own_tools_and_no_others(site: Site) -> None:
    decide(site)
    (pin,), (recall,) = calls("ai_pin", content=PAGE), calls("ai_recall", query=QUESTION)

    asked: dict[Profile, ScriptedModel] = {
        profile: site.says("go", [pin, recall], says("Done."), args=with_profile(site, profile))
        for profile in (Profile.CORE, Profile.READONLY)
    }

    for profile, model in asked.items():
        request = model.requests[-1]
        assert tools_of(request) == set(offered_tools(profile))
        assert DECISION in request.result_of(recall).text
        assert request.result_of(pin).is_error == (profile is Profile.READONLY)


def test_a_client_that_is_killed_midway_leaves_a_whole_memory_and_no_server(
    site: Site,
) -> None:
    site.settle()
    before: list[int] = []

    def asked() -> int:
        return int(site.ask("status")["asked"])

    def pins(_request: ModelRequest) -> list[Block]:
        before.append(asked())
        return [use for n in range(6) for use in calls("ai_pin", content=f"{n} {PAGE}")]

    with site.talk(pins) as talk:
        talk.begins("pin them all")
        while not before or asked() <= before[0]:
            talk.model.until(1)
        servers = at_work(site.memory, "mcp")
        talk.kill()

    assert servers
    assert all(ended(each, PATIENCE_SECONDS) for each in servers)
    site.settle()
    with Memory.open(project=site.project, home=site.memory) as memory:
        assert memory.check() == ""
        kept = memory._store.events.after_seq(memory.project, 0, 100)  # noqa: SLF001 - as they are
    pinned = [event.text for event in kept if event.source == "agent_pin"]
    assert pinned
    assert set(pinned) <= {f"{n} {PAGE}" for n in range(6)}
