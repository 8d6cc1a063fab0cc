"""Numbers that are written as words, each with its digits: "ten" is 10."""

__all__ = ["NUMBER_WORDS"]

NUMBER_WORDS = {
    word: str(number)
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "un deux trois quatre cinq six sept huit neuf dix onze douze",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for number, word in enumerate(words.split(), start=1)
}
