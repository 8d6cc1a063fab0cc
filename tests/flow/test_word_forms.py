"""A word of an inflected language is found by another form of it, without an embedding model."""

import pytest

from ai_smartness.capture.index import reindex
from ai_smartness.model.search import SearchScope
from ai_smartness.text.letter_ngrams import letter_ngrams
from ai_smartness.text.search_terms import search_terms
from builders import a_memory, said, stored
from engines import open_store

OTHERS = (
    "Der Editor soll dunkel bleiben.",
    "la file d'attente déborde souvent",
    "логотип слишком мал",
)


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("Der Dienst druckt am Montag jede Monatsrechnung.", "Wann kommen denn unsere Rechnungen?"),
        ("On a déployé le serveur vendredi.", "quand est-ce que vous déployez ?"),
        ("Ключ подписи лежит здесь.", "где хранятся ключи?"),
        ("Klucze są trzymane w sejfie i nigdzie indziej.", "gdzie jest przechowywany nasz klucz?"),
        ("Las copias de la noche se guardan en otro disco.", "¿dónde está la copia nocturna?"),
    ],
)
def test_another_form_of_the_word_is_found(line: str, question: str) -> None:
    memory = a_memory(embedder=lambda: None)
    lines = {"answer": line, **{f"other-{n}": text for n, text in enumerate(OTHERS)}}
    memory.capture(said(text, id_=id_, session=f"of-{id_}") for id_, text in lines.items())

    assert memory.search(question)[0].id == "answer"


def test_reindexing_gives_older_messages_their_word_forms() -> None:
    store = open_store()
    [event] = stored(store, "Der Dienst druckt am Montag jede Monatsrechnung.")
    scope, terms = SearchScope(project="demo"), search_terms("Wann kommen denn unsere Rechnungen?")
    before = store.word_index.match(scope, terms, 5)

    reindex(store, "demo", lambda _done, _total: None)

    assert not before
    assert [match.seq for match in store.word_index.match(scope, terms, 5)] == [event.seq]


def test_an_english_question_does_not_meet_the_runs_of_other_texts() -> None:
    memory = a_memory(embedder=lambda: None)
    memory.capture([said("Wir haben den Transport über die Straße nicht gebucht.", id_="a")])

    assert letter_ngrams("Wir haben den Transport über die Straße nicht gebucht.")
    assert memory.search("port trans sport") == []
