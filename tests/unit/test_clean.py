# ruff: noqa: RUF001 - the examples are in several languages

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.capture.clean import cleaned_text, sanitized_text
from ai_smartness.text.markers import MEMORY_CLOSE, MEMORY_OPEN
from hang import no_hang

MEGABYTE = 1_000_000
BYTES = bytes((number * 7919 + number // 3) % 256 for number in range(900))
BASE64 = base64.b64encode(BYTES).decode()
PEM = "\n".join(BASE64[start : start + 64] for start in range(0, 64 * 8, 64))
BLOCK = f"{MEMORY_OPEN} project=shop>\nwe use Redis\n{MEMORY_CLOSE}\n"

ORDINARY = [
    "Please rotate the JWT keys before Friday.",
    "Peux-tu corriger le bug dans l'authentification ? Merci d'avance…",
    "Die Prüfung schlägt fehl, weil „Größe“ größer als 45 % ist.",
    "Почему тест падает на CI, а локально проходит?",
    "请把数据库连接改成连接池，然后再跑一遍测试。",
    "ログイン画面でエラーが出ます。直してください。",
    "می\u200cخواهم این را درست کنم",
    "क्\u200dष और हिन्दी",
    "Family: 👩\u200d👩\u200d👧 and a flag 🇫🇷 and Britain 🏴\U000e0067\U000e0062\U000e007f",
    "def f(x: int) -> int:\n    return x[0] if x else {}\n\n\n\n\n\nclass A:\n    pass",
    "for (let i = 0; i < n; i++) { a[i] = b[i] * 100 / 3; }",
    "| a | b |\n|-----|-----|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n| 7 | 8 |\n| 9 | 10 |",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "550e8400-e29b-41d4-a716-446655440000",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    "/home/me/" + "very-long-folder-name/" * 20 + "main.py",
    "This is a long sentence, and it goes on (as sentences do); really. " * 40,
    "这是一个没有空格的很长的句子，" * 200,
    "assert add(1, 2) == 3\nassert add(2, 2) == 4\nassert add(3, 2) == 5\nassert add(4, 2) == 6",
    "auth     ████████░░ 80%\nbilling  ███░░░░░░░ 30%",
    "tests/unit/test_x.py ........... [ 45%]",
    "- [ ] write it\n- [x] test it",
    "We meet at noon\n   at the office\n   at last",
    f"the line `{MEMORY_OPEN} …>` opens what we inject",
    "}\n}\n}\n}\n}\n}\n}",
    "A\ttab, trailing spaces   \n\n  and blank lines\n\n\n",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_prose_and_code_pass_unchanged(text: str) -> None:
    assert cleaned_text(text) == text
    assert sanitized_text(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[1;31mred\x1b[0m text", "red text"),
        ("\x1b]0;title\x07hello", "hello"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ end", "link end"),
        ("a\x9b31mb", "ab"),
        (
            "Receiving:  10% (2/20)\rReceiving: 100% (20/20), done.\r\nok",
            "Receiving: 100% (20/20), done.\nok",
        ),
        ("⠋ building\r⠙ building\r✔ built", "✔ built"),
        ("working |\rworking /\rworking -\rworked", "working -\nworked"),
        ("one line\ranother line\rthe third", "one line\nanother line\nthe third"),
        ("Resolving...\x1b[2K\x1b[1GDone in 3s", "Done in 3s"),
        ("abd\bc", "abc"),
        ("[##   ] 45%\n[#### ] 75%\n[#####] 100%\nDone", "[#####] 100%\nDone"),
        (
            (
                "  0%|          | 0/9 [00:00<?, ?it/s]\n 45%|████▌     | 4/9 [00:01<00:02, 4it/s]\n"
                "100%|██████████| 9/9 [00:02<00:00, 4.5it/s]"
            ),
            "100%|██████████| 9/9 [00:02<00:00, 4.5it/s]",
        ),
        (
            (
                "   ━━━━━╸━━━━━━━━ 12.3/34.0 MB 1.2 MB/s eta 0:00:05\n"
                "   ━━━━━━━━━━━━━━ 34.0/34.0 MB 2.2 MB/s eta 0:00:00\nInstalled"
            ),
            "   ━━━━━━━━━━━━━━ 34.0/34.0 MB 2.2 MB/s eta 0:00:00\nInstalled",
        ),
        (
            (
                "a3ed: Downloading [==>   ]  12.3MB/34MB\nb4fe: Downloading [==>   ]  1.3MB/34MB\n"
                "a3ed: Downloading [====> ]  32.3MB/34MB\na3ed: Pull complete"
            ),
            (
                "a3ed: Downloading [====> ]  32.3MB/34MB\nb4fe: Downloading [==>   ]  1.3MB/34MB\n"
                "a3ed: Pull complete"
            ),
        ),
        (
            "    Building [=====>    ] 45/99: foo\n    Building [=========] 99/99: bar\n    Done",
            "    Building [=========] 99/99: bar\n    Done",
        ),
    ],
)
def test_a_program_s_output_reads_as_the_terminal_left_it(text: str, expected: str) -> None:
    assert cleaned_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"key = '{BASE64}'", "key = '[base64, 1,200 characters]'"),
        (
            f'<img src="data:image/png;base64,{BASE64}">',
            '<img src="[data:image/png, 1,222 characters]">',
        ),
        (
            f"-----BEGIN KEY-----\n{PEM}\n-----END KEY-----",
            "-----BEGIN KEY-----\n[base64, 519 characters]\n-----END KEY-----",
        ),
        (f"dump {BYTES.hex()}", "dump [hex, 1,800 characters]"),
        (
            f"eyJ{BASE64[:90]}.{BASE64[:90]}.{BASE64[90:180]}".replace("+", "-").replace("/", "_"),
            "[token, 275 characters]",
        ),
        (
            "bundle: " + "!function(e,t){return e=>t.a(b,c)};" * 60,
            "bundle: [minified JavaScript, 2,100 characters]",
        ),
        ('{"a":1,"b":[1,2,3],"c":"foo"},' * 60, "[minified JSON, 1,800 characters]"),
        (".a{color:red;margin:0}.b{display:none}" * 60, "[minified CSS, 2,280 characters]"),
        ("[" + "0.11234,-0.2," * 200, "[numbers, 2,601 characters]"),
    ],
)
def test_a_blob_becomes_a_note_of_what_it_was(text: str, expected: str) -> None:
    assert cleaned_text(text) == expected


def test_a_list_of_hashes_is_no_blob() -> None:
    hashes = "\n".join(
        BYTES[start : start + 32].hex() + " " + name
        for start, name in zip(range(20), "abcdefghijklmnopqrst", strict=True)
    )

    assert cleaned_text(hashes) == hashes


def test_log_lines_that_say_the_same_are_folded_to_the_first_the_last_and_a_count() -> None:
    log = [
        f"2024-05-12 10:00:{second:02} INFO worker {second} polled 0x{second:08x}"
        for second in range(60)
    ]

    assert cleaned_text("\n".join(["start", *log, "end"])) == "\n".join(
        ["start", log[0], "[… 58 lines like this …]", log[-1], "end"],
    )


def test_a_line_said_five_times_is_said_twice_and_counted() -> None:
    assert cleaned_text("\n".join(["Connection refused"] * 5)) == (
        "Connection refused\n[… 3 lines like this …]\nConnection refused"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"before\n{BLOCK}after", "before\nafter"),
        (f"{BLOCK}{BLOCK}after", "after"),
        (f"<system-reminder>\n{BLOCK}</system-reminder>\nafter", "after"),
        (f"<system-reminder>{BLOCK}</system-reminder>after", "after"),
        (
            f"<system-reminder>\nPrompt hook additional context: {BLOCK}</system-reminder>\nafter",
            "after",
        ),
        (
            f"<system-reminder>\nToday is Friday.\n{BLOCK}</system-reminder>",
            "<system-reminder>\nToday is Friday.\n</system-reminder>",
        ),
        (f"before\n{MEMORY_OPEN}>\ncut off he", "before\n"),
        (f"<system-reminder>\n{MEMORY_OPEN}>\ncut off he", ""),
        (f"before\n{MEMORY_CLOSE}\nafter", "before\nafter"),
        (BLOCK, ""),
    ],
)
def test_what_we_injected_is_not_remembered(text: str, expected: str) -> None:
    assert cleaned_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("a\x00b\x07c\x7fd\x9ce\tf", "abcde\tf"),
        ("\ufeffword\u200bword\u2060", "wordword"),
        ("a\u200db", "ab"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("safe\u202egnp.exe\u202c", "safegnp.exe"),
        ("\ud800 alone", "\ufffd alone"),
        ("\ud83d\ude00", "😀"),
        ("hidden\U000e0068\U000e0069", "hidden"),
    ],
)
def test_harmful_characters_go_and_needed_ones_stay(text: str, expected: str) -> None:
    assert sanitized_text(text) == expected


