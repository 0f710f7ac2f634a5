"""Menus of rankings and groupings of results, in plain words."""

from typing import Literal

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication
from PySide6.QtWidgets import QWidget

from ui.widgets.lists.sort_menu import SortMenu

Grouping = Literal["", "session", "day"]

RANKINGS: dict[str, object] = {
    "": QT_TRANSLATE_NOOP("Words", "As in the settings"),
    "learned": QT_TRANSLATE_NOOP("Words", "Best match overall"),
    "words": QT_TRANSLATE_NOOP("Words", "Only your words"),
    "vector": QT_TRANSLATE_NOOP("Words", "Only the meaning"),
    "balanced": QT_TRANSLATE_NOOP("Words", "Words and meaning alike"),
    "weighted": QT_TRANSLATE_NOOP("Words", "Meaning before words"),
    "rrf": QT_TRANSLATE_NOOP("Words", "What words, meaning and names agree on"),
    "boosted": QT_TRANSLATE_NOOP("Words", "Words and meaning, newer and repeated first"),
    "tri": QT_TRANSLATE_NOOP("Words", "Some nearest, some important, some latest"),
}
"""Plain words for each recipe of the engine; ``""`` is the one in the settings."""
GROUPINGS: dict[Grouping, object] = {
    "": QT_TRANSLATE_NOOP("Words", "One list, best first"),
    "session": QT_TRANSLATE_NOOP("Words", "By conversation"),
    "day": QT_TRANSLATE_NOOP("Words", "By day"),
}


class RankingMenu(SortMenu):
    """Menu of rankings; the first leaves the choice to the settings."""

    def __init__(self, parent: QWidget) -> None:
        title = QCoreApplication.translate("Words", str(QT_TRANSLATE_NOOP("Words", "How results are ranked")))
        super().__init__(title, _titled(RANKINGS), parent, "sliders-horizontal")

    @property
    def recipe(self) -> str | None:
        """The recipe chosen, ``None`` for that of the settings."""
        return self.current or None


class GroupingMenu(SortMenu):
    """Menu of groupings: one list, conversations or days."""

    def __init__(self, parent: QWidget) -> None:
        title = QCoreApplication.translate("Words", str(QT_TRANSLATE_NOOP("Words", "How results are grouped")))
        super().__init__(title, _titled(GROUPINGS), parent, "list-tree")

    @property
    def grouping(self) -> Grouping:
        """The grouping chosen."""
        return next(grouping for grouping in GROUPINGS if grouping == self.current)

    def go_on(self) -> None:
        """Choose the next grouping, after the last one the first."""
        names = list(GROUPINGS)
        self.restore(names[(names.index(self.grouping) + 1) % len(names)])
        self.changed.emit()


def _titled(choices: "dict[str, object] | dict[Grouping, object]") -> list[tuple[str, str]]:
    return [(name, QCoreApplication.translate("Words", str(title))) for name, title in choices.items()]
