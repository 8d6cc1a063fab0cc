"""The values that a sentence gives, by what they measure: amounts, times of day, dates, settings.

Two sentences about one thing that give different values of one sort are a change. A value is
compared without its spelling: "18:00" and "6 pm" are one time of day, "min" and "Minuten" one unit.
Standard library only.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from ai_smartness.text.number_words import NUMBER_WORDS
from ai_smartness.text.words import ascii_words

__all__ = ["assigned_values", "differing_sorts", "is_unit", "typed_values", "unitless_name"]

CLOCK, DATE, PLAIN = "clock", "date", ""
KNOWN_TEXTS = 10_000  # whose values are read once: a statement is compared many times
HALF_DAY_HOURS = 12

_UNITS = {
    "second": "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos",
    "millisecond": "ms msec millisecond milliseconds millisekunden",
    "minute": "min mins minute minutes minuten minuto minutos minuti",
    "hour": "h hr hrs hour hours stunde stunden heure heures hora horas ore",
    "day": "d day days tag tage tagen jour jours día días giorni",
    "week": "week weeks woche wochen semaine semaines semana semanas",
    "month": "month months monat monate monaten mois mes meses",
    "year": "year years jahr jahre jahren an ans año años",
    "money": (
        "€ $ £ eur usd gbp chf euro euros dollar dollars bucks quid pound pounds franc francs"
        " franken pence cent cents rappen"
    ),
    "percent": "% percent prozent pourcent",
    "degree": "° °c °f degree degrees grad c celsius",
    "megabyte": "mb mo mib megabyte megabytes",
    "gigabyte": "gb go gib gigabyte gigabytes",
    "kilobyte": "kb ko kib kilobyte kilobytes",
    "metre": "m metre metres meter meters",
    "centimetre": "cm",
    "millimetre": "mm",
    "kilometre": "km",
    "kilogram": "kg kilo kilos",
    "gram": "g gram grams gramm",
    "tonne": "t ton tons tonne tonnes tonnen",
    "hertz": "hz khz mhz",
}
_UNIT_OF = {spelling: unit for unit, spellings in _UNITS.items() for spelling in spellings.split()}
_MONTH_NAMES = (
    "january januar janvier enero",
    "february februar février febrero",
    "march märz mars marzo",
    "april avril abril",
    "may mai mayo",
    "june juni juin junio",
    "july juli juillet julio",
    "august août agosto",
    "september septembre septiembre",
    "october oktober octobre octubre",
    "november novembre noviembre",
    "december dezember décembre diciembre",
)
_MONTH_OF = {
    name: number for number, names in enumerate(_MONTH_NAMES, start=1) for name in names.split()
}
_MONTH = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_DATE = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.|er)?\s(?:of\s)?({_MONTH})\b|\b({_MONTH})\s(\d{{1,2}})\b"
    rf"|\b(?:in|until|by|before|from|till|to|im|ab|bis|en)\s({_MONTH})\b"
    r"|\b(?:the\s|zum\s|am\s)?(\d{1,2})(?:st|nd|rd|th)\b"
)
_CLOCK = re.compile(
    r"(?<![\d.:])(\d{1,2}):(\d{2})(?![\d:])|(?<![\d.:])(\d{1,2})(?:[.:](\d{2}))?\s?(am|pm|uhr|o'clock)\b"
)
_AMOUNT = re.compile(
    r"([€$£]\s?)?(?<![\w.:])(\d+(?:['’,.]\d+)*|\b(?:" + "|".join(NUMBER_WORDS) + r")\b)"
    r"[\s-]?(?:calendar |working |business |of )?([€$£%]|°\s?[cf]?|[^\W\d_]+)?"
)
_SETTING = re.compile(
    r"(?<![\w./])(`?)([A-Za-z]\w*(?:\.\w+)*)`?"
    r"((?:\s(?:is|are|was|now|set|stays?|at|to|runs?|starts?|back|ist|steht|jetzt|auf|est|à|has"
    r"|wird|läuft|um|went|goes|changed|again|defaults?|raised|lowered|bumped))*\s?(?:=|:|->|→|\s)\s?)"
    r"`?\"?((?:-|PT?)?\d[\w.:,*/]*|(?<==)\s?\"?[\w.@:/-]+)"
)
_DIGIT = re.compile(r"\d")
_VALUE_WORDS = frozenset(NUMBER_WORDS.keys() | _MONTH_OF.keys())
_ISO_DURATION = re.compile(r"pt?(\d+)[dhms]")
_UNIT_ENDING = re.compile(r"_?(?:hours?|minutes?|mins?|seconds?|secs?|millis|ms|days?)$")
_CODE_NAME = re.compile(r"_|[a-z][A-Z]|^[A-Z][A-Z\d]+$|\w\.\w")
_FILE_ENDINGS = (
    "py pyi ipynb js jsx mjs cjs ts tsx vue svelte rs go c h cc cpp hpp java kt kts scala rb php cs"
    " swift dart lua gd ex exs erl hs ml jl pl r sh bash zsh sql tf proto cmake mk md rst txt csv"
    " tsv json jsonl toml yaml yml xml html css scss ini cfg conf env lock log db sqlite png jpg"
    " svg pdf gz zip tar bin elf exe dll so wav ogg mp3 mp4 service"
)
_FILE_NAME = re.compile(rf"\.(?:{_FILE_ENDINGS.replace(' ', '|')})$")
_THOUSANDS = re.compile(r"(?<=\d)['’,](?=\d{3}\b)")


@lru_cache(KNOWN_TEXTS)
def typed_values(text: str) -> Mapping[str, frozenset[str]]:
    """Return the values in a text by their sort; a number without a unit has an empty one."""
    if text.isascii() and not _may_have_values(text):
        return {}
    values: dict[str, set[str]] = {}
    folded = text.casefold()
    for sort, value, place in _dates_and_times(folded):
        values.setdefault(sort, set()).add(value)
        folded = f"{folded[: place.start]}{' ' * (place.stop - place.start)}{folded[place.stop :]}"
    for currency, number, word in _AMOUNT.findall(folded):
        sort = "money" if currency else _UNIT_OF.get(word.replace(" ", ""), _counted_noun(word))
        values.setdefault(sort, set()).add(_plain_number(number))
    return {sort: frozenset(found) for sort, found in values.items()}


@lru_cache(KNOWN_TEXTS)
def assigned_values(text: str) -> Mapping[str, str]:
    """Return what names of code are set to: "`RETRIES = 3`", "`RETRIES` is 5 now"."""
    return {
        name.casefold(): _assigned_value(value.strip('`" .,;)').casefold())
        for tick, name, verb, value in _SETTING.findall(text)
        # "MySQL 8" names a version, and sets nothing.
        if (tick or "_" in name or verb.strip())
        and _CODE_NAME.search(name)
        and not _FILE_NAME.search(name)
    }


def unitless_name(name: str) -> str:
    """Return a setting's name without its unit: what was `CUTOFF_HOUR` may be `CUTOFF_MINUTES`."""
    return _UNIT_ENDING.sub("", name) or name