@pytest.mark.parametrize("text", ["\x1b[31m\x1b[0m", "\x00\x00", " \n ", "\ufeff", ""])
def test_what_says_nothing_becomes_blank(text: str) -> None:
    assert cleaned_text(text).strip() == ""


def test_when_all_was_noise_a_note_stays() -> None:
    assert cleaned_text("abc\b\b\b") == "[terminal output, 6 characters]"


FRAGMENTS = st.sampled_from(
    [
        *(
            "\x1b[31m",
            "\x1b[2K",
            "\x1b[1G",
            "\r",
            "\n",
            "\b",
            "45%",
            "[####  ]",
            "⠋ ",
            "━━━━━━",
            "3/4",
        ),
        *(f"{MEMORY_OPEN}>", MEMORY_CLOSE, "<system-reminder>", "</system-reminder>", "hook: "),
        *(
            "\u200d",
            "👩",
            "\ud83d",
            "\ude00",
            "\U000e0067",
            "🏴",
            "\U000e007f",
            "\x00",
            " ",
            "word",
        ),
        *(
            BASE64,
            PEM,
            "data:image/png;base64,",
            '{"a":1,"b":2},' * 80,
            "eyJ",
            "Connection refused\n" * 6,
        ),
        *(
            "    at f (/a/node_modules/b.js:1:2)\n" * 3,
            "    at g (/a/b.js:1:2)\n",
            '  File "a.py", line 1\n',
        ),
        *(
            "[… 3 lines like this …]\n",
            "    [… 2 frames in libraries …]\n",
            "    at div\n",
            "\tx.go:1\n",
        ),
    ],
)


