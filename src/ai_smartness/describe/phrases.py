"""Phrases of change, as people write them in six languages, and their search patterns.

A list has one phrase a line. A phrase is a regular expression without regard to case; where
words have spaces it matches whole words. `<old>` and `<new>` stand for the thing given up
and its replacement, `<thing>` for the only one: a name, a quotation or an amount.
"""

import re
from collections.abc import Iterator
from functools import cached_property

__all__ = [
    "AVOIDED",
    "CHANGED",
    "CHOSEN",
    "DROPPED",
    "LABELS",
    "MONTHS",
    "NEEDED",
    "NEVER",
    "REPLACED",
    "RULED",
    "SWITCHES",
    "UNITS",
    "UNIT_PATTERN",
    "Phrase",
    "any_phrase_pattern",
    "cue_pattern",
    "parsed_phrases",
]

# Words before a thing that are not part of its name.
ARTICLES = """
the a an our my this that le la les l' un une notre der die das den dem ein eine einen unser
el los las una nuestro nuestra
"""

# One thing in place of another, both named.
REPLACED = r"""
    <new>,? instead of <old>
    <new>,? rather than <old>
    replac(?:e|ed|es|ing) <old> (?:with|by) <new>
    swap(?:ped|ping)? (?:out )?<old> (?:for|with) <new>
    (?:switch|mov|migrat|chang)\w* (?:over |back |everything )?(?:away )?from <old> to <new>
    <new> au lieu d[e'] ?<old>
    <new> à la place d[e'] ?<old>
    remplac(?:er|e|ez|é|ons) <old> par <new>
    pass(?:er|e|é|ons) de <old> à <new>
    <new> (?:an)?statt <old>
    <new> anstelle von <old>
    ersetz(?:en|e|t) (?:wir )?<old> durch <new>
    wechsel(?:n|t|e)? (?:wir )?von <old> (?:zu|auf) <new>
    <new> en (?:vez|lugar) de <old>
    (?:reemplaz|sustitu)\w+ <old> por <new>
    (?:cambi|pas|migr)\w+ de <old> a <new>
    <new> вместо <old>
    замен\w+ <old> на <new>
    пере(?:ходим|шли|йти|ехали) с[о]? <old> на <new>
    用<new>(?:代替|替代|取代|替换)<old>
    [把将]<old>(?:换成|替换为|替换成|改成|改为)<new>
    从<old>(?:换成|换到|切换到|迁移到|改用|改成|改为)<new>
"""

# A measure that went from one value to another: only where a verb or a noun of change is near.
SWITCHES = r"""
    from <old> to <new>
    de <old> à <new>
    von <old> (?:auf|zu) <new>
    de <old> a <new>
    с <old> (?:до|на) <new>
    从<old>(?:到|增加到|减少到|提高到|降到|变成|调整为)<new>
"""

# A thing given up, with nothing named in its place.
DROPPED = r"""
    (?:let'?s|we(?:'re| are|'ll| will)?|i(?:'m| am|'ll| will)?|please|to|and) drop <thing>
    (?:we(?:'re| are)?|i(?:'m| am)?) dropp(?:ing|ed) <thing>
    no longer (?:use|using|need|want|support|depend on|rely on)s? <thing>
    (?:don't|do not|doesn't|does not|won't|not) (?:use|need|want|support) <thing> any ?more
    stop(?:ped)? using <thing>
    (?:get|got|getting) rid of <thing>
    (?:on|nous) (?:abandonne|abandonnons|n'utilise plus|n'utilisons plus|laisse tomber) <thing>
    n'utilis\w+ plus <thing>
    (?:wir|ich) (?:verwenden|nutzen|brauchen|benutzen) <thing> nicht (?:mehr|länger)
    ohne <thing> weiter
    ya no (?:usamos|uso|necesitamos|queremos|usa) <thing>
    dej(?:amos|ar|emos) de usar <thing>
    (?:больше не|уже не) (?:используем|использую|нужен|нужна|нужно) <thing>
    отказ(?:ываемся|ались|аться) от <thing>
    不再(?:使用|用|需要|支持)<thing>
    (?:弃用|放弃)<thing>
"""

# A thing taken up.
CHOSEN = r"""
    (?:let'?s|we|we'll|we will|we should|please) use <thing> (?:for|as|in|to)
    (?:i|i'll|i want to|must|always) use <thing> (?:for|as|in|to)
    (?:we|i)(?:'re| are|'m| am)? (?:using|use) <thing> (?:for|as|in|to)
    (?:decided|agreed) (?:on|to use|to go with) <thing>
    (?:go|going|went|stick|stay) with <thing>
    (?:switch|mov|migrat)\w* (?:over )?to <thing>
    (?:chose|chosen|picked) <thing>
    (?:on|nous) (?:utilise|utilisons|utilisera|garde|gardons|va utiliser|part sur) <thing>
    (?:utilise|utiliser|utilisons) <thing> pour
    pass(?:er|ons|é) à <thing>
    (?:wir|ich) (?:verwenden|nutzen|nehmen|benutzen|nutze|verwende) (?:jetzt |nun )?<thing>
    (?:wir )?bleiben bei <thing>
    (?:usamos|usaremos|vamos a usar|usar|usa) <thing> para
    nos quedamos con <thing>
    (?:мы )?(?:используем|будем использовать|берём|берем) <thing>
    пере(?:ходим|шли) на <thing>
    (?:我们)?(?:使用|采用|就用|改用|决定用)<thing>
"""

