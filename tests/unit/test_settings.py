import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.condense import CondenserRegistry
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError, StoreError
from ai_smartness.settings.edit import write_value
from ai_smartness.settings.load import gather_settings, load_settings
from ai_smartness.settings.paths import cache_folder, memory_home, memory_paths
from ai_smartness.settings.schema import Settings
from ai_smartness.settings.setting import (
    SETTINGS,
    Layer,
    Setting,
    SettingOrigin,
    SettingValue,
    known_setting,
)
from settings_files import paths_in


def values_of(setting: Setting) -> st.SearchStrategy[SettingValue]:
    match setting.default:
        case bool():
            return st.booleans()
        case int():
            return st.integers(int(setting.low), int(setting.high))
        case float():
            return st.floats(setting.low, setting.high)
        case _ if setting.choices:
            return st.sampled_from(setting.choices)
        case _:
            return st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1)


chosen = st.sampled_from(list(SETTINGS.values())).flatmap(
    lambda setting: st.tuples(st.just(setting), values_of(setting))
)
fragments = st.sampled_from(
    [
        "[embedder]",
        "[[embedder]]",
        "[embedder.model]",
        "[nowhere]",
        "embedder = 3",
        'embedder = "model"',
        "embedder.threads = 3",
        'model = "x"',
        "threads = nan",
        "threads = true",
        "threads = -1",
        f"threads = {'9' * 5000}",
        f"threads = 0x{'f' * 5000}",
        "model = 1979-05-27T07:32:00Z",
        "model = { a = [1, 2] }",
        f"model = {'[' * 5000}",
        '"\\u001b[31m" = 1',
        "half_life_days = inf",
        '""" ',
        "# words",
        "\x00",
        "",
    ]
)
junk = st.one_of(
    st.binary(),
    st.text(st.characters(exclude_categories=["Cs"])).map(str.encode),
    st.lists(fragments, max_size=6).map(lambda lines: "\n".join(lines).encode()),
)


def test_without_files_and_variables_everything_is_the_default(tmp_path: Path) -> None:
    loaded = load_settings(paths_in(tmp_path), {})

    assert loaded.settings == Settings()
    assert str(loaded.value_origin("embedder.model")) == "default"
    assert loaded.warnings == ()


def test_the_environment_wins_over_the_project_and_the_project_over_the_user(
    tmp_path: Path,
) -> None:
    paths = paths_in(
        tmp_path,
        user="[search]\ncandidates = 20\nwords_weight = 3\nmeaning_weight = 4.0\n",
        project="[search]\ncandidates = 30\nwords_weight = 5\n",
    )

    loaded = load_settings(paths, {"AIS_SEARCH_CANDIDATES": "40"})

    search = loaded.settings.search
    assert (search.candidates, search.words_weight, search.meaning_weight) == (40, 5.0, 4.0)
    assert str(loaded.value_origin("search.candidates")) == "AIS_SEARCH_CANDIDATES"
    assert loaded.value_origin("search.words_weight") == SettingOrigin(
        Layer.PROJECT, str(paths.project_file), line=3
    )
    assert str(loaded.value_origin("search.meaning_weight")) == f"{paths.user_file}:4"


def test_a_variable_set_to_nothing_is_not_set(tmp_path: Path) -> None:
    loaded = load_settings(paths_in(tmp_path), {"AIS_EMBEDDER_MODEL": ""})

    assert loaded.settings.embedder.model == "arctic-embed-s"


def test_a_project_cannot_choose_where_text_is_sent(tmp_path: Path) -> None:
    paths = paths_in(tmp_path, project='[embedder]\nmodel = "http://evil.example/v1#m"\n')

    loaded = load_settings(paths, {})

    assert loaded.settings.embedder.model == "arctic-embed-s"
    assert len(loaded.warnings) == 1
    assert f"{paths.project_file}:2: `embedder.model` is ignored" in loaded.warnings[0]


