"""The curves of growth as one picture: a panel for each thing measured, both axes logarithmic.

``python -m tests.bench.growth.plot REPORT PNG`` draws a report again.
"""

import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QTransform,
)

from tests.bench.growth.report_text import reported

WIDTH, HEIGHT, SCALE = 920, 632, 2  # the README's column, drawn twice as fine
_HEAD, _FOOT, _GAP = 58.0, 58.0, 24.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 104.0, 30.0, 22.0  # of a panel, around its curves
_INK, _MUTED, _GRID, _GROUND = "#2b2823", "#645e55", "#e6e1d8", "#ffffff"
_INKS = {"Keepsake": "#1f6a5a", "chromadb": "#b0562a", "mem0": "#4a63a8"}
_FAMILIES = ["Inter", "Helvetica Neue", "Segoe UI", "Noto Sans", "DejaVu Sans"]
_WHAT = (
    "The same turns and the same 256-dimensional vectors for all. Keepsake makes its vectors within the time, the"
    " others are given them.",
    "Keepsake searches by words and meaning; dashed: by vectors alone, as the others do. Every axis is logarithmic.",
)
_FINE = 8
_SAMPLES = 60
_NAME_PX = 16.0
"""How far apart names stand at least."""

Run = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Panel:
    """One thing measured.

    Args:
        title: What it is.
        better: Whether more or less of it is good.
        value: Takes it out of a run; ``None`` where it was not measured.
    """

    title: str
    better: str
    value: Callable[[Run], float | None]


@dataclass(frozen=True, slots=True)
class Curve:
    """A system's points in a panel; one that was stopped has none at the larger sizes."""

    name: str
    ink: str
    points: tuple[tuple[float, float], ...]
    is_dashed: bool = False


def _search(run: Run, name: str = "default") -> float | None:
    found = run.get("search", {}).get(name, {}).get("p50_ms")
    return None if found is None else float(found)


def _memory(run: Run) -> float | None:
    found = run.get("memory", {}).get("rss_mb")
    return None if found is None else float(found)


def _disk(run: Run) -> float | None:
    return run["disk_per_message"] / 1000 if "disk_per_message" in run else None


PANELS = (
    Panel("Search, median, ms", "lower is better", _search),
    Panel("Memory, opened and searched, MB", "lower is better", _memory),
    Panel("Disk for each turn, kB", "lower is better", _disk),
    Panel("Turns added and findable, a second", "higher is better", lambda run: run.get("add_per_s")),
)