# A thing kept away from.
AVOIDED = r"""
    (?:don't|do not|never|must not|mustn't|should not|shouldn't) use <thing>
    avoid(?:ing)? <thing>
    n'utilis\w+ (?:pas|jamais) <thing>
    (?:verwende|nutze|benutze)n? (?:wir )?(?:nie|niemals|nicht|kein\w*) <thing>
    (?:no|nunca) us(?:es|ar|amos|emos) <thing>
    не использу(?:й|йте|ем) <thing>
    (?:不要|别|禁止)(?:使用|用)<thing>
"""

# A rule for it, and against it: `always` and `never` with what they rule.
RULED = r"""
    always
    toujours
    immer
    siempre
    всегда
    (?:总是|始终|一律|必须)
"""
NEVER = r"""
    never
    (?:do not|don't) ever
    must not
    jamais
    niemals
    nie
    nunca
    никогда
    (?:绝不|永远不|禁止|不得)
"""

# Said of a value, it is another than before.
CHANGED = r"""
    now
    instead
    no longer
    any ?more
    (?:chang|switch|updat|upgrad|downgrad|bump|renam)(?:ed|ing|ped|ping)
    (?:chang|switch|updat|upgrad|downgrad|bump|renam)e? (?:[\w'-]{1,20} ){0,5}to
    (?:rais|increas|lower|reduc|extend|shorten)(?:e[sd]?|ing|ed)? (?:[\w'-]{1,20} ){0,5}to
    (?:mov|migrat|improv|grew|grown|dropp?|shift|push)(?:e[sd]?|ing|ed)? (?:[\w'-]{1,20} )?to
    new (?:[\w'-]{1,20} ){1,3}(?:of|is|=|:)
    from now on
    correction
    désormais
    maintenant
    dorénavant
    (?:chang|pass|augment|rédui|modifi|allong|raccourc)\w{0,6} .{0,40}à
    ne .{1,30} plus
    jetzt
    nun
    künftig
    neuerdings
    ab sofort
    (?:geänder|erhöh|gesenk|verlänger|verkürz|umgestell)t
    (?:ändern|erhöhen|senken|verlängern|verkürzen) .{0,40}auf
    nicht mehr
    ahora
    ya no
    (?:cambi|aument|reduc|redujo|subi|baj|ampli)\w{0,6} .{0,40}a
    теперь
    больше не
    отныне
    (?:измени|увеличи|уменьши|повыси|снизи|продли|помен)\w{0,6} .{0,40}(?:до|на)
    (?:现在|改为|改成|改到|换成|变成|不再|从现在起|调整为|增加到|减少到|提高到|延长|缩短|更新为)
"""

# What must be there first; what follows it is what is needed.
NEEDED = r"""
    (?:depends|depend|depending|dependent|relies|rely) on
    (?:blocked|held up) (?:by|on)
    requires
    (?:needs|need|wait for|waits for)(?= .{3,60}\bfirst\b)
    waiting (?:for|on)
    builds on
    dépend(?:ent)? d[eu']
    bloquée? par
    nécessite
    attend(?:re|ons)?
    hängt (?:noch )?(?:von|an)
    hängt (?:noch )?ab von
    blockiert (?:von|durch)
    setzt .{3,60} voraus
    (?:benötigt|braucht) (?:erst|zuerst|vorher)
    depende(?:n)? de
    bloquead[oa] por
    requiere
    завис(?:ит|ят) от
    заблокирован\w?
    требу(?:ет|ют)
    (?:依赖|取决于|需要先|被.{0,10}阻塞)
"""

# A number after one of these is a label, not a value.
LABELS = """
pr prs issue issues step steps phase line lines option commit task section chapter ticket plan item
point part stage round wave case figure milestone row column example question problem level exit
error status http rfc adr cve day week month q no nr nº étape ligne tâche schritt zeile aufgabe paso
línea tarea шаг строка задача 第 步 行
"""

# A number beside one of these is a day.
MONTHS = """
january february march april may june july august september october november december jan feb mar
apr jun jul aug sep sept oct nov dec janvier février mars avril mai juin juillet août septembre
octobre novembre décembre januar februar märz juni juli oktober dezember enero febrero marzo abril
mayo junio julio agosto septiembre octubre noviembre diciembre января февраля марта апреля мая июня
июля августа сентября октября ноября декабря
"""

