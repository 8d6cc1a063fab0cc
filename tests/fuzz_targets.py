"""Inputs changed at random, and what must hold whatever they are.

`tests/flow/test_fuzz.py` tries some of each. As a program it tries them for as long as it is
told: `PYTHONPATH=tests python tests/fuzz_targets.py --minutes 10 hook paths`.
"""

import argparse
import json
import os
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ai_smartness.entrypoints.hooks.main import attempt_step
from ai_smartness.entrypoints.hooks.run import run
from ai_smartness.entrypoints.mcp.first_answers import FirstAnswers
from ai_smartness.entrypoints.tools.call import reply_to_call
from ai_smartness.entrypoints.tools.definitions import (
    RESOURCES,
    TOOLS,
    Parameter,
    ParameterType,
    Profile,
    ToolCall,
)
from ai_smartness.memory import Memory
from ai_smartness.model.errors import AisError
from ai_smartness.settings.edit import remove_value, write_value
from ai_smartness.settings.load import gather_settings, load_settings
from ai_smartness.settings.setting import SETTINGS, Layer
from builders import NOON, a_memory, said
from fuzz_samples import ABOUT, EVENTS, MCP_REQUESTS, PATHS, SETTINGS_FILES, TRANSCRIPTS
from hooking import keep_alone
from settings_files import paths_in
from transcripts import brought_in
from two_threads import dump, two_threads

__all__ = ["TARGETS", "Target", "events", "mcp_lines"]

MAX_CHANGES = 4
MAX_CALLS = 8  # of tools or paths, one after the other on one memory
DEEP = 2_000
"""Levels of nesting, more than Python follows."""

