"""The day's steps, done in the real window."""

import asyncio
import time
from collections.abc import Callable
from functools import partial

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QListView

from tests.bench.scale.corpus import Corpus
from tests.bench.window.gap_recorder import GapRecorder
from ui import operations, theme
from ui.bridge import Bridge
from ui.notice import Notice
from ui.panes.graph.canvas.canvas import GraphCanvas
from ui.panes.reading_pane import history_of
from ui.panes.search.pane import SearchPane
from ui.shell.navigation import Place
from ui.shell.pane_stack import PANES
from ui.theme import Scheme
from ui.widgets.text.markdown_editor import MarkdownEditor
from ui.window import Window

_REST_S = 0.5
_UNDO_S = 60.0
_LOOK_S = 0.005
_KEY_S = 0.04  # between keys; a quick typist
_TYPED_SEARCHES = 10
_TEXT = "Today I met Ana in Lisbon and we spoke of the garden and its roses. "


class ScriptedDay:
    """One pass through the window.

    Args:
        window: The window, open and filled.
        bridge: Leads to its vault.
        recorder: Told of each step before it begins.
        bulk: How many notes are tagged at once.
    """

    def __init__(self, window: Window, bridge: Bridge, recorder: GapRecorder, bulk: int) -> None:
        self._window = window
        self._bridge = bridge
        self._recorder = recorder
        self._bulk = bulk
        self._corpus = Corpus(5)  # takes a tenth of a second, which is no gap of the window's
        self.first_hits_ms: list[float] = []

    async def run(self) -> None:
        """Do every step after the opening of the window."""
        steps = (self.visit, self.type, self.search, self.scroll, self.bulk_tag, self.undo, self.graph_pan, self.theme)
        for step in steps:
            self._recorder.step = step.__name__
            await step()
            await asyncio.sleep(_REST_S)

    async def visit(self) -> None:
        """Show each pane."""
        for pane in PANES:
            self._window.go(Place(pane.name))
            await asyncio.sleep(_REST_S)

    async def type(self) -> None:
        """Type into a note."""
        ids = await self._bridge.call(operations.note.ids())
        self._window.go(Place("notes", ids[0]))
        await asyncio.sleep(2 * _REST_S)
        editor = next(one for one in self._window.findChildren(MarkdownEditor) if one.isVisible())
        for letter in _TEXT * 2:
            QTest.keyClicks(editor, letter)
            await asyncio.sleep(0.02)

    async def search(self) -> None:
        """Open five searches, then type some and note when their first hits show after the last key."""
        for _ in range(5):
            self._window.go(Place("search", extra=self._corpus.question()))
            await asyncio.sleep(2 * _REST_S)
        pane = next(one for one in self._window.findChildren(SearchPane) if one.isVisible())
        for _ in range(_TYPED_SEARCHES):
            question = self._corpus.question()
            pane.focus_first()
            for letter in question:
                QTest.keyClicks(pane.box, letter)
                await asyncio.sleep(_KEY_S)
            begun = time.perf_counter()
            await _until(partial(_shows_answer, pane, question))
            pane.results.repaint()
            self.first_hits_ms.append((time.perf_counter() - begun) * 1000 + _KEY_S * 1000)
            await asyncio.sleep(_REST_S)

    async def scroll(self) -> None:
        """Scroll every list and page of a conversation."""
        ids = await self._bridge.call(operations.session.ids())
        self._window.go(Place("sessions", ids[-1]))
        await asyncio.sleep(2 * _REST_S)
        pane = self._window.panes.front if self._window.panes else None
        for area in [one for one in pane.findChildren(QAbstractScrollArea) if one.isVisible()] if pane else []:
            bar = area.verticalScrollBar()
            for step in range(40):
                bar.setValue(bar.minimum() + (bar.maximum() - bar.minimum()) * step // 39)
                await asyncio.sleep(0.02)

    async def bulk_tag(self) -> None:
        """Select every note and tag many of them."""
        self._window.go(Place("notes"))
        await asyncio.sleep(_REST_S)
        pane = self._window.panes.front if self._window.panes else None
        lists = [one for one in pane.findChildren(QListView) if one.isVisible()] if pane else []
        for one in lists[:1]:
            one.selectAll()
        ids = (await self._bridge.call(operations.note.ids()))[: self._bulk]
        reply = await self._bridge.reply(operations.note.tag_many(ids=ids, add=["measured"]))
        self._window.show_notice(Notice(f"Tagged {len(ids)} notes", history_of(reply)))
        await asyncio.sleep(2 * _REST_S)

    async def undo(self) -> None:
        """Take the tags back."""
        undone: list[object] = []
        self._window.undo.undone.connect(undone.append)
        self._window.undo.undo()
        await _until(lambda: bool(undone))

    async def graph_pan(self) -> None:
        """Drag the graph there and back."""
        self._window.go(Place("graph"))
        await asyncio.sleep(4 * _REST_S)
        canvas = self._window.findChildren(GraphCanvas)[0]
        for step in range(120):
            canvas.pan(9.0 if step < 60 else -9.0, 4.0 if step < 60 else -4.0)
            await asyncio.sleep(0.016)

    async def theme(self) -> None:
        """Change between dark and light in two panes."""
        for place in ("graph", "notes"):
            self._window.go(Place(place))
            await asyncio.sleep(_REST_S)
            for scheme in (Scheme.DARK, Scheme.LIGHT):
                theme.current().set_scheme(scheme)
                await asyncio.sleep(_REST_S)


def _shows_answer(pane: SearchPane, question: str) -> bool:
    return pane._answered == question


async def _until(done: Callable[[], bool]) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + _UNDO_S
    while not done():
        if loop.time() > end:
            raise TimeoutError(f"a step did not end in {_UNDO_S:.0f} seconds")
        await asyncio.sleep(_LOOK_S)