def differing_sorts(older: str, newer: str) -> frozenset[str]:
    """Return the sorts of which both texts give values, and none in common."""
    values, new_values = typed_values(older), typed_values(newer)
    return frozenset(
        sort
        for sort in values.keys() & new_values.keys() - {PLAIN}
        if not values[sort] & new_values[sort]
    )


def is_unit(word: str) -> bool:
    """Say whether a word is a unit: it tells nothing of what is measured."""
    return word in _UNIT_OF or f"{word}s" in _UNIT_OF or f"{word}e" in _UNIT_OF


def _may_have_values(text: str) -> bool:
    """Say whether a text has a digit, or a word for a number or a month; most have none."""
    is_worded = not _VALUE_WORDS.isdisjoint(ascii_words(text))
    return is_worded or _DIGIT.search(text) is not None


def _dates_and_times(folded: str) -> Iterator[tuple[str, str, slice]]:
    for match in _CLOCK.finditer(folded):
        hour = int(match[1] or match[3])
        hour += HALF_DAY_HOURS if match[5] == "pm" and hour < HALF_DAY_HOURS else 0
        minute = match[2] or match[4] or "00"
        value = f"{hour}" if minute == "00" else f"{hour}:{minute}"
        yield CLOCK, value, slice(*match.span())
    for match in _DATE.finditer(folded):
        day = match[1] or match[4] or match[6] or ""
        month = next((name for name in (match[2], match[3], match[5]) if name), "")
        value = f"{_MONTH_OF.get(month, '')}-{day}"
        yield DATE, value, slice(*match.span())


def _counted_noun(word: str) -> str:
    """Return the sort of an amount of things: the noun, without the ending of a plural."""
    return word.rstrip("s") if word not in _SMALL_WORDS else PLAIN


def _plain_number(number: str) -> str:
    plain = _THOUSANDS.sub("", NUMBER_WORDS.get(number, number)).replace(",", ".")
    return plain.removesuffix(":00")


def _assigned_value(value: str) -> str:
    """Return what a name is set to; of a duration such as PT72H the amount."""
    duration = _ISO_DURATION.fullmatch(value)
    return _plain_number(duration[1] if duration else value)


def _words(text: str) -> Iterable[str]:
    return text.split()


_SMALL_WORDS = frozenset(
    _words(
        "and or to a an the in on at of for from is are was now not is by with as per each instead"
        " und oder bis im in am auf der die das ist et ou à de y o then than too before after until"
        " so but if only more less times everywhere again please tests pass"
    )
)
"""What stands behind a number and is nothing that it counts."""
