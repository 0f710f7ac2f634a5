"""Tags, search box, facets, inspector parts: what the keyboard does and what they tell."""

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QCompleter, QLineEdit, QTreeWidgetItem

from ui.models.dates import format_number
from ui.style.design_tokens import contrast
from ui.theme import Scheme, Theme
from ui.widgets.button import ToolButton
from ui.widgets.fields.field_icons import FieldIcons
from ui.widgets.fields.search_box import Hint, SearchBox
from ui.widgets.fields.tag_edit import Chip, TagEdit
from ui.widgets.icon_label import IconLabel
from ui.widgets.inspector import Bar, Bars, Section
from ui.widgets.lists.facet_tree import FacetGroup, FacetRow, FacetTree
from ui.widgets.splitter import PaneSplitter


@pytest.fixture
def tags(qtbot: Any, qt_loop: Any) -> TagEdit:
    async def suggest(prefix: str) -> list[str]:
        return ["garden", "garden/roses"]

    edit = TagEdit("Add a tag", lambda work: asyncio.get_event_loop().create_task(work), suggest)
    qtbot.addWidget(edit)
    edit.resize(400, 60)
    edit.show()
    return edit


def test_tags_are_added_normalised_and_once(tags: TagEdit, qtbot: Any) -> None:
    reported: list[Any] = []
    tags.edited.connect(reported.append)
    tags.set_tags(["home"])
    qtbot.keyClicks(tags.field, "#Garden  Roses")
    qtbot.keyClick(tags.field, Qt.Key.Key_Return)
    qtbot.keyClicks(tags.field, "home,")
    assert tags.tags == ("home", "garden-roses")
    assert reported == [("home", "garden-roses")]


def test_signs_that_end_a_tag_in_a_text_are_left_out_and_it_is_said(tags: TagEdit, qtbot: Any) -> None:
    qtbot.keyClicks(tags.field, "**bold** [x]")
    qtbot.keyClick(tags.field, Qt.Key.Key_Return)
    assert tags.tags == ("bold-x",)
    assert tags.hint.text() == "Kept as #bold-x: a tag has no blanks or signs in it."
    qtbot.keyClicks(tags.field, "n")
    assert tags.hint.isHidden()
    qtbot.keyClicks(tags.field, "ew")
    qtbot.keyClick(tags.field, Qt.Key.Key_Return)
    assert tags.tags == ("bold-x", "new")
    assert tags.hint.isHidden()
    qtbot.keyClicks(tags.field, "***")
    qtbot.keyClick(tags.field, Qt.Key.Key_Return)
    assert tags.tags == ("bold-x", "new")
    assert tags.hint.text() == "A tag needs a letter or a number."


def test_a_sentence_is_not_taken_for_a_tag_and_stays_typed(tags: TagEdit, qtbot: Any) -> None:
    prose = "Anna planted the roses yesterday"
    qtbot.keyClicks(tags.field, prose)
    qtbot.keyClick(tags.field, Qt.Key.Key_Return)
    assert tags.tags == ()
    assert tags.field.text() == prose
    assert "looks like a sentence" in tags.hint.text()
    tags.discard_typed()
    assert (tags.field.text(), tags.hint.isHidden()) == ("", True)


def test_a_known_tag_with_blanks_is_taken_as_it_is(tags: TagEdit, qtbot: Any) -> None:
    tags.field.completer().model().setStringList(["rose list"])
    qtbot.keyClicks(tags.field, "rose list")
    qtbot.keyClick(tags.field, Qt.Key.Key_Return)
    assert tags.tags == ("rose list",)
    assert tags.hint.isHidden()


def test_chips_are_walked_and_removed_by_key(tags: TagEdit, qtbot: Any) -> None:
    tags.set_tags(["a", "b", "c"])
    tags.field.setFocus()
    qtbot.keyClick(tags.field, Qt.Key.Key_Backspace)
    chips = {chip.tag: chip for chip in tags.findChildren(Chip) if not chip.isHidden()}
    assert chips["c"].hasFocus()
    qtbot.keyClick(chips["c"], Qt.Key.Key_Left)
    assert chips["b"].hasFocus()
    qtbot.keyClick(chips["b"], Qt.Key.Key_Delete)
    assert tags.tags == ("a", "c")
    assert chips["c"].hasFocus()


def test_tags_are_suggested(tags: TagEdit, qtbot: Any, run_async: Any) -> None:
    async def story() -> None:
        tags.field.setFocus()
        qtbot.keyClicks(tags.field, "gar")
        while not tags.field.completer().model().stringList():
            await asyncio.sleep(0.005)

    run_async(story())
    tags.field.completer().popup().hide()
    assert tags.field.completer().model().stringList() == ["garden", "garden/roses"]


@pytest.fixture
def box(qtbot: Any, qapp: Any) -> SearchBox:
    box = SearchBox("Search", "Search…", 10)
    qtbot.addWidget(box)
    box.show()
    box.setFocus()
    return box


