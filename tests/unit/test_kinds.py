# ruff: noqa: RUF001 - the examples are in several languages

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.describe.kinds import kind_proposals, settled_proposal
from ai_smartness.model.annotation import KindProposal
from ai_smartness.model.thread import IMPORTANCE, Kind
from hang import no_hang

MEGABYTE = 1_000_000

STATED = [
    (Kind.IDENTITY, "My name is Ada and I maintain the parser."),
    (Kind.IDENTITY, "I'm a backend developer."),
    (Kind.IDENTITY, "I work at a hospital."),
    (Kind.IDENTITY, "Je m'appelle Zoé."),
    (Kind.IDENTITY, "Je suis une développeuse web."),
    (Kind.IDENTITY, "Ich heiße Jürgen."),
    (Kind.IDENTITY, "Ich bin Entwicklerin."),
    (Kind.IDENTITY, "Me llamo Íñigo."),
    (Kind.IDENTITY, "Меня зовут Олег."),
    (Kind.IDENTITY, "我叫李雷。"),
    (Kind.IDENTITY, "我是后端工程师。"),
    (Kind.CONSTRAINT, "Never push to main."),
    (Kind.CONSTRAINT, "ok, always run the tests before a commit"),
    (Kind.CONSTRAINT, "From now on write the commit message in English."),
    (Kind.CONSTRAINT, "The API must not return HTML."),
    (Kind.CONSTRAINT, "If the build is red you must never deploy."),
    (Kind.CONSTRAINT, "Il ne faut jamais modifier la table users."),
    (Kind.CONSTRAINT, "Désormais on écrit les tests d'abord."),
    (Kind.CONSTRAINT, "Ab sofort keine neuen Abhängigkeiten."),
    (Kind.CONSTRAINT, "Das Passwort darf nicht im Log stehen."),
    (Kind.CONSTRAINT, "A partir de ahora los commits van en inglés."),
    (Kind.CONSTRAINT, "Никогда не трогай продакшен."),
    (Kind.CONSTRAINT, "Здесь нельзя использовать глобальные переменные."),
    (Kind.CONSTRAINT, "禁止直接提交到主分支。"),
    (Kind.CONSTRAINT, "所有接口必须有测试。"),
    (Kind.PREFERENCE, "I prefer short answers."),
    (Kind.PREFERENCE, "I’d rather have one long file than ten."),
    (Kind.PREFERENCE, "I don't like abbreviations in names."),
    (Kind.PREFERENCE, "Je préfère les fonctions courtes."),
    (Kind.PREFERENCE, "Ich bevorzuge Tabs."),
    (Kind.PREFERENCE, "Prefiero nombres largos."),
    (Kind.PREFERENCE, "Я предпочитаю табы."),
    (Kind.PREFERENCE, "我更喜欢短的函数。"),
    (Kind.DECISION, "We decided to keep SQLite."),
    (Kind.DECISION, "let's go with option B"),
    (Kind.DECISION, "We're switching to pnpm."),
    (Kind.DECISION, "On part sur Postgres."),
    (Kind.DECISION, "Nous avons décidé de garder Redis."),
    (Kind.DECISION, "Wir haben uns für Redis entschieden."),
    (Kind.DECISION, "Wir bleiben bei Python 3.11."),
    (Kind.DECISION, "Hemos decidido usar Postgres."),
    (Kind.DECISION, "Мы решили оставить Redis."),
    (Kind.DECISION, "我们决定使用 Postgres。"),
    (Kind.TODO, "TODO: rotate the keys."),
    (Kind.TODO, "remind me to bump the version"),
    (Kind.TODO, "We still need to write the migration."),
    (Kind.TODO, "N'oublie pas de supprimer le cache."),
    (Kind.TODO, "Wir müssen noch die Doku schreiben."),
    (Kind.TODO, "No olvides actualizar el README."),
    (Kind.TODO, "Не забудь обновить зависимости."),
    (Kind.TODO, "别忘了更新文档。"),
    (Kind.FACT, "FYI the staging host was renamed."),
    (Kind.FACT, "Our database runs on port 5433."),
    (Kind.FACT, "Pour info le serveur redémarre la nuit."),
    (Kind.FACT, "Unser Server läuft auf Debian."),
    (Kind.FACT, "Ten en cuenta que el puerto es 8080."),
    (Kind.FACT, "Наш сервер находится в Казани."),
    (Kind.FACT, "我们的服务器在上海。"),
]

