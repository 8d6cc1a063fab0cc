"""What is derived from a fixed corpus: threads, bridges, ranks, injections, condensed views."""

import pytest

from ai_smartness import Memory
from recorded import Recording
from snapshot_surfaces import World

QUESTIONS = (
    "how long does the refresh token live",
    "refresh_token REFRESH_SECONDS",
    "where is the refresh token stored",
    "TokenExpiredError",
    "src/auth/middleware.py",
    "Mehrwertsteuer Norwegen",
    "Rechnungsnummern ohne Lücken",
    "umlauts in the invoice PDF",
    "which database do the orders use",
    "database is locked",
    "connection pool size",
    "pytest -q tests/auth",
    "flaky test_checkout_total",
    "how is the total rounded",
    "deploy to staging",
    "logo in the header",
    "taille du logo sur mobile",
    "rotate the JWT signing keys",
    "what is my name and where do I live",
    "kubernetes ingress certificates",
    "qemu crashes on the runners",
    "when is the pizza",
    "latency on the dashboard",
)

PROMPTS = (
    "how long should the refresh token live?",
    "Was gilt für die Mehrwertsteuer in Norwegen?",
    "Do the orders stay in SQLite?",
    "the connection pool is exhausted, what is its limit?",
    "make the logo of the header bigger on mobile",
    "deploy the shop to staging please",
    "test_checkout_total fails again with a rounding error",
    "where do the JWT signing keys live and who rotates them?",
    "write an example with my time zone",
    "rename the variable x to y in utils.py",
    "yes",
    "go on",
    "/clear",
    "Why does `checkout.place_order` raise sqlite3.OperationalError?",
    "may I keep the refresh token in localStorage?",
    "number the invoices",
    "commit the middleware and its tests",
    "port 5433 connection refused",
    "what did we decide about compliance?",
    "the arm64 image does not build",
    "why has the latency panel gaps?",
)


def threads_of(memory: Memory) -> list[dict[str, object]]:
    return [
        {
            "id": thread.id,
            "title": thread.title,
            "kind": thread.kind,
            "importance": round(thread.importance, 6),
            "status": thread.status,
            "weight": round(thread.weight, 6),
            "relevance": round(thread.relevance, 6),
            "drift": round(memory.thread(thread.id).drift, 6),
            "summary": thread.summary,
            "topics": ", ".join(thread.topics),
            "files": ", ".join(thread.files),
            "tags": ", ".join(thread.tags),
            "commit": thread.commit,
            "revision": thread.revision,
            "messages": " ".join(event.id for event in memory.all_events(thread.id)),
        }
        for thread in memory.threads()
    ]


def bridges_of(memory: Memory) -> list[dict[str, object]]:
    return [
        {
            "id": bridge.id,
            "ends": f"{bridge.source} {bridge.relation} {bridge.target}",
            "weight": round(bridge.weight, 6),
            "confidence": round(bridge.confidence, 6),
            "reason": bridge.reason,
            "made_by": bridge.made_by,
        }
        for bridge in memory.bridges()
    ]


@pytest.fixture(params=["shop", "room"])
def world(request: pytest.FixtureRequest) -> World:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, World)
    return found


def test_derived_threads(world: World, recording: Recording) -> None:
    with world.memory() as memory:
        recording.add_data("threads", threads_of(memory))
        recording.add_data("bridges", bridges_of(memory))
        for thread in memory.threads():
            recording.add(
                f"texts of {thread.id}",
                "\n".join(f"{each.id} {each.text}" for each in memory.all_events(thread.id)),
            )
            shown = world.ais("threads", "show", thread.id, "--why")
            recording.add(f"why on {thread.id}", shown.output)
            shown = world.ais("threads", "show", thread.id, "--why", "--full", "--json")
            recording.add(f"why on {thread.id} as data", shown.output)