def test_a_search_waits_for_a_pause_and_is_told_once(box: SearchBox, qtbot: Any) -> None:
    reported: list[str] = []
    box.searched.connect(reported.append)
    qtbot.keyClicks(box, "roses")
    qtbot.waitUntil(lambda: bool(reported))
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert reported == ["roses"]
    qtbot.keyClick(box, Qt.Key.Key_Escape)
    assert reported == ["roses", ""]


def test_a_quiet_text_is_not_searched(box: SearchBox, qtbot: Any) -> None:
    reported: list[str] = []
    box.searched.connect(reported.append)
    box.set_text_quietly("x")
    box.search_now()
    assert reported == []


def _offered(box: SearchBox) -> list[str]:
    model = box.findChild(QCompleter).model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_operators_and_values_are_completed(box: SearchBox, qtbot: Any) -> None:
    box.set_hints([Hint("tag:", "Has this tag"), Hint("kind:")], {"kind": [Hint("note"), Hint("message")]})
    qtbot.keyClicks(box, "rose -ki")
    assert box.findChild(QCompleter).popup().isVisible()
    box.findChild(QCompleter).activated.emit("kind:")
    assert box.text() == "rose -kind:"
    qtbot.keyClicks(box, "no")
    box.findChild(QCompleter).activated.emit("note")
    assert box.text() == "rose -kind:note "
    box.findChild(QCompleter).popup().hide()


@pytest.fixture
def facets(qtbot: Any, qapp: Any) -> FacetTree:
    tree = FacetTree("Facets")
    qtbot.addWidget(tree)
    tree.resize(200, 300)
    tree.show()
    tree.set_groups([
        FacetGroup("kind", "Kind", [FacetRow("note", 1200, "Notes"), FacetRow("fact", 3)]),
        FacetGroup("tag", "Tags", [FacetRow("a", 2), FacetRow("a/b", 1), FacetRow("x/y", 1)], nested=True),
    ])  # fmt: skip
    return tree


def test_facets_nest_and_count(facets: FacetTree) -> None:
    tags = facets.topLevelItem(1)
    assert [tags.child(n).text(0) for n in range(tags.childCount())] == ["a", "x/y"]
    assert tags.child(0).child(0).text(0) == "b"
    words = facets.topLevelItem(0).child(0).data(0, Qt.ItemDataRole.AccessibleTextRole)
    assert words == f"Notes, {format_number(1200)}"


def test_facets_are_toggled_by_key_and_kept_over_new_counts(facets: FacetTree, qtbot: Any) -> None:
    reported: list[Any] = []
    facets.toggled.connect(lambda *what: reported.append(what))
    facets.setCurrentItem(facets.topLevelItem(0).child(1))
    qtbot.keyClick(facets, Qt.Key.Key_Return)
    assert reported == [("kind", "fact", True)]
    facets.set_groups([FacetGroup("kind", "Kind", [FacetRow("note", 1)])])
    assert facets.chosen("kind") == ("fact",)
    labels = [facets.topLevelItem(0).child(n).text(0) for n in range(2)]
    assert labels == ["note", "fact"]
    assert facets.currentItem().text(0) == "fact"
    facets.grab()


def test_sections_fold(qtbot: Any) -> None:
    section = Section("Links")
    qtbot.addWidget(section)
    section.show()
    section.set_count(3)
    assert section.header.accessibleName() == "Links  3"
    section.header.click()
    assert section.body.isHidden()


def test_bars_say_their_numbers(qtbot: Any) -> None:
    bars = Bars("Reasons")
    qtbot.addWidget(bars)
    bars.set_bars([Bar("Words", 1.0, "11.3"), Bar("Meaning", 0.2, "0.6", 2)])
    bars.show()
    assert bars.accessibleDescription() == "Words 11.3; Meaning 0.6"
    assert not bars.grab().isNull()


def test_splitter_sizes_come_back(qtbot: Any) -> None:
    from PySide6.QtWidgets import QWidget

    split = PaneSplitter()
    qtbot.addWidget(split)
    split.add(QWidget(), 100, least=50)
    split.add(QWidget(), 300, least=50, stretch=1)
    split.resize(401, 200)
    split.show()
    split.setSizes([150, 250])
    state = split.state()
    split.setSizes([60, 340])
    split.restore(state)
    assert split.sizes() == [150, 250]


def test_the_button_that_empties_a_field_follows_the_theme(qtbot: Any, look: Theme) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    FieldIcons(field)
    button = field.findChild(ToolButton)
    looks = []
    for scheme in (Scheme.LIGHT, Scheme.DARK):
        look.set_scheme(scheme)
        looks.append(button.icon().pixmap(16).toImage())
    assert looks[0] != looks[1]


