"""Settings with old names, and settings without an effect."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config.config import FILE, Config
from app.config.diagnosis import diagnose
from app.config.schema import BY_NAME, BY_OLD_NAME, SETTINGS
from app.core.paths import migrations

APP = migrations().parent / "app"
UI = migrations().parent / "ui"
OLD, NEW = "search.words_weight", "search.lexical_weight"
# Settings whose names are put together from parts where they are read.
ASSEMBLED = {"backup.keep_daily", "backup.keep_weekly", "backup.keep_monthly"}


def test_old_names_are_not_names_of_other_settings() -> None:
    assert not BY_OLD_NAME.keys() & BY_NAME.keys()
    assert len(BY_OLD_NAME) == sum(len(item.old_names) for item in SETTINGS)


@pytest.mark.parametrize("old", sorted(BY_OLD_NAME))
def test_old_name_is_read_from_every_source(tmp_path: Path, old: str) -> None:
    item = BY_OLD_NAME[old]
    value = 0.25 if item.type == "float" else "elm"
    section, _, key = old.partition(".")
    assert Config(tmp_path, {old: value}, {}).get(item.name) == value
    assert Config(tmp_path, environment={f"KEEPSAKE_{section}_{key}".upper(): str(value)}).get(item.name) == value
    (tmp_path / FILE).write_text(f"[{section}]\n{key} = {value!r}\n")
    saved = Config(tmp_path, environment={}).value(old)
    assert (saved.name, saved.value, saved.source) == (item.name, value, "file")


def test_new_name_wins_over_the_old_one(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[search]\nlexical_weight = 0.6\nwords_weight = 0.1\n")
    assert Config(tmp_path, environment={}).get(NEW) == 0.6
    variables = {"KEEPSAKE_SEARCH_WORDS_WEIGHT": "0.2", "KEEPSAKE_SEARCH_LEXICAL_WEIGHT": "0.9"}
    assert Config(tmp_path, environment=variables).get(NEW) == 0.9


def test_next_change_of_a_setting_replaces_old_names(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("# mine\n[search]\nwords_weight = 0.1\n\n[embedding]\nfolder = 'models'\n")
    settings = Config(tmp_path, environment={})
    settings.set("search.limit", 60)
    text = (tmp_path / FILE).read_text()
    assert "lexical_weight = 0.1" in text
    assert "model_folder = 'models'" in text
    assert "words_weight" not in text
    assert "\nfolder" not in text
    assert text.startswith("# mine\n")
    assert (settings.get(NEW), settings.get("embedding.model_folder")) == (0.1, "models")


def test_setting_a_value_under_the_old_name_stores_it_under_the_new_one(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[search]\nwords_weight = 0.1\n")
    settings = Config(tmp_path, environment={})
    changed = settings.set(OLD, 0.4)
    assert (changed.name, changed.value) == (NEW, 0.4)
    assert "words_weight" not in (tmp_path / FILE).read_text()
    assert Config(tmp_path, environment={}).get(NEW) == 0.4


@given(st.dictionaries(st.sampled_from(["words_weight", "lexical_weight", "limit", "other"]), st.integers(10, 20)))
def test_replacing_old_names_changes_no_value(tmp_path_factory: pytest.TempPathFactory, values: dict[str, int]) -> None:
    folder = tmp_path_factory.mktemp("vault")
    scaled = {key: value / 100 if "weight" in key else value for key, value in values.items()}
    (folder / FILE).write_text("[search]\n" + "".join(f"{key} = {value}\n" for key, value in scaled.items()))
    before = Config(folder, environment={})
    expected = before.get(NEW), before.get("search.limit")
    before.set("search.depth", 100)
    after = Config(folder, environment={})
    assert (after.get(NEW), after.get("search.limit")) == expected


def test_old_name_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[search]\nwords_weight = 0.3\n")
    (finding,) = diagnose(tmp_path, environment={})
    assert (finding.name, finding.severity) == (OLD, "warning")
    assert NEW in finding.what
    (tmp_path / FILE).write_text("[search]\nwords_weight = 0.2\nlexical_weight = 0.3\n")
    (finding,) = diagnose(tmp_path, environment={})
    assert "no effect" in finding.what
    assert diagnose(tmp_path / "none", environment={"KEEPSAKE_SEARCH_WORDS_WEIGHT": "0.3"}) == []


def test_settings_without_an_effect_say_so(tmp_path: Path) -> None:
    sources = [path for folder in (APP, UI) for path in folder.rglob("*.py") if APP / "config" not in path.parents]
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    read = {item.name for item in SETTINGS if f'"{item.name}"' in code} | ASSEMBLED
    planned = {item.name for item in SETTINGS if item.is_planned}
    assert planned == BY_NAME.keys() - read
    for item in Config(tmp_path, environment={}).values():
        assert item.help.endswith("Has no effect yet.") == (item.name in planned)
