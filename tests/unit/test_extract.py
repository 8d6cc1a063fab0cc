# ruff: noqa: RUF001 - the examples are in several languages

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.capture.mentions import MOST_OF_EACH, FilePlace, Mentions, extract_mentions
from hang import no_hang

MEGABYTE = 1_000_000

PATHS = [
    ("Fix src/auth/jwt.py:42 first", "src/auth/jwt.py:42"),
    ("see (src/auth/jwt.py:42:7).", "src/auth/jwt.py:42"),
    ("https and src/app.ts#L10-L20", "src/app.ts:10"),
    ("src/Foo.cs(12,5): error CS0103: no such name", "src/Foo.cs:12"),
    ('  File "/home/me/app.py", line 42, in foo', "/home/me/app.py:42"),
    ("   at Acme.Foo.Bar() in /src/Foo.cs:line 12", "/src/Foo.cs:12"),
    ("FAILED tests/unit/test_x.py::test_y", "tests/unit/test_x.py"),
    (r"open C:\Users\me\My App\main.cs now", r"C:\Users\me\My App\main.cs"),
    (r"in src\Web\Startup.cs:17", r"src\Web\Startup.cs:17"),
    ("edit ~/.config/nvim/init.lua", "~/.config/nvim/init.lua"),
    ("run ./deploy.sh", "./deploy.sh"),
    ("../shared/bench is there", "../shared/bench"),
    ("the .github/workflows folder", ".github/workflows"),
    ("put it in .env.local and .gitignore", ".env.local .gitignore"),
    ("the Dockerfile and the Makefile", "Dockerfile Makefile"),
    ("package.json, tsconfig.json; go.mod", "package.json tsconfig.json go.mod"),
    ("app/(auth)/[id]/page.tsx", "app/(auth)/[id]/page.tsx"),
    ("[the plan](docs/plans/one.md)", "docs/plans/one.md"),
    ("**`src/shared/types.ts`**", "src/shared/types.ts"),
    ("all of `tests/e2e/` and src/auth", "tests/e2e/ src/auth"),
    ("read @CHANGELOG.md and @src/app.ts", "CHANGELOG.md src/app.ts"),
    ("the docs/log/tests and `origin/fix/one-thing`", ""),
    ("--config=conf/dev.toml", "conf/dev.toml"),
    ("请修改src/auth/jwt.py文件，谢谢", "src/auth/jwt.py"),
    ("Das steht in docs/Übersicht.md.", "docs/Übersicht.md"),
    ("Файл src/модель.py не найден", "src/модель.py"),
    ("Le fichier « lib/été.rb » manque", "lib/été.rb"),
    ("src/main.rs:4:5を見て", "src/main.rs:4"),
    ("on 12/05/2024 about 3/4 of it, and/or more, 24/7, w/o, n/a, I/O, TCP/IP", ""),
    ("client/server or read/write/execute", ""),
    ("https://example.com/a/b.html and example.com/docs/x.html", ""),
    ("Node.js, e.g. version 3.11.7, i.e. console.log or response.json", ""),
    ("application/json; @scope/pkg; origin/main", ""),
    ("a.b.c and self.h", ""),
]

IDENTIFIERS = [
    ("the getUserById call", "getUserById"),
    ("UserService is a class, Service is a word", "UserService"),
    ("user_by_id and MAX_RETRIES", "user_by_id MAX_RETRIES"),
    ("os.path.join and np.array", "os.path.join np.array"),
    ("std::vec::Vec and Foo::bar", "std::vec::Vec Foo::bar"),
    ("$this->render()", "$this->render"),
    ("call foo() and bar(x)", "foo bar"),
    ("println!(x)", "println"),
    ("`useState` and `main`", "useState main"),
    ("`react-router-dom` or `@scope/pkg`", "react-router-dom @scope/pkg"),
    ("import x from 'left-pad'", "left-pad"),
    ("`render(<App />)`, `render()`", "render"),
    ("def __init__(self): ...", "__init__"),
    ("XMLHttpRequest", "XMLHttpRequest"),
    ("调用getUserById函数", "getUserById"),
    ("die Funktion berechneGröße prüfen", "berechneGröße"),
    ("функция ПолучитьДанные", "ПолучитьДанные"),
    ("JWT_SECRETを設定", "JWT_SECRET"),
    ("FAILED tests/x.py::test_login", "test_login"),
    ("Well-known words, e.g. this, i.e. that, file(s), URLs and IDs.", ""),
    ("2 files changed, 14 insertions(+), 9 deletions(-)", ""),
    ("if (x) return (y)", ""),
    ("_emphasis_ and an E2E test at example.com", ""),
    ("It works.Then it stops", ""),
    ("C'est l'été à Zürich", ""),
]

