"""Search within the open conversation: the find bar and marked words."""

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from ui import operations
from ui.widgets.word_marks import has_word
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.panes.sessions.find_bar import FindBar
    from ui.panes.sessions.transcript.message_pager import MessagePager
    from ui.panes.sessions.transcript.transcript import Transcript

FIND_LIMIT = 100_000


class SessionSearch(QObject):
    """Marks what is searched for in the transcript, and goes from match to match.

    Args:
        bridge: The connection to the engine.
        bar: The find bar.
        transcript: The transcript with the marks.
        pager: The messages at hand; its session is the one searched.
        parent: Its parent.
    """

    reached = Signal(object)
    """Go to the message with this number."""

    def __init__(
        self, bridge: "Bridge", bar: "FindBar", transcript: "Transcript", pager: "MessagePager", parent: QObject
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._bar = bar
        self._transcript = transcript
        self._pager = pager
        self._session = ""
        self._request = 0
        bar.searched.connect(self._on_bar_searched)
        bar.went.connect(self.reached)
        bar.closed.connect(self._on_bar_closed)
        transcript.match_requested.connect(self._on_transcript_match_requested)

    def set_session(self, session: str) -> None:
        """Search another conversation from now on, none for ``""``."""
        self._session = session

    def open_bar(self) -> None:
        """Open the find bar with the selected text."""
        if self._session:
            self._bar.open_bar(self._transcript.selected_text())

    def close_bar(self) -> None:
        """Close the find bar, if it is open."""
        if self._bar.isVisible():
            self._bar.close_bar()

    def mark_words(self, words: tuple[str, ...], seq: int) -> None:
        """Mark whole words, show message ``seq``, and find the other messages with such words."""
        self.close_bar()
        self._request += 1
        self._transcript.mark(words)
        self._transcript.show_seq(seq)
        self._work.start(self._find_words(words, self._session, seq, self._request))

    async def _find_words(self, words: tuple[str, ...], session: str, seq: int, request: int) -> None:
        hits = await asyncio.gather(
            *(
                self._bridge.call(operations.session.find(session=session, text=word, limit=FIND_LIMIT))
                for word in words
            )
        )
        if self._is_current(request):
            texts = {message.seq: message.content for message in self._pager.messages}
            matching = {seq for seqs in hits for seq in seqs if seq not in texts or has_word(texts[seq], words)}
            self._bar.set_shown(sorted(matching | {seq}), seq)

    def _is_current(self, request: int) -> bool:
        return request == self._request

    def _on_bar_searched(self, term: str) -> None:
        self._request += 1
        self._transcript.mark(term)
        if term and self._session:
            self._work.start(self._find(self._session, term, self._request))
        else:
            self._bar.set_found([], None)

    async def _find(self, session: str, term: str, request: int) -> None:
        seqs = await self._bridge.call(operations.session.find(session=session, text=term, limit=FIND_LIMIT))
        if self._is_current(request):
            self._bar.set_found(seqs, self._transcript.top_seq())
            if seqs:
                self._bar.go_next()

    def _on_transcript_match_requested(self, step: int) -> None:
        if step > 0:
            self._bar.go_next()
        else:
            self._bar.go_previous()

    def _on_bar_closed(self) -> None:
        self._request += 1
        self._transcript.mark("")
        self._transcript.setFocus(Qt.FocusReason.OtherFocusReason)
