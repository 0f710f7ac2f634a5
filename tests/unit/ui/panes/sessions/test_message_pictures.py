"""Pictures and files in messages."""

import base64
from typing import NoReturn

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QMessageBox

from app.host import Host
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.sessions.conftest import OpenPane
from ui.panes.pane import Place
from ui.panes.sessions.pane import LARGEST_PICTURE
from ui.widgets.text.picture_cache import BUDGET, PictureCache


def png(width: int, height: int, colour: str = "#c02020") -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    held = QByteArray()
    buffer = QBuffer(held)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(held.data())


def attach(host: Host, name: str, data: bytes) -> str:
    return str(host.ask("attachment.add", name=name, data=base64.b64encode(data).decode()).link)


def show(opened: OpenPane, host: Host, rest: Rest, text: str) -> None:
    host.ask("session.append", session="pictures", messages=[{"role": "user", "content": text}])
    opened.pane.open_place(Place("sessions", "pictures"))
    rest(lambda: opened.pane.current_place().id == "pictures" and bool(opened.pane.pager.messages))
    rest(lambda: not opened.pane.bridge.is_busy)


def count_of(opened: OpenPane, colour: str) -> int:
    """Return how many pixels of the transcript have a colour, of every fourth in both directions."""
    image = opened.pane.transcript.viewport().grab().toImage()
    wanted = QColor(colour).rgb()
    return sum(
        image.pixel(x, y) == wanted for y in range(0, image.height(), 4) for x in range(0, image.width(), 4)
    )  # fmt: skip


def test_a_picture_is_shown_in_its_message(opened: OpenPane, host: Host, rest: Rest) -> None:
    link = attach(host, "rose.png", png(200, 120))
    show(opened, host, rest, f"My rose:\n\n![rose]({link})\n\nLovely")
    rest(lambda: count_of(opened, "#c02020") > 1000)
    (block,) = opened.pane.transcript._blocks
    assert block.height > 120


def test_a_large_picture_fits_the_column(opened: OpenPane, host: Host, rest: Rest) -> None:
    link = attach(host, "wall.png", png(3000, 1500))
    show(opened, host, rest, f"![wall]({link})")
    rest(lambda: count_of(opened, "#c02020") > 1000)
    (block,) = opened.pane.transcript._blocks
    document = block.parts[0].document
    assert document is not None
    assert document.size().width() <= opened.pane.transcript._column().width()
    image = opened.pane.pictures.image(link.partition("/")[2])
    assert image is not None
    assert (image.width(), image.height()) == (LARGEST_PICTURE.width(), LARGEST_PICTURE.width() // 2)


@pytest.mark.parametrize("target", ["attachments/gone.png", "/etc/passwd.png", "https://example.org/x.png"])
def test_a_picture_that_is_not_there_is_named(opened: OpenPane, host: Host, rest: Rest, target: str) -> None:
    show(opened, host, rest, f"![the wall]({target})")
    (block,) = opened.pane.transcript._blocks
    rest(lambda: block.laid_out)
    document = block.parts[0].document
    assert document is not None
    assert "the wall" in document.toPlainText()
    assert "\ufffc" not in document.toPlainText()


def test_a_document_is_opened_once_the_person_agreed(opened: OpenPane, host: Host, rest: Rest) -> None:
    link = attach(host, "plan.txt", b"plan")
    show(opened, host, rest, f"Read [plan.txt]({link}).")
    opened.pane.transcript._follow(link)

    def boxes() -> list[QMessageBox]:
        return [
            topLevelWidget
            for topLevelWidget in QApplication.topLevelWidgets()
            if isinstance(topLevelWidget, QMessageBox) and topLevelWidget.isVisible()
        ]

    rest(lambda: bool(boxes()))
    (box,) = boxes()
    assert str(box.property("address")).endswith("plan.txt")
    box.reject()


def test_tasks_of_messages_cannot_be_ticked(opened: OpenPane, host: Host, rest: Rest) -> None:
    link = attach(host, "rose.png", png(20, 20))
    show(opened, host, rest, f"- [ ] prune\n\n![rose]({link})")
    rest(lambda: opened.pane.pictures.image(link.partition("/")[2]) is not None)
    links = opened.pane.transcript.links(opened.pane.pager.messages[0])
    assert [link.href for link in links] == []


def test_the_oldest_pictures_make_room() -> None:
    def refuse(*_arguments: object) -> NoReturn:
        pytest.fail("nothing is located or read")

    cache = PictureCache(lambda _work: None, refuse, refuse, largest=QSize(10, 10))
    image = QImage(1024, 1024, QImage.Format.Format_RGB32)
    most = BUDGET // image.sizeInBytes()
    for number in range(most + 2):
        cache._make_room(image.sizeInBytes())
        cache._images[f"{number}.png"] = image
        cache._held += image.sizeInBytes()
    assert (cache.image("1.png"), cache.image("2.png")) == (None, image)
    assert cache._held <= BUDGET
