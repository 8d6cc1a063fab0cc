"""What the memory says before a prompt and when it is asked, on small projects with known answers.

Each project is captured session by session. Its prompts come with the phrases that must stand in
what the agent sees, or say that nothing is needed. A prompt is answered if every needed fact is
there: before the prompt in the brief and the block together, when asked in the page of the recall.
An outdated fact without the current one counts as stale alone, one that stands before the current
one as stale first, and one in a line that neither dates it nor stands below a newer one as stale
unmarked. With `--halves` the figures are given for every other project apart, so that a constant
chosen on one half is seen on the other.
"""

import argparse
import gzip
import json
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from ai_smartness import Memory, Message

CHARACTERS_A_TOKEN = 4
NOISE_MESSAGES = 1_500
NOISE_DAYS = (45, 5)
"""The other messages are spread evenly between so many days ago."""

BATCH = 25
MARKED = re.compile(r"^  - |\((?:until|on) \d", re.IGNORECASE)
"""How a line begins, or goes on, where it tells what was superseded or may have been."""

ROLES = frozenset({"user", "assistant", "tool"})


@dataclass(frozen=True, slots=True)
class Shown:
    """What stood before the agent for one prompt, judged."""

    kind: str
    needed: bool
    spoke: bool
    answered: bool
    stale_alone: bool
    stale_first: bool
    stale_unmarked: bool
    tokens: float
    brief_tokens: float = 0.0
    ms: float = 0.0


def main() -> None:
    """Score every prompt of every project and print the figures by kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="one project a line, as JSON, plain or gzipped")
    parser.add_argument("--amid", type=Path, help="conversations whose messages stand around it")
    parser.add_argument("--noise", type=int, default=NOISE_MESSAGES, help="how many of them")
    parser.add_argument("--skip", type=int, default=0, help="leave the first of them out")
    parser.add_argument("--limit", type=int, help="only the first projects")
    parser.add_argument("--halves", action="store_true", help="score every other project apart")
    parser.add_argument("--show", metavar="KIND", help="print what was shown for this kind, or all")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    scored = []
    with tempfile.TemporaryDirectory() as around:
        if options.amid:
            print("… the messages around the projects", end="", file=sys.stderr, flush=True)
            with opened(around) as memory:
                store(memory, noise_messages(options.amid, options.noise, options.skip))
        for number, project in enumerate(list(read_lines(options.file))[: options.limit]):
            print(f"\r… project {number + 1}{' ' * 30}", end="", file=sys.stderr, flush=True)
            scored.append(project_scores(project, around, options.show))
    print(file=sys.stderr)
    parts = {"all": scored}
    if options.halves:
        parts = {"first half": scored[::2], "second half": scored[1::2]}
    figures = {name: part_figures(part) for name, part in parts.items()}
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for name, part in figures.items():
        show(name, part)


def project_scores(
    project: dict[str, Any], around: str, wanted: str | None
) -> dict[str, list[Shown]]:
    """Capture a project into a copy of a memory, then judge its prompts: before them, and asked."""
    before, recalled = list[Shown](), list[Shown]()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(around, folder, dirs_exist_ok=True)
        with opened(folder) as memory:
            store(memory, project_messages(project))
            for number, prompt in enumerate(project["prompts"]):
                session = f"ask-{number}"
                brief = memory.greeting(session)
                block, took = timed(partial(shown_before, memory, prompt["text"], session))
                before.append(replace(judged(prompt, block, brief), ms=took))
                if prompt["speak"]:
                    page, took = timed(partial(recalled_page, memory, prompt["text"]))
                    recalled.append(replace(judged(prompt, page), ms=took))
                if wanted in (prompt["kind"], "all"):
                    print(f"--- {project['project']} {prompt['id']} {prompt['kind']} {before[-1]}")
                    print(
                        f"> {prompt['text']}\n  needs {prompt.get('need')}\n{block or '(silence)'}"
                    )
    return {"before a prompt": before, "asked": recalled}


def shown_before(memory: Memory, prompt: str, session: str) -> str:
    """Return what is put before a prompt."""
    return memory.inject(prompt, session=session).text


def recalled_page(memory: Memory, query: str) -> str:
    """Return the page of a recall."""
    return memory.recall(query).text


def timed(call: Callable[[], str]) -> tuple[str, float]:
    """Return what a call returns, and how many milliseconds it took."""
    started = perf_counter()
    text = call()
    return text, (perf_counter() - started) * 1000


def opened(folder: str) -> Memory:
    """Open the memory in a folder."""
    return Memory.open(Path(folder) / "memory.db", project="moments", home=folder)


def store(memory: Memory, messages: Sequence[Message]) -> None:
    """Capture messages with all that is derived from them."""
    for start in range(0, len(messages), BATCH):
        memory.capture(messages[start : start + BATCH])
    memory.tell()
    memory.embed()


def project_messages(project: dict[str, Any]) -> list[Message]:
    """Return the messages of a project's sessions."""
    now = datetime.now(UTC)
    return [
        Message(
            id=message["id"],
            session=session["id"],
            role=message["role"] if message["role"] in ROLES else "user",
            text=message["text"],
            at=now
            - timedelta(days=session["days_ago"])
            + timedelta(minutes=message["minute"], milliseconds=place),
        )
        for session in project["sessions"]
        for place, message in enumerate(session["messages"])
    ]


