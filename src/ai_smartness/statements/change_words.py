"""Words that say whether a sentence changes what was said before, adds to it, or only wonders.

One list for each meaning, in the languages that people write to their agents in. The lists are
features of a fit: after a change of them, `scripts/fit` has to run again.
"""

import re

from ai_smartness.text.word_patterns import WordPatterns

__all__ = [
    "ADDITION",
    "CHANGE",
    "DOUBT",
    "HYPOTHESIS",
    "NEGATION",
    "PROVISIONAL",
    "REASON",
    "REPETITION",
    "SUGGESTION",
    "TEMPORARY",
    "TRIAL",
    "UNDONE",
    "WISH",
    "changes_and_supposes",
    "given_up_words",
    "kept_words",
]


def _any_of(words: str, unspaced: str = "") -> re.Pattern[str]:
    """Compile a list of words; those of scripts without spaces match anywhere."""
    pattern = rf"\b(?:{_joined_lines(words)})\b"
    return re.compile(f"{pattern}|{unspaced}" if unspaced else pattern, re.IGNORECASE)


def _joined_lines(words: str) -> str:
    return "|".join(line.strip() for line in words.strip().splitlines())


_CHANGE_WORDS = r"""
    now|instead|no longer|any ?more|no more|from now on|from here on|as of|moved?|moving|migrat\w*
    switch\w*|replac\w*|chang\w*|drop(?:s|ped|ping)?|gone|goes? away|is out|are out|back to|shift\w*
    renam\w*|rais\w*|lower\w*|bump\w*|cut|remov\w*|revert\w*|scrap\w*|forget|after all|used to
    previously|retir\w*|deprecat\w*|postpon\w*|scratch|took over|takes over|kill|became|upgrad\w*
    lift\w*|ended|stopp?\w*|reversed?|undid|undo|actually|it is|then|again|these days|henceforth
    from (?:today|tomorrow|this|next|\w+ on)|immediate effect|goes to|go to|rip\w* out|reduc\w*
    at last|g[ai]v(?:e|es|en|ing) up|abandon\w*|rid of|do without
    jetzt|statt|nicht mehr|ab (?:sofort|heute|jetzt)|künftig|ersetzt|umgestellt|raus|doch lieber
    maintenant|désormais|dorénavant|finalement|plus de|au lieu|à la place|remplac\w*
    ahora|ya no|en vez|en lugar|al final|a partir de|cambi\w*|теперь|вместо|больше не|отныне
    agora|já não|em vez|invece|adesso|ora|non più|teraz|już nie|zamiast|artık|yerine
    """
CHANGE = _any_of(_CHANGE_WORDS, "改|换|不再|现在|に変更|やめ|もう|から")
ADDITION = _any_of(
    r"""
    also|too|as well|besides|additionally|plus|exception|except|unless|only for|just for|today only
    this once|same for|same goes|and for|includ\w*|furthermore|moreover
    auch|außerdem|nur heute|aussi|también|sauf|excepto|тоже|также|anche|também|ausnahme\w*
    """,
    "も",
)
DOUBT = _any_of(
    r"""
    if|maybe|perhaps|might|could|would|wonder|think|probably|should we|shall|what about|proposal
    suggest\w*|option|tried|try|branch|draft|some ?day|later|consider\w*|asks?|asked|wants?|idea
    """
)
REPETITION = _any_of(
    r"""
    as (?:you )?(?:agreed|said|required|configured|before|decided|told)|still|stays?|remains?
    remind\w*|again|already|told you|i said|unchanged|yes|got it|don'?t forget|once more|survives
    enforced|wie gesagt|nochmal|rappel|immer noch|toujours
    """
)
TEMPORARY = _any_of(
    r"""
    today only|only today|just today|for today|tonight|tomorrow|this once|just once|for now
    this week|one[- ]off|exception\w*|except|for a test|as a test|temporar\w*|for the moment
    for \w+ only
    nur heute|für heute|heute nur|ausnahm\w*|vorläufig|juste pour|exceptionnel\w*|solo hoy|por hoy
    только сегодня|só hoje|solo oggi|dziś tylko
    """,
    "今日だけ|今天|仅此",
)
PROVISIONAL = _any_of(
    r"""
    for now|for the moment|for the time being|at first|to (?:start|begin)(?: with)?|initially|until
    temporar\w*|provisional\w*|vorerst|erst ?mal|vorläufig|pour l'instant|por ahora|de momento|пока
    per ora|por enquanto|na razie|şimdilik
    """,
    "とりあえず|暂时|先用",
)
TRIAL = _any_of(
    r"tried|experiment\w*|try out|for a test|test run|probé|essayé|versucht|ausprobiert|provato",
    "試し|试了",
)
UNDONE = _any_of(
    r"""
    revert\w*|roll(?:ed)? (?:it )?back|put .{1,20} back|back to what|threw it away
    discard\w*|undone|no convence|borrad\w*|untouched|unchanged|doesn't change|wieder zurück
    tout remis
    """
)
WISH = _any_of(
    r"""
    suggest\w*|reckons?|propos\w*|would like|wants?|asks?|asked|thinks?|wonder\w*|not (?:so )?sure
    someone|should we|what if|idea|may(?:be)?|might|could
    """,
    "怎么看|かな|ないか",
)
SUGGESTION = _any_of(
    r"suggest(?:s|ed)?|reckons?|propos(?:es|ed)|wonder\w*|not (?:so )?sure|should we|what if",
    "怎么看|かな|ないか",
)
_HYPOTHESIS_WORDS = r"""
    would|could|might|suppos\w*|imagine|maybe|perhaps|for (?:example|instance)|e\.g|in theory
    not (?:yet )?decided|no idea|only (?:this|on|for|today)|würden?|könnten?|wäre
    vielleicht|zum beispiel|(?:just|only) an idea|then (?:back|revert)
    this (?:once|time|afternoon|weekend)
    pourrait|serait|par exemple|peut-être|podría|sería|tal vez|por ejemplo
    """
