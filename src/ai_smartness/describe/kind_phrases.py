"""Phrases that state an identity, a constraint, a preference, a decision, a task or a fact.

One phrase a line, as a regular expression, in lower case with straight apostrophes: English,
French, German, Spanish, Russian, Chinese. Every repetition is bounded, so that matching stays
quick.
"""

from ai_smartness.model.thread import Kind

__all__ = ["CONDITIONS", "HEDGES", "KIND_PHRASES"]

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