def judged(prompt: dict[str, Any], text: str, brief: str = "") -> Shown:
    """Say which needed and which outdated phrases stand in what was shown."""
    seen = folded("\n".join(map(without_headings, (brief, text))))
    facts = [any(folded(phrase) in seen for phrase in fact) for fact in prompt.get("need", ())]
    answered = bool(facts) and all(facts)
    return Shown(
        kind=prompt["kind"],
        needed=prompt["speak"],
        spoke=bool(without_headings(text).strip()),
        answered=answered,
        stale_alone=not answered and any(folded(old) in seen for old in prompt.get("stale", ())),
        stale_first=answered and is_stale_first(prompt, seen),
        stale_unmarked=any(is_unmarked(prompt, line) for line in f"{brief}\n{text}".splitlines()),
        tokens=len(without_headings(text)) / CHARACTERS_A_TOKEN,
        brief_tokens=len(brief) / CHARACTERS_A_TOKEN,
    )


def is_stale_first(prompt: dict[str, Any], seen: str) -> bool:
    """Say whether an outdated phrase stands before the facts that replaced it."""
    outdated = [seen.find(folded(old)) for old in prompt.get("stale", ())]
    current = [[seen.find(folded(phrase)) for phrase in fact] for fact in prompt.get("need", ())]
    first_old = min((place for place in outdated if place >= 0), default=len(seen))
    first_new = [min((p for p in places if p >= 0), default=len(seen)) for places in current]
    return first_old < min(first_new, default=len(seen))


def is_unmarked(prompt: dict[str, Any], line: str) -> bool:
    """Say whether a line tells an outdated fact as if it held."""
    seen = folded(line)
    if any(folded(phrase) in seen for fact in prompt.get("need", ()) for phrase in fact):
        return False
    mark = MARKED.search(line)
    plain = folded(line[: mark.start()] if mark else line)
    return any(folded(old) in plain for old in prompt.get("stale", ()))


def part_figures(part: Sequence[dict[str, list[Shown]]]) -> dict[str, dict[str, Any]]:
    """Return the figures of some projects, by way of showing and by kind."""
    figures: dict[str, dict[str, Any]] = {}
    for way in ("before a prompt", "asked"):
        shown = [each for scores in part for each in scores[way]]
        groups: dict[str, list[Shown]] = defaultdict(list)
        for each in shown:
            groups[each.kind].append(each)
            groups["all that need it" if each.needed else "all that do not"].append(each)
        figures[way] = {name: group_figures(group) for name, group in sorted(groups.items())}
        outdated = max(1, sum(each.kind == "superseded" for each in shown))
        figures[way]["of superseded"] = {
            "stale alone": sum(each.stale_alone for each in shown) / outdated,
            "stale first": sum(each.stale_first for each in shown) / outdated,
            "stale unmarked": sum(each.stale_unmarked for each in shown) / outdated,
        }
        figures[way]["brief tokens"] = median(each.brief_tokens for each in shown)
        *_, last = quantiles([each.ms for each in shown], n=20)
        figures[way]["ms"] = {"p50": median(each.ms for each in shown), "p95": last}
    return figures


def group_figures(group: Sequence[Shown]) -> dict[str, float]:
    """Return the figures of one kind of prompt."""
    count = len(group)
    return {
        "prompts": count,
        "spoke": sum(each.spoke for each in group) / count,
        "answered": sum(each.answered for each in group) / count,
        "stale alone": sum(each.stale_alone for each in group) / count,
        "tokens": median([each.tokens for each in group if each.spoke] or [0.0]),
    }


def show(name: str, part: dict[str, dict[str, Any]]) -> None:
    """Print the figures of some projects."""
    for way, groups in part.items():
        print(f"\n{way} ({name}); brief {groups['brief tokens']:.0f} tokens (median)")
        print(f"{'':18}{'prompts':>8}{'spoke':>8}{'answered':>10}{'stale alone':>13}{'tokens':>8}")
        for kind, figures in groups.items():
            if isinstance(figures, dict) and "prompts" in figures:
                print(
                    f"{kind:18}{figures['prompts']:8}{figures['spoke']:8.3f}"
                    f"{figures['answered']:10.3f}{figures['stale alone']:13.3f}"
                    f"{figures['tokens']:8.0f}"
                )
        shares = (f"{name} {share:.3f}" for name, share in groups["of superseded"].items())
        print(f"of superseded: {', '.join(shares)}")
        print(f"took p50 {groups['ms']['p50']:.0f} ms, p95 {groups['ms']['p95']:.0f} ms")


def noise_messages(path: Path, count: int, skip: int) -> list[Message]:
    """Return so many messages of a file of conversations, spread over the last weeks."""
    every = (message for conversation in read_lines(path) for message in conversation["corpus"])
    chosen = list(islice(every, skip, skip + count))
    now, (first, last) = datetime.now(UTC), NOISE_DAYS
    return [
        Message(
            id=f"noise-{number}",
            session=f"noise-{message['session']}",
            role=message["role"] if message["role"] in ROLES - {"tool"} else "assistant",
            text=message["text"] or " ",
            at=now - timedelta(days=first - (first - last) * number / len(chosen)),
        )
        for number, message in enumerate(chosen)
    ]


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read a file of JSON lines, plain or gzipped."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def without_headings(text: str) -> str:
    """Leave out the lines that repeat the question."""
    return "\n".join(line for line in text.splitlines() if not line.startswith("# "))


def folded(text: str) -> str:
    """Return a text as phrases are compared: in one case, with single spaces."""
    return " ".join(text.casefold().split())


if __name__ == "__main__":
    main()
