"""Entity actions: rename, merge, split, relate, each with its undo."""

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal

from app.entities.model import Entity, EntityRow, EntityType, Relation
from ui import operations
from ui.models.dates import format_number
from ui.panes.reading_pane import ReadingPane, history_of

if TYPE_CHECKING:
    from ui.panes.graph.entity.entity_page import EntityPage


class EntityActions(QObject):
    """Changes entities, and offers to undo it.

    Args:
        pane: The pane that shows notices and runs work in the background.
        page: The page with the forms.
    """

    done = Signal(str)
    """Something was changed: the id of the entity to show."""

    def __init__(self, pane: ReadingPane, page: "EntityPage") -> None:
        super().__init__(pane)
        self._pane = pane
        self._page = page
        page.renamed.connect(self.rename)
        page.merged.connect(self.merge)
        page.split.connect(self.split)
        page.related.connect(self.relate)
        page.unrelated.connect(self.unrelate)

    def rename(self, entity: Entity, name: str, kind: str, summary: str) -> None:
        """Change an entity's name, type or summary."""
        self._pane.do(self._rename(entity, name, cast("EntityType", kind), summary))

    def merge(self, entity: Entity, target: EntityRow) -> None:
        """Merge an entity into another."""
        self._pane.do(self._merge([entity.id], target.id, self.tr("Merged ‘{title}’"), entity.name))

    def merge_many(self, ids: list[str], into: str) -> None:
        """Merge several entities into one of them."""
        words = self.tr("Merged {count} names into ‘{title}’").replace("{count}", format_number(len(ids)))
        self._pane.do(self._merge([identity for identity in ids if identity != into], into, words, ""))

    def split(self, entity: Entity, aliases: list[str], name: str, kind: str) -> None:
        """Split names off an entity."""
        self._pane.do(self._split(entity, aliases, name, cast("EntityType", kind)))

    def relate(self, entity: Entity, predicate: str, target: EntityRow) -> None:
        """State how an entity is related to another."""
        self._pane.do(self._relate(entity, predicate, target))

    def unrelate(self, relation: Relation) -> None:
        """Take a relation back."""
        self._pane.do(self._unrelate(relation))

    async def _rename(self, entity: Entity, name: str, kind: EntityType, summary: str) -> None:
        reply = await self._pane.bridge.reply(
            operations.entity.rename(id=entity.id, name=name, type=kind, summary=summary)
        )
        if history_of(reply):
            words = self.tr("Renamed to ‘{title}’") if name != entity.name else self.tr("Changed ‘{title}’")
            self._pane.show_result(words, reply.value.name, reply)
        self._finish(entity.id)

    async def _merge(self, ids: list[str], into: str, words: str, title: str) -> None:
        reply = await self._pane.bridge.reply(operations.entity.merge(ids=ids, into=into))
        self._pane.show_result(words, title or reply.value.name, reply)
        self._finish(into)

    async def _split(self, entity: Entity, aliases: list[str], name: str, kind: EntityType) -> None:
        reply = await self._pane.bridge.reply(
            operations.entity.split(id=entity.id, aliases=aliases, name=name, type=kind)
        )
        self._pane.show_result(self.tr("Split off ‘{title}’"), reply.value.name, reply)
        self._finish(entity.id)

    async def _relate(self, entity: Entity, predicate: str, target: EntityRow) -> None:
        call = self._pane.bridge.reply
        reply = await call(operations.entity.relate(subject=entity.id, predicate=predicate, target=target.id))
        self._pane.show_result(self.tr("Related ‘{title}’"), entity.name, reply)
        self._finish(entity.id)

    async def _unrelate(self, relation: Relation) -> None:
        reply = await self._pane.bridge.reply(
            operations.entity.unrelate(
                subject=relation.subject_id, predicate=relation.predicate, target=relation.object_id
            )
        )
        self._pane.show_result(self.tr("Took back a relation of ‘{title}’"), relation.subject, reply)
        self._finish("")

    def _finish(self, shown: str) -> None:
        self._page.close_form()
        self.done.emit(shown)