@given(st.lists(st.one_of(FRAGMENTS, st.text(max_size=8)), max_size=12).map("".join))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = cleaned_text(text)

    assert cleaned_text(once) == once
    assert sanitized_text(once) == once


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C"])))
def test_words_are_never_cleaned_to_nothing(text: str) -> None:
    assert bool(cleaned_text(text).strip()) == bool(sanitized_text(text).strip())


HOSTILE = [
    *(
        "a",
        "/",
        "a.",
        "(",
        "_a_a",
        "`",
        "-",
        " ",
        "字",
        "\n",
        "\na",
        "{}",
        "    at x (\n",
        "\x1b[",
        "\x1b]0;",
    ),
    *(
        "\r",
        "a\r",
        "45%\r",
        "[#",
        "█",
        "eyJ",
        "data:a/b;base64,",
        "QUJD" * 16 + "\n",
        "a" * 199 + " ",
    ),
    *(
        '  File "a", line 1\n',
        "   1: a::b\n",
        "f()\n\tx.go:1\n",
        "\b",
        "⠋ \n",
        "|---|",
        f"{MEMORY_OPEN}>",
        MEMORY_CLOSE,
    ),
    *("\u200d", "\ud83d", "👩\u200d", "{aa:", ";aa:b", "hook: "),
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_huge_hostile_text_is_cleaned_without_hanging(unit: str) -> None:
    text = unit * (MEGABYTE // len(unit))

    with no_hang():
        once = cleaned_text(text)

    assert len(once) <= len(text)