@pytest.mark.parametrize("how", ["meaning", "words"])
def test_derived_ranks(world: World, recording: Recording, how: str) -> None:
    with world.memory() as memory:
        for question in QUESTIONS:
            hits = memory.search(question, 8, words_only=how == "words")
            lines = (
                f"{hit.id} {hit.score:.6f} {hit.relevance:.6f} {hit.thread_id} · {hit.why}"
                for hit in hits
            )
            recording.add(question, "\n".join(lines))


def test_derived_recalls(world: World, recording: Recording) -> None:
    for question in QUESTIONS:
        recording.add(question, world.ais("recall", "--all", question).output)
    for question in QUESTIONS[::4]:
        answer = world.ais("recall", question, "--limit", "3", "--json")
        recording.add(f"{question} as data", answer.output)


@pytest.mark.parametrize("floor", ["usual", "low"])
def test_derived_injections(world: World, recording: Recording, floor: str) -> None:
    if floor == "low":
        world.ais("config", "set", "inject.floor", "0.05")
    with world.memory() as memory:
        for number, prompt in enumerate(PROMPTS):
            found = memory.inject(prompt, session=f"asks-{number}")
            said = [f"{each.thread.id} {each.reason} {each.why}" for each in found.entries]
            left = [f"not {each.thread_id}: {each.reason}" for each in found.skipped]
            recording.add(prompt, "\n".join([found.text, "", *said, *left]))


def test_derived_turns(world: World, recording: Recording) -> None:
    """A whole session: what was shown is not shown again, until it is out of sight."""
    with world.memory() as memory:
        recording.add("begins", memory.greeting("later"))
        for prompt in PROMPTS:
            recording.add(prompt, memory.inject(prompt, session="later").text)
        recording.add("compacted", str(memory.context_compacted("later").said))
        recording.add("begins after compaction", memory.greeting("later", "compact"))
        for prompt in PROMPTS[:6]:
            recording.add(prompt, memory.inject(prompt, session="later").text)
        recording.add("with a small budget", memory.inject(PROMPTS[2], budget=90).text)
    recording.add("why", world.ais("why", "later", "--limit", "40", "--all").output)
    recording.add("why as data", world.ais("why", "later", "--limit", "3", "--json").output)


def test_derived_greetings(world: World, recording: Recording) -> None:
    with world.memory() as memory:
        sessions = [
            "new",
            *sorted({hit.session for hit in memory.search("the", 50) if hit.session}),
        ]
        for session in sessions:
            for source in ("startup", "resume", "clear", "compact"):
                recording.add(f"{session} by {source}", memory.greeting(session, source))
        for session in sessions[1:]:
            recording.add(f"handoff of {session}", memory.handoff(session))
        recording.add("handoff to a new one", memory.handoff(asker="new"))


@pytest.mark.parametrize("condenser", ["trim-tool-results", "summarize-and-reload", "digest"])
def test_derived_condensed(shop: World, recording: Recording, condenser: str) -> None:
    shop.ais("threads", "merge", "@s1-01", "@s5-04")
    for message in ("s1-01", "s2-01", "s3-07", "s4-01", "s4-10"):
        for scope in ("full", "hybrid"):
            for target in ("40", "90", "150", "250"):
                options = ("--with", condenser, "--scope", scope, "--target", target)
                done = shop.ais("threads", "condense", f"@{message}", *options)
                title = f"{message} {scope} to {target} tokens"
                recording.add(title, done.output)
                if done.exit_code == 0:
                    view = shop.ais("threads", "show", f"@{message}", "--working").output
                    recording.add(f"{title}: working view", view)
                    shop.ais("undo")


def test_derived_messages(shop: World, recording: Recording) -> None:
    with shop.memory() as memory:
        thread = memory.message("s1-01").thread_id
        for shape in ("anthropic", "openai"):
            recording.add_data(shape, memory.messages(thread, shape))
        asked = [{"role": "user", "content": "how long should the refresh token live?"}]
        recording.add_data("with memory", memory.with_memory(asked, session="own"))