NOTHING_STATED = [
    # questions
    "Should we always run the tests?",
    "Do you prefer tabs?",
    "我们决定了吗？",
    "Wollen wir bei Redis bleiben?",
    # thinking aloud
    "Maybe we should use Postgres, I prefer it.",
    "Perhaps never push to main.",
    "On pourrait dire que désormais on teste.",
    "Vielleicht bleiben wir bei Redis, wir nutzen es.",
    "Quizás usaremos Postgres.",
    "Может быть, мы решили неправильно.",
    "也许必须改。",
    # someone else's words
    'He said "never push to main" yesterday.',
    "> We decided to keep SQLite.",
    "Der Titel lautet „Niemals aufgeben“ und mehr nicht.",
    "The label reads «je préfère le bleu» in the form.",
    # code
    "```\n# never push to main\nTODO: rotate\n```",
    "look at `always run` in the Makefile",
    "    # TODO: rotate the keys",
    "<log>We decided to keep SQLite.</log>",
    # a document
    "# Plan\nWe decided to keep SQLite. Never push.",
    # agents' reports
    "I've updated the file and all tests pass now.",
    "Let me check the logs first.",
    "Done. The change is in place and the build is green.",
    "Now I'll look at the middleware.",
    # reports and requests
    "it never worked on Windows",
    "the test always fails",
    "please fix the login page",
    "ça marche comme avant",
    "Das ist ein Fehler im Parser.",
    "请修复登录页面。",
    "почини страницу входа",
    "ok",
    "",
]


@pytest.mark.parametrize(("kind", "text"), STATED)
def test_what_a_user_plainly_says_is_proposed_with_its_sentence(kind: Kind, text: str) -> None:
    (proposal,) = kind_proposals(text)

    assert proposal.kind is kind
    assert proposal.sentence == text


@pytest.mark.parametrize("text", NOTHING_STATED)
def test_questions_hedges_quotations_code_and_requests_propose_nothing(text: str) -> None:
    assert kind_proposals(text) == ()


def test_each_sentence_is_proposed_by_itself_and_in_order() -> None:
    found = kind_proposals(
        "Fix the login.\n- Never push to main.\n- I prefer short answers.\nThanks!"
    )

    assert [(each.kind, each.sentence) for each in found] == [
        (Kind.CONSTRAINT, "Never push to main."),
        (Kind.PREFERENCE, "I prefer short answers."),
    ]


def test_a_version_number_does_not_end_a_sentence() -> None:
    (proposal,) = kind_proposals("We decided to stay on Python 3.11.4 for now.")

    assert proposal.sentence == "We decided to stay on Python 3.11.4 for now."


def test_a_rule_for_a_case_is_less_plain_than_a_rule() -> None:
    (always,) = kind_proposals("Never push to main.")
    (sometimes,) = kind_proposals("Never push to main if the build is red.")

    assert sometimes.plainness < always.plainness


def test_a_constraint_matters_as_much_as_a_decision() -> None:
    assert IMPORTANCE[Kind.CONSTRAINT] == IMPORTANCE[Kind.DECISION]


def test_a_thread_is_characterised_by_the_kind_that_clearly_leads() -> None:
    rule = KindProposal(Kind.CONSTRAINT, "Never push.", 0.9)
    same = KindProposal(Kind.CONSTRAINT, "Always test.", 0.9)
    task = KindProposal(Kind.TODO, "TODO: docs.", 0.7)

    assert settled_proposal([rule]) == rule
    assert settled_proposal([task, rule, same]) == rule
    assert settled_proposal([rule, task]) is None
    assert settled_proposal([]) is None


def test_a_thread_is_not_characterised_by_what_holds_only_in_a_case() -> None:
    assert settled_proposal([KindProposal(Kind.CONSTRAINT, "If red, never push.", 0.45)]) is None


@given(st.text() | st.text(alphabet="neveralwys Idcit.,?!\"'`>#\n"))
def test_any_text_gives_proposals_that_rest_on_its_own_words(text: str) -> None:
    for proposal in kind_proposals(text):
        assert proposal.sentence in text
        assert 0 < proposal.plainness <= 1


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "never ",
        "ne ",
        "i am a ",
        "the a ",
        "`",
        '"',
        "<a>",
        "```",
        ".",
        ".a",
        "我是",
        "wir haben ",
        "> ",
        "\n",
        "?",
        "we need to ",
    ],
)
def test_a_megabyte_of_anything_is_read_without_hanging(piece: str) -> None:
    hostile = piece * (MEGABYTE // len(piece))

    with no_hang():
        kind_proposals(hostile)
