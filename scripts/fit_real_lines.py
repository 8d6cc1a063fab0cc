"""Labelled sentences of real coding sessions, whose text is not in the repository.

`training/real_lines.jsonl` names each sentence by its message and a hash of its words, with the
labels of its annotators. The sessions are read from the file that `scripts/fit --real FILE` is
given. One of the four repositories is never fitted on: it says how good the head is elsewhere.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from fit_data import Item, training_items

from ai_smartness.model.statement import Speaker, sentence_hash
from ai_smartness.statements.sentences import Sentence, last_line, message_sentences

REPORTED_REPOSITORY = "cipher-box"
"""The repository whose sentences are only for reporting; its name is that of a writer."""


def real_items(sessions: Path) -> list[Item]:
    """Return the labelled sentences of real sessions, each with its `sentence`."""
    labels = {(one["message"], one["sentence"]): one for one in training_items("real_lines")}
    items = [
        {**label, "speaker": str(speaker), "sentence": sentence, "writer": label["conversation"]}
        for message, speaker, sentence in _session_sentences(sessions)
        if (label := labels.pop((message, sentence_hash(sentence.text)), None))
    ]
    print(f"real lines: {len(items)} labelled sentences, {len(labels)} are not in {sessions}")
    return items


def real_messages(sessions: Path) -> list[Item]:
    """Return the messages of all repositories but the one that is only for reporting."""
    with gzip.open(sessions, "rt", encoding="utf-8") as lines:
        conversations = map(json.loads, lines)
        return [
            message
            for conversation in conversations
            if REPORTED_REPOSITORY not in conversation["conv"]
            for message in conversation["corpus"]
        ]


def _session_sentences(sessions: Path) -> Iterator[tuple[str, Speaker, Sentence]]:
    with gzip.open(sessions, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield from _conversation_sentences(json.loads(line)["corpus"])


def _conversation_sentences(messages: list[Item]) -> Iterator[tuple[str, Speaker, Sentence]]:
    """Yield the sentences of all messages, each with what somebody else said before it."""
    last: dict[str, tuple[Speaker, str]] = {}
    for message in messages:
        speaker = Speaker.USER if message["role"] == "user" else Speaker.ASSISTANT
        spoken_by, line = last.get(message["session"], (speaker, ""))
        before, text = line if spoken_by is not speaker else "", message["text"] or ""
        for sentence in message_sentences(text, speaker, before):
            yield message["id"], speaker, sentence
        if text:
            last[message["session"]] = speaker, last_line(text)
