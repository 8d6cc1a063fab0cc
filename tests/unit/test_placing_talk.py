"""Whole talks, placed message by message."""

import zlib
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from ai_smartness.capture.assign import (
    AssignmentState,
    AssignWeights,
    Placement,
    decide_placement,
    incoming_message,
    record_placement,
)
from ai_smartness.model.event import Event, default_event_type
from builders import NOON

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOGIN = (
    "the login page answers 500 when the session token in src/auth/middleware.py has expired",
    "look at refresh_token in src/auth/middleware.py, the expiry there is compared as a string",
    "then add a test for the expired session token to tests/test_middleware.py please",
    "the expiry of the refresh token should come from the settings of the login page",
)
INVOICE = (
    "customers in Norway get invoices without VAT, see billing/invoice_pdf.py and ticket #8812",
    "the VAT rate for Norway belongs into billing/rates.yaml, the invoice PDF shows it, says #8812",
    "check that invoices for Norway with a VAT rate of zero still show the subtotal",
)
ODD = "which theme has those warm colours?"
LONG_ASIDE = "by the way, which editor theme is it that has those warm colours along its tab bar?"


@dataclass
class Talk:
    """A project's messages, each placed as it is said."""

    with_vectors: bool = True
    state: AssignmentState = field(default_factory=AssignmentState)
    on: list[str] = field(default_factory=list)
    why: list[Placement] = field(default_factory=list)
    minute: float = 0.0
    _held: dict[str | None, list[int]] = field(default_factory=dict)

    def say(
        self,
        text: str,
        about: str = "",
        *,
        role: str = "user",
        session: str | None = "s1",
        later: float = 1.0,
        thread: str | None = None,
    ) -> str:
        """Say one thing and return the thread it is on."""
        self.minute += later
        number = len(self.on)
        event = Event(
            id=f"m{number}",
            project="demo",
            thread_id="",
            session=session,
            type=default_event_type(role),
            role=role,
            text=text,
            at=NOON + timedelta(minutes=self.minute),
            source=role,
        )
        vector = meaning(about, text) if self.with_vectors and about else None
        message = incoming_message(event, vector, self.state.known_names(session), thread)
        decided = decide_placement(message, self.state, AssignWeights())
        self.why.append(decided)
        self.on.append(record_placement(self.state, message, decided, f"t{number}"))
        if decided.held:
            self._held.setdefault(session, []).append(number)
        elif held := self._held.pop(session, []):
            for before in held if decided.takes_held else ():
                self.on[before] = self.on[-1]
        return self.on[-1]

    def say_all(self, texts: tuple[str, ...], about: str, session: str | None = "s1") -> str:
        """Say several things on one subject, each answered, and return the last one's thread."""
        for text in texts:
            self.say(text, about, session=session)
            self.say(f"Done: {text[:40]}", about, role="assistant", session=session)
        return self.on[-1]


def meaning(about: str, text: str) -> "NDArray[np.float32]":
    """Make a vector as the model's are: unrelated texts have what all texts have in common."""
    common, subject, own = (
        np.random.default_rng(zlib.crc32(words.encode("utf-8", "replace"))).normal(size=256)
        for words in ("any text", about, text)
    )
    parts = [(common, 0.62), (subject, 0.25), (own, 0.13)]
    vector = sum(part / np.linalg.norm(part) * share**0.5 for part, share in parts)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


@pytest.fixture(params=[True, False], ids=["with vectors", "by words alone"])
def talk(request: pytest.FixtureRequest) -> Talk:
    return Talk(with_vectors=request.param)


def test_a_session_on_one_subject_stays_together(talk: Talk) -> None:
    talk.say_all(LOGIN, "login")

    assert set(talk.on) == {"t0"}


def test_a_nights_sleep_is_no_change_of_subject(talk: Talk) -> None:
    talk.say_all(LOGIN[:2], "login")

    back = talk.say(LOGIN[2], "login", later=600)

    assert back == "t0"


def test_one_odd_sentence_does_not_open_a_thread(talk: Talk) -> None:
    talk.say_all(LOGIN[:3], "login")

    talk.say(ODD, "colours")
    talk.say(LOGIN[3], "login")

    assert set(talk.on) == {"t0"}


def test_after_a_long_aside_the_talk_goes_on_where_it_was(talk: Talk) -> None:
    talk.say_all(LOGIN[:3], "login")

    talk.say(LONG_ASIDE, "colours")
    talk.say("It is called Solarized.", "colours", role="assistant")

    assert talk.say(f"{LOGIN[3]}, in src/auth/middleware.py", "login") == "t0"