def test_what_could_send_text_elsewhere_or_cost_the_user_is_the_users_alone() -> None:
    alone = {setting.key for setting in SETTINGS.values() if setting.user_only}

    assert alone == {
        "backup.automatic",
        "backup.folder",
        "backup.keep_days",
        "backup.keep_weeks",
        "embedder.key_file",
        "embedder.languages",
        "embedder.model",
        "embedder.threads",
        "search.reranker",
        "store.busy_timeout_ms",
        "store.url",
        "team.read_copy",
        "history.keep_up",
        "condense.default",
        *(setting.key for setting in SETTINGS.values() if setting.section == "llm"),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[embedder]\nmodle = 1", ":2: there is no setting 'embedder.modle'"),
        ("[embedder]\nmodle = 1", "Did you mean `embedder.model`?"),
        ("[embeder]\nmodel = 1", ":1: there is no setting 'embeder'"),
        ("[embeder]\nmodel = 1", "Did you mean `embedder`?"),
        ("[zzz]", "The sections are embedder, store, team, vectors, search, decay, recall, "),
        ("[embedder]\nzzz = 1", "`embedder` has model, key_file, languages, threads, max_chunks."),
        ("half_life_days = 3", "Did you mean `decay.half_life_days`?"),
        ("\n[embedder]\nthreads = 99", ":3: `embedder.threads` cannot be 99"),
        ("embedder.threads = 99", ":1: `embedder.threads` cannot be 99"),
        ("[embedder]\nthreads = 99", "it takes a whole number from 0 to 64"),
        ("[embedder]\nthreads = true", "cannot be true"),
        ("[embedder]\nthreads = '4'", "cannot be '4'"),
        ("[embedder]\nmodel = ''", "cannot be ''"),
        ("[embedder.model]\nx = 1", ":1: `embedder.model` cannot be a table"),
        ("[decay]\nhalf_life_days = nan", "it takes a number from 0.1 to 36500"),
        ("[decay]\nhalf_life_days = 0", "run `ais config unset decay.half_life_days`"),
        (f"[embedder]\nthreads = 0x{'f' * 9999}", "cannot be a number of 39996 bits"),
        ("[embedder\n", "line 1"),
        (b"[embedder]\n# \xff\n", ":2 is not UTF-8"),
        ("[embedder]\n" + "#" * 70_000, "larger than"),
    ],
)
def test_a_refusal_says_where_what_and_the_way_out(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    paths = paths_in(tmp_path, user=text)

    with pytest.raises(RefusedError) as refused:
        load_settings(paths, {})

    assert str(paths.user_file) in str(refused.value)
    assert message in str(refused.value)


def test_a_wrong_variable_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"AIS_EMBEDDER_THREADS: .* cannot be 'many'"):
        load_settings(paths_in(tmp_path), {"AIS_EMBEDDER_THREADS": "many"})


def test_a_mistyped_variable_is_pointed_out(tmp_path: Path) -> None:
    loaded = load_settings(paths_in(tmp_path), {"AIS_EMBEDDER_MODLE": "x", "AIS_HOME": "y"})

    assert [warning.split()[0] for warning in loaded.warnings] == ["AIS_EMBEDDER_MODLE"]
    assert "`embedder.model`" in loaded.warnings[0]


def test_weights_that_are_no_settings_any_more_are_ignored_with_a_warning(tmp_path: Path) -> None:
    paths = paths_in(tmp_path, user="[place]\nleave = 0.4\nsure = 9\n\n[bridges]\nmost = 3\n")

    loaded = load_settings(paths, {"AIS_PLACE_LEAVE": "0.4"})

    assert loaded.settings == Settings()
    assert [warning.split()[0].rpartition("/")[2] for warning in loaded.warnings] == [
        "config.toml:1:",
        "config.toml:5:",
        "AIS_PLACE_LEAVE",
    ]
    assert "no longer settings" in loaded.warnings[0]


def test_our_own_condensers_are_the_choices_of_the_setting() -> None:
    own = tuple(condenser.id for condenser in CondenserRegistry())

    assert known_setting("condense.default").choices == own


def test_a_folder_in_place_of_the_file_is_a_fault_of_the_disk(tmp_path: Path) -> None:
    paths = paths_in(tmp_path)
    paths.user_file.mkdir(parents=True)

    with pytest.raises(StoreError, match="not a regular file"):
        load_settings(paths, {})


def test_a_link_to_an_endless_file_is_not_read(tmp_path: Path) -> None:
    paths = paths_in(tmp_path, project="# a project")
    assert paths.project_file
    paths.project_file.unlink()
    paths.project_file.symlink_to("/dev/zero")

    with pytest.raises(StoreError, match="not in the project"):
        load_settings(paths, {})


def test_a_projects_link_to_somebodys_file_is_not_followed(tmp_path: Path) -> None:
    paths = paths_in(tmp_path, project="# a project")
    assert paths.project_file
    (tmp_path / "secret.toml").write_text("token = 'hunter2'")
    paths.project_file.unlink()
    paths.project_file.symlink_to(tmp_path / "secret.toml")

    with pytest.raises(StoreError, match="not in the project"):
        load_settings(paths, {})


def test_a_pipe_in_place_of_a_projects_file_is_not_read(tmp_path: Path) -> None:
    paths = paths_in(tmp_path, project="# a project")
    assert paths.project_file
    paths.project_file.unlink()
    os.mkfifo(paths.project_file)

    with pytest.raises(StoreError, match="not a regular file"):
        load_settings(paths, {})