COMMANDS = [
    ("$ pytest -k foo", "pytest -k foo"),
    ("me@host:~/x$ ls -la", "ls -la"),
    ("PS C:\\repo> dotnet build", "dotnet build"),
    ("Run `npm run build` again", "npm run build"),
    ("`FOO=1 make test`", "FOO=1 make test"),
    ("`./scripts/check --fast`", "./scripts/check --fast"),
    ("`ais threads show --why`", "ais threads show --why"),
    ("git push --force-with-lease", "git push --force-with-lease"),
    ("then git push --force and go home", "git push --force"),
    ("please run npm install and tell me what it says", "npm install"),
    ("docker compose up -d", "docker compose up -d"),
    ("kubectl get pods -n prod", "kubectl get pods -n prod"),
    ("curl -sS https://example.com/health", "curl -sS https://example.com/health"),
    ("cargo test --workspace", "cargo test --workspace"),
    ("pip install -e .", "pip install -e ."),
    ("```bash\ncd /tmp\n# a comment\nmake all\n```", "cd /tmp|make all"),
    ("```\ngit commit -m 'fix login'\nsome output\n```", "git commit -m 'fix login'"),
    ("Lance git rebase main puis pousse", "git rebase"),
    ("请运行 `go test ./...` 看看", "go test ./..."),
    ("git push, then `git log -3`", "git push|git log -3"),
    ("make `x` just `*.md` files", ""),
    ("```sh\nif [ -f x ]; then\n  rm -f x  # gone\nfi\n```", "rm -f x"),
    ("`--flag --other`, `x = y --z`", ""),
    ("Make sure it works, go on, find the bug, cat videos, time flies", ""),
    ("the git tag is wrong and docker is slow", ""),
    ("`useState` and `a b c`", ""),
]

URLS = [
    ("see https://example.com/a/b.", "https://example.com/a/b"),
    ("(https://example.com/a)", "https://example.com/a"),
    ("https://en.wikipedia.org/wiki/Foo_(bar).", "https://en.wikipedia.org/wiki/Foo_(bar)"),
    ("[x](https://example.com/y?z=1&w=2#top)!", "https://example.com/y?z=1&w=2#top"),
    ("<https://example.com>", "https://example.com"),
    ("参考https://example.com/a/b，谢谢", "https://example.com/a/b"),
    ("git@github.com:me/repo.git", "git@github.com:me/repo.git"),
    ("on localhost:3000/login now", "localhost:3000/login"),
    ("postgres://u@db:5432/shop", "postgres://u@db:5432/shop"),
    ("\"https://a.example\", 'https://b.example'", "https://a.example https://b.example"),
    ("http is a word, so is www", ""),
]

ERRORS = [
    ("ValueError: invalid literal for int()", "ValueError: invalid literal for int()"),
    ("requests.exceptions.ConnectionError: boom", "requests.exceptions.ConnectionError: boom"),
    ("Traceback (most recent call last):", "Traceback (most recent call last)"),
    ("error[E0382]: borrow of moved value", "error[E0382]: borrow of moved value"),
    ("error TS2345: Argument of type", "error TS2345: Argument of type"),
    ("Uncaught TypeError: x is not a function", "TypeError: x is not a function"),
    ("npm ERR! code ELIFECYCLE", "npm ERR! code ELIFECYCLE"),
    ("ENOENT: no such file or directory", "ENOENT: no such file or directory"),
    ("it says ECONNREFUSED", "ECONNREFUSED"),
    ("panic: runtime error: index out of range", "panic: runtime error: index out of range"),
    ("thread 'main' panicked at src/main.rs:4:5", "thread 'main' panicked at src/main.rs:4:5"),
    (
        'Exception in thread "main" java.lang.NullPointerException',
        "java.lang.NullPointerException",
    ),
    ("Caused by: java.io.IOException: disk", "java.io.IOException: disk"),
    ("HTTP/1.1 404 Not Found", "HTTP/1.1 404 Not Found"),
    ("we get 502 Bad Gateway", "502 Bad Gateway"),
    ("Process exited with code 137", "exited with code 137"),
    ("exit status 2", "exit status 2"),
    ("FAILED tests/x.py::test_y - assert 1", "FAILED tests/x.py::test_y - assert 1"),
    ("--- FAIL: TestLogin (0.00s)", "--- FAIL: TestLogin (0.00s)"),
    ("fatal: not a git repository", "fatal: not a git repository"),
    ("bash: foo: command not found", "foo: command not found"),
    ("Segmentation fault (core dumped)", "Segmentation fault (core dumped)"),
    ("Erreur : fichier introuvable", "Erreur : fichier introuvable"),
    ("Fehler: Datei nicht gefunden", "Fehler: Datei nicht gefunden"),
    ("Ошибка: файл не найден", "Ошибка: файл не найден"),
    ("错误：找不到文件", "错误：找不到文件"),
    ("no errors, exit code 0, HTTP 200, error handling, by default", ""),
    ("it fails with `TypeError: x is undefined` at once", "TypeError: x is undefined"),
    ("Exception: boom", "Exception: boom"),
    ("- Exception: internal tools. Use log.Error or catch (error: any).", ""),
    ("catch the ValueError there", ""),
]