def test_a_real_change_of_subject_opens_a_thread(talk: Talk) -> None:
    first = talk.say_all(LOGIN, "login")

    second = talk.say_all(INVOICE[:2], "invoice")

    assert second != first
    assert set(talk.on[:8]) == {first}
    assert set(talk.on[8:]) == {second}


@pytest.mark.parametrize(
    ("with_vectors", "unclear"),
    [(True, "invoices for Norway lack the VAT line"), (False, INVOICE[0][:70])],
)
def test_an_unclear_change_waits_for_the_next_message_and_is_taken_along(
    *,
    with_vectors: bool,
    unclear: str,
) -> None:
    talk = Talk(with_vectors=with_vectors)
    first = talk.say_all(LOGIN, "login")

    talk.say(unclear, "invoice")
    held = talk.why[-1]
    talk.say("I shall look into that", "login", role="assistant")
    talk.say(INVOICE[1], "invoice")

    assert held.held
    assert held.thread == first
    assert talk.why[-1].reason == "opens"
    assert talk.why[-1].takes_held
    assert len(set(talk.on[8:])) == 1
    assert talk.on[8] != first


@pytest.mark.parametrize("text", ["yes, do it", "ok", "да", "好的", "", "👍", "no, wait"])
def test_a_short_answer_belongs_to_what_it_answers(talk: Talk, text: str) -> None:
    first = talk.say_all(LOGIN, "login")
    second = talk.say_all(INVOICE[:2], "invoice")

    assert talk.say(text, "anything") == second != first


def test_an_agents_message_answers_however_different_it_sounds(talk: Talk) -> None:
    talk.say_all(LOGIN, "login")

    talk.say(INVOICE[0], "invoice", role="assistant")
    talk.say("Traceback: KeyError in billing/rates.yaml", "trace", role="tool")

    assert set(talk.on) == {"t0"}
    assert talk.why[-1].reason == "answers"


def test_within_a_session_one_can_go_back_to_an_older_thread(talk: Talk) -> None:
    first = talk.say_all(LOGIN, "login")
    second = talk.say_all(INVOICE, "invoice")

    talk.say(f"{LOGIN[1]}, {LOGIN[2]}", "login")
    talk.say(f"{LOGIN[0]}, {LOGIN[2]}", "login")

    assert first != second
    assert talk.on[-2:] == [first, first]


def test_a_new_session_on_old_work_goes_back_to_its_thread(talk: Talk) -> None:
    first = talk.say_all(LOGIN, "login")
    talk.say_all(INVOICE, "invoice", session="s2")

    again = talk.say(LOGIN[1], "login", session="s3", later=3000)

    assert again == first
    assert talk.why[-1].reason == "returns"


def test_a_new_session_with_a_matter_of_its_own_opens_a_thread(talk: Talk) -> None:
    talk.say_all(LOGIN, "login")

    other = talk.say(INVOICE[0], "invoice", session="s2", later=3000)

    assert other != "t0"


def test_a_familiar_sentence_about_a_new_number_is_new_work(talk: Talk) -> None:
    talk.say("please look into issue #41 of the tracker", "issues", session="s1")
    talk.say("please look into issue #42 of the tracker", "issues", session="s2", later=3000)

    assert talk.on == ["t0", "t1"]


def test_two_sessions_at_once_do_not_get_mixed_up(talk: Talk) -> None:
    for login, invoice in zip(LOGIN, INVOICE, strict=False):
        talk.say(login, "login", session="s1", later=0.5)
        talk.say(invoice, "invoice", session="s2", later=0.5)
        talk.say("done", role="assistant", session="s1", later=0.5)
        talk.say("done", role="assistant", session="s2", later=0.5)

    assert talk.on == ["t0", "t1"] * 6


def test_two_sessions_that_start_alike_at_once_stay_apart(talk: Talk) -> None:
    talk.say("look at the failing tests in tests/test_middleware.py and say what is wrong", "tests")
    talk.say("look at the failing tests in tests/test_rates.py please", "tests", session="s2")

    assert talk.on == ["t0", "t1"]


def test_the_thread_that_is_named_wins_over_everything(talk: Talk) -> None:
    talk.say_all(LOGIN, "login")

    named = talk.say(LOGIN[0], "login", thread="t_mine")
    after = talk.say("yes, do it")

    assert named == after == "t_mine"
    assert talk.why[-2].reason == "explicit"


