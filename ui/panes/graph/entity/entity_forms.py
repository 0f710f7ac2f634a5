"""Forms that change an entity: rename, merge, split and relate."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QLineEdit, QWidget

from app.entities.model import Entity, EntityType, name_key
from ui import theme
from ui.panes.graph.entity.entity_field import EntityField
from ui.panes.graph.entity_types import DRAWN, type_label
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.plain_text import PlainLabel, caption

if TYPE_CHECKING:
    from ui.bridge import Bridge


class EntityForm(QFrame):
    """A form on the entity page: an explanation, fields, and two buttons."""

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._words = words = PlainLabel("", self)
        words.setWordWrap(True)
        theme.set_type(words, "small muted")
        self.column = vbox(words, parent=self, margins=Space.M, spacing=Space.S)
        self.done = text_button("", "primary", parent=self)
        self.done.clicked.connect(self.submit)
        cancel = text_button(self.tr("Cancel"), parent=self)
        cancel.clicked.connect(self.cancelled)
        self._buttons = hbox(Stretch(), cancel, self.done)

    def explain(self, words: str, button: str) -> None:
        """Say what the form does, and what its main button is called."""
        self._words.setText(words)
        self.done.setText(button)

    def submit(self) -> None:
        """Do it, if the fields are filled in."""
        raise NotImplementedError

    def add(self, *widgets: QWidget) -> None:
        """Add the fields, above the buttons."""
        for widget in widgets:
            self.column.addWidget(widget)
            if isinstance(widget, QLineEdit):
                widget.textChanged.connect(self._check)
        self.column.addLayout(self._buttons)
        self._check()

    def is_complete(self) -> bool:
        """Return whether it can be done."""
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do it with Enter, give up with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.is_complete():
            self.submit()
        else:
            super().keyPressEvent(event)

    def _check(self) -> None:
        self.done.setEnabled(self.is_complete())


def _type_box(name: str, parent: QWidget, kind: EntityType = "person") -> QComboBox:
    """Return a choice of types, ``kind`` among them."""
    box = QComboBox(parent)
    box.setAccessibleName(name)
    for choice in dict.fromkeys((*DRAWN, kind)):
        box.addItem(type_label(choice), choice)
    return box


class RenameForm(EntityForm):
    """Another name, type or summary."""

    submitted = Signal(str, str, str)

    def __init__(self, entity: Entity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.explain(self.tr("The old name stays an alias, so that texts still find it."), self.tr("Rename"))
        self.name = QLineEdit(entity.name, self)
        self.name.setAccessibleName(self.tr("Name"))
        self.kind = _type_box(self.tr("Type"), self, entity.type)
        self.kind.setCurrentIndex(self.kind.findData(entity.type))
        self.summary = QLineEdit(entity.summary, self)
        self.summary.setAccessibleName(self.tr("Summary"))
        self.summary.setPlaceholderText(self.tr("Who or what it is, in a sentence"))
        self.add(self.name, self.kind, self.summary)
        self.name.selectAll()

    def is_complete(self) -> bool:
        """Return whether there is a name."""
        return bool(self.name.text().strip())

    def submit(self) -> None:
        """Rename."""
        self.submitted.emit(self.name.text().strip(), str(self.kind.currentData()), self.summary.text().strip())


class MergeForm(EntityForm):
    """Another entity that this one is to be part of."""

    submitted = Signal(object)

    def __init__(self, bridge: "Bridge", entity: Entity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        words = self.tr("All names and mentions of ‘{name}’ will mean the one you choose.")
        self.explain(words.format(name=entity.name), self.tr("Merge"))
        self.field = EntityField(bridge, self.tr("Merge into"), self.tr("Merge into…"), self)
        self.field.without = entity.id
        self.field.picked.connect(self._check)
        self.add(self.field)

    def is_complete(self) -> bool:
        """Return whether one is chosen."""
        return self.field.chosen is not None

    def submit(self) -> None:
        """Merge."""
        if self.field.chosen is not None:
            self.submitted.emit(self.field.chosen)


class SplitForm(EntityForm):
    """Names that are to mean a second entity."""

    submitted = Signal(object, str, str)

    def __init__(self, entity: Entity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.explain(self.tr("Choose the names that mean somebody or something else."), self.tr("Split"))
        others = [alias for alias in entity.aliases if name_key(alias) != name_key(entity.name)]
        self.boxes: list[QCheckBox] = []
        for alias in others:
            box = QCheckBox(caption(alias), self)
            box.setProperty("alias", alias)
            box.toggled.connect(self._check)
            self.boxes.append(box)
        self.kind = _type_box(self.tr("Type of the second one"), self)
        self.kind.setCurrentIndex(self.kind.findData(entity.type))
        self.name = QLineEdit(self)
        self.name.setAccessibleName(self.tr("Name of the second one"))
        self.name.setPlaceholderText(self.tr("Its name; the first of those chosen when empty"))
        self.add(*self.boxes, self.name, self.kind)
        self._check()

    @property
    def aliases(self) -> list[str]:
        """The names chosen."""
        return [str(box.property("alias")) for box in self.boxes if box.isChecked()]

    def is_complete(self) -> bool:
        """Return whether a name is chosen."""
        return bool(self.aliases)

    def submit(self) -> None:
        """Split."""
        self.submitted.emit(self.aliases, self.name.text().strip(), str(self.kind.currentData()))


class RelateForm(EntityForm):
    """The relation of this entity to another."""

    submitted = Signal(str, object)

    def __init__(self, bridge: "Bridge", entity: Entity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        words = self.tr("Say how ‘{name}’ is related to another name, such as ‘works at’.")
        self.explain(words.format(name=entity.name), self.tr("Relate"))
        self.predicate = QLineEdit(self)
        self.predicate.setAccessibleName(self.tr("What joins them"))
        self.predicate.setPlaceholderText(self.tr("works at, lives in, sister of…"))
        self.field = EntityField(bridge, self.tr("Related to"), self.tr("To whom or what…"), self)
        self.field.without = entity.id
        self.field.picked.connect(self._check)
        self.add(self.predicate, self.field)

    def is_complete(self) -> bool:
        """Return whether both are given."""
        return bool(self.predicate.text().strip()) and self.field.chosen is not None

    def submit(self) -> None:
        """Relate."""
        if self.is_complete():
            self.submitted.emit(self.predicate.text().strip(), self.field.chosen)
