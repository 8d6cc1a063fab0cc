"""The explicit features of a sentence, beside its vector: who said it, its form, its cue words.

Standard library only. The order of the features is part of a fit: a change of them needs a new
one (`scripts/fit`).
"""

import re
from collections.abc import Sequence

from ai_smartness.model.statement import Speaker
from ai_smartness.statements.sentences import Sentence, is_question
from ai_smartness.text.word_patterns import WordPatterns

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
_GENERAL = (
    r"always|never|ever|every\w*|each|nobody|no one|noone|must(?:n'?t| not| be)?|whenever|any|all"
    r"|from (?:now|today|here)(?: on)?|as of|forbidden|under (?:all|no|any)|immer|nie|niemals"
    r"|toujours|jamais|siempre|nunca"
)
_ONCE = (
    r"(?:for|just|only) (?:now|today|tonight|once|the (?:demo|test|moment))|today only"
    r"|this (?:once|time|one|morning|afternoon|evening)|for a (?:moment|test|trial)|right now"
    r"|tonight"
    r"|exceptionally|so i can"
)
_UNFINISHED = (
    r"todo|to[- ]do|fixme|still (?:open|missing|to|needs?|have|has|gotta|owe|waiting|wrong)|open"
    r"|left (?:for|to do|open)|remain(?:s|ing)?|outstanding|pending|unfinished|undone"
    r"|not (?:yet|done|started|run|ported|tested)|(?:has|have|is|are|was|did) not .{1,40} yet"
    r"|another day|at some point|one day|on the (?:list|heap)|next (?:week|month)|tomorrow|later"
    r"|noch (?:offen|zu)|muss noch|fehlt noch|reste|il faudra|à faire|pendiente|falta(?:n)?|queda"
)
_CURE = (
    r"fix(?:ed|es)?|cure[sd]?|solved|solves|resolved|solution|goes away|went away|gone|helps|helped"
    r"|clears it|brought it back|behoben|gelöst|corrigé\w*|résolu\w*|arregl\w*|solucion\w*"
    r"|исправ\w*"
)
_PAST = (
    r"i (?:tried|went|put|looked|saw|ran|read|checked|thought|had|was|told|did|got)|yesterday"
    r"|last (?:night|week|time|year)|once|ago|on (?:sunday|monday|the weekend)"
)
_PROPOSAL = (
    r"i (?:could|would|suggest|propose)|i'd|shall i|options?|alternative\w*|suggestion|proposal"
    r"|what about|how about"
)
_SYMPTOM = (
    r"isn'?t|doesn'?t|does not|don'?t work|aren'?t|not working|slow\w*|weird|annoying|problem\w*"
    r"|lost|lose|hangs?|flaky|complain\w*|bad|dies|died|down|stuck"
    r"|since (?:this morning|i|the|today)|why|too (?:slow|great|early|tight|much)"
)
_STATE = r"is|are|was|goes|go|lives?|runs?|sits?|stays?|uses?|has|have|gets?|means|needs?|=|->"
_CUE_WORDS = (
    *(_RULE, _NEW_VALUE, _DECISION, _WISH, _CAUSE, _TASK, _NARRATION, _REPORT, _DOUBT),
    *(_GENERAL, _ONCE, _UNFINISHED, _CURE, _PAST, _PROPOSAL, _STATE, _SYMPTOM),
)
_CUES = WordPatterns(_CUE_WORDS)

