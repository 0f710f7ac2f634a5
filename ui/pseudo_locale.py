"""Pseudo-locales: English texts accented, bracketed and a third longer.

They show what a translation would meet: texts that are not translated, and room that does not suffice.
"""

import re

from PySide6.QtCore import QObject, QTranslator

PSEUDO_LOCALES = {"pseudo": "el", "rtl": "he"}
"""The pseudo-locales, with the locale of their dates and direction: none that is written in Latin letters."""
OPENING, CLOSING = "⟦", "⟧"
GROWTH = 0.3
DATE_FORMS = "DateForms"
"""The context of forms of dates, which are no words."""
_ACCENTS = str.maketrans("aceilnosuyACEINOSUY", "àçéîļñöšüýÀÇÉÎÑÖŠÜÝ")
# What a translation must repeat: fields, %n, marks of access keys, tags, entities, and forms of dates.
_KEPT = re.compile(r"(\{[^{}]*\}|%L?n|%\d|&\w+;|&(?=\w)|<[^<>]+>|\n)")


class PseudoLocale(QTranslator):
    """Translates each text of the window into its longer, accented twin."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: dict[str, str] = {}

    def translate(self, context: str, text: str, _disambiguation: str | None = None, n: int = -1) -> str:
        """Return the twin of ``text``; texts of Qt's own dialogs too."""
        if context == DATE_FORMS:
            return text
        known_text = self._known.get(text)
        if known_text is None:
            known_text = self._known[text] = lengthen(text)
        return known_text.replace("%n", str(n)) if n >= 0 else known_text

    def isEmpty(self) -> bool:
        """Tell Qt that there is something to ask for."""
        return False


def lengthen(text: str) -> str:
    """Return ``text`` accented, a third longer and in brackets.

    Fields, tags and line ends stay as they are.
    """
    if not text.strip():
        return text
    parts = [part if _KEPT.fullmatch(part) else part.translate(_ACCENTS) for part in _KEPT.split(text)]
    length = sum(len(part) for part in _KEPT.split(text) if not _KEPT.fullmatch(part))
    return f"{OPENING}{''.join(parts)}{_filling(round(length * GROWTH))}{CLOSING}"


def _filling(length: int) -> str:
    """Return about ``length`` characters of words, so that lines break."""
    words = "öñé ţwö ţĥŕéé ƒöüŕ ƒîvé šîx šévéñ éîĝĥţ ñîñé "
    return f" {words * (length // len(words) + 1)}"[: max(length, 1)].rstrip() if length > 1 else "~"