def test_icons_in_a_field_grow_and_leave_room_for_its_text(qtbot: Any, look: Theme) -> None:
    box = SearchBox("Filter", "Filter")
    qtbot.addWidget(box)
    box.resize(300, 40)
    box.setText("words")
    box.show()
    button, sign = box.findChild(ToolButton), box.findChild(IconLabel)
    for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        box.setLayoutDirection(direction)
        for scale in (1.0, 1.5):
            look.set_scale(scale)
            box.resize(300, box.sizeHint().height())
            assert sign.width() == button.iconSize().width() == round(16 * scale)
            box.setCursorPosition(0)
            first = box.cursorRect().center()
            assert sign.geometry().left() > first.x() or sign.geometry().right() < first.x()
            assert abs(sign.geometry().center().y() - box.rect().center().y()) <= 1
            assert box.rect().contains(button.geometry())
            assert not button.geometry().intersects(sign.geometry())
    reported: list[str] = []
    box.textEdited.connect(reported.append)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert (box.text(), reported) == ("", [""])
    assert not button.isVisible()


def test_bars_that_count_against_are_drawn_otherwise(qtbot: Any, look: Theme) -> None:
    bars = Bars("What counted")
    qtbot.addWidget(bars)
    bars.resize(200, 60)
    drawn = []
    for is_hollow in (False, True):
        bars.set_bars([Bar("a label that is far longer than there is room for", 0.5, "+0.50", is_hollow=is_hollow)])
        drawn.append(bars.grab().toImage().pixelColor(50, bars._step() - 9))
    assert drawn == [QColor(look.tokens.series[0]), look.colour("surface")]


def test_values_below_values_are_folded_by_key(qtbot: Any, look: Theme) -> None:
    tree = FacetTree("Facets")
    qtbot.addWidget(tree)
    tree.resize(200, 300)
    rows = [FacetRow("garden", 3), FacetRow("garden/roses", 2), FacetRow("kitchen", 1)]
    tree.set_groups([FacetGroup("tag", "Tags", rows, nested=True)])
    tree.show()
    item, leaf = (tree.topLevelItem(0).child(at) for at in (0, 1))

    def sign(row: QTreeWidgetItem) -> QImage:
        place = tree.visualItemRect(row)
        return tree.viewport().grab(QRect(0, place.top(), place.left(), place.height())).toImage()

    folded = sign(item)
    assert folded != sign(leaf)
    tree.setCurrentItem(item)
    qtbot.keyClick(tree, Qt.Key.Key_Right)
    assert item.isExpanded()
    assert sign(item) != folded
    assert tree.chosen("tag") == ()


def test_a_chosen_row_is_painted_in_one_piece(qtbot: Any, look: Any) -> None:
    tree = FacetTree("Facets")
    qtbot.addWidget(tree)
    tree.set_groups([FacetGroup("tag", "Tags", [FacetRow("a", 2), FacetRow("a/b", 1)], nested=True)])
    tree.resize(240, 200)
    tree.set_chosen("tag", ["a"])
    head = tree.topLevelItem(0)
    assert head is not None
    item = head.child(0)
    tree.setCurrentItem(item)
    tree.show()
    rect = tree.visualItemRect(item)
    picture = tree.viewport().grab().toImage()
    ratio = picture.devicePixelRatio()
    line = round((rect.bottom() - 3) * ratio)
    colours = {picture.pixelColor(round(x * ratio), line).name() for x in range(12, rect.right() - 14)}
    assert len(colours) == 1
    assert colours != {picture.pixelColor(1, line).name()}


@pytest.mark.parametrize(
    ("typed", "value", "whole"),
    [
        ("x after:la", '"last week"', 'x after:"last week" '),
        ('after:"la', '"last week"', 'after:"last week" '),
        ("agent:cl", "Claude Code", 'agent:"Claude Code" '),
        ('agent:"claude c', "Claude Code", 'agent:"Claude Code" '),
        ("-agent:at", "Atlas", "-agent:Atlas "),
        ("agent:Juniper,at", "Atlas", "agent:Juniper,Atlas "),
        ('"some words" agent:at', "Atlas", '"some words" agent:Atlas '),
    ],
)
def test_values_are_completed_with_their_quotes(box: SearchBox, qtbot: Any, typed: str, value: str, whole: str) -> None:
    box.set_hints([Hint("after:"), Hint("agent:")], {"after": [Hint('"last week"')], "agent": [Hint(value)]})
    box.setFocus()
    qtbot.keyClicks(box, typed)
    assert _offered(box) == [value]
    assert box.findChild(QCompleter).popup().isVisible()
    box.findChild(QCompleter).popup().hide()
    box.findChild(QCompleter).activated.emit(value)
    assert box.text() == whole


@pytest.mark.parametrize("typed", ["", '"quoted words', 'x "ag', "zebra:", "agent:zz", ":", '"', '-"'])
def test_where_nothing_fits_nothing_is_offered(box: SearchBox, qtbot: Any, typed: str) -> None:
    box.set_hints([Hint("agent:")], {"agent": [Hint("Atlas")]})
    qtbot.keyClicks(box, typed)
    assert not box.findChild(QCompleter).popup().isVisible()


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_a_tag_has_an_edge_in_high_contrast(tags: TagEdit, look: Theme, scheme: Scheme) -> None:
    look.set_scheme(scheme)
    look.set_contrast(True)
    tags.set_tags(["garden"])
    chip = tags.findChild(Chip)
    picture = chip.grab().toImage()
    edge = picture.pixelColor(picture.width() // 2, 0).name()
    assert contrast(edge, look.tokens.surface) >= 3