# What a number counts, and how many of the base it is.
UNITS: dict[str, tuple[str, float]] = {
    unit: (measure, factor)
    for measure, factor, units in (
        ("duration", 0.001, "ms millisecond milliseconds 毫秒 мс"),
        ("duration", 1.0, "s sec secs second seconds seconde secondes sekunde sekunden segundo"),
        ("duration", 1.0, "segundos секунда секунды секунд 秒"),
        ("duration", 60.0, "min mins minute minutes minuten minuto minutos минута минуты минут"),
        ("duration", 60.0, "分钟"),
        ("duration", 3600.0, "h hr hrs hour hours heure heures stunde stunden hora horas час"),
        ("duration", 3600.0, "часа часов 小时"),
        ("duration", 86400.0, "day days jour jours tag tage tagen día días день дня дней 天"),
        ("duration", 604800.0, "week weeks semaine semaines woche wochen semana semanas"),
        ("duration", 604800.0, "неделя недели недель 周"),
        ("duration", 2629800.0, "month months mois monat monate monaten mes meses"),
        ("duration", 2629800.0, "месяц месяца месяцев 个月"),
        ("duration", 31557600.0, "year years an ans jahr jahre jahren año años год года лет 年"),
        ("share", 1.0, "% percent pourcent prozent процентов процента"),
        ("size", 1e3, "kb kib ko кб"),
        ("size", 1e6, "mb mib mo мб"),
        ("size", 1e9, "gb gib go гб"),
        ("length", 1.0, "px"),
    )
    for unit in units.split()
}

UNIT_PATTERN = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))

_HAN_CHARACTER = re.compile("[\u4e00-\u9fff]")
_PLACEHOLDER = re.compile(r"<(\w+)>")
_ARTICLE = f"(?:(?:{'|'.join(ARTICLES.split())}) )?"
# A name of two words shows only inside a sentence: "Use Postgres" is not one.
_THING = (
    rf"(?:\d{{1,12}}(?:[.,]\d{{1,6}}){{0,3}} ?(?:{UNIT_PATTERN})(?![^\W\d_])"
    r"|[`\"'“„«][^`\"'”“»\n]{1,60}[`\"'”“»]"
    r"|(?<=(?-i:[a-zß-ÿа-я]) )(?-i:[A-Z])[\w+#-]{0,30}(?: (?-i:[A-Z])[\w+#-]{1,30}){1,2}"
    r"|[@.$]?[A-Za-zÀ-ɏЀ-ӿ0-9_](?:[A-Za-zÀ-ɏЀ-ӿ0-9_@+#/:-]|\.(?=\w)){0,60}"
    r"|[\u4e00-\u9fff]{1,8}?)"
)


class Phrase:
    """A phrase with placeholders, found by its cue: the longest piece without one.

    The full pattern is compiled when its cue first matches. Compiling all seventy on import
    would delay every command by most of a second.
    """

    def __init__(self, line: str) -> None:
        self._line = line
        self._cue = re.compile(_longest_cue(line), re.IGNORECASE)

    def matches_in(self, sentence: str) -> Iterator[re.Match[str]]:
        """Yield each match of the phrase, with its placeholders as named groups."""
        if self._cue.search(sentence):
            yield from self._pattern.finditer(sentence)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        things = _PLACEHOLDER.sub(lambda match: f"{_ARTICLE}(?P<{match[1]}>{_THING})", self._line)
        pattern = things if _HAN_CHARACTER.search(self._line) else rf"(?<![\w-]){things}(?![\w-])"
        return re.compile(pattern, re.IGNORECASE)


def parsed_phrases(text: str) -> tuple[Phrase, ...]:
    """Return the phrases of a list."""
    return tuple(Phrase(line) for line in _phrase_lines(text))


def any_phrase_pattern(text: str) -> re.Pattern[str]:
    """Compile the phrases of a list without placeholders into one pattern."""
    lines = _phrase_lines(text)
    spaced = "|".join(line for line in lines if not _HAN_CHARACTER.search(line))
    unspaced = [line for line in lines if _HAN_CHARACTER.search(line)]
    return re.compile("|".join([rf"(?<![\w-])(?:{spaced})(?![\w-])", *unspaced]), re.IGNORECASE)


def cue_pattern(*texts: str) -> re.Pattern[str]:
    """Compile the cues of several lists into one pattern, for a first look at a sentence."""
    cues = [_longest_cue(line) for text in texts for line in _phrase_lines(text)]
    spaced = "|".join(cue for cue in cues if not _HAN_CHARACTER.search(cue))
    unspaced = "|".join(cue for cue in cues if _HAN_CHARACTER.search(cue))
    return re.compile(rf"(?<![\w-])(?:{spaced})|{unspaced}", re.IGNORECASE)


def _phrase_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _longest_cue(phrase: str) -> str:
    """Return the longest piece of a phrase without a placeholder."""
    pieces = (piece.removeprefix(",?").strip() for piece in re.split(r"<\w+>", phrase))
    return max(pieces, key=len)