words = st.text(st.characters(), max_size=40)
telling = st.sampled_from(
    [
        *("<private>", "</private>", "../..", "\x00", ".ai/recall/", "cat .ai/help", "\ud800"),
        *("%00", "%", "?limit=0", "&", ",", "msgs_0", "2026-02-30", "9999-12-31T23:59:59+14:00"),
        *("thread_jwt", "j1", "*", "/", "~", "\u202e", "[redacted:key]", "x" * 5_000),
    ]
)
numbers = st.integers() | st.floats() | st.sampled_from([2**63, -(2**63) - 1, 10**400, 1e308])
odd = st.recursive(
    st.none() | st.booleans() | numbers | words | telling,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


class Target(NamedTuple):
    """Inputs of one kind, and the function that fails if one of them does harm."""

    inputs: st.SearchStrategy[Any]
    check: Callable[[Any], None]


@st.composite
def changed_value(draw: st.DrawFn, value: object) -> object:
    """Return a value with some of its inner values replaced, removed or repeated."""
    whole = {"value": json.loads(json.dumps(value))}
    for _ in range(draw(st.integers(0, MAX_CHANGES))):
        places = list(_places(whole))
        holder, key = places[draw(st.integers(0, len(places) - 1))]
        match draw(st.sampled_from(["odd", "odd", "gone", "twice", "nested"])):
            case "odd":
                holder[key] = draw(odd)
            case "gone" if holder is not whole:
                del holder[key]
            case "twice" if isinstance(holder, list):
                holder.insert(key, holder[key])
            case "nested":
                holder[key] = [[[holder[key]]]]
    return whole["value"]


def _places(value: object) -> Iterator[tuple[Any, Any]]:
    pairs: Any = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    for key, inner in pairs:
        yield value, key
        yield from _places(inner)


@st.composite
def changed_bytes(draw: st.DrawFn, whole: bytes) -> bytes:
    """Return bytes with a few of them replaced; seldom nested too deep, or cut off."""
    match draw(st.sampled_from(["", "", "", "", "bytes", "bytes", "cut", "deep"])):
        case "bytes":
            for _ in range(draw(st.integers(1, 3))):
                place = draw(st.integers(0, len(whole)))
                whole = whole[:place] + draw(st.binary(max_size=3)) + whole[place + 1 :]
        case "cut":
            whole = whole[: draw(st.integers(0, len(whole)))]
        case "deep":
            levels = draw(st.sampled_from([101, 300, DEEP, 100_000]))
            opening, closing_ = draw(st.sampled_from([("[", "]"), ('{"a":', "}")]))
            nested = f"{opening * levels}1{closing_ * levels}".encode()
            place = whole.rfind(b":") + 1
            end = whole.rfind(b"}")
            whole = whole[:place] + nested + whole[end:] if place and end > 0 else nested
    return whole


@st.composite
def events(draw: st.DrawFn) -> bytes:
    """Return an event of the client, changed."""
    fields = draw(changed_value({**ABOUT, **draw(st.sampled_from(EVENTS))}))
    return draw(changed_bytes(json.dumps(fields).encode()))


@st.composite
def changed_text(draw: st.DrawFn, texts: list[str]) -> str:
    """Return a text with parts replaced, or with parts of another one."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(0, MAX_CHANGES))):
        place = draw(st.integers(0, len(text)))
        end = min(len(text), place + draw(st.integers(0, 6)))
        text = text[:place] + draw(words | telling | st.sampled_from(texts)) + text[end:]
    return text


ids = st.sampled_from(["thread_jwt", "thread_logo", "thread_other", "jwt", "j1", "l2", "msg_1"])
parts = st.lists(
    st.fixed_dictionaries(
        {"title": words | ids, "messages": st.lists(st.sampled_from(["j1", "j2", "l1", "l2"]))}
    ),
    max_size=3,
)
FITTING_VALUES: dict[ParameterType, st.SearchStrategy[Any]] = {
    ParameterType.TEXT: ids | words | telling | st.sampled_from(["JWT keys", "login page", "*"]),
    ParameterType.NUMBER: st.integers(0, 9) | st.floats(0, 1),
    ParameterType.COUNT: st.integers(-1, 60),
    ParameterType.FLAG: st.booleans(),
    ParameterType.TEXTS: st.lists(words | ids, max_size=3),
    ParameterType.PARTS: parts,
}


def fitting_values(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Return the values that a parameter takes."""
    if parameter.choices:
        return st.sampled_from(parameter.choices)
    return FITTING_VALUES[parameter.sort]


@st.composite
def tool_calls(draw: st.DrawFn) -> tuple[str, object]:
    """Return the name of a tool and arguments, most of which it takes."""
    name = draw(st.sampled_from([*TOOLS, *RESOURCES]))
    takes = (TOOLS.get(name) or RESOURCES[name]).takes
    arguments = {
        key: draw(fitting_values(parameter))
        for key, parameter in takes.items()
        if parameter.required or draw(st.booleans())
    }
    match draw(st.sampled_from(["fitting", "fitting", "fitting", "odd", "changed"])):
        case "odd":
            arguments[draw(st.sampled_from([*takes, "none"]) | words)] = draw(odd)
        case "changed":
            changed = draw(changed_value(arguments))
            # The daemon and the MCP server let nothing but an object through.
            return name, changed if isinstance(changed, dict) else arguments
    return name, arguments


@st.composite
def mcp_lines(draw: st.DrawFn) -> bytes:
    """Return a request as a client writes it, changed."""
    request = draw(changed_value(draw(st.sampled_from(MCP_REQUESTS))))
    return draw(changed_bytes(json.dumps(request).encode())) + b"\n"


@st.composite
def transcripts(draw: st.DrawFn) -> tuple[str, str, bytes]:
    """Return the format and name of a transcript, and its lines, changed."""
    name, (file_name, lines) = draw(st.sampled_from(sorted(TRANSCRIPTS.items(), key=str)))
    if isinstance(lines, str):
        return name, file_name, draw(changed_text([lines])).encode("utf-8", "surrogatepass")
    some = [draw(changed_value(line)) if draw(st.booleans()) else line for line in lines]
    if draw(st.booleans()) and some:
        some.insert(draw(st.integers(0, len(some))), draw(st.sampled_from(some)))
    text = "\n".join(json.dumps(line) for line in some) + "\n"
    return name, file_name, draw(changed_bytes(text.encode()))


@st.composite
def exports(draw: st.DrawFn) -> list[bytes]:
    """Return the lines of an export, some of them changed, moved or left out."""
    lines = [json.loads(line) for line in exported_lines()]
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["changed", "changed", "changed", "gone", "twice", "moved"])):
            case "changed":
                lines[place] = draw(changed_value(lines[place]))
            case "gone" if len(lines) > 1:
                del lines[place]
            case "twice":
                lines.insert(place, lines[place])
            case "moved":
                lines.append(lines.pop(place))
    if draw(st.booleans()):
        _correct_counts(lines)
    whole = [json.dumps(line).encode() for line in lines]
    place = draw(st.integers(0, len(whole) - 1))
    whole[place] = draw(changed_bytes(whole[place]))
    return [line + b"\n" for line in whole]


