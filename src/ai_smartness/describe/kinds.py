"""Propose the kind of a thread from plain statements of the user.

A statement can be an identity, a preference, a decision, a constraint, a task or a fact. Each
proposal quotes one sentence of the user's and waits for confirmation: nothing becomes a rule
by a pattern. Questions, quotations, code and thinking aloud state nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ai_smartness.describe.phrases import any_phrase_pattern
from ai_smartness.model.annotation import KindProposal
from ai_smartness.model.thread import Kind

__all__ = ["is_rule", "kind_proposals", "settled_proposal"]

# A name, a trade, an employer. "I'm a bit lost" has no trade in it.
_IDENTITY = r"""
    my name is
    i am called
    call me (?!when|if|back|later|old|crazy)
    i(?:'m| am) (?:an? |the )?[\w -]{0,30}(?:developer|engineer|designer|manager|student)
    i(?:'m| am) (?:an? |the )?[\w -]{0,30}(?:researcher|maintainer|founder|admin|architect)
    i work (?:at|for|as) \w+
    my (?:job|role|team|company|time ?zone|email) is
    i live in
    je m'appelle
    mon nom est
    je suis (?:un |une |le |la )?[\w -]{0,20}(?:développeu\w+|ingénieure?|étudiante?|cheff?e?)
    je travaille (?:chez|comme|pour)
    j'habite
    ich hei(?:ß|ss)e
    mein name ist
    ich bin (?:eine? )?[\w -]{0,20}(?:entwickler|ingenieur|student|designer|leiter)(?:in)?
    ich arbeite (?:bei|als|für)
    ich wohne in
    me llamo
    mi nombre es
    soy (?:un |una |el |la )?[\w -]{0,20}(?:desarrollador|ingenier[oa]|estudiante|diseñador)a?
    trabajo (?:en|como|para)
    vivo en
    меня зовут
    я работаю (?:в|на|как|над)?
    я (?:\w+ )?(?:разработчик|инженер|студент|студентка|дизайнер|аналитик)
    я живу в
    我叫(?!你|他|她|它)
    我的名字
    我是.{0,8}(?:工程师|开发|学生|设计师|经理)
    我在.{1,12}(?:工作|上班)
"""

# "Never" and "always" bind only where they open a clause or follow who is bound:
# "it never worked" is a report.
_CONSTRAINT = r"""
    (?:^|(?<=[,:;(-])|(?<=[,:;(-] ))(?:never|always) \w+
    (?:and|but|you|we|please|must|should|to|so|ok) (?:never|always) (?!\w*[^\Ws]s\b)\w+
    from now on
    must(?:n't| not| never| always)
    under no circumstances
    do(?: not|n't) ever
    at all times
    is (?:not allowed|forbidden|mandatory)
    (?:are|is) off[- ]limits
    no breaking changes
    ne .{0,40}jamais
    n'\w{1,20} jamais
    toujours \w+(?:er|ir|re|ez)
    désormais
    à partir de maintenant
    interdit
    il ne faut (?:pas|jamais)
    obligatoire(?:ment)?
    niemals
    nie wieder
    ab jetzt
    ab sofort
    bitte immer
    immer (?:erst|zuerst|mit|vor|alle)
    (?:darf|dürfen) (?:nicht|nie|niemals|keine?[rnms]?)
    verboten
    auf keinen fall
    (?:muss|müssen) (?:immer|stets)
    (?:^|(?<=[,:;])|(?<=[,:;] ))(?:nunca|siempre) \w+
    (?:no|debes|hay que) (?:nunca|siempre) \w+
    a partir de ahora
    prohibido
    bajo ningún concepto
    es obligatorio
    никогда не
    (?:^|(?<=[,:;])|(?<=[,:;] ))всегда \w+
    отныне
    нельзя
    запрещено
    ни в коем случае
    обязательно \w+
    绝不
    永远不
    必须
    一律
    禁止
    不允许
    从现在起
    以后都
"""

# "I like" alone is politeness; a wish names how things are to be done.
_PREFERENCE = r"""
    i(?:'d| would)? (?:much |really |strongly )?(?:prefer|rather)
    i(?: really)? like (?:it )?(?:when|if|my|to see|short|code|tests|small)
    i (?:hate|dislike|love|can't stand) \w+
    i (?:don't|do not) (?:like|want you to)
    my (?:preference|favou?rite)
    i want (?:my|all|every|you to always)
    je préf(?:ère|érerais)
    j'aime(?:rais)? (?:mieux|bien|pas)
    je n'aime pas
    je déteste
    ich bevorzuge
    ich mag (?!sein)
    ich hasse
    ich hätte (?:es )?lieber
    mir ist .{1,30} lieber
    am liebsten
    prefiero
    (?:no )?me gusta[n]? (?:más|cuando|que|el|la|los|las|\w+r)
    odio
    (?:я )?предпочитаю
    мне (?:больше |не )?нрав[ия]тся
    терпеть не могу
    我(?:更|比较)?喜欢
    我偏好
    我不喜欢
    我讨厌
    我更愿意
"""

# A choice that was taken, said as "we" or as done.
_DECISION = r"""
    we(?:'ve| have)? (?:decided|agreed|chose|chosen|settled on)
    i(?:'ve| have)? decided
    let(?:'s|s| us) (?:go with|use|stick (?:with|to)|keep|drop|not|switch to|do it)
    we(?:'re| are) (?:moving|switching) to
    we(?:'re| are) (?:dropping|going with)
    we(?:'ll| will) (?:use|go with|keep|drop|stick with)
    decision:
    (?:^|(?<=[,:;])|(?<=[,:;] )|ok |yes )go with (?:option )?\w+
    instead of \w+,? (?:we|use)
    on (?:a décidé|part sur|garde|utilise(?:ra)?|va utiliser|abandonne)
    nous (?:avons décidé|utiliserons|gardons|avons choisi)
    j'ai décidé
    décision ?:
    wir haben .{0,40}(?:entschieden|beschlossen|geeinigt)
    wir (?:nehmen|bleiben bei|verwenden|nutzen|wechseln (?:zu|auf))
    ich habe (?:mich )?.{0,30}entschieden
    entscheidung:
    beschlossen
    hemos decidido
    he decidido
    decidimos
    vamos a usar
    usaremos
    nos quedamos con
    (?:мы )?решили
    решено
    я решил[а]?
    будем использовать
    оставляем
    переходим на
    (?:我们|我)?决定(?:了|用|使用|采用|改用)
    我们决定
    就用
    我们(?:将|会)(?:使用|采用)
"""

# Work put off, not work asked for now.
_TODO = r"""
    todo
    to-do
    fixme
    remind me
    (?:don't|do not) forget
    remember to
    (?:we|i) (?:still )?(?:need|have) to .{3,80}(?:later|next week|tomorrow|afterwards)
    (?:we|i) still (?:need|have) to
    (?:later|next week|tomorrow|next time),? (?:we|i|let's)
    follow[- ]up(?: on)?:
    still (?:missing|to do)
    à faire
    n'oublie[zs]? pas
    rappelle[- ]moi
    il (?:reste|faudra)
    pense[zs]? à
    noch zu tun
    nicht vergessen
    vergiss nicht
    erinnere mich
    müssen wir noch
    wir müssen noch
    später (?:noch|müssen)
    steht noch aus
    queda pendiente
    pendiente[:]
    no olvides
    recuérdame
    queda por
    hay que .{3,60} más tarde
    не забудь(?:те)?
    напомни(?:те)?
    надо будет
    осталось (?:\w+ ){0,3}\w+ть
    потом (?:надо|нужно)
    待办
    别忘了
    记得
    提醒我
    以后再
    稍后
    还需要
"""

# How the world of this work is. The least plain: a description reads alike.
_FACT = r"""
    fyi
    for (?:the record|your information)
    note that
    keep in mind
    be aware
    (?:the|our) (?:[\w.-]{1,30} ){1,4}(?:runs on|lives (?:in|at)|listens on|points to) \w+
    (?:the|our) (?:[\w.-]{1,30} ){1,4}is (?:at|hosted|located|deployed|called|named) \w+
    our (?:[\w.-]{1,30} ){1,4}(?:expires?|costs?) \w+
    à noter
    pour info
    sache[zs]? que
    notre [\w -]{2,25} (?:est|tourne|utilise|écoute)
    le [\w.-]{1,30} (?:tourne|se trouve) \w+
    zur info
    beachte
    unser\w{0,2} [\w -]{2,25} (?:läuft|nutzt|liegt|heißt)
    der [\w.-]{1,30} (?:läuft|liegt) \w+
    ten en cuenta
    para que (?:lo )?sepas
    nuestr[oa] [\w -]{2,25} (?:es|está|usa)
    к сведению
    учти(?:те)?,? что
    имей(?:те)? в виду
    наш\w{0,3} \w{1,30} (?:работает|находится|использует|называется)
    注意[:：，,]
    供参考
    我们的.{1,15}(?:是|在|用)
"""

KIND_PHRASES: tuple[tuple[Kind, float, str], ...] = (
    (Kind.IDENTITY, 0.9, _IDENTITY),
    (Kind.CONSTRAINT, 0.9, _CONSTRAINT),
    (Kind.PREFERENCE, 0.8, _PREFERENCE),
    (Kind.DECISION, 0.8, _DECISION),
    (Kind.TODO, 0.7, _TODO),
    (Kind.FACT, 0.5, _FACT),
)
"""Kind, plainness (0–1), and phrases. The first kind that matches wins: "from now on
I always want" is a constraint, not a preference. Plainness is a judgement, not a measure: a name
or a rule is hardly ambiguous, a fact reads like any description."""

# Thinking aloud: not said plainly, so not proposed at all.
HEDGES = r"""
    maybe
    perhaps
    might
    what if
    should (?:we|i)
    could (?:we|i|you)
    would it
    i wonder
    i guess
    not sure (?:if|whether)
    thinking (?:of|about)
    peut-être
    on pourrait
    je me demande
    et si
    faut-il
    vielleicht
    eventuell
    könnten wir
    sollten wir
    ich frage mich
    quizás?
    tal vez
    podríamos
    me pregunto
    может(?: быть)?
    возможно
    наверное
    стоит ли
    也许
    可能
    或许
    是不是
    要不要
"""

# A rule for a case is still a rule, but holds less of a thread.
CONDITIONS = r"""
    if
    unless
    in case
    si
    wenn
    falls
    en caso de
    если
    如果
"""

SPEECH_CHARACTERS = 2000  # nobody says more at once; the rest of a message was pasted
SHORTEST_SENTENCE_CHARACTERS = 8  # half of this where a character is a syllable or a word
LONGEST_SENTENCE_CHARACTERS = 300  # a longer one was pasted, or is a list without full stops
CONDITIONAL_SHARE = 0.5  # the remaining plainness of a statement that holds only under a condition
SETTLED_PLAINNESS = 0.5  # below this the best sentence was conditional: too little for a thread
RULE_CHARACTERS = 400  # a longer message tells more than a rule
RULE_SHARE = 0.8  # of a message's characters: the rest is a courtesy
SETTLED_SHARE = 2 / 3  # twice as much speaks for this kind as for all others together


def kind_proposals(text: str) -> tuple[KindProposal, ...]:
    """Propose kinds for the plain statements in a user's own words, in order."""
    speech = text[:SPEECH_CHARACTERS]
    heading = _HEADING.search(speech)
    return tuple(
        KindProposal(kind, sentence, plainness)
        for sentence, bare in _stated_sentences(speech[: heading.start()] if heading else speech)
        for kind, plainness in _sentence_kinds(bare)
    )


def is_rule(text: str) -> bool:
    """Say whether a message only states how to work or who the user is, and asks for nothing."""
    if len(text) > RULE_CHARACTERS:
        return False
    rules = {proposal.sentence for proposal in kind_proposals(text) if proposal.kind in _RULE_KINDS}
    return bool(rules) and sum(map(len, rules)) >= RULE_SHARE * len(text.strip())


def settled_proposal(proposals: Sequence[KindProposal]) -> KindProposal | None:
    """Return the one proposal that characterises a thread, if one kind clearly leads.

    It is the plainest sentence of that kind, and the first of equals.
    """
    weights: dict[Kind, float] = defaultdict(float)
    for proposal in proposals:
        weights[proposal.kind] += proposal.plainness
    if not weights:
        return None
    kind = max(weights, key=weights.__getitem__)
    of_kind = (proposal for proposal in proposals if proposal.kind is kind)
    best = max(of_kind, key=lambda proposal: proposal.plainness)
    leads = weights[kind] >= SETTLED_SHARE * sum(weights.values())
    return best if leads and best.plainness >= SETTLED_PLAINNESS else None


_KIND_PATTERNS = tuple(
    (kind, plainness, any_phrase_pattern(phrases)) for kind, plainness, phrases in KIND_PHRASES
)
_RULE_KINDS = frozenset({Kind.CONSTRAINT, Kind.PREFERENCE, Kind.IDENTITY})
_HEDGE = any_phrase_pattern(HEDGES)
_CONDITION = any_phrase_pattern(CONDITIONS)

# Not the speaker's own words: fences, code, tags, citations, quotation marks.
_QUOTED_OR_CODE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{1,200}`|^[ \t]*>.*?$|^(?: {4}|\t).*?$"
    r"|<(\w{1,30})>.{0,2000}?</\1>"
    r'|"[^"\n]{1,200}"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|„[^“”\n]{1,200}[“”]|「[^」\n]{1,200}」',
    re.DOTALL | re.MULTILINE,
)
# Below a heading it is a document, not speech.
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_STOPS = "\n.!?。！？;；"
_SENTENCE = re.compile(rf"[^{_STOPS}]+(?:\.(?=[\w\0])[^{_STOPS}]*){{0,20}}[.!?。！？]{{0,3}}")
_QUESTION_MARKS = ("?", "？")
_SENTENCE_MARGINS = " \t\n-*•"


def _stated_sentences(speech: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence as written, and its part in the speaker's own words."""
    masked = _QUOTED_OR_CODE.sub(lambda match: "\0" * len(match[0]), speech)
    for match in _SENTENCE.finditer(masked):
        sentence = speech[slice(*match.span())].strip(_SENTENCE_MARGINS)
        shortest = SHORTEST_SENTENCE_CHARACTERS // (1 if sentence.isascii() else 2)
        if shortest <= len(sentence) <= LONGEST_SENTENCE_CHARACTERS:
            # One character for one, so that no other letter takes its place.
            yield sentence, match[0].strip(_SENTENCE_MARGINS).lower().replace("’", "'")


def _sentence_kinds(bare: str) -> Iterator[tuple[Kind, float]]:
    """Yield the kind of a sentence, if it has one."""
    if bare.endswith(_QUESTION_MARKS) or _HEDGE.search(bare):
        return
    for kind, plainness, pattern in _KIND_PATTERNS:
        if pattern.search(bare):
            is_conditional = _CONDITION.search(bare) is not None
            yield kind, plainness * (CONDITIONAL_SHARE if is_conditional else 1.0)
            return
