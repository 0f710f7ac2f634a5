"""Every setting has one section; what people change stands first, in plain words."""

from app.config.schema import BY_NAME, SETTINGS
from ui.dialogs.settings.sections import (
    HIDDEN,
    SECTIONS,
    in_order,
    in_plain_words,
    is_common,
    section_of,
    title_of,
)


def test_every_common_setting_exists_and_is_named_once() -> None:
    named = [name for section in SECTIONS for name, _title in section.common]
    assert set(named) <= BY_NAME.keys()
    assert len(set(named)) == len(named)


def test_every_setting_is_claimed_by_a_section() -> None:
    for setting in SETTINGS:
        section = section_of(setting.name)
        assert is_common(setting.name) or setting.name.startswith(section.prefixes), setting.name


def test_common_ones_stand_before_the_advanced_ones_of_their_section() -> None:
    names = in_order(BY_NAME)
    assert set(names) == BY_NAME.keys() - HIDDEN
    for section in SECTIONS:
        own = [is_common(name) for name in names if section_of(name) is section]
        assert own == sorted(own, reverse=True)


def test_no_two_settings_of_a_section_have_one_title() -> None:
    for section in SECTIONS:
        titles = [title_of(name) for name in BY_NAME if section_of(name) is section]
        assert len(set(titles)) == len(titles)


def test_names_in_sentences_become_titles() -> None:
    assert in_plain_words("'llm.base_url' is empty. See llm.model.") == "‘Address’ is empty. See ‘Model’."
    assert in_plain_words("„search.limit“ muss eine Zahl sein.").count("„") == 0
    assert in_plain_words("See example.org, config.toml and https://a.b/c.") == (
        "See example.org, config.toml and https://a.b/c."
    )