def _correct_counts(lines: list[Any]) -> None:
    """Make the header agree with the lines, so that their contents are looked at."""
    with suppress(TypeError, KeyError, AttributeError, StopIteration):
        header = next(iter(lines[0].values()))
        kinds = [next(iter(line)) for line in lines[1:]]
        header["counts"] = {kind: kinds.count(kind) for kind in set(kinds)}


@st.composite
def settings_files(draw: st.DrawFn) -> tuple[bytes, bytes, str, str]:
    """Return the text of the user's and the project's settings, a key and a value."""
    user, project = (
        draw(changed_text(SETTINGS_FILES)).encode("utf-8", "surrogatepass") for _ in range(2)
    )
    some = draw(st.binary(max_size=20))
    user = draw(st.sampled_from([user, user + some]))
    key = draw(st.sampled_from(sorted(SETTINGS)) | words)
    return user, project, key, draw(words | telling | st.integers().map(str))


def check_hook(whole: bytes) -> None:
    """Whatever the event, the hook prints nothing or one object, and no step fails."""
    home = _hook_home()
    with _standard_streams(home, whole) as printed:
        run(["--home", str(home / "home")], time.monotonic() + 60, attempt_step)
    answer = printed.read_bytes()
    assert not answer or isinstance(json.loads(answer), dict)
    # A full log is put away at the end of a run.
    logs = [home / "home" / "logs" / name for name in ("hook.log", "hook.log.1")]
    last_line = next(log for log in logs if log.exists()).read_bytes().splitlines()[-1]
    if _is_object(whole):
        assert b"trouble" not in last_line, last_line


def check_paths(paths: list[str]) -> None:
    """Whatever the paths, an agent reads texts that can be written to a file."""
    with closing(two_threads()) as memory:
        for path in paths:
            assert memory.read_virtual(path, "s9").encode()
        _use_everything(memory)


def check_tools(calls: list[tuple[str, object]]) -> None:
    """Whatever the arguments, tools answer with texts and data that can be sent."""
    with closing(two_threads()) as memory:
        for name, arguments in calls:
            wanted = ToolCall(name, arguments, "codex", "s9")  # type: ignore[arg-type] # JSON
            reply = reply_to_call(wanted, nullcontext(memory))
            assert reply.text.encode()
            json.dumps(reply.structure).encode()
        _use_everything(memory)


def check_mcp_line(line: bytes) -> None:
    """Whatever the line, the first answers are one line or none."""
    answer = FirstAnswers(Profile.ALL).answer_line(line)
    if answer is not None:
        assert answer.endswith(b"\n")
        assert isinstance(json.loads(answer), dict)


def check_transcript(transcript: tuple[str, str, bytes]) -> None:
    """Whatever the file, it is imported, or what could not be read is named; twice is once."""
    name, file_name, contents = transcript
    with TemporaryDirectory() as folder, closing(a_memory(embedder=lambda: None)) as memory:
        path = Path(folder) / file_name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
        os.utime(path, (NOON.timestamp() - 1e6, NOON.timestamp() - 1e6))
        brought_in(memory, Path(folder), path, wanted=name)
        again = brought_in(memory, Path(folder), path, wanted=name)
        assert again.added == 0, again
        assert memory.check() == ""


def check_export(lines: list[bytes]) -> None:
    """Whatever the file, it is loaded whole, or refused with nothing changed."""
    for make in (a_memory, two_threads):
        with closing(make()) as memory:
            before = dump(memory)
            try:
                memory.take_in(iter(lines))
            except AisError:
                assert dump(memory) == before
                continue
            _use_everything(memory)


def check_settings(files: tuple[bytes, bytes, str, str]) -> None:
    """Whatever the files, they are read, or refused by name; a change keeps them readable."""
    user, project, key, value = files
    with TemporaryDirectory() as folder:
        paths = paths_in(Path(folder), user, project)
        gather_settings(paths, {"AIS_STORE_BUSY_TIMEOUT_MS": value})
        for step in (
            lambda: load_settings(paths, {}),
            lambda: write_value(paths, Layer.USER, key, value),
            lambda: remove_value(paths, Layer.USER, key),
        ):
            with suppress(AisError):
                step()
        if _is_toml(user) and paths.user_file.exists():
            assert _is_toml(paths.user_file.read_bytes())


TARGETS = {
    "hook": Target(events(), check_hook),
    "paths": Target(st.lists(changed_text(PATHS), min_size=1, max_size=MAX_CALLS), check_paths),
    "tools": Target(st.lists(tool_calls(), min_size=1, max_size=MAX_CALLS), check_tools),
    "mcp": Target(mcp_lines(), check_mcp_line),
    "transcripts": Target(transcripts(), check_transcript),
    "exports": Target(exports(), check_export),
    "settings": Target(settings_files(), check_settings),
}


