"""Icons from ``resources/icons``, tinted by the theme when painted."""

import logging
from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.core.paths import resources
from ui import theme

_log = logging.getLogger(__name__)
_TINT = "currentColor"
_used: set[str] = set()
_engines: list["_TintedEngine"] = []


@cache
def icon(name: str, tint: str = "muted", checked: str = "accent") -> QIcon:
    """Return the icon ``name``.

    Args:
        name: File name in ``resources/icons`` without ending; an empty icon when there is none.
        tint: Token it is drawn in.
        checked: Token it is drawn in while its button is checked.
    """
    _used.add(name)
    return QIcon(_kept(_TintedEngine(name, tint, checked)))


def pixmap(name: str, size: int, colour: str, ratio: float = 1.0) -> QPixmap:
    """Return the icon ``name``, ``size`` by ``size`` pixels, drawn in ``colour`` (``#rrggbb``)."""
    return _pixmap(name, size, size, colour, ratio)


def used() -> frozenset[str]:
    """Return the names asked for so far, for the test that all of them exist."""
    return frozenset(_used)


def exists(name: str) -> bool:
    """Return whether an icon exists."""
    return bool(_source(name))


@lru_cache(maxsize=256)
def _source(name: str) -> str:
    path = resources() / "icons" / f"{name}.svg"
    if not name or not path.is_file():
        _log.info("No icon named %s", name)
        return ""
    return path.read_text("utf-8")


@lru_cache(maxsize=2048)
def _pixmap(name: str, width: int, height: int, colour: str, ratio: float) -> QPixmap:
    image = QPixmap(QSize(round(width * ratio), round(height * ratio)))
    image.fill(Qt.GlobalColor.transparent)
    source = _source(name)
    if source:
        renderer = QSvgRenderer(QByteArray(source.replace(_TINT, colour).encode()))
        renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
        painter = QPainter(image)
        renderer.render(painter, QRectF(0, 0, image.width(), image.height()))
        painter.end()
    image.setDevicePixelRatio(ratio)
    return image


def _kept(engine: "_TintedEngine") -> "_TintedEngine":
    # Qt frees an icon's engine after Python has freed the part of it that is written here, and crashes. There are as
    # many icons as names and tints, so they stay.
    _engines.append(engine)
    return engine


class _TintedEngine(QIconEngine):
    """Draws one SVG in the colour the theme has now."""

    def __init__(self, name: str, tint: str, checked: str) -> None:
        super().__init__()
        self._name = name
        self._tint = tint
        self._checked = checked

    def clone(self) -> QIconEngine:
        """Return another of the same."""
        return _kept(_TintedEngine(self._name, self._tint, self._checked))

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatioF()
        side = min(rect.width(), rect.height())
        at = rect.center() - QPoint((side - 1) // 2, (side - 1) // 2)
        painter.drawPixmap(at, _pixmap(self._name, side, side, self._colour(mode, state), ratio))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return _pixmap(self._name, size.width(), size.height(), self._colour(mode, state), 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        """Return the icon as pixels for a screen of ``scale``; ``size`` is independent of it."""
        return _pixmap(self._name, size.width(), size.height(), self._colour(mode, state), scale)

    def isNull(self) -> bool:
        return not exists(self._name)

    def _colour(self, mode: QIcon.Mode, state: QIcon.State) -> str:
        tokens = theme.current().tokens
        if mode == QIcon.Mode.Disabled:
            return tokens.edge
        token = self._checked if state == QIcon.State.On else self._tint
        return str(getattr(tokens, token))
