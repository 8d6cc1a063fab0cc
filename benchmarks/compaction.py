"""What condensing a thread keeps, what is found again of the rest, and how fast it is.

Retention: of the paths, commands, identifiers, numbers, addresses, errors and rules of the
user's in a session, the share that stands in what each condenser writes at 10 %, 5 % and 2 %
of the tokens, beside keeping the last messages alone. `printed` are facts that only a tool's
output holds; `all` are the others. The sets: real coding sessions, given as files, and made-up
sessions of Claude Code with all that tools print, whole and as `ais import` keeps them.
Recall: the share in the answer to one question asked after condensing (how it is asked:
benchmarks/kit/asked_again.py), by words alone unless `--model`. Sessions are halved by
their name: `--half tune` may be looked at while working on a condenser, `--half report`
(the default) is what is told. Speed: condensing 10,000 events, and the view of 100,000.
With `--tokenizer FILE`, a tokenizer.json, also how far our estimate of tokens is off.
"""

import argparse
import hashlib
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ai_smartness.capture.validate import validated_drafts
from ai_smartness.condense.tool_calls import view_tokens
from ai_smartness.memory import Memory
from ai_smartness.model.condensation import Scope
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Message
from ai_smartness.text.token_count import estimate_tokens, truncated_middle
from kit.asked_again import Asked, asked_again, sampled
from kit.condensing_speed import print_speed, print_token_error
from kit.conversations import conversations
from kit.facts import PRINTED, SORTS, Facts, facts_in, found_in, text_of
from kit.filled import opened
from kit.made_up_work import ROOT, session_lines
from kit.timing import print_table
from kit.transcribed import imported, whole

LAST = "keep the last N"
TRIM = "trim-tool-results"
SHARES = (0.10, 0.05, 0.02)
ASKED_AT = 0.05
LEAST_TOKENS = 4_000
"""A session of fewer has nothing to condense."""

MADE_UP = 12
COLUMNS = (*SORTS, PRINTED)
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Session:
    """One session: its messages, the facts in them, and whose memory it is in."""

    name: str
    memory: str
    messages: list[Message]
    facts: Facts
    tokens: int


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="conversations, plain or gzipped")
    parser.add_argument("--half", choices=("tune", "report", "both"), default="report")
    parser.add_argument("--least", type=int, default=LEAST_TOKENS, help="tokens of a session")
    parser.add_argument("--model", action="store_true", help="recall by meaning too (slow)")
    parser.add_argument("--tokenizer", type=Path, help="a tokenizer.json to check tokens by")
    parser.add_argument("--no-speed", action="store_true")
    parser.add_argument("--no-recall", action="store_true")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    for title, there in sets(given.files, given.least).items():
        scored = [each for each in there if given.half in (half_of(each.name), "both")]
        if scored:
            asks = not given.no_recall
            rows = recalled(there, scored, with_model=given.model) if asks else []
            print_set(f"{title} ({given.half} half)", scored, [*retention(scored), *rows])
    if given.tokenizer:
        print_token_error(given.files, given.tokenizer)
    if not given.no_speed:
        print_speed()


def sets(files: Sequence[Path], least: int) -> dict[str, list[Session]]:
    """Return the sessions of each set that are long enough."""
    found: dict[str, list[Session]] = {}
    for file in files:
        found[file.name] = list(sessions(file, least))
    lines = {f"made up {seed}": list(session_lines(seed)) for seed in range(MADE_UP)}
    for title, reading in (("whole", whole), ("as imported", imported)):
        made = [a_session(name, "made up", reading(each)) for name, each in lines.items()]
        found[f"made-up sessions of Claude Code, {title}"] = made
    return found


def sessions(file: Path, least: int) -> Iterator[Session]:
    """Read the sessions of a file that are long enough."""
    for conversation in conversations(file):
        by_session: dict[str, list[Message]] = defaultdict(list)
        for message in conversation.messages:
            by_session[message.session or ""].append(message)
        for name, said in by_session.items():
            if sum(estimate_tokens(message.text) for message in said) >= least:
                yield a_session(f"{conversation.name} {name}", conversation.name, said)


def a_session(name: str, memory: str, said: list[Message]) -> Session:
    """Make a session of messages; its facts are those of the log, from which secrets are gone."""
    log = [draft.event for draft in validated_drafts(said, "bench", NOW)]
    size = sum(estimate_tokens(event.text) for event in log)
    return Session(name, memory, said, facts_in(log), size)


def half_of(name: str) -> str:
    """Say in which half a session is; by its name, so that it is always the same."""
    return "tune" if hashlib.sha256(name.encode()).digest()[0] % 2 else "report"


def print_set(title: str, scored: Sequence[Session], rows: Sequence[Sequence[str]]) -> None:
    """Print what was kept and found again of a set, by sort of fact."""
    counts = totals(scored)
    said = sum(counts[sort] for sort in SORTS)
    size = sum(each.tokens for each in scored)
    print_table(
        f"{title}: {len(scored)} sessions, {size:,} tokens",
        ["what", "tokens", "all", *COLUMNS],
        [["(facts)", "", f"{said:,}", *(f"{counts[each]:,}" for each in COLUMNS)], *rows],
    )


