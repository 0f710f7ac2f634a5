"""The facets of a search: counts by kind, agent, role, tag, project and store."""

from PySide6.QtCore import QObject

from app.retrieval.model import Found, Query
from ui.panes.labels import kind_plural, role_label, source_label, store_label
from ui.panes.search.query_text import FACETS, chosen_of
from ui.widgets.lists.facet_tree import FacetGroup, FacetRow, FacetTree


class FacetFilter(QObject):
    """Shows the facets of an answer; the values of the query are checked.

    Args:
        tree: The tree to fill.
        parent: Its parent.
    """

    def __init__(self, tree: FacetTree, parent: QObject) -> None:
        super().__init__(parent)
        self._tree = tree

    def show_found(self, result: Found) -> None:
        """Show the counts of an answer."""
        titles = {
            "kind": self.tr("Kind"),
            "agent": self.tr("Agent"),
            "role": self.tr("Said by"),
            "tag": self.tr("Tags"),
            "project": self.tr("Project"),
            "store": self.tr("Store"),
        }
        labels = {"kind": kind_plural, "store": store_label, "agent": source_label, "role": role_label}
        groups = []
        for name in FACETS:
            label = labels.get(name, str)
            counts = {facet.value: facet.count for facet in result.facets if facet.name == name and facet.value}
            # A value of the query can be taken out again, also where nothing has it.
            counts |= {value: 0 for value in chosen_of(result.query)[name] if value not in counts}
            rows = [FacetRow(value, count, label(value)) for value, count in counts.items()]
            groups.append(FacetGroup(name, titles[name], rows, nested=name == "tag"))
        self.show_query(result.query)
        self._tree.set_groups(groups)

    def show_query(self, query: Query) -> None:
        """Check the values that a query filters by."""
        for name, values in chosen_of(query).items():
            self._tree.set_chosen(name, values)
