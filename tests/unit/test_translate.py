"""Questions of other languages are worded in English by the glossary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.text.translate import english_wording

QUESTIONS = {
    "Wie oft wird das Backup gelöscht?": {"how", "often", "backup", "delete"},
    "Welche Tabellen brauchen die Integrationstests?": {"table", "need", "integration", "test"},
    "Pourquoi le serveur est-il si lent ?": {"why", "server", "slow"},
    "Quand la mise en production est-elle interdite ?": {"when", "deploy"},
    "¿Dónde se guardan las contraseñas de los usuarios?": {"where", "password", "user"},
    "Dove sono salvate le chiavi del cliente?": {"where", "key", "customer"},
    "Por que a compilação falha no servidor?": {"why", "fail", "server"},
    "Waarom is de zoekfunctie zo traag op de server?": {"why", "server"},
    "Dlaczego serwer nie odpowiada na zapytania?": {"why", "server"},
    "Где хранятся пароли пользователей?": {"where", "password", "user"},
    "Sunucu neden bu kadar yavaş?": {"server", "why", "slow"},
    "为什么数据库这么慢?": {"why", "database", "slow"},
    "データベースのパスワードはどこに保存しますか?": {"database", "password", "where"},
    "데이터베이스 비밀번호는 어디에 저장하나요?": {"database", "password", "where"},
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_telling_words_of_a_question_become_english(question: str) -> None:
    wording = english_wording(question)

    assert wording is not None
    assert QUESTIONS[question] <= set(wording.split())


@pytest.mark.parametrize(
    "text",
    [
        "how often do we rotate the signing keys?",
        "fix the naïve résumé parser",
        "make hil RIG=2",
        "die Tests",  # too few words to show another language
        "",
        "¿¿??",
    ],
)
def test_english_and_short_text_keeps_its_own_wording(text: str) -> None:
    assert english_wording(text) is None


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Warum schlägt der Test in src/auth/jwt.py immer noch fehl?", "src/auth/jwt.py"),
        ("Redis는 어느 포트에서 실행되나요?", "redis"),
        ("运行测试之前 Redis 必须监听哪个端口?", "redis"),
        ("Куда подевался файл config_prod.yaml на сервере?", "config_prod.yaml"),
    ],
)
def test_names_and_identifiers_stay_as_they_are(question: str, name: str) -> None:
    wording = english_wording(question)

    assert wording is not None
    assert name in wording.split()


def test_a_text_of_which_the_glossary_knows_little_keeps_its_own_wording() -> None:
    assert english_wording("quousque tandem abutere патиентиа ностра") is None


@given(st.text(max_size=700))
def test_any_text_can_be_asked(text: str) -> None:
    wording = english_wording(text)

    assert wording is None or wording.strip()