def test_gathering_leaves_out_what_is_wrong_and_keeps_the_rest(tmp_path: Path) -> None:
    paths = paths_in(
        tmp_path, user="[search]\ncandidates = 20\nwords_weight = 99\n", project="not toml"
    )

    loaded = gather_settings(paths, {})

    assert loaded.settings.search.candidates == 20
    assert loaded.settings.search.words_weight == Settings().search.words_weight
    assert len(loaded.problems) == 2


@given(junk, junk)
def test_whatever_is_in_the_files_only_our_own_errors_come_out(user: bytes, project: bytes) -> None:
    with TemporaryDirectory() as folder:
        paths = paths_in(Path(folder), user=user, project=project)
        loaded = gather_settings(paths, {})

    assert all(isinstance(problem, AisError) for problem in loaded.problems)
    assert all(SETTINGS[key].accepts_value(loaded.value_of(key)) for key in SETTINGS)


@given(junk)
def test_a_change_to_whatever_is_in_the_file_is_made_or_refused(before: bytes) -> None:
    with TemporaryDirectory() as folder:
        paths = paths_in(Path(folder), user=before)
        try:
            write_value(paths, Layer.USER, "embedder.threads", "7")
        except AisError:
            after = paths.user_file.read_bytes() if paths.user_file.exists() else b""
            assert after == before
        else:
            assert gather_settings(paths, {}).settings.embedder.threads == 7


@given(chosen)
def test_any_allowed_value_is_read_back_as_it_was_set(pair: tuple[Setting, SettingValue]) -> None:
    setting, value = pair
    with TemporaryDirectory() as folder:
        paths = paths_in(Path(folder))
        write_value(paths, Layer.USER, setting.key, str(value))
        loaded = load_settings(paths, {})

    assert loaded.value_of(setting.key) == value
    assert type(loaded.value_of(setting.key)) is type(setting.default)
    assert loaded.value_origin(setting.key).layer is Layer.USER


@given(chosen)
def test_any_allowed_value_can_come_from_the_environment(
    pair: tuple[Setting, SettingValue],
) -> None:
    setting, value = pair

    assert setting.parsed_value(str(value)) == value


def test_a_key_nobody_knows_is_not_found() -> None:
    with pytest.raises(NotFoundError, match=r"Did you mean `store\.busy_timeout_ms`"):
        known_setting("store.busy_timeout")


def test_home_is_the_argument_then_the_variable_then_the_platforms(tmp_path: Path) -> None:
    environ = {"AIS_HOME": "/from/variable"}

    assert memory_home(tmp_path, environ) == tmp_path
    assert memory_home(None, environ) == Path("/from/variable")
    assert memory_home(None, {}).name == "ai_smartness"


def test_a_given_home_holds_the_users_file_and_the_database(tmp_path: Path) -> None:
    paths = memory_paths(tmp_path, None, {})

    assert paths.user_file == tmp_path / "config.toml"
    assert paths.database == tmp_path / "memory.db"
    assert paths.project_file is None


def test_without_a_given_home_the_users_file_is_among_the_users_settings() -> None:
    paths = memory_paths(None, None, {})

    assert paths.user_file.parts[-2:] == ("ai_smartness", "config.toml")
    assert cache_folder({"AIS_CACHE": "/elsewhere"}) == Path("/elsewhere")
    assert paths.cache.name == "ai_smartness"


def test_one_file_for_both_is_the_users(tmp_path: Path) -> None:
    paths = memory_paths(tmp_path / ".ai", tmp_path, {})

    assert paths.project_file is None


def test_a_home_of_an_unknown_user_is_refused() -> None:
    with pytest.raises(RefusedError, match="no such user"):
        memory_home(Path("~nobody-of-this-name/x"), {})


def test_yes_or_no_and_choices_are_checked() -> None:
    switch = Setting(section="a", name="b", default=False, doc="")
    mode = Setting(section="a", name="c", default="x", doc="", choices=("x", "y"))

    assert switch.parsed_value("Yes") is True
    assert not switch.accepts_value(1)
    assert mode.parsed_value("y") == "y"
    with pytest.raises(RefusedError, match="one of x, y"):
        mode.parsed_value("z")
    with pytest.raises(RefusedError, match="true or false"):
        switch.parsed_value("perhaps")


def test_every_default_is_allowed_and_documented() -> None:
    for setting in SETTINGS.values():
        assert setting.accepts_value(setting.default)
        assert setting.doc.endswith(".")