_SPEAKERS = tuple(Speaker)
_NO_CUES = (False,) * len(_CUE_WORDS)
_GENERAL_PLACE, _CURE_PLACE = 9, 12
_FILLER = (
    r"(?:(?:please|pls|now|then|and|also|ok(?:ay)?|so|next|first|right|but|just|oh|yes|no|btw"
    r"|hey|hi"
    r"|bitte|ahora|maintenant|for (?:the|this|today)\b[^,.;]{0,40})\b[\s,:!.]*){0,3}"
)
_IMPERATIVE = re.compile(
    rf"{_FILLER}(?:add|amend|ask|bench|build|bump|calibrate|call|change|check|clean|commit"
    r"|compare|continue|convert|copy|create|cut|delete|deploy|do|download|evaluate|explain"
    r"|export"
    r"|fix|flash|flip|format|generate|give|hide|implement|import|let me|list|log"
    r"|look"
    r"|measure|merge|open|plot|print|push|read|rebase|redo|refactor|release"
    r"|remove|rename|repeat|rerun|restart|revert|reboot|run|send|ship|show|skip"
    r"|sort"
    r"|spawn|split|start|stop|submit|tell|test|tidy|train|translate|try|turn|undo"
    r"|update"
    r"|upgrade|wait|wire|wrap|write|zip|ajoute|renomme|relis|change|añade|cambia|mach|benenn"
    r"|lösch|schreib|zeig)\b(?!:)",
    re.IGNORECASE,
)
_CHANGING = re.compile(
    rf"{_FILLER}(?:move|switch|use|drop|replace|migrate|go|kill|swap|set|put|make|let'?s|take|keep"
    r"|raise|lower|scrap|no more|back to|roll)\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?:the )?(?:todo|fixme|fix|cure|still open|open|left for \w+|remaining)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    rf"{_FILLER}(?:(?:can|could|would|will) (?:you|we|one|u|the)|would you|please|pls|i(?:'d"
    rf"| would)"
    r" (?:like|love) (?:you|to see)|i want (?:you|to see))\b",
    re.IGNORECASE,
)
_RETOLD = re.compile(
    r"\b(?:as (?:you|we|i|already|discussed|agreed|decided|settled|said|mentioned|requested)\b"
    r"|you (?:already |had |have |'d )?(?:said|told|asked|decided|mentioned|wanted|chose|set|moved"
    r"|upgraded|picked|preferred)|(?:we|you)(?: had| have|'d)? (?:already |just "
    r"|earlier )?(?:agreed"
    r"|decided|settled|discussed|said|had this)|earlier (?:you|we|today|sessions?)|per your"
    r"|according to|(?:to |quick )?recap|to (?:sum up|summari[sz]e)|in (?:summary|short)|summary"
    r"|tl;?dr|where (?:we|things) (?:are|stand)|zusammen(?:fassung|gefasst)|stand der dinge"
    r"|en résumé|(?:en )?resumen|to confirm|remember(?: that)?|from (?:our|your) earlier"
    r"|yesterday (?:we|you)"
    r"|last (?:week|session|time) (?:we|you)|(?:yesterday|last (?:week|session|month|weekend)"
    r"|in (?:march"
    r"|spring|january))[.,]?$|(?:decided|agreed) (?:in|on|last)|understood|noted|since the project"
    r"|wie (?:gestern|besprochen|gesagt)|du hattest|comme (?:convenu|vous)|vous aviez|como dijiste"
    r"|ya habíamos)",
    re.IGNORECASE,
)
_LOWER_RETOLD = re.compile(_RETOLD.pattern)
_ERROR = re.compile(
    r"(?:Error|Exception)\b|\bE[A-Z]{4,}\b|\b(?:errors?|fail(?:s|ed|ing|ure)?|crash\w*|broken?"
    r"|panic|fatal|timeouts?|hangs?|leak\w*|wrong|missing|overflow|oom|exit code|race|stale|empty"
    r"|not found|denied|refused|rejected|fehler|erreur|error(?:es)?)\b"
)
_COMMAND_IN_TICKS = re.compile(r"`[./]*[a-z][\w./-]* [^`]+`|`[A-Z_]+=\S+ [^`]+`")
_NAME_IN_TICKS = re.compile(r"`[^` ]+`")
_DONE_FIRST = re.compile(r"(?:ok, |done[:.,] )?\w+ed\b", re.IGNORECASE)
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
_PLAIN_DIGIT = re.compile(r"[0-9]")
_FILE = re.compile(r"[\w-]/[\w.-]|\w\.\w{1,4}\b")
_AGREEMENT = re.compile(r"(?:yes|ok|okay|sure|fine|go|yep|no|thanks|great|nice)\b", re.IGNORECASE)
_COMMAND = re.compile(
    r"`|\$ |(?:make|npm|cargo|python|git|run|docker|kubectl|just|pnpm)\b", re.IGNORECASE
)


def sentence_features(sentence: Sentence, speaker: Speaker) -> tuple[float, ...]:
    """Return the features of a sentence that a speaker said."""
    words = sentence.words
    count = len(words.split())
    follows_question = is_question(sentence.before) if sentence.before else False
    cues = _CUES.found_in(words)
    has_file_sign = "/" in words or "." in words
    claims = (
        *(speaker is one for one in _SPEAKERS),
        words.rstrip().endswith("?"),
        is_question(words),
        "`" in words,
        _has_digit(words),
        has_file_sign and _FILE.search(words) is not None,
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
        *cues,
        *(cues if speaker is Speaker.ASSISTANT else _NO_CUES),
        *_form_claims(words, speaker, cues),
    )
    length = min(len(words), FULL_LENGTH_CHARACTERS) / FULL_LENGTH_CHARACTERS
    return (length, *map(float, claims))


def _has_digit(words: str) -> bool:
    return _PLAIN_DIGIT.search(words) is not None or (
        not words.isascii() and any(map(str.isdigit, words))
    )


def _form_claims(words: str, speaker: Speaker, cues: Sequence[bool]) -> tuple[bool, ...]:
    """Return what the form says: a request for this once, a retelling, an error with its cure."""
    by_user, by_agent = speaker is Speaker.USER, speaker is Speaker.ASSISTANT
    general, cure, has_ticks = cues[_GENERAL_PLACE], cues[_CURE_PLACE], "`" in words
    commands = by_user and _IMPERATIVE.match(words) is not None
    retold = (by_user or by_agent) and _is_retold(words)
    error = _ERROR.search(words) is not None
    return (
        commands,
        commands and not general,
        commands and general,
        by_user and _ASKING.match(words) is not None,
        by_user and _CHANGING.match(words) is not None,
        _LABELLED.match(words) is not None,
        retold and by_user,
        retold and by_agent,
        error and not cure,
        error and cure,
        cure and by_agent,
        by_agent and _DONE_FIRST.match(words) is not None,
        has_ticks and _COMMAND_IN_TICKS.search(words) is not None,
        has_ticks and _NAME_IN_TICKS.search(words) is not None,
    )


def _is_retold(words: str) -> bool:
    if words.isascii():
        return _LOWER_RETOLD.search(words.lower()) is not None
    return _RETOLD.search(words) is not None


def has_change_words(text: str) -> bool:
    """Say whether a sentence says that something changed."""
    return _CHANGE.search(text) is not None