def draw(report: dict[str, Any], path: Path) -> None:
    """Draw a report.

    Args:
        report: As ``python -m tests.bench.growth --json`` writes it.
        path: Where the picture goes.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication.instance() or QGuiApplication([])
    image = QImage(WIDTH * SCALE, HEIGHT * SCALE, QImage.Format.Format_RGB32)
    image.fill(QColor(_GROUND))
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.scale(SCALE, SCALE)
    try:
        _Sheet(painter, report).draw()
    finally:
        painter.end()
    del application
    if not image.save(str(path)):
        raise OSError(f"{path} cannot be written")


def curves(report: dict[str, Any], panel: Panel) -> list[Curve]:
    """Return what a panel shows of a report."""
    found = [_curve(name, runs, panel.value) for name, runs in report["systems"].items()]
    if panel.value is _search:
        alone = _curve("Keepsake", report["systems"]["Keepsake"], lambda run: _search(run, "vector"))
        found.append(Curve("vectors alone", alone.ink, alone.points, is_dashed=True))
    return [one for one in found if one.points]


def _curve(name: str, runs: dict[str, Run], value: Callable[[Run], float | None]) -> Curve:
    points = [(float(size), taken) for size, run in runs.items() if (taken := value(run)) is not None]
    return Curve(name, _INKS[name], tuple(sorted(points)))


class _Sheet:
    def __init__(self, painter: QPainter, report: dict[str, Any]) -> None:
        self._painter = painter
        self._report = report
        self._sizes = sorted(float(size) for size in report["sizes"])

    def draw(self) -> None:
        """Draw title, panels and what was done."""
        write(self._painter, QPointF(16, 26), "What it costs as a memory grows", 17, _INK, is_bold=True)
        self._legend(QPointF(16, 46))
        width = (WIDTH - 32 - _GAP) / 2
        height = (HEIGHT - _HEAD - _FOOT - _GAP) / 2
        for number, panel in enumerate(PANELS):
            row, column = divmod(number, 2)
            spot = QRectF(16 + column * (width + _GAP), _HEAD + row * (height + _GAP), width, height)
            _Plot(self._painter, spot, panel, curves(self._report, panel), self._sizes).draw()
        for number, line in enumerate((*_WHAT, self._report["machine"])[-3:]):
            write(self._painter, QPointF(16, HEIGHT - 34 + number * 13), line, 9, _MUTED)

    def _legend(self, at: QPointF) -> None:
        """Write each system with its version and where it was stopped."""
        for name, runs in self._report["systems"].items():
            stop = next((run["stopped"] for run in runs.values() if "stopped" in run), None)
            version = self._report["versions"].get(name)
            about = (f" {version}" if version else "") + (f", {reported(stop)}" if stop else "")
            at += QPointF(write(self._painter, at, name, 10.5, _INKS[name], is_bold=True), 0)
            at += QPointF(write(self._painter, at, about, 10.5, _MUTED) + 18, 0)


class _Plot:
    def __init__(
        self,
        painter: QPainter,
        spot: QRectF,
        panel: Panel,
        shown: Sequence[Curve],
        sizes: Sequence[float],
    ) -> None:
        self._painter = painter
        self._spot = spot
        self._panel = panel
        self._curves = shown
        self._sizes = sizes
        self._area = spot.adjusted(_LEFT, _TOP, -_RIGHT, -_BOTTOM)
        values = [value for one in shown for _, value in one.points]
        self._low, self._high = bounds(values)

    def draw(self) -> None:
        """Draw grid, curves and names."""
        title = self._spot.topLeft() + QPointF(0, 14)
        write(self._painter, title, self._panel.title, 11.5, _INK, is_bold=True)
        right_of_axes = wide(self._panel.title, 11.5, is_bold=True)
        write(self._painter, title + QPointF(right_of_axes + 8, 0), self._panel.better, 9.5, _MUTED)
        self._grid()
        for curve in reversed(self._curves):  # the first lies on top
            self._line(curve)
        self._names()

    def _at(self, size: float, value: float) -> QPointF:
        first, last = math.log10(self._sizes[0]), math.log10(self._sizes[-1])
        across = (math.log10(size) - first) / (last - first) if last > first else 0.5
        up = (math.log10(value) - math.log10(self._low)) / (math.log10(self._high) - math.log10(self._low))
        return QPointF(self._area.left() + across * self._area.width(), self._area.bottom() - up * self._area.height())

    def _grid(self) -> None:
        for value in ticks(self._low, self._high):
            y = self._at(self._sizes[0], value).y()
            self._painter.setPen(QPen(QColor(_GRID), 1))
            self._painter.drawLine(QPointF(self._area.left() - 4, y), QPointF(self._area.right() + 6, y))
            self._aside(QPointF(self._area.left() - 9, y + 3.5), short(value))
        for size in self._sizes:
            x = self._at(size, self._low).x()
            self._painter.setPen(QPen(QColor(_GRID), 1))
            self._painter.drawLine(QPointF(x, self._area.top()), QPointF(x, self._area.bottom() + 4))
            words = short(size) + (" turns" if size == self._sizes[0] else "")
            half = wide(short(size), 9.5) / 2
            write(self._painter, QPointF(x - half, self._area.bottom() + 17), words, 9.5, _MUTED)

    def _aside(self, at: QPointF, text: str) -> None:
        write(self._painter, at - QPointF(wide(text, 9.5), 0), text, 9.5, _MUTED)

    def _line(self, one: Curve) -> None:
        spots = [self._at(*point) for point in one.points]
        if not spots:
            return
        style = Qt.PenStyle.DashLine if one.is_dashed else Qt.PenStyle.SolidLine
        pen = QPen(QColor(one.ink), 1.4 if one.is_dashed else 2.4, style)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        self._painter.setPen(pen)
        path = QPainterPath(spots[0])
        for spot in spots[1:]:
            path.lineTo(spot)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawPath(path)
        if not one.is_dashed:
            self._painter.setPen(QPen(QColor(_GROUND), 1.5))
            self._painter.setBrush(QColor(one.ink))
            for spot in spots:
                self._painter.drawEllipse(spot, 4.2, 4.2)

    def _names(self) -> None:
        """Write each system's name and last value at the end of its curve, none over another."""
        last = self._sizes[-1]
        at_end = sorted(
            ((self._at(*curve.points[-1]).y(), curve) for curve in self._curves if curve.points[-1][0] == last),
            key=lambda pair: pair[0],
        )
        heights = spread([y for y, _ in at_end], _NAME_PX, self._area.top(), self._area.bottom())
        for (_, one), y in zip(at_end, heights, strict=True):
            self._name(QPointF(self._area.right() + 11, y + 3.5), one)
        for one in self._curves:
            if one.points[-1][0] != last:
                self._name(self._free(one, self._at(*one.points[-1])), one)

    def _free(self, one: Curve, spot: QPointF) -> QPointF:
        """Return where a name beside a point covers least of the other curves."""
        across = wide(f"{amount(one.points[-1][1])} {one.name}", 10.5)
        spots = [spot + QPointF(*offset) for offset in ((4, -9), (4, 17), (11, 3.5), (4, -20), (4, 28))]
        passed = [point for other in self._curves for point in self._passed(other)]

        def covered(at: QPointF) -> int:
            place = QRectF(at.x() - 2, at.y() - 11, across + 4, 15)
            return sum(place.contains(point) for point in passed) + 1_000 * (at.y() - 11 < self._area.top() - 8)

        return min(spots, key=covered)

    def _passed(self, one: Curve) -> list[QPointF]:
        spots = [self._at(*point) for point in one.points]
        steps = [number / _SAMPLES for number in range(_SAMPLES + 1)]
        return [first + (second - first) * step for first, second in pairwise(spots) for step in steps]

    def _name(self, at: QPointF, one: Curve) -> None:
        size = 9.5 if one.is_dashed else 10.5
        value = amount(one.points[-1][1]) + " "
        right_of_axes = write(self._painter, at, value, size, one.ink, is_bold=not one.is_dashed, has_halo=True)
        write(self._painter, at + QPointF(right_of_axes, 0), one.name, size, one.ink, has_halo=True)


