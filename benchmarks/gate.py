"""Whether memory is put in front of the prompts that need it, and only those.

Takes conversations as `scripts/bench recall` does. With `non_queries`, prompts that need nothing,
it tells how well the certainty of the gate keeps the two apart. `--replay` takes conversations
without labels: before every message of a person the memory is asked, and it counts how many
prompts get a block, and of how many blocks something comes back in the answer. Vectors are kept in
the user's cache: a second run, also of one that was interrupted, embeds only what is new. `--every`
and `--most` take a part.
"""

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ai_smartness.inject.select import STANDING_REASONS
from ai_smartness.inject.usage import was_used
from ai_smartness.model.event import ANSWERING_ROLES, Message
from ai_smartness.ports import Progress
from ai_smartness.settings.schema import InjectSettings
from ai_smartness.testing import SetClock
from kit.conversations import Conversation, conversations
from kit.gate import Prompts, bm25_prompts, lived_through, living, summed
from kit.remembered import Known, model
from kit.shown_scores import show_gate
from kit.timing import print_table

SHOWN_CHARACTERS = 600
TOLD_PROMPTS = 10


@dataclass(frozen=True)
class Replayed:
    """A prompt of a real session, what stood before it, and whether it came back."""

    prompt: str
    block: str
    used: bool
    certainty: float
    first: bool


def main() -> None:
    """Score every file, and replay the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--replay", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("--every", type=int, default=1, help="score each so-manieth prompt only")
    parser.add_argument("--most", type=int, help="replay so many messages of each conversation")
    parser.add_argument("--read", type=int, default=0, help="print so many blocks, to be read")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    embedder = model()
    known = Known(embedder) if embedder else None
    gates = {path.name: scored(path, known, given.every) for path in given.files}
    replayed = [
        prompt
        for path in given.replay
        for conversation in conversations(path)
        for prompt in replay(conversation, known, given.most)
    ]
    if given.json:
        print(json.dumps({"gates": gates, "replayed": list(map(asdict, replayed))}, indent=2))
        return
    for name, gate in gates.items():
        show_gate(name, gate)
    if replayed:
        show_replayed(replayed)
        read(replayed, given.read)


def scored(path: Path, embedder: Known | None, every: int) -> dict[str, Any]:
    """Tell prompts that need memory from those that do not, in every conversation of a file."""
    found: dict[str, Prompts] = {}
    for conversation in conversations(path):
        ways = {
            "BM25, top score": bm25_prompts(conversation, per_word=False, every=every),
            "BM25, top score / words": bm25_prompts(conversation, per_word=True, every=every),
            "ours by words alone": lived_through(
                conversation, None, every, progress_of(f"{conversation.name}, by words")
            ),
        }
        if embedder is not None:
            progress = progress_of(f"{conversation.name}, by words and meaning")
            ways["ours"] = lived_through(conversation, embedder, every, progress)
        for way, prompts in ways.items():
            found.setdefault(way, Prompts([], [], [], [])).add(prompts)
    floor = InjectSettings().floor
    return {way: summed(prompts, floor) for way, prompts in found.items()}


def replay(conversation: Conversation, embedder: Known | None, most: int | None) -> list[Replayed]:
    """Live through a conversation, and ask for memory before everything a person says in it."""
    messages, clock = conversation.messages[:most], SetClock()
    found: list[Replayed] = []
    sessions: set[str | None] = set()
    with living(conversation, embedder, clock) as memory:
        for number, message in enumerate(messages):
            clock.set(message.at or clock())
            if message.role not in ANSWERING_ROLES:
                memory.embed()
                shown = memory.inject(message.text, session=message.session)
                lines = [
                    line.text
                    for entry in shown.entries
                    if entry.reason not in STANDING_REASONS
                    for line in entry.lines
                ]
                used = was_used(lines, message.text, answer_to(messages, number))
                first = message.session not in sessions
                if len(found) % TOLD_PROMPTS == 0:
                    tell(f"{conversation.name}: {len(found)} prompts, {number} messages")
                block = shown.text if lines else ""
                found.append(Replayed(message.text, block, used, shown.certainty, first))
                sessions.add(message.session)
            memory.capture(message)
    return found


def progress_of(name: str) -> Progress:
    """Return a function that draws a progress bar."""
    drawn = -1

    def draw(done: int, total: int) -> None:
        nonlocal drawn
        percent = 100 * done // max(1, total)
        if percent > drawn:
            drawn = percent
            bar = ("#" * (percent // 5)).ljust(20, ".")
            end = "\n" if done >= total else ""
            print(f"\r… {name} [{bar}] {percent} %", end=end, file=sys.stderr, flush=True)

    return draw


def tell(text: str) -> None:
    """Say how far it is."""
    print(f"… {text}", file=sys.stderr, flush=True)


def answer_to(messages: Sequence[Message], number: int) -> str:
    """Return what the agent says in the session until the person speaks again."""
    texts = []
    for message in messages[number + 1 :]:
        if message.session == messages[number].session:
            if message.role not in ANSWERING_ROLES:
                break
            texts.append(message.text)
    return "\n".join(texts)


def show_replayed(replayed: Sequence[Replayed]) -> None:
    """Print how many prompts got a block, and how many of those came back."""
    kinds = {
        "first of its session": [each for each in replayed if each.first],
        "later in a session": [each for each in replayed if not each.first],
        "all": list(replayed),
    }
    rows = []
    for name, prompts in kinds.items():
        blocks = [each for each in prompts if each.block]
        used = sum(each.used for each in blocks)
        rows.append([name, str(len(prompts)), _share(len(blocks), prompts), _share(used, blocks)])
    print_table(
        "Prompts of real sessions, replayed one by one",
        ["prompt", "prompts", "got a block", "of these, something came back"],
        rows,
    )


def read(replayed: Sequence[Replayed], count: int) -> None:
    """Print some of the blocks with their prompts."""
    blocks = [each for each in replayed if each.block]
    for each in random.Random(17).sample(blocks, min(count, len(blocks))):
        print(f"\n{'─' * 100}\nprompt: {each.prompt[:SHOWN_CHARACTERS]}")
        print(
            f"certainty {each.certainty:.2f}, {'used' if each.used else 'not used'}\n{each.block}"
        )


def _share(part: int, whole: Sequence[object]) -> str:
    return f"{part} ({part / len(whole):.0%})" if whole else "0"


if __name__ == "__main__":
    main()
