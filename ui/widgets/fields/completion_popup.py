"""The list that pops up under what one types."""

from PySide6.QtWidgets import QListView

from ui import theme
from ui.style.design_tokens import Radius
from ui.style.stylesheet import scroll_bar_rules


class CompletionPopup(QListView):
    """A list of completions, with the background and border of a menu."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setUniformItemSizes(True)
        theme.current().add_root(self, _rules)


def _rules() -> str:
    tokens = theme.current().tokens
    return (
        f"{scroll_bar_rules(tokens)}"
        f"QListView {{ background: {tokens.raised}; border: 1px solid {tokens.edge}; padding: 1px; }}"
        f" QListView::item {{ color: {tokens.text}; border-radius: {Radius.SMALL}px; padding: 4px 8px; }}"
        f" QListView::item:selected {{ background: {tokens.accent_soft}; }}"
    )
