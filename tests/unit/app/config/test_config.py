"""Settings: sources, refused values, and a file that keeps the person's edits."""

import threading
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config.config import FILE, Config, variable
from app.config.layers import MAX_BYTES
from app.config.schema import BY_NAME, SETTINGS, Setting
from app.errors import InputError, KeepsakeError


def config(vault: Path, **environment: str) -> Config:
    return Config(vault, environment=environment)


def test_defaults_without_a_file(tmp_path: Path) -> None:
    assert {item.name: item.value for item in config(tmp_path).values()} == {
        item.name: item.default for item in SETTINGS
    }
    assert {item.source for item in config(tmp_path).values()} == {"default"}
    assert not (tmp_path / FILE).exists()


def test_every_setting_is_declared_whole() -> None:
    assert len(BY_NAME) == len(SETTINGS)
    sections = [item.name.partition(".")[0] for item in SETTINGS]
    assert len([key for key, _ in groupby(sections)]) == len(set(sections)), "a section is in two places"
    for item in SETTINGS:
        assert item.help.endswith(".")
        assert item.parse(item.default) == item.default
        assert item.name.count(".") == 1
        if item.type in ("int", "float"):
            assert item.minimum is not None
            assert item.maximum is not None


def test_file_environment_and_override_win_in_turn(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[search]\nlimit = 60\n")
    name, where = "search.limit", variable(BY_NAME["search.limit"])
    assert config(tmp_path).value(name).source == "file"
    from_environment = config(tmp_path, **{where: "70"}).value(name)
    assert (from_environment.value, from_environment.source) == (70, "environment")
    both = Config(tmp_path, {name: 80}, {where: "70"}).value(name)
    assert (both.value, both.source) == (80, "override")


def test_setting_keeps_what_the_person_wrote(tmp_path: Path) -> None:
    text = "# mine\n[search]\n# why\nlimit = 60  # sixty\n\n[other]\nunheard = [1, 2]\n"
    (tmp_path / FILE).write_text(text)
    settings = config(tmp_path)
    settings.set("search.recipe", "words")
    written = (tmp_path / FILE).read_text()
    assert all(line in written for line in text.splitlines())
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    again = config(tmp_path)
    assert (again.get("search.recipe"), again.get("search.limit")) == ("words", 60)
    assert settings.values() == again.values()


def test_a_default_leaves_the_file(tmp_path: Path) -> None:
    settings = config(tmp_path)
    settings.set("search.limit", 60)
    assert settings.set("search.limit", BY_NAME["search.limit"].default).source == "default"
    assert "limit" not in (tmp_path / FILE).read_text()


def test_setting_of_the_environment_cannot_be_set(tmp_path: Path) -> None:
    where = variable(BY_NAME["search.limit"])
    with pytest.raises(InputError, match=where):
        config(tmp_path, **{where: "70"}).set("search.limit", 60)
    with pytest.raises(InputError, match="command line"):
        Config(tmp_path, {"search.limit": 80}, {}).set("search.limit", 60)
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("text", ["[search", "\ufffe", "[search]\nlimit = 1\n[search]\n", "a = " + "[" * 20_000])
def test_a_file_that_cannot_be_read_keeps_the_vault_closed(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="not valid TOML") as caught:
        config(tmp_path)
    assert FILE in caught.value.message
    assert (tmp_path / FILE).read_text(encoding="utf-8") == text


def test_a_wrong_line_is_named_and_not_repeated(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[embedding]\n\napi_key_env = 'sk-very-secret\n")
    with pytest.raises(InputError, match="line 3") as caught:
        config(tmp_path)
    assert "sk-very" not in str(caught.value) + str(caught.value.data)


def test_half_a_file_is_reported_and_left_as_it_is(tmp_path: Path) -> None:
    settings = config(tmp_path)
    settings.set("search.limit", 60)
    half = (tmp_path / FILE).read_text() + "[sessions\nexcluded_agents = 'A"
    (tmp_path / FILE).write_text(half)
    with pytest.raises(InputError, match="line 3"):
        settings.set("search.limit", 70)
    assert (tmp_path / FILE).read_text() == half
    assert settings.get("search.limit") == 60


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"# fine\n# \xff\xfe\x00")
    with pytest.raises(InputError, match="line 2 is not UTF-8"):
        config(tmp_path)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes("\ufeff[search]\nlimit = 60\n".encode())
    assert config(tmp_path).get("search.limit") == 60


def test_a_file_too_large_for_settings(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("# x\n" * (MAX_BYTES // 4 + 1))
    with pytest.raises(InputError, match="1 MiB"):
        config(tmp_path)


@pytest.mark.parametrize("text", ["limit = 'many'", "limit = 0", "recipe = 3", "limit = [1]", "limit = {}"])
def test_a_default_stands_in_for_a_wrong_value(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(f"[search]\n{text}\nrrf_k = 50\n")
    settings = config(tmp_path)
    assert settings.get("search.rrf_k") == 50
    assert {item.source for item in settings.values() if item.name != "search.rrf_k"} == {"default"}
    (fault,) = settings.faults
    assert fault.sentence.startswith("In config.toml: 'search.")


def test_the_file_stands_in_for_a_wrong_variable(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[search]\nlimit = 60\n")
    settings = config(tmp_path, KEEPSAKE_SEARCH_LIMIT="lots")
    assert (settings.get("search.limit"), settings.value("search.limit").source) == (60, "file")
    assert [fault.source for fault in settings.faults] == ["environment"]


CRITICAL = [item for item in SETTINGS if item.critical]


def test_what_the_person_ruled_out_is_vital() -> None:
    assert {"sessions.excluded_agents", "retention.enabled", "embedding.model"} <= {item.name for item in CRITICAL}


@pytest.mark.parametrize("item", CRITICAL, ids=lambda item: item.name)
def test_nothing_stands_in_for_a_vital_value(tmp_path: Path, item: Setting) -> None:
    section, key = item.name.split(".")
    (tmp_path / FILE).write_text(f"[{section}]\n{key} = ['something else']\n[search]\nlimit = 60\n")
    with pytest.raises(InputError, match=item.name) as caught:
        config(tmp_path)
    assert "something" not in caught.value.message
    lenient = Config(tmp_path, environment={}, strict=False)
    assert lenient.get("search.limit") == 60
    assert Config(tmp_path, {item.name: item.default}, {}).value(item.name).source == "override"
    lenient.set(item.name, item.default)
    assert config(tmp_path).get(item.name) == item.default


def test_a_vital_value_spoilt_meanwhile_is_not_lost(tmp_path: Path) -> None:
    settings = config(tmp_path)
    settings.set("sessions.excluded_agents", "A")
    (tmp_path / FILE).write_text("[sessions]\nexcluded_agents = 3\n")
    with pytest.raises(InputError, match="excluded_agents"):
        settings.set("search.limit", 60)
    assert settings.get("sessions.excluded_agents") == "A"
    assert (tmp_path / FILE).read_text() == "[sessions]\nexcluded_agents = 3\n"


def test_what_was_written_by_hand_meanwhile_stays(tmp_path: Path) -> None:
    settings = config(tmp_path)
    settings.set("search.limit", 60)
    with (tmp_path / FILE).open("a") as file:
        file.write("# by hand\n[trace]\nkeep = 5\n")
    settings.set("search.limit", 70)
    assert "# by hand" in (tmp_path / FILE).read_text()
    assert (settings.get("search.limit"), settings.get("trace.keep")) == (70, 5)


def test_many_set_at_once(tmp_path: Path) -> None:
    settings = config(tmp_path)
    names = [item.name for item in SETTINGS if item.type == "int"]
    wanted = {name: BY_NAME[name].default - 1 for name in names if BY_NAME[name].minimum < BY_NAME[name].default}
    threads = [threading.Thread(target=settings.set, args=pair) for pair in wanted.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = config(tmp_path)
    assert {name: again.get(name) for name in wanted} == wanted
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("item", SETTINGS, ids=lambda item: item.name)
def test_a_refusal_never_repeats_a_text(item: Setting) -> None:
    secret = "sk-" + "7f3a9b1c" * 4 + " \x00"
    for value in (secret, [secret], {secret: secret}, None, secret.encode()):
        with pytest.raises(InputError) as caught:
            item.parse(value)
        assert "7f3a" not in str(caught.value) + str(caught.value.data)


def test_a_section_that_is_none(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("search = 3\n")
    settings = config(tmp_path)
    with pytest.raises(InputError, match="not a section"):
        settings.set("search.limit", 60)
    assert (tmp_path / FILE).read_text() == "search = 3\n"


def test_what_cannot_be_saved_does_not_count(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(KeepsakeError):
        config(tmp_path)
    (tmp_path / FILE).rmdir()
    settings = config(tmp_path)
    (tmp_path / FILE).mkdir()
    (tmp_path / FILE / "inside").write_text("")
    with pytest.raises(KeepsakeError):
        settings.set("search.limit", 60)
    assert settings.value("search.limit").source == "default"


@pytest.mark.parametrize("name", ["", "search", "search.", ".limit", "search.nothing", "a.b.c", "SEARCH.LIMIT"])
def test_an_unknown_setting(tmp_path: Path, name: str) -> None:
    for ask in (config(tmp_path).value, lambda key: config(tmp_path).set(key, 1)):
        with pytest.raises(InputError, match="no setting"):
            ask(name)


def test_the_name_most_alike_is_offered(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"mean 'search\.limit'"):
        config(tmp_path).value("search.limt")


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers()), st.just(10**5_000)
)


@given(item=st.sampled_from(SETTINGS), value=VALUES)
def test_a_value_is_of_its_type_and_within_bounds_or_refused(item: Setting, value: object) -> None:
    try:
        parsed = item.parse(value)
    except InputError as error:
        assert item.name in error.message  # noqa: PT017
        return
    assert item.parse(parsed) == parsed
    if item.type == "choice":
        assert parsed in item.choices
    if item.type in ("int", "float"):
        assert item.minimum is not None
        assert item.maximum is not None
        assert item.minimum <= parsed <= item.maximum  # type: ignore[operator]
    if isinstance(parsed, str):
        parsed.encode()


@given(value=st.text(alphabet=st.characters(exclude_categories=["C", "Z"])))
def test_any_text_survives_the_file(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    folder = tmp_path_factory.mktemp("settings")
    config(folder).set("embedding.model_folder", value)
    assert config(folder).get("embedding.model_folder") == value