def retention(scored: Sequence[Session]) -> list[list[str]]:
    """Return what each condenser keeps, by sort of fact."""
    kept: dict[tuple[float, str], list[tuple[Session, str, float]]] = defaultdict(list)
    for session in scored:
        for name, share, text, took in condensed(session):
            kept[share, name].append((session, text, took))
    rows = []
    for (share, name), made in sorted(kept.items(), key=lambda each: (-each[0][0], each[0][1])):
        found = [found_in(session.facts, text) for session, text, _ in made]
        reached = max(took for _, _, took in made)
        over = f" (it takes up to {reached:.0%})" if reached > share + 0.005 else ""
        of = totals([session for session, _, _ in made])
        rows.append([name, f"{share:.0%}{over}", *shares(added(found), of)])
    return rows


def condensed(session: Session) -> Iterator[tuple[str, float, str, float]]:
    """Yield what each condenser makes of a session at each share of its tokens."""
    with opened(Path(":memory:"), "bench") as memory:
        memory.embedder = None
        with_files = Memory(
            replace(memory._parts, read_file=_read),  # noqa: SLF001 # as in the project itself
            "bench",
            memory._settings,  # noqa: SLF001
        )
        thread = filled(with_files, session.messages)
        size = view_tokens(memory.events(thread))
        for share in SHARES:
            target = int(size * share)
            yield LAST, share, last_of(session.messages, target), share
            for condenser in memory.condensers():
                made = written(with_files, thread, condenser.id, target)
                if condenser.id != "llm-summary" and made:
                    yield condenser.id, share, made[0], max(share, made[1] / size)


def filled(memory: Memory, said: Sequence[Message]) -> str:
    """Put messages on one thread."""
    thread = memory.create("a session")
    memory.capture([replace(message, thread=thread) for message in said])
    return thread


def written(memory: Memory, thread: str, condenser: str, target: int) -> tuple[str, int] | None:
    """Return what a condenser writes and its tokens, or nothing where it can do nothing."""
    try:
        done = memory.condense(thread, condenser, target=target, scope=Scope.FULL, dry_run=True)
    except RefusedError:
        return None
    return text_of(done.compaction.replacements), done.compaction.tokens_after


def last_of(said: Sequence[Message], target: int) -> str:
    """Return the last messages, as many as there is room for; the first of them is cut."""
    kept: list[str] = []
    for message in reversed(said):
        whole_text = text_of([message])
        text = truncated_middle(whole_text, max(0, target), estimate_tokens)
        kept.append(text)
        target -= estimate_tokens(text) + 4
        if target <= 0 or len(text) < len(whole_text):
            break
    return "\n".join(reversed(kept))


def recalled(
    there: Sequence[Session],
    scored: Sequence[Session],
    *,
    with_model: bool,
) -> list[list[str]]:
    """Return what is found again after each session was condensed, and what the log holds."""
    ways = {
        "one recall, by the words around it": False,
        "one recall, by its own name": True,
    }
    asked: dict[str, list[Asked]] = defaultdict(list)
    held: list[dict[str, int]] = []
    for name in dict.fromkeys(each.memory for each in scored):
        own = [each for each in scored if each.memory == name]
        facts = sampled({each.name: (each.facts, each.messages) for each in own})
        with opened(Path(":memory:"), "bench") as memory:
            if not with_model:
                memory.embedder = None
            threads = {s.name: filled(memory, s.messages) for s in there if s.memory == name}
            for each in own:
                memory.condense(threads[each.name], target=int(each.tokens * ASKED_AT))
                log = text_of(memory.all_events(threads[each.name]))
                held.append(found_in(each.facts, log))
            for way, by_name in ways.items():
                as_asked = [(s, fact, fact if by_name else words) for s, fact, words in facts]
                asked[way].append(asked_again(memory, as_asked, recall))
    rows = [[way, "", *found_again(results, totals(scored))] for way, results in asked.items()]
    return [*rows, ["recall, or `--full`", "", *shares(added(held), totals(scored))]]


def recall(memory: Memory, question: str) -> str:
    """Return what an agent reads when it recalls, without the question itself."""
    return "\n".join(memory.recall(question, bring_back=False).text.splitlines()[2:])


def found_again(results: Sequence[Asked], of: Mapping[str, int]) -> list[str]:
    """Return the share of each sort that was found of those asked for, and of all as they are."""
    asked, found = (added([getattr(r, n) for r in results]) for n in ("asked", "found"))
    share = {sort: found.get(sort, 0) / asked[sort] for sort in COLUMNS if asked.get(sort)}
    said = sum(of[sort] for sort in SORTS)
    all_ = sum(share.get(sort, 0.0) * of[sort] for sort in SORTS) / said
    return [f"{all_:.1%}", *(f"{share[s]:.1%}" if s in share else "-" for s in COLUMNS)]


def shares(kept: Mapping[str, int], of: Mapping[str, int]) -> list[str]:
    """Return the share of all facts that were said, and of each sort."""

    def share(sorts: Iterable[str]) -> str:
        there = sum(of[sort] for sort in sorts)
        return f"{sum(kept[sort] for sort in sorts) / there:.1%}" if there else "-"

    return [share(SORTS), *(share([sort]) for sort in COLUMNS)]


def totals(scored: Sequence[Session]) -> dict[str, int]:
    """Count the facts of each sort."""
    return {sort: sum(len(each.facts[sort]) for each in scored) for sort in COLUMNS}


def added(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Add counts up."""
    names = dict.fromkeys(name for each in counts for name in each)
    return {name: sum(each.get(name, 0) for each in counts) for name in names}


def _read(path: str) -> str | None:
    file = ROOT / path
    return file.read_text() if path.startswith("src/") and file.is_file() else None


if __name__ == "__main__":
    main()
