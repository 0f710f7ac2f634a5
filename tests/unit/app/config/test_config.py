"""Settings: where a value comes from, what is refused, and a file that stays the person's own."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config.config import FILE, Config, variable
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


def test_what_comes_from_elsewhere_cannot_be_set(tmp_path: Path) -> None:
    where = variable(BY_NAME["search.limit"])
    with pytest.raises(InputError, match=where):
        config(tmp_path, **{where: "70"}).set("search.limit", 60)
    with pytest.raises(InputError, match="command line"):
        Config(tmp_path, {"search.limit": 80}, {}).set("search.limit", 60)
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize(
    "text", ["[search", "\ufffe", "[search]\nlimit = 'many'\n", "[search]\nlimit = 0\n", "[search]\nrecipe = 3\n"]
)
def test_a_file_that_cannot_be_read_says_where(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(InputError) as caught:
        config(tmp_path)
    assert FILE in caught.value.message or "search." in caught.value.message


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not valid TOML"):
        config(tmp_path)


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
    config(folder).set("embedding.folder", value)
    assert config(folder).get("embedding.folder") == value
