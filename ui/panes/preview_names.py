"""Names in a preview, as links to pages of people and things."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ui.panes.name_lookup import NameLookup

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.widgets.text.markdown_view import MarkdownView


class PreviewNames(QObject):
    """Links the names in a preview once they are known.

    Args:
        bridge: The connection to the engine.
        view: The preview.
    """

    def __init__(self, bridge: "Bridge", view: "MarkdownView") -> None:
        super().__init__(view)
        self._view = view
        self._owners: tuple[str, ...] = ()
        self._lookup = NameLookup(bridge, self)
        self._lookup.found.connect(self._on_lookup_found)
        self._lookup.renewed.connect(self._on_lookup_renewed)

    def show(self, owners: Sequence[str]) -> None:
        """Link the names of other texts: messages (``session#number``) or memories."""
        self._owners = tuple(owners)
        self._link()
        self._lookup.want(self._owners)

    def _link(self) -> None:
        self._view.set_names([name for owner in self._owners for name in self._lookup.names(owner)])

    def _on_lookup_found(self, owners: object) -> None:
        if isinstance(owners, set) and owners.intersection(self._owners):
            self._link()

    def _on_lookup_renewed(self) -> None:
        self._lookup.want(self._owners)
