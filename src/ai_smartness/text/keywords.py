"""The words of a text that could tell what it is about.

Words without regard to case, identifiers whole and by their inner words, pairs
of characters where a script has no spaces. What everybody says in any text is
left out; how rare the rest is, is for the caller to count.

What a query looks for in full text.

A word is looked for as it is written; a path or an identifier as a whole and
by its parts. No language has words that are left out.

Which words of a question may name its subject, in any language.

The words of a text, as placing sees them.

Paths, addresses and identifiers count as wholes and by their parts; scripts
written without spaces count by pairs of characters. No language is special.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from ai_smartness.text.identifiers import identifier_parts, search_subwords

__all__ = [
    "READ_MESSAGE_CHARACTERS",
    "extract_keywords",
    "message_terms",
    "name_keyword",
    "query_terms",
    "subject_words",
    "word_count",
]


LONGEST_READ_CHARACTERS = 20_000
"""Of one message: what follows is a dump, and its words are not what was meant."""

SHORTEST_KEYWORD_CHARACTERS = 3
"""Shorter words are nearly all glue in any alphabet; a pair of Han characters is a word."""

LONGEST_KEYWORD_CHARACTERS = 80
"""A longer one is a blob."""

_SHORTEST_PLURAL = 4
_FIRST_UNSPACED = "\u0e00"
_KEYWORD = re.compile(r"[^\W\d_][\w]*(?:['’][^\W\d_]{1,3}(?!\w))?")

# A prior, not a filter for search: the first threads of a project have too few
# neighbours for counting to show that "would" tells nothing.
_STOPWORDS = """
about actually add added after again ago all already also always and another any anything are
around ask back because been before being best better both but call called can case change changed
check code come could did different does doing don done down each else even every everything far
few file files find fine first fix following for found from full get gets getting give going good
got great had has have having help her here him his how idea including into its itself just keep
know last later least let like line list little look lot looking looks made make makes making many
may maybe mean might more most much must myself need needs never new next not note nothing now
number off old once one only onto open other our out over own part parts place please point put
really right run running same say says see seems set several she should show since small some
something still stuff such sure take tell test tests than thank thanks that the their them then
there these they thing things think this those through time too true try trying two under
understand until update updated use used user uses using very via want was way well went were what
when where whether which while who why will with within without work working works would write yes
yet you your yours alors après aussi autre aux avant avec avoir bien car cas ce cela ces cette
chaque comme comment contre dans des deux dire doit donc dont elle elles encore entre est été être
eux faire fait faut fois ici ils juste leur leurs les lors mais même merci mettre mon moins non
nos notre nous nouveau oui par parce pas peu peut plus pour pourquoi puis quand que quel quelle
qui quoi sans ses si soit son sont sous sur tous tout toute toutes trop une utiliser vers voici
voilà vont vos votre vous aber alle allem allen aller alles als andere auch auf aus bei beim bin
bis bitte dabei dafür damit dann das dass dein dem den denn der die dies diese diesem diesen
dieser dieses doch dort durch ein eine einem einen einer eines etwas für gibt gut haben hat hatte
hier ich ihr immer ist jede jeder jetzt kann kein keine können machen man mehr mein mit muss
müssen nach nicht nichts noch nun nur oder ohne schon sehr sein seine sich sie sind soll sollte
über und uns unser unter viel vom von vor wann war warum weil wenn werden wie wieder wir wird
wurde zum zur zwei zwischen ahora algo allí ante antes aquí así aún bajo cada como con contra cosa
cual cuando del desde después donde dos ella ellos era eres ese esta está están este esto estos
fue gracias hacer hace hacia hasta hay las los más mejor menos mismo mucho muy nada nosotros
nuestro nueva nuevo otra otro para pero poco por porque puede pues qué quien sea ser siempre sin
sobre solo sus también tan tanto tener tengo tiene todas todo todos tras una uno unos usar usted
ver был была были было быть вас ведь весь вместо вот все всё всегда вы где даже два для его ему
если есть еще ещё уже или как какой когда кто лучше между меня мне много может можно мой мы надо
нам нас наш него нее неё нет них ничего нужно один она они оно опять очень перед под пока после
потом потому почему почти при про раз сам себя сейчас снова так такой там тем теперь тогда того
тоже только том тут хорошо хочу через чего чем что чтобы чуть эти это этого этой этом этот
一个 一些 一下 不是 不要 为了 为什 什么 但是 使用 你们 可以 因为 如果 已经 怎么
我们 所以 时候 是否 然后 现在 的话 这个 这些 那个 那些 需要 还是 就是 没有 他们
其他 或者 以及 并且 进行 问题 时间
"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""The commonest words of six languages and of talk about code."""


def extract_keywords(text: str, names: Iterable[str] = ()) -> Iterator[str]:
    """Yield the terms of a text as often as they stand in it, then the names it was given."""
    read = text[:LONGEST_READ_CHARACTERS]
    for word in _KEYWORD.findall(read):
        if word.isascii() or not _is_unspaced_run(word):
            yield from _kept_keywords(word.partition("'")[0].partition("’")[0])
    for inner in search_subwords(read).split():
        yield from _kept_keywords(inner)
    yield from (
        name_keyword(name) for name in sorted(names) if len(name) <= LONGEST_KEYWORD_CHARACTERS
    )


