import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ai_smartness
from ai_smartness.redact import find_secrets, redacted_json, redacted_text
from ai_smartness.redact.prefilter import SecretClues
from kit.ordinary_lines import made_ordinary_lines
from kit.secret_lines import LATER_TABLES, made_secret_lines
from made_secrets import FORMS, SURROUNDINGS, made

KEY_LINES = """\
MIIEpQIBAAKCAQEAn6/O8li+SX4m98LLYt/PKSzEmQ++ZBD7Loh9P13f4yQ92EF3
yxR5MsXFu9PRsrYQA7/4UTPHiC4y2sAVCBg4C2yyBpUEtMQjyCESi6Y5yxR5MsXF
u9PRsrYQA7/4UTPHiC4y2s=="""
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_LINES}\n-----END RSA PRIVATE KEY-----"
CERTIFICATE = KEY.replace("RSA PRIVATE KEY", "CERTIFICATE").replace("MIIEpQIBAA", "MIIEpTCCAA")


@pytest.mark.parametrize("around", SURROUNDINGS)
@pytest.mark.parametrize("form", FORMS)
def test_a_secret_of_a_known_format_is_gone_whatever_is_around_it(form: str, around: str) -> None:
    for seed in range(5):
        secret = made(form, seed)
        text = SURROUNDINGS[around].format(secret)

        clean = redacted_text(text)

        assert secret not in clean
        assert "[redacted:" in clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("DB_PASSWORD=hunter2x", "DB_PASSWORD=[redacted:password]"),
        ('{"password": "s3cr3t-Pw!"}', '{"password": "[redacted:password]"}'),
        ("password: 'Tr0ub4dor&3'", "password: '[redacted:password]'"),
        ("mysql -u root -pS3cretPw db", "mysql -u root -p[redacted:password] db"),
        ("sshpass -p 'S3cretPw' ssh a@b", "sshpass -p '[redacted:password]' ssh a@b"),
        ("deploy --password S3cret!Pw now", "deploy --password [redacted:password] now"),
        ("curl -u ada:L0velace! https://x", "curl -u ada:[redacted:password] https://x"),
        (
            "postgres://ada:L0velace@db:5432/app",
            "postgres://ada:[redacted:url-password]@db:5432/app",
        ),
        ("the password is Xy7!kkpQ ok", "the password is [redacted:password] ok"),
        ("Authorization: Basic YWRhOmxvdmVsYWNl", "Authorization: Basic [redacted:authorization]"),
        (
            "ALTER USER ada WITH PASSWORD 'L0velace'",
            "ALTER USER ada WITH PASSWORD '[redacted:password]'",
        ),
        (
            "CREATE USER ada IDENTIFIED BY tiger9",
            "CREATE USER ada IDENTIFIED BY [redacted:password]",
        ),
        ("vault write token s.aB3dE5fG7hI9jK1lM3nO5pQ7", "vault write token [redacted:vault-key]"),
        ("пароль: Xy7!kkpQ", "пароль: [redacted:password]"),
        ("密码\uff1aXy7!kkpQ", "密码\uff1a[redacted:password]"),
        ("Ihr Passwort lautet: Xy7!kkpQ", "Ihr Passwort lautet: [redacted:password]"),
        ("DB_PASSWORD=sunflower", "DB_PASSWORD=[redacted:password]"),
        ("db:\n  password: sunflower\n", "db:\n  password: [redacted:password]\n"),
        (
            "machine git.acme.test login ada password sunflower",
            "machine git.acme.test login ada password [redacted:password]",
        ),
        (
            "Cookie: theme=dark; sessionid=k3j5h2g9f8d7s6a1",
            "Cookie: theme=dark; sessionid=[redacted:cookie]",
        ),
        (
            "docker login -u ada -p Xy7kkpQ2 registry.acme.test",
            "docker login -u ada -p [redacted:password] registry.acme.test",
        ),
        (
            "- name: DB_PASSWORD\n  value: sunflower",
            "- name: DB_PASSWORD\n  value: [redacted:password]",
        ),
        ("user,password\nada,Xy7kkpQ2\n", "user,password\nada,[redacted:password]\n"),
        (
            'API_KEY = (\n    "k3j5h2g9f8d7s6a1"\n)',
            'API_KEY = (\n    "[redacted:key]"\n)',
        ),
        (
            'TOKEN = "k3j5h2g9f8d7s6a1" \\\n    "z9y8x7w6"',
            'TOKEN = "[redacted:token]" \\\n    "[redacted:token]"',
        ),
        ("<password>sunflower</password>", "<password>[redacted:password]</password>"),
        ("sk_live_" + "abcdefghijklmnopqrstuvwx", "[redacted:stripe-key]"),
        ("tool -u ada --verbose -p Xy7kkpQ2", "tool -u ada --verbose -p [redacted:password]"),
        ("wandb login " + "3f2a9c1e8b" * 4, "wandb login [redacted:token]"),
        ("echo Xy7kkpQ2 | sudo -S reboot", "echo [redacted:password] | sudo -S reboot"),
        (f"before\n{KEY}\nafter", "before\n[redacted:private-key]\nafter"),
        (
            "the password of the new box in Graz is Xy7kkpQ2, do not share it",
            "the password of the new box in Graz is [redacted:password], do not share it",
        ),
        (
            "Das Passwort vom NAS im Keller ist Tulpe88!",
            "Das Passwort vom NAS im Keller ist [redacted:password]",
        ),
        ("密码是「Xy7kkpQ2」", "密码是「[redacted:password]」"),
        (
            "creds for the till: kim@shop.test Xy7kkpQ2",
            "creds for the till: kim@shop.test [redacted:password]",
        ),
        (
            "your account works, the new one is Xy7kkpQ2",
            "your account works, the new one is [redacted:password]",
        ),
        ("gate code of the yard: 48213", "gate code of the yard: [redacted:code]"),
    ],
)
def test_a_value_that_is_named_as_a_secret_is_replaced_and_nothing_else(
    text: str,
    clean: str,
) -> None:
    assert redacted_text(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f2a9c1e8b7d6054a1b2c3d4e5f60718293a4b5c",
        "id 123e4567-e89b-12d3-a456-426614174000",
        '"integrity": "sha512-z1x2c3v4b5n6m7a8s9d0f1g2h3j4k5l6q7w8e9r0t1y2u3i4o5p6a7s8d9=="',
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
        "api_key = YOUR_API_KEY",
        'API_KEY="xxxxxxxxxxxxxxxx"',
        "token: ${GITHUB_TOKEN}",
        'password = os.environ["DB_PASSWORD"]',
        "password = getpass.getpass()",
        "token = <token>",
        "password: string;",
        "def login(user, password: str) -> Token:",
        "the token is expired and the key is wrong",
        "max_tokens=4096, token_count: 128000",
        "if password == other_password:",
        "All 12 tests pass: 3 skipped",
        "PWD=/home/ada/code/app",
        "key: feature-flag-2024",
        "secret_name: my-app-secrets",
        "postgres://user:password@localhost/db",
        "primary_key=True, sort_key='created_at_2'",
        "see https://example.com/docs/auth?page=2#tokens",
        'text.startswith("-----BEGIN PRIVATE KEY-----")',
        CERTIFICATE,
        "[redacted:password]: Xy7!kkpQ1",
        "The bug was identified by running the tests of the user page",
        "password: required",
        "password reset",
        '"minipass": "^7.1.3", "http-auth": "~4.2.0"',
        "arn:aws:secretsmanager:us-west-2:123456789012:secret:MyDatabaseSecret-a1b2c3",
        '"output_token": "DistributionOriginAccessList.NextMarker"',
        "Secret: [a-zA-Z0-9/_+=.@-]+",
        "hasattr(pwd, 'getpwuid')",
        'password = password.encode("latin1")',
        '"AWS::EC2::EnclaveCertificateIamRoleAssociation": "f7a4d45b52641c1e"',
        "private_key: ed25519.Ed25519PrivateKey, format",
        "GENERIC_PASSTHRU = 0x0249",
        "docker run -u 1000:1000 -p 8080:80 nginx:1.27",
        'print(client("eu-west-1", "2012-10-17"))',
        "echo done | tee build.log",
        "Renamed token to refreshTokenV2Parser",
        "com.acme.auth:token-service:2.4.1-SNAPSHOT",
        "git checkout -p src/login.py && mkdir -p build/output2",
        "| password | string | required |",
        "secret_name: tls-ingress-certificate",
        "GITHUB_SHA=3f2a9c1e8b7d6054a1b2c3d4e5f60718293a4b5c",
        "the password for the staging database is in 1Password under Shop",
        "the password check of the login form is broken since v2.14.0-rc1",
        "the password rule that we added is test_login_v2 in tests/unit/test_login.py",
        "your account is fine, the new one is for release-2026.11",
        "creds for the demo are in the vault: kim@shop.test can open it",
        "exit code of the door script: 4823",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redacted_text(text) == text


@pytest.mark.parametrize(
    "part",
    [
        KEY,
        KEY.replace("\n", "\\n"),
        KEY.replace("\n", "\r\n"),
        KEY.partition("-----END")[0],
        KEY.partition("KEY-----\n")[2],
        "\n".join(f"2026-04-26 12:36:01 {line}" for line in KEY.splitlines()),
        KEY_LINES.splitlines()[1],
    ],
)
def test_of_a_private_key_no_line_is_left_however_it_was_cut(part: str) -> None:
    clean = redacted_text(f"log:\n{part}")

    assert clean.startswith("log:\n")
    assert not any(line in clean for line in KEY_LINES.splitlines()[:2])


def loaded_by_redacting(text: str) -> list[str]:
    """Return which modules a hook's Python has loaded once it has redacted a text."""
    source = Path(ai_smartness.__file__).parents[1]
    code = (
        "import sys; sys.path.append(sys.argv[1]); from ai_smartness.redact import redacted_text; "
        "redacted_text(sys.argv[2]); print(*sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-S", "-E", "-I", "-c", code, str(source), text],
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.split()


@pytest.mark.parametrize(
    "text",
    [
        "please fix the login page of module 7, see src/auth/login.py:42 and the tests",
        "the api key is wrong, look into src/auth/keys.py, tests 3 and 4 fail",
        "look at commit 3f2a9c1e8b7d6054a1b2c3d4e5f60718293a4b5c",
        "see https://github.com/acme/thing/blob/main/src/some/where/file_name.py#L20",
        "all the tokens of the parser, a keyword and a Passage to India, 12 of them",
    ],
)
def test_an_ordinary_prompt_costs_no_regular_expressions(text: str) -> None:
    assert "re" not in loaded_by_redacting(text)


def test_of_the_rules_only_those_are_loaded_that_something_speaks_for() -> None:
    loaded = loaded_by_redacting(f"use {made('github', 1)} for it")

    assert "ai_smartness.redact.scan" in loaded
    assert not {
        f"ai_smartness.redact.{name}" for name in ("private_keys", "assignments", "context")
    } & {*loaded}


@given(
    st.lists(
        st.sampled_from(
            [
                *"aZ09_-.:/=@ \n\"'\\",
                "password",
                "token=",
                "key: ",
                "[redacted:password]",
                "://",
                "-----BEGIN PRIVATE KEY-----",
                "Xy7!kkpQ",
                "ghp_" + "aB3" * 12,
            ],
        ),
        max_size=30,
    ),
)
def test_redacting_twice_is_redacting_once(parts: list[str]) -> None:
    once = redacted_text("".join(parts))

    assert redacted_text(once) == once


@given(st.text(max_size=300))
def test_any_text_can_be_redacted_and_only_secrets_change(text: str) -> None:
    found = find_secrets(text)
    kept, end = "", 0
    for secret in found:
        assert end <= secret.start < secret.end <= len(text)
        kept += text[end : secret.start]
        end = secret.end

    clean = redacted_text(text)

    assert bool(found) == (clean != text)


@given(st.text(alphabet="abcdefghij lmnoqruvz\n,.", max_size=300))
def test_text_without_anything_suspicious_is_unchanged(text: str) -> None:
    assert redacted_text(text) == text


def test_fields_are_redacted_by_their_names_too_and_the_names_stay() -> None:
    given_ = {"env": {"password": "hunter2x", "port": 5432}, "args": ["--token", "a", None, True]}

    clean = redacted_json(given_)

    assert clean == {
        "env": {"password": "[redacted:password]", "port": 5432},
        "args": ["--token", "a", None, True],
    }


@pytest.mark.parametrize(
    "piece",
    [
        *("pw=", "a", "-----BEGIN PRIVATE KEY-----\n", "eyJ", "eyJ-", "curl -u ", 'token="', "x-"),
        *("A1bC" * 16 + "\n", "api-key=", "key='a1B2", 'token,"', "glpat-", "é", "password: "),
        *("password:\n", "machine a login b password ", "cookie=a1b2c3d4e5;", "mysql -p", "\\\\n"),
        *("docker login ", "user,password\n", "kind: Secret\ndata:\n a: ", "%22password%22%3A"),
        *(
            "passwords=['a1b2','",
            'connect("a",',
            "http://a:b@",
            "password='\"",
            "'\"'\"'\"",
            "密码\uff1a",
        ),
        *("password of the box ", "password is ", "door code ", "creds: a@b "),
        *('variable "password" {', "mnemonic abc def ", "[a]\npassword = b\n", "`password`"),
    ],
)
def test_twice_the_text_takes_about_twice_the_time_even_if_it_was_made_to_be_slow(
    piece: str,
) -> None:
    text = piece * (40_000 // len(piece))

    short, long = seconds_to_scan(text), seconds_to_scan(text * 4)

    # A quarter of a second and less at this length; what is not linear grows sixteenfold.
    assert long < 10 * short + 1


def seconds_to_scan(text: str) -> float:
    started = process_time()
    find_secrets(text)
    return process_time() - started


def test_most_made_up_secrets_are_gone_and_hardly_an_ordinary_line_is_changed() -> None:
    tables = ("secret_lines.txt", *LATER_TABLES)
    secrets = [line for table in tables for line in made_secret_lines(1, table)]
    ordinary = [*made_ordinary_lines(1), *made_ordinary_lines(1, "ordinary_lines_fresh.txt")]

    gone = sum(line.secret not in redacted_text(line.text) for line in secrets)
    changed = [line.text for line in ordinary if redacted_text(line.text) != line.text]

    assert gone > 0.93 * len(secrets)
    assert len(changed) < 0.02 * len(ordinary)


def test_the_dots_of_a_test_run_are_not_suspected() -> None:
    assert not SecretClues("collected 412 items\n" + "." * 412 + "\n412 passed in 8.21s")