@cache
def exported_lines() -> tuple[bytes, ...]:
    """Export a memory in which every kind of record occurs."""
    lines: list[str] = []
    with closing(two_threads()) as memory:
        memory.merge("thread_jwt", "thread_other")
        memory.focus("jwt", session="s9")
        memory.pin("always rotate", kind="decision")
        memory.rate("thread_logo", useful=True, reason="it helped")
        memory.inject("where do the JWT keys live?", session="s9")
        memory.tell()
        memory.export(lines.append)
    return tuple(line.encode() for line in "".join(lines).splitlines())


def _use_everything(memory: Memory) -> None:
    """Read all that was loaded."""
    assert memory.check() == ""
    for counts in memory.projects():
        seen = memory.seen_from(counts.project)
        seen.tell()
        for thread in seen.threads():
            seen.events(thread.id)
        for entry in seen.log(limit=100):
            with suppress(AisError):
                seen.undo(entry.seq, dry_run=True)
        seen.search("keys")
        seen.recall("JWT keys")
        seen.export(lambda _line: None)


@cache
def _hook_home() -> Path:
    folder = Path(_scratch().name)
    keep_alone(folder / "home")
    database = folder / "home" / "memory.db"
    with closing(a_memory(database, project="/", embedder=lambda: None)) as memory:
        memory.capture(said("what of solana: rotate the keys", id_="m1"))
    return folder


@cache
def _scratch() -> "TemporaryDirectory[str]":
    return TemporaryDirectory()


@contextmanager
def _standard_streams(folder: Path, whole: bytes) -> Iterator[Path]:
    """Put an event where the hook reads, and what it prints into a file."""
    (folder / "in").write_bytes(whole)
    before = [os.dup(0), os.dup(1)]
    for number, (name, how) in enumerate((("in", os.O_RDONLY), ("out", os.O_CREAT | os.O_RDWR))):
        handle = os.open(folder / name, how | (os.O_TRUNC if number else 0))
        os.dup2(handle, number)
        os.close(handle)
    try:
        yield folder / "out"
    finally:
        for number, handle in enumerate(before):
            os.dup2(handle, number)
            os.close(handle)


def _is_object(whole: bytes) -> bool:
    try:
        return isinstance(json.loads(whole), dict)
    except (ValueError, RecursionError):
        return False


def _is_toml(contents: bytes) -> bool:
    try:
        tomllib.loads(contents.decode())
    except (ValueError, RecursionError):
        return False
    return True


def main() -> None:
    """Try inputs until the time is up, and print how many there were and which did harm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[[], *TARGETS], metavar="TARGET")
    parser.add_argument("--minutes", type=float, default=1.0, help="for each target (1)")
    options = parser.parse_args()
    for name in options.targets or TARGETS:
        FuzzRun(name, options.minutes * 60).run()


class FuzzRun:
    """One target, for some time. A failure is printed once, by where it was raised."""

    def __init__(self, name: str, seconds: float) -> None:
        self._name = name
        self._end = time.monotonic() + seconds
        self._inputs = 0
        self._failures: dict[str, int] = {}

    def run(self) -> None:
        target = TARGETS[self._name]
        health = list(HealthCheck)
        chosen = settings(
            max_examples=500,
            database=None,
            deadline=None,
            suppress_health_check=health,
            phases=[Phase.generate],
        )
        attempt = chosen(given(target.inputs)(self._attempt))
        while time.monotonic() < self._end:
            attempt()
        self._print_result()

    def _attempt(self, value: object) -> None:
        self._inputs += 1
        try:
            TARGETS[self._name].check(value)
        except Exception as error:  # noqa: BLE001 - what is looked for
            place = f"{type(error).__name__} at {_raised_at(error)}"
            if place not in self._failures:
                print(f"{self._name}: {place}: {str(error)[:300]}\n  {value!r:.600}", flush=True)  # noqa: T201 - its answer
            self._failures[place] = self._failures.get(place, 0) + 1

    def _print_result(self) -> None:
        print(f"{self._name}: {self._inputs:,} inputs, {len(self._failures)} failures", flush=True)  # noqa: T201 - its answer


def _raised_at(error: BaseException) -> str:
    """Name the innermost line of ours, or of a check, that an error passed."""
    place, trace = "?", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "ai_smartness" in code.co_filename or "fuzz_targets" in code.co_filename:
            place = f"{Path(code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


if __name__ == "__main__":
    main()