def written(place: FilePlace) -> str:
    return place.path if place.line is None else f"{place.path}:{place.line}"


@pytest.mark.parametrize(("line", "expected"), PATHS)
def test_files_are_found_with_their_lines(line: str, expected: str) -> None:
    found = " ".join(written(place) for place in extract_mentions(line).paths)

    assert found == expected


@pytest.mark.parametrize(("line", "expected"), IDENTIFIERS)
def test_names_of_code_are_found_and_plain_words_are_not(line: str, expected: str) -> None:
    assert " ".join(extract_mentions(line).identifiers) == expected


@pytest.mark.parametrize(("line", "expected"), COMMANDS)
def test_commands_are_found_without_the_sentence_around_them(line: str, expected: str) -> None:
    assert "|".join(extract_mentions(line).commands) == expected


@pytest.mark.parametrize(("line", "expected"), URLS)
def test_addresses_are_found_without_the_punctuation_after_them(line: str, expected: str) -> None:
    assert " ".join(extract_mentions(line).urls) == expected


@pytest.mark.parametrize(("line", "expected"), ERRORS)
def test_error_messages_are_found_up_to_the_end_of_the_line(line: str, expected: str) -> None:
    assert "|".join(extract_mentions(line).errors) == expected


def test_each_thing_is_named_once_in_the_order_of_first_mention() -> None:
    found = extract_mentions(
        "b.py then a.py:1 then b.py and a.py:2, zeta_two before alpha_one, zeta_two",
    )

    assert found.paths == (FilePlace("b.py"), FilePlace("a.py", 1), FilePlace("a.py", 2))
    assert found.files == ("b.py", "a.py")
    assert found.identifiers == ("zeta_two", "alpha_one")


def test_plain_prose_names_nothing() -> None:
    assert (
        extract_mentions("I think we should talk about this tomorrow, after lunch.") == Mentions()
    )


def test_a_listing_is_cut_to_its_first_names() -> None:
    listing = " ".join(f"src/file{number}.py" for number in range(200))

    assert len(extract_mentions(listing).paths) == MOST_OF_EACH


FRAGMENTS = st.sampled_from(
    [
        *(
            "src/a.py",
            ":42",
            "https://",
            "example.com",
            "(",
            ")",
            "`",
            "```bash\n",
            "$ ",
            "git push",
        ),
        *(
            "Error",
            ": ",
            "FAILED ",
            "C:\\",
            "\\",
            "/",
            ".",
            "::",
            "getUserById",
            "_",
            "\n",
            " ",
            "字",
        ),
        *(
            "npm run x",
            "--flag",
            "ENOENT",
            "exit code 1",
            "import 'x'",
            "..",
            "[",
            "]",
            "#L1",
            "line 4",
        ),
    ],
)


@given(st.lists(st.one_of(FRAGMENTS, st.text(max_size=6)), max_size=14).map("".join))
def test_whatever_is_found_is_in_the_text_once_and_not_blank(text: str) -> None:
    found = extract_mentions(text)

    for field in fields(found):
        values = getattr(found, field.name)
        assert len(values) == len(set(values)) <= MOST_OF_EACH
    for word in (*found.files, *found.identifiers, *found.commands, *found.urls, *found.errors):
        assert word.strip()
        assert word in text


HOSTILE = [
    *(
        "a",
        "/",
        "a.",
        "((((",
        "_a_a",
        "`",
        "-",
        " ",
        "字",
        "\n",
        "\na",
        "{[(",
        "at x (",
        "}{",
        "1/",
        "a/",
    ),
    *(
        "Error: ",
        "a.Error ",
        "FAIL ",
        "ENOENT ",
        "http://",
        "http://(",
        "http://a)",
        "C:\\",
        "C:\\a ",
        "\\a",
    ),
    *(
        "git ",
        "git push ",
        "make -",
        "$ ",
        "```\n",
        "`a` ",
        "`git a`",
        "import '",
        "a::",
        "a->",
        "a(",
        "(a",
    ),
    *(
        "exit code ",
        "thread '",
        ": command not found",
        "HTTP ",
        "404 ",
        "字/",
        "a, line 1",
        "(" * 399 + " ",
    ),
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_huge_hostile_text_is_read_without_hanging(unit: str) -> None:
    text = unit * (MEGABYTE // len(unit))

    with no_hang():
        found = extract_mentions(text)

    assert len(found.paths) <= MOST_OF_EACH
