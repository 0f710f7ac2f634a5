"""Languages of the window: chosen before the first widget is made.

The texts are in ``resources/translations``: ``keepsake_<language>.ts`` is what translators edit, the ``.qm`` beside it
is what the program reads. ``packaging/translations.py`` makes both.
"""

import logging
import os
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, Qt, QTranslator
from PySide6.QtWidgets import QApplication

from app.core.paths import resources
from ui.pseudo_locale import PSEUDO_LOCALES, PseudoLocale

SETTING = "window.language"
VARIABLE = "KEEPSAKE_WINDOW_LANGUAGE"
PSEUDO_VARIABLE = "KEEPSAKE_PSEUDO_LOCALE"
SYSTEM, SOURCE = "system", "en"
LANGUAGES = {"en": "English", "de": "Deutsch", "es": "Español", "zh_CN": "简体中文"}
"""The languages of the window, each in its own words."""
_PROPERTY = "keepsake_language"
_LARGEST_FILE = 1 << 20
_TRADITIONAL = ("hant", "tw", "hk", "mo")
_log = logging.getLogger(__name__)

translate = QCoreApplication.translate
"""Translates a text of a function, ``translate("Context", "text")``; objects have ``self.tr("text")``."""


def folder() -> Path:
    """Return the folder of the translations."""
    return resources() / "translations"


def chosen_language(vault: Path | None) -> str:
    """Return the language set for ``vault``: a key of ``LANGUAGES``, or ``system``.

    Without a vault it is English. It is read from the file itself: the window is there before the vault is open.
    """
    name = os.environ.get(VARIABLE, "").strip() or (SOURCE if vault is None else _language_in(vault / "config.toml"))
    return name if name in LANGUAGES else SYSTEM


def install(application: QApplication, language: str = SYSTEM) -> str:
    """Make the window speak ``language``; return the key of the language that it is.

    Args:
        application: Gets the translators, the direction of reading and the form of dates and numbers.
        language: A key of ``LANGUAGES``, a pseudo-locale, or ``system``.
    """
    remove(application)
    pseudo = os.environ.get(PSEUDO_VARIABLE, "")
    if language in PSEUDO_LOCALES or pseudo in PSEUDO_LOCALES:
        return _install_pseudo_locale(application, language if language in PSEUDO_LOCALES else pseudo)
    code = nearest_language(QLocale.system().uiLanguages()) if language == SYSTEM else language
    locale = _locale_of(code)
    QLocale.setDefault(locale)
    if code != SOURCE:
        _add(application, f"qtbase_{code}", Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)))
        _add(application, f"keepsake_{code}", folder())
    application.setLayoutDirection(locale.textDirection())
    application.setProperty(_PROPERTY, code)
    return code


def spoken() -> str:
    """Return the key of the window's language, or the name of its pseudo-locale."""
    application = QCoreApplication.instance()
    return str(application.property(_PROPERTY) or SOURCE) if application is not None else SOURCE


def remove(application: QApplication) -> None:
    """Take all translations away again."""
    for translator in application.findChildren(QTranslator):
        QCoreApplication.removeTranslator(translator)
        translator.setParent(None)
    QLocale.setDefault(QLocale.system())
    application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    application.setProperty(_PROPERTY, None)


def nearest_language(wanted: Iterable[str]) -> str:
    """Return the language of the window that comes first among ``wanted``.

    Args:
        wanted: Names such as ``de-AT`` or ``zh-Hans-CN``, the preferred one first.
    """
    for name in wanted:
        first, *rest = name.replace("_", "-").lower().split("-")
        if first == "zh":
            if not any(part in _TRADITIONAL for part in rest):
                return "zh_CN"
        elif first in LANGUAGES:
            return first
    return SOURCE


def _locale_of(code: str) -> QLocale:
    """Return the form of dates and numbers: the system's, where it speaks the language."""
    system, named = QLocale.system(), QLocale(code)
    if system.language() == named.language() or (code == SOURCE and system.language() == QLocale.Language.C):
        return system
    there = QLocale(named.language(), system.territory())
    return there if there.territory() == system.territory() else named


def _add(application: QApplication, name: str, place: Path) -> None:
    translator = QTranslator(application)
    if translator.load(name, str(place)):
        QCoreApplication.installTranslator(translator)
    else:
        translator.setParent(None)
        _log.warning("The translation %s is not in %s", name, place)


def _install_pseudo_locale(application: QApplication, name: str) -> str:
    QCoreApplication.installTranslator(PseudoLocale(application))
    locale = QLocale(PSEUDO_LOCALES[name])
    QLocale.setDefault(locale)
    application.setLayoutDirection(locale.textDirection())
    application.setProperty(_PROPERTY, name)
    return name


def _language_in(path: Path) -> str:
    """Return the language in a settings file; ``""`` for none.

    A file that cannot be read is left to the engine, which says what is wrong with it.
    """
    try:
        if not path.is_file():
            return ""
        import tomllib  # noqa: PLC0415  (most vaults have no such file)

        with path.open("rb") as file:
            table = tomllib.loads(file.read(_LARGEST_FILE).decode("utf-8-sig")).get("window", {})
    except (OSError, ValueError, RecursionError):
        return ""
    language = table.get("language", "") if isinstance(table, dict) else ""
    return language if isinstance(language, str) else ""