def test_people_in_one_channel_are_followed_by_whom_they_answer(talk: Talk) -> None:
    lines = [
        ("ann", "can anyone recommend an app to open a rar file on this machine?", "rar"),
        ("bob", "my sound card is silent after the kernel upgrade, what can I try?", "sound"),
        ("carol", "ann, try unrar from the multiverse repository", "rar"),
        ("dave", "bob: which sound card is it, and does alsamixer list it?", "sound"),
        ("ann", "thanks, is unrar free though?", "rar"),
        ("bob", "alsamixer lists nothing at all", "sound"),
        ("carol", "@Ann no it is not", "rar"),
    ]  # fmt: skip
    for name, text, about in lines:
        talk.say(text, about, role=name, session="#help", later=0.3)

    assert [line[2] == "rar" for line in lines] == [on == talk.on[0] for on in talk.on]
    assert len(set(talk.on)) == 2


def test_without_a_session_messages_still_find_their_threads(talk: Talk) -> None:
    talk.say_all(LOGIN, "login", session=None)
    talk.say(INVOICE[0], "invoice", session=None, later=300)
    talk.say(INVOICE[1], "invoice", session=None)

    assert set(talk.on[:8]) == {"t0"}
    assert set(talk.on[8:]) == {"t8"}


LANGUAGES = {
    "French": (
        "l'authentification échoue quand le jeton de session a expiré dans le module de connexion",
        "regarde le jeton de session, l'expiration est comparée comme une chaîne de caractères",
        "ajoute un test pour l'expiration du jeton de session dans le module de connexion",
        "les factures des clients norvégiens n'affichent plus la TVA, corrige donc le taux ce soir",
    ),
    "German": (
        "die Anmeldung bricht ab, wenn das Sitzungstoken im Anmeldemodul abgelaufen ist",
        "schau dir das Sitzungstoken an, der Ablauf wird dort als Zeichenkette verglichen",
        "ergänze einen Test für den Ablauf des Sitzungstokens im Anmeldemodul",
        "auf Rechnungen norwegischer Kunden fehlt seit gestern die Mehrwertsteuer, bitte ändern",
    ),
    "Russian": (
        "вход не работает, когда токен сессии в модуле авторизации истёк",
        "посмотри на токен сессии, срок действия там сравнивается как строка",
        "добавь тест на истёкший токен сессии в модуле авторизации",
        "для норвежских клиентов вчера пропала строка налога: бухгалтерия просит исправить ставку",
    ),
    "Chinese": (
        "登录模块里的会话令牌过期以后登录页面就会报错 请检查一下",
        "看一下会话令牌的过期时间 登录模块把它当成字符串来比较了",
        "请给登录模块里过期的会话令牌补一个测试用例",
        "挪威客户的发票从昨天开始缺少增值税这一行 财务部门要求月底之前改正税率并且重新寄出全部发票",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_is_special(talk: Talk, language: str) -> None:
    *login, invoice = LANGUAGES[language]
    talk.say_all(tuple(login), "login")

    talk.say(invoice, "invoice")
    talk.say(f"{invoice}!", "invoice")

    assert set(talk.on[:6]) == {"t0"}
    assert talk.on[-1] != "t0"
    assert talk.on[-2] == talk.on[-1]


texts = st.one_of(
    st.sampled_from([*LOGIN, *INVOICE, ODD, "yes", "", " \n", "@ann", "ann:", "#1 a/b.py ://"]),
    st.text(),
)
turns = st.lists(
    st.tuples(
        texts,
        st.sampled_from(["", "login", "invoice", "colours"]),
        st.sampled_from(["user", "assistant", "tool", "Ann", "bob", "系"]),
        st.sampled_from(["s1", "s2", None]),
        st.sampled_from([-5.0, 0.0, 1.0, 500.0]),
        st.sampled_from([None, None, None, "named"]),
    ),
    max_size=30,
)


@examples(max_examples=60)
@given(turns)
def test_whatever_is_said_every_message_has_one_thread_and_the_same_one_again(
    said: list[tuple[str, str, str, str | None, float, str | None]],
) -> None:
    once, again = Talk(), Talk()
    for talk in (once, again):
        for text, about, role, session, later, thread in said:
            talk.say(text, about, role=role, session=session, later=later, thread=thread)

    assert once.on == again.on
    assert len(once.on) == len(said)
    assert all(once.on)
    assert once.why == again.why
