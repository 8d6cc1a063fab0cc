# ruff: noqa: RUF001 - the words are in several languages
"""The words of a text that could tell what it is about.

Words without regard to case, identifiers whole and by their inner words, pairs
of characters where a script has no spaces. What everybody says in any text is
left out; how rare the rest is, is for the caller to count.
"""

import re
from collections.abc import Iterable, Iterator

from ai_smartness.model.subwords import subwords

__all__ = ["term_of", "terms"]

LONGEST_READ_CHARACTERS = 20_000
"""Of one message: what follows is a dump, and its words are not what was meant."""

SHORTEST_TERM_CHARACTERS = 3
"""Shorter words are nearly all glue in any alphabet; a pair of Han characters is a word."""

LONGEST_TERM_CHARACTERS = 80
"""A longer one is a blob."""

_SHORTEST_PLURAL = 4
_FIRST_UNSPACED = "\u0e00"
_WORD = re.compile(r"[^\W\d_][\w]*(?:['’][^\W\d_]{1,3}(?!\w))?")

# A prior, not a filter for search: the first threads of a project have too few
# neighbours for counting to show that "would" tells nothing.
_EVERYDAY = """
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
EVERYDAY = frozenset(_EVERYDAY.split())
"""The commonest words of six languages and of talk about code."""


def terms(text: str, names: Iterable[str] = ()) -> Iterator[str]:
    """Yield the terms of a text as often as they stand in it, then the names it was given."""
    read = text[:LONGEST_READ_CHARACTERS]
    for word in _WORD.findall(read):
        if word.isascii() or not _is_unspaced(word):
            yield from _kept(word.partition("'")[0].partition("’")[0])
    for inner in subwords(read).split():
        yield from _kept(inner)
    yield from (term_of(name) for name in sorted(names) if len(name) <= LONGEST_TERM_CHARACTERS)


def term_of(name: str) -> str:
    """Return the term by which a file, an identifier or an address is known."""
    return name.strip().removeprefix("./").casefold()


def _kept(word: str) -> Iterator[str]:
    term = word.casefold()
    shortest = SHORTEST_TERM_CHARACTERS - (term >= _FIRST_UNSPACED)
    if shortest <= len(term) <= LONGEST_TERM_CHARACTERS and term not in EVERYDAY:
        yield _singular(term)


def _singular(term: str) -> str:
    """Fold the plural that English, French and Spanish share; "sessions" is about a session."""
    plural = term.endswith("s") and not term.endswith("ss") and len(term) > _SHORTEST_PLURAL
    return term[:-1] if plural else term


def _is_unspaced(word: str) -> bool:
    """Say whether a run of letters is a piece of a sentence, not a word."""
    return any(character >= _FIRST_UNSPACED for character in word) and bool(subwords("a" + word))
