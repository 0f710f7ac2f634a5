"""Help pages: the Markdown files of ``resources/help``, with a list of them at the left."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QTextDocument, QTextFrameFormat, QTextTable, QTextTableFormat
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSplitter, QTextBrowser, QWidget

from app.core.paths import resources
from ui import theme
from ui.dialogs.base_dialog import BaseDialog
from ui.style.design_tokens import Space
from ui.widgets.plain_text import tooltip

_ROW, _LIST = 32, 300
PAGE = Qt.ItemDataRole.UserRole
# What a person reads first; pages not named here follow, reference pages last.
FOR_DEVELOPERS = frozenset(("architecture", "contributing", "socket"))
ORDER = ("welcome", "guide", "search", "graph", "import", "trouble", "", "commands", "settings", "operations")


class HelpDialog(BaseDialog):
    """Help dialog: a list of pages beside the open page."""

    measure = 1080

    place_requested = Signal(str)
    page_shown = Signal(str)
    """The file name of the page shown, without its ending."""

    def __init__(self, window: QWidget | None = None, folder: Path | None = None) -> None:
        super().__init__(self.tr("Help"), window)
        self._folder = folder or resources() / "help"
        self._list = QListWidget(self)
        self._list.setAccessibleName(self.tr("Help pages"))
        self._list.setObjectName("helpList")
        self._list.setSpacing(1)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._list.currentItemChanged.connect(self._show_current)
        self._page = QTextBrowser(self)
        self._page.setObjectName("helpPage")
        self._page.setAccessibleName(self.tr("Help page"))
        self._page.setOpenLinks(False)
        self._page.document().setDocumentMargin(Space.L)
        self._page.anchorClicked.connect(self._on_anchor_clicked)
        split = QSplitter(self)
        split.addWidget(self._list)
        split.addWidget(self._page)
        split.setStretchFactor(1, 1)
        split.setSizes([_LIST, HelpDialog.measure - _LIST])
        split.setHandleWidth(1)
        self.body.addWidget(split)
        theme.current().changed.connect(self._show_current)
        theme.current().changed.connect(self._fit_list)
        self._fill()

    def open_page(self, name: str) -> bool:
        """Show the page named ``name``; return False when there is none."""
        for row in range(self._list.count()):
            if self._list.item(row).data(PAGE) == name:
                self._list.setCurrentRow(row)
                return True
        return False

    def _fill(self) -> None:
        pages = (path for path in self._folder.glob("*.md") if path.stem not in FOR_DEVELOPERS)
        for path in sorted(pages, key=_place):
            item = QListWidgetItem(_title(path))
            item.setData(PAGE, path.stem)
            item.setToolTip(tooltip(item.text()))
            self._list.addItem(item)
        self._fit_list()
        if self._list.count():
            self._list.setCurrentRow(0)
        else:
            self._page.setMarkdown(self.tr("The help pages are missing from this installation."))

    def _fit_list(self) -> None:
        for row in range(self._list.count()):
            self._list.item(row).setSizeHint(QSize(0, theme.current().scaled(_ROW)))

    def _show_current(self) -> None:
        item = self._list.currentItem()
        if item is not None:
            self._page.setMarkdown((self._folder / f"{item.data(PAGE)}.md").read_text("utf-8"))
            _draw_quietly(self._page.document())
            self.page_shown.emit(item.data(PAGE))

    def _on_anchor_clicked(self, url: QUrl) -> None:
        if url.scheme() == "keepsake":
            self.place_requested.emit(url.toString())
        elif url.isRelative():
            self.open_page(Path(url.path()).stem)
        elif url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)


def _draw_quietly(document: QTextDocument) -> None:
    """Draw tables with hairlines and air; Markdown's are drawn in the colour of the text."""
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            form = QTextTableFormat(frame.format().toTableFormat())
            form.setBorderCollapse(True)
            form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)  # a raised one has edges of two colours
            form.setBorder(1)
            form.setBorderBrush(theme.current().colour("line"))
            form.setCellPadding(Space.S - 2)
            frame.setFormat(form)


def _title(path: Path) -> str:
    """Return the first heading of a page."""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    return path.stem.replace("-", " ").capitalize()


def _place(path: Path) -> tuple[int, str]:
    return ORDER.index(path.stem if path.stem in ORDER else ""), path.stem
