"""Diagnosis of the settings: the file, each value, unknown names, and rules between settings."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final

import tomlkit

from app.config.config import FILE, Config
from app.config.layers import Fault, read_document, variable, variable_of
from app.config.model import ConfigFinding
from app.config.rules import RULES
from app.config.schema import BY_NAME, BY_OLD_NAME, SETTINGS, nearest
from app.errors import KeepsakeError
from app.sentence import Sentence

# Variables of Keepsake other than settings.
OTHER_VARIABLES: Final = frozenset(
    {"KEEPSAKE_PASSPHRASE", "KEEPSAKE_PSEUDO_LOCALE", "KEEPSAKE_TOKEN", "KEEPSAKE_VAULT"}
)

_SECTIONS: Final = frozenset(name.partition(".")[0] for name in BY_NAME)
_SOURCES: Final = {
    "default": Sentence("the default"),
    "file": Sentence("the value in config.toml"),
    "environment": Sentence("the value in the environment"),
    "override": Sentence("the value from the command line"),
}
_PLAIN: Final = re.compile(r"[A-Za-z_]{1,40}")
_SECRET: Final = re.compile(r"key|token|secret|passw|passphrase", re.IGNORECASE)


def findings(config: Config) -> list[ConfigFinding]:
    """Return the problems of the vault's settings as they are now, errors first."""
    return diagnose(config.vault, config.overrides, config.environment)


def diagnose(
    vault: Path, overrides: Mapping[str, object] | None = None, environment: Mapping[str, str] | None = None
) -> list[ConfigFinding]:
    """Return the problems of the settings of ``vault``, errors first; see ``Config`` for the arguments."""
    try:
        document = read_document(vault / FILE)
        config = Config(vault, overrides, environment, strict=False)
    except KeepsakeError as error:
        remedy = Sentence("Correct the file or move it away; until then the vault stays closed.")
        return [ConfigFinding(FILE, "error", error.sentence, remedy)]
    findings = [
        *(_of_fault(fault, config) for fault in config.faults),
        *_of_document(document),
        *_of_variables(config.environment),
        *(finding for rule in RULES for finding in rule(config)),
    ]
    return sorted(findings, key=lambda finding: finding.severity)


def _of_fault(fault: Fault, config: Config) -> ConfigFinding:
    item = fault.item
    where = FILE if fault.source == "file" else variable(item)
    remedy = Sentence("Correct it in {where}; until then the vault stays closed.", where=where)
    if not item.critical:
        now = _SOURCES[config.value(item.name).source]
        remedy = Sentence("Correct it in {where}; until then {now} counts.", where=where, now=now)
    return ConfigFinding(
        item.name,
        "error",
        fault.sentence,
        remedy,
    )


def _of_document(document: tomlkit.TOMLDocument) -> Iterator[ConfigFinding]:
    for section, table in document.unwrap().items():
        if not isinstance(table, dict):
            yield _no_section(section)
        elif section not in _SECTIONS:
            yield _unknown("section", section, next(iter(get_close_matches(section.lower(), _SECTIONS, 1)), ""))
        else:
            for key in table:
                if (name := f"{section}.{key}") in BY_OLD_NAME:
                    yield _renamed(name, BY_OLD_NAME[name].name, document)
                elif name not in BY_NAME:
                    yield _unknown("setting", name, nearest(name))


def _renamed(old: str, new: str, document: tomlkit.TOMLDocument) -> ConfigFinding:
    section, _, key = new.partition(".")
    if key in document.unwrap().get(section, {}):
        what = Sentence(
            "{file} has '{old}', which has no effect beside '{new}', its new name.", file=FILE, old=old, new=new
        )
        return ConfigFinding(old, "warning", what, Sentence("Take it out."))
    what = Sentence("{file} has '{old}', which is now called '{new}'. It still works.", file=FILE, old=old, new=new)
    return ConfigFinding(
        old, "warning", what, Sentence("Write {new} instead; the next change of a setting does it too.", new=new)
    )


def _no_section(name: str) -> ConfigFinding:
    if name in _SECTIONS:
        what = Sentence("'{name}' in {file} has a value, but is a section.", name=name, file=FILE)
        return ConfigFinding(
            name, "error", what, Sentence("Write [{name}] on a line of its own, and its settings below.", name=name)
        )
    return _unknown("setting", name, next((item.name for item in SETTINGS if item.name.endswith(f".{name}")), ""))


def _unknown(kind: str, name: str, near: str) -> ConfigFinding:
    shown = Sentence("a name that is no plain word")
    if all(_PLAIN.fullmatch(part) for part in name.split(".")):
        shown = Sentence("'{name}'", name=name)
    if _SECRET.search(name.partition(".")[2] or name) and kind == "setting":
        remedy = Sentence(
            "Take it out: 'keepsake secret set' puts a key into the system's keyring, or it stays in"
            " the environment and embedding.api_key_env names the variable."
        )
        return ConfigFinding(
            _named(name),
            "error",
            Sentence("{file} has {shown}, which looks like a secret.", file=FILE, shown=shown),
            remedy,
        )
    remedy = Sentence("Take it out, unless another version of Keepsake uses it.")
    if near:
        remedy = Sentence("Did you mean '{near}'?", near=near)
    return ConfigFinding(
        _named(name),
        "warning",
        Sentence("{file} has the setting {shown}, which has no effect.", file=FILE, shown=shown)
        if kind == "setting"
        else Sentence("{file} has the section {shown}, which has no effect.", file=FILE, shown=shown),
        remedy,
    )


def _named(name: str) -> str:
    return name if all(_PLAIN.fullmatch(part) for part in name.split(".")) else FILE


def _of_variables(environment: Mapping[str, str]) -> Iterator[ConfigFinding]:
    known = {variable(item) for item in SETTINGS} | {variable_of(name) for name in BY_OLD_NAME} | OTHER_VARIABLES
    for name in sorted(environment):
        if name.startswith("KEEPSAKE_") and name not in known:
            near = nearest(name.removeprefix("KEEPSAKE_").lower().replace("_", ".", 1))
            remedy = Sentence("Take it out of the environment.")
            if near:
                remedy = Sentence("Did you mean '{near}'?", near=variable(BY_NAME[near]))
            yield ConfigFinding(
                name, "warning", Sentence("The variable {name} is no setting and has no effect.", name=name), remedy
            )