HYPOTHESIS = _any_of(_HYPOTHESIS_WORDS)
REASON = _any_of(
    r"""
    since|because|so|was too|were too|complain\w*|couldn't|too (?:much|many|slow|big|expensive)
    wegen|weil|trop|demasiado
    """
)
NEGATION = _any_of(
    r"""
    no|not|never|none|without|nobody|don'?t|doesn'?t|isn'?t|aren'?t|kein\w*|nicht|nie|pas|jamais
    sans|sin|nunca|не|нет|без|non|mai|não
    """,
    "不|没|ない",
)
_BOTH = WordPatterns(
    [_joined_lines(_CHANGE_WORDS), _joined_lines(_HYPOTHESIS_WORDS)], before=r"\b", after=r"\b"
)


def changes_and_supposes(text: str) -> tuple[bool, bool]:
    """Say whether `CHANGE` and `HYPOTHESIS` are in a text; both are looked for at once."""
    if not text.isascii():
        return CHANGE.search(text) is not None, HYPOTHESIS.search(text) is not None
    changes, supposes = _BOTH.found_in(text)
    return changes, supposes


_GIVING_UP = (
    r"no more|no longer|not|never|without|instead of|rather than|drop(?:s|ped|ping)?|kill"
    r"|remov\w*|retire\w*|forget|abandon\w*|rid of|rip\w* out|giv(?:e|ing) up(?: on)?|away from"
    r"|(?:switch|mov|migrat|chang)\w* (?:over |back )?from|replac\w*|weg von|raus mit|statt"
    r"|kein\w*|ohne|plus de|au lieu de|sans|ya no|sin|en vez de|вместо|без"
    r"|больше не"
)
_BEING_GONE = (
    r"(?:is|are|was|were|ist|sind|fliegt|fliegen|est|sont|es|está)\s+(?:gone|out|dead|history"
    r"|removed|dropped|retired|no longer|raus|weg|deprecated|abandoned|over)"
)
_GIVEN_UP = re.compile(
    rf"\b(?:{_GIVING_UP})\s+"
    r"(?:the |using |on |in |an? |der |die |das |les? |la |de |el )?([^\W_][\w.+#-]*)",
    re.IGNORECASE,
)
_GONE = re.compile(rf"([^\W_][\w.+#-]*)\s+{_BEING_GONE}\b", re.IGNORECASE)
_ENDINGS = WordPatterns([_GIVING_UP, _BEING_GONE], before=r"\b", after=r"\b")


def given_up_words(text: str) -> set[str]:
    """Return the words that a sentence says are given up: "no more Redis", "Redis is out"."""
    # Hardly any sentence has one, and to look for the word itself takes much longer.
    patterns = zip((_GIVEN_UP, _GONE), _ENDINGS.found_in(text), strict=True)
    words = (word for pattern, is_there in patterns if is_there for word in pattern.findall(text))
    return {word.rstrip(".-") for word in words}


_KEPT = re.compile(
    r"\b(?:keep|keeps|keeping|leave|(?:stay|stick|go on) (?:with|to)|still (?:use|want)|behalte?n?"
    r"|bleiben? bei|garde[rz]?|on garde|conserve[rz]?|mant[eé]n\w*|deja|tieni|tenere|оставь)\s+"
    r"([^,;.!?]+)"
    r"|([^,;.!?]+?)\s+(?:stays?|remains?|is (?:fine|ok|okay)|are (?:fine|ok|okay)|bleib(?:t|en)"
    r"|restent?|se queda[n]?|resta|остаётся)\b",
    re.IGNORECASE,
)


def kept_words(text: str) -> str:
    """Return what a sentence says is kept: "drop eslint, prettier stays", "keep pytest"."""
    return " ".join(before or after for before, after in _KEPT.findall(text))
