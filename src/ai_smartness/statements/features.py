"""The explicit features of a sentence, beside its vector: who said it, its form, its cue words.

Standard library only. The order of the features is part of a fit: a change of them needs a new
one (`scripts/fit`).
"""

import re

from ai_smartness.model.statement import Speaker
from ai_smartness.statements.sentences import Sentence, is_question

__all__ = ["has_change_words", "sentence_features"]

FULL_LENGTH_CHARACTERS = 300
SHORT_CHARACTERS = (15, 30)
FEW_WORDS = (3, 6)

_RULE = (
    r"never|always|must|only|don'?t|do not|no more|not allowed|forbid\w*|at most|at least|max|min"
    r"|every|without|unless|nothing"
)
_NEW_VALUE = (
    r"now|instead|no longer|anymore|any more|from now on|moved?|switch\w*|replac\w*|changed?"
    r"|drop\w*|gone|out|back to|new|shift\w*|renam\w*|rais\w*|lower\w*|bump\w*|cut"
)
_DECISION = r"we use|use|let'?s|go with|decid\w*|agreed|pick\w*|chose\w*|stay with|keep|settle\w*"
_WISH = r"prefer|like|hate|please|pls|rather|want|style|short|i'd"
_CAUSE = r"because|root cause|cause|due to|fix(?:ed)? (?:is|was|by)|turned out|culprit|reason"
_TASK = (
    r"todo|later|not now|next|remind|after|someday|still (?:need|open|missing)|write it down|noted"
    r"|follow[- ]?up|pending|until"
)
_NARRATION = (
    r"looking|reading|checking|running|let me|i'?ll|i will|going to|pulling|building|starting|on it"
    r"|first"
)
_REPORT = (
    r"done|fixed|updated|added|reverted|changed|works|pass(?:es|ed)?|green|clean|committed|pushed"
    r"|noted"
)
_DOUBT = r"if|maybe|perhaps|might|could|would|wonder|think|probably"
_CUES = tuple(
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (
        *(_RULE, _NEW_VALUE, _DECISION, _WISH, _CAUSE, _TASK, _NARRATION, _REPORT, _DOUBT),
    )
)
_CHANGE = re.compile(
    r"\b(?:now|instead|no longer|any ?more|no more|not .{1,30} but|from now on|from here on|as of"
    r"|mov(?:e|ed|ing)|migrat\w*|switch\w*|replac\w*|chang\w*|drop(?:s|ped|ping)?|gone|goes? away"
    r"|is out|are out|back to|new|shift\w*|renam\w*|rais\w*|lower\w*|bump\w*|cut|remov\w*"
    r"|revert\w*|scrap\w*|forget|after all|turned out|so far|used to|previously|updated?|retir\w*"
    r"|deprecat\w*|postpon\w*|extend\w*|scratch|rather|left|took over|takes over|kill|kicked"
    r"|became|grew|upgrad\w*|lift\w*|ends?|ended|stopp?\w*|allowed|reversed?|undo|undid|correct\w*"
    r"|actually|mehr|jetzt|statt|ab sofort|ersetzt|umgestellt|fliegt raus|maintenant|désormais"
    r"|plus de|au lieu|remplac\w*|ahora|ya no|en vez|cambi\w*|теперь|вместо|больше не|agora|invece"
    r"|adesso|ora)\b"
    r"|改|换|不再|现在|に変更|やめ|もう|これから",
    re.IGNORECASE,
)
_FILE = re.compile(r"[\w-]+/[\w.-]+|\w+\.\w{1,4}\b")
_AGREEMENT = re.compile(r"(?:yes|ok|okay|sure|fine|go|yep|no|thanks|great|nice)\b", re.IGNORECASE)
_COMMAND = re.compile(
    r"`|\$ |(?:make|npm|cargo|python|git|run|docker|kubectl|just|pnpm)\b", re.IGNORECASE
)


def sentence_features(sentence: Sentence, speaker: Speaker) -> list[float]:
    """Return the features of a sentence that a speaker said."""
    words = sentence.words
    count = len(words.split())
    follows_question = is_question(sentence.before) if sentence.before else False
    claims = (
        *(speaker is one for one in Speaker),
        words.rstrip().endswith("?"),
        is_question(words),
        "`" in words,
        any(map(str.isdigit, words)),
        _FILE.search(words) is not None,
        *(len(words) < limit for limit in SHORT_CHARACTERS),
        *(count <= limit for limit in FEW_WORDS),
        words[:1] in "+-@$#<>{}|",
        words.startswith("$ "),
        ";" in words,
        "=" in words,
        follows_question,
        follows_question and count <= FEW_WORDS[-1],
        _AGREEMENT.match(words) is not None,
        _COMMAND.match(words) is not None,
        *(cue.search(words) is not None for cue in _CUES),
    )
    length = min(len(words), FULL_LENGTH_CHARACTERS) / FULL_LENGTH_CHARACTERS
    return [length, *map(float, claims)]


def has_change_words(text: str) -> bool:
    """Say whether a sentence says that something changed."""
    return _CHANGE.search(text) is not None