def write(
    painter: QPainter,
    at: QPointF,
    text: str,
    size: float,
    ink: str,
    *,
    is_bold: bool = False,
    has_halo: bool = False,
) -> float:
    """Write text, clear of lines below it when it has a halo; return how wide it is."""
    face = font(size, is_bold=is_bold)
    path = QPainterPath()
    path.addText(QPointF(), face, text)
    path = QTransform.fromTranslate(at.x(), at.y()).scale(1 / _FINE, 1 / _FINE).map(path)
    if has_halo:
        painter.strokePath(path, QPen(QColor(_GROUND), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.fillPath(path, QColor(ink))
    return wide(text, size, is_bold=is_bold)


def wide(text: str, size: float, *, is_bold: bool = False) -> float:
    """Return how wide text is."""
    return QFontMetricsF(font(size, is_bold=is_bold)).horizontalAdvance(text) / _FINE


def font(size: float, *, is_bold: bool = False) -> QFont:
    """Return the picture's font, eight times as large as asked: sizes between whole pixels come of scaling it down."""
    font = QFont(_FAMILIES)
    # Pixels, for points depend on what the screen is said to have.
    font.setPixelSize(max(1, round(size * _FINE)))
    font.setWeight(QFont.Weight.DemiBold if is_bold else QFont.Weight.Normal)
    return font


def bounds(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a logarithmic axis for values: powers of ten, or halves of one, with some room."""
    if not values:
        return 1.0, 10.0
    steps = [power * first for power in (10.0**number for number in range(-4, 9)) for first in (1, 2, 5)]
    low = max((step for step in steps if step <= min(values) * 0.95), default=steps[0])
    high = min((step for step in steps if step >= max(values) * 1.05), default=steps[-1])
    return low, high


def ticks(low: float, high: float) -> list[float]:
    """Return the values that get a line: powers of ten, and where these are few 2 and 5 of each too."""
    powers = [10.0**number for number in range(-4, 9)]
    whole = [power for power in powers if low <= power <= high]
    if len(whole) >= 4:
        return whole
    return [power * first for power in powers for first in (1, 2, 5) if low <= power * first <= high]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places near those wanted, ascending, at least ``gap`` apart and within the bounds where there is room."""
    placed: list[float] = []
    for one in wanted:
        placed.append(max(one, placed[-1] + gap) if placed else max(one, low))
    over = placed[-1] - high if placed else 0.0
    if over <= 0:
        return placed
    limit = high
    for number in range(len(placed) - 1, -1, -1):
        placed[number] = min(placed[number], limit)
        limit = placed[number] - gap
    return placed


def short(value: float) -> str:
    """Return a number as it stands at an axis: 0.5, 20, 5k, 1M."""
    for unit, sign in ((1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.3g}{sign}"
    return f"{value:.3g}"


def amount(value: float) -> str:
    """Return a number as one says it: 0.52, 5.6, 66, 2,540."""
    if value >= 1_000:
        return f"{value:,.0f}" if value < 10_000 else f"{round(value, -2):,.0f}"
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def main() -> int:
    """Draw a report again."""
    draw(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