def name_keyword(name: str) -> str:
    """Return the term by which a file, an identifier or an address is known."""
    return name.strip().removeprefix("./").casefold()


def _kept_keywords(word: str) -> Iterator[str]:
    term = word.casefold()
    shortest = SHORTEST_KEYWORD_CHARACTERS - (term >= _FIRST_UNSPACED)
    if shortest <= len(term) <= LONGEST_KEYWORD_CHARACTERS and term not in STOPWORDS:
        yield _singular_term(term)


def _singular_term(term: str) -> str:
    """Fold the plural that English, French and Spanish share; "sessions" is about a session."""
    plural = term.endswith("s") and not term.endswith("ss") and len(term) > _SHORTEST_PLURAL
    return term[:-1] if plural else term


def _is_unspaced_run(word: str) -> bool:
    """Say whether a run of letters is a piece of a sentence, not a word."""
    return any(character >= _FIRST_UNSPACED for character in word) and bool(
        search_subwords("a" + word),
    )


MOST_QUERY_TERMS = 64
"""A longer query is a pasted text; its first words say what it is about."""

_SPACED = re.compile(r"[^\s\x00]+")
# Letters, digits, and the marks without which a word of Hebrew, Hindi or Tamil falls apart.
_QUERY_WORD = re.compile(
    r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff])+",
)


def query_terms(query: str) -> list[str]:
    """Return what any matching event holds at least one of, without repetition."""
    head = query[: MOST_QUERY_TERMS * 64]
    wholes = (whole for whole in _SPACED.findall(head) if len(_QUERY_WORD.findall(whole)) > 1)
    words = _QUERY_WORD.findall(head)
    found = chain(words, search_subwords(head).split(), wholes)
    return list(dict.fromkeys(term.lower() for term in found))[:MOST_QUERY_TERMS]


SUBJECT_WORD_CHARACTERS = 4
"""A shorter word in the Latin script is mostly grammar: "why", "the", "for"."""

ACRONYM_CHARACTERS = 3
"""In capitals a word so short is a name: "JWT", "API". Of two letters there are "OK" and "NO"."""

_SUBJECT_WORD = re.compile(r"[^\W_]+")


def subject_words(question: str) -> list[str]:
    """Return the distinct words that may name a subject, as they are written."""
    found = dict.fromkeys(
        word for word in _SUBJECT_WORD.findall(question) if _may_name_subject(word)
    )
    return list(found)


def _may_name_subject(word: str) -> bool:
    plain = word.isascii()
    if plain and any(character.isdigit() for character in word):
        return True
    if plain and word.isupper() and len(word) >= ACRONYM_CHARACTERS:
        return True
    return (
        len(word) >= SUBJECT_WORD_CHARACTERS
        if plain
        else len(word) > 1 or bool(search_subwords(word))
    )


READ_MESSAGE_CHARACTERS = 4_000
"""The start of a message says what it is about; the rest of a dump would only cost time."""

CHARACTERS_PER_WORD = 2
"""Of a script without spaces: most words of Chinese have two."""

# Thai and Lao, Myanmar, Khmer, kana, Han, Hangul.
_UNSPACED_RANGES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
)
_HAS_UNSPACED = re.compile(f"[{_UNSPACED_RANGES}]")
_COUNTED_WORD = re.compile(r"\w++")

_MESSAGE_TOKEN = re.compile(
    r"https?://[^\s)>\]\"'`]{1,300}+"
    r"|[\w@.~-]{0,64}+(?:/[\w@.+-]{1,64}+){1,12}+"  # a path
    r"|\w[\w'’-]{0,63}+(?:\.\w{1,32}+){0,4}+"
    r"|#\d{1,7}+",
)
_AROUND = "'’.-_/@~"
_ELIDED = re.compile(r"(?:\w|qu|un)['’](?=\w{3})", re.IGNORECASE)
_LIKE_CODE = re.compile(r"[/\\_.#]|\w-\w|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")


def message_terms(text: str) -> tuple[str, ...]:
    """List the distinct terms of a text in the order of first mention, folded."""
    found: dict[str, None] = {}
    for match in _MESSAGE_TOKEN.finditer(text[:READ_MESSAGE_CHARACTERS]):
        if token := match[0].strip(_AROUND):
            if token.isalpha() and token.isascii() and (token.islower() or token.istitle()):
                found[token.lower()] = None  # most of any English text: nothing to look into
            else:
                found.update(dict.fromkeys(_token_terms(token)))
    return tuple(found)


def word_count(text: str) -> int:
    """Count the words of a text's start, also where none is set apart by a space."""
    start = text[:READ_MESSAGE_CHARACTERS]
    spaced = len(_COUNTED_WORD.findall(start))
    if start.isascii():
        return spaced
    return spaced + len(_HAS_UNSPACED.findall(start)) // CHARACTERS_PER_WORD


def _token_terms(token: str) -> Iterator[str]:
    if not token.isascii() and _HAS_UNSPACED.search(token):
        yield from search_subwords(token).split() or [token]
        return
    if elided := _ELIDED.match(token):
        token = token[elided.end() :]
    yield token.casefold()
    if _LIKE_CODE.search(token):
        yield from (part.casefold() for part in identifier_parts(token) if len(part) > 1)
