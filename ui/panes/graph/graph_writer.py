"""Graph writer: saves the graph as a file and tells of it."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.errors import InputError
from app.sentence import Sentence
from ui.panes.graph.graph_files import graphml, picture, write_drawing

if TYPE_CHECKING:
    from ui.panes.graph.canvas.canvas import GraphCanvas
    from ui.panes.reading_pane import ReadingPane


class GraphWriter(QObject):
    """Saves what a canvas shows.

    Args:
        pane: The pane that shows notices.
        canvas: The graph.
    """

    def __init__(self, pane: "ReadingPane", canvas: "GraphCanvas") -> None:
        super().__init__(pane)
        self._pane = pane
        self._canvas = canvas

    async def write(self, path: Path) -> None:
        """Write a file; its ending says in which form.

        Raises:
            InputError: The ending is unknown, or the file cannot be written.
        """
        form, is_written = path.suffix.casefold(), True
        try:
            if form == ".png":
                image = picture(self._canvas)
                is_written = await asyncio.to_thread(image.save, str(path))
            elif form == ".svg":
                await asyncio.to_thread(path.touch)
                write_drawing(self._canvas, path)
            elif form == ".graphml":
                text = graphml(self._canvas.scene)
                await asyncio.to_thread(path.write_text, text, "utf-8")
            else:
                raise InputError("Choose a name that ends in .png, .svg or .graphml.", path=str(path))
        except OSError as error:
            raise InputError(
                Sentence("{path} cannot be written. Choose another folder.", path=path), path=str(path)
            ) from error
        if not is_written:
            raise InputError(Sentence("{path} cannot be written. Choose another folder.", path=path), path=str(path))
        self._pane.show_notice(self.tr("Saved {name}").format(name=path.name))
