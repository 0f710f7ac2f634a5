"""Graph loader: asks for a part of the graph, and stores the positions of names."""

import asyncio
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.entities.layout import Points
from app.entities.model import EdgeKind, EntityRow, GraphFilter, GraphView
from app.errors import KeepsakeError, NotFoundError
from ui import operations
from ui.panes.graph.canvas.layout_runner import LayoutRunner
from ui.panes.graph.canvas.scene import GraphScene
from ui.panes.graph.entity_types import DRAWN, HIDDEN_AT_FIRST, LINK
from ui.panes.graph.toolbar import DEPTHS, SIZES
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from ui.bridge import Bridge

_LIMITS = {1: 60, 2: 140, 3: 260}
"""Names around a centre at most, by the steps from it."""
_CANDIDATES = 100
"""Most mentioned names among which the first graph's middle is chosen."""
_BATCH = 400
_MOVED = 0.5


class GraphLoader(QObject):
    """Loads graphs, one at a time.

    Args:
        bridge: Answers for the vault.
        parent: Its owner.
    """

    drawn = Signal(object, bool)
    """A ``GraphScene`` with a place for every node, and whether it shows the same part as the one before."""
    moved = Signal(object, object)
    """A scene, and newer positions of its nodes."""
    emptied = Signal()
    """There are no names at all."""
    failed = Signal(object)
    """A ``KeepsakeError`` instead of a graph; one that was drawn stays."""
    unread_counted = Signal(object)
    """Number of texts that are still to be read for names."""

    def __init__(self, bridge: "Bridge", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._scene: GraphScene | None = None
        self._drawn_last: tuple[Any, ...] = ()
        self.is_everyone = False
        self.centre = ""
        self.centre_name = ""
        self.depth = DEPTHS[0]
        self.size = SIZES[1]
        self.by_group = False
        self.text = ""
        self.until: datetime | None = None
        self.hidden: tuple[str, ...] = HIDDEN_AT_FIRST
        self.runner = LayoutRunner(self)
        self.runner.moved.connect(self._on_runner_moved)
        self.runner.settled.connect(self._on_runner_settled)

    @property
    def has_graph(self) -> bool:
        """True while a graph is drawn."""
        return self._scene is not None

    @property
    def state(self) -> dict[str, Any]:
        """The choices of the person, as plain values."""
        return {
            "everyone": self.is_everyone,
            "centre": self.centre,
            "depth": self.depth,
            "size": self.size,
            "by_group": self.by_group,
            "hidden": list(self.hidden),
        }

    def restore(self, values: dict[str, Any]) -> None:
        """Draw what ``state`` returned, as far as it makes sense."""
        self.is_everyone = values.get("everyone") is True
        self.centre = str(values.get("centre") or "")
        self.depth = values["depth"] if values.get("depth") in DEPTHS else DEPTHS[0]
        self.size = values["size"] if values.get("size") in SIZES else SIZES[1]
        self.by_group = values.get("by_group") is True
        hidden = values.get("hidden")
        if isinstance(hidden, list):
            self.hidden = tuple(kind for kind in (*DRAWN, LINK) if kind in hidden)

    def choose_centre(self, identity: str) -> None:
        """Draw the graph around an entity from now on."""
        self.is_everyone, self.centre = False, identity

    def choose_everyone(self) -> None:
        """Draw the graph of all names from now on."""
        self.is_everyone = True

    def toggle_type(self, kind: str) -> None:
        """Show or hide note links, or a type's names; the last type stays."""
        types = set(self.hidden) ^ {kind}
        if not types.issuperset(DRAWN):
            self.hidden = tuple(kind for kind in (*DRAWN, LINK) if kind in types)

    def stop(self) -> None:
        """Give up the layout that is running."""
        self.runner.stop()

    def load(self) -> None:
        """Ask for the graph; ``drawn`` tells when it is there."""
        self._work.latest(self._load)

    def arrange(self) -> None:
        """Give all names that are not pinned another place."""
        if self._scene is not None:
            self._scene.stored[~self._scene.pinned] = np.nan
            self.runner.start(self._scene, afresh=True)

    def hold(self, scene: GraphScene, numbers: "Sequence[int]") -> None:
        """Keep nodes where they are now, also while a layout is running.

        Args:
            scene: Their scene.
            numbers: The nodes, which are pinned.
        """
        scene.stored[list(numbers)] = scene.positions[list(numbers)]

    async def keep(self, scene: GraphScene, numbers: "Sequence[int]", *, pinned: bool | None = None) -> None:
        """Store the places of nodes.

        Args:
            scene: Their scene.
            numbers: The nodes.
            pinned: Whether a person put them there, or let go of them.
        """
        centre = scene.nodes[scene.centre].id if scene.centre >= 0 else None
        scene.stored[list(numbers)] = scene.positions[list(numbers)]
        for begin in range(0, len(numbers), _BATCH):
            part = [
                (scene.nodes[number].id, float(scene.positions[number, 0]), float(scene.positions[number, 1]))
                for number in numbers[begin : begin + _BATCH]
            ]
            await self._bridge.call(operations.entity.place(positions=part, centre=centre, pinned=pinned))

    async def _load(self) -> None:
        try:
            view = await self._ask()
        except KeepsakeError as error:
            self.failed.emit(error)
            return
        if view is None:
            self.runner.stop()
            self._scene = None
            self.emptied.emit()
            await self._count_unread()
            return
        centre = "" if self.is_everyone else self.centre
        # asyncio.to_thread wants a running loop, and qasync also takes a task's steps while none runs.
        scene = await asyncio.get_event_loop().run_in_executor(None, GraphScene, view, centre)
        self._scene = scene
        if not self.runner.start(scene):
            scene.is_drawn = True
            self._draw(scene)
        await self._count_unread()

    async def _count_unread(self) -> None:
        try:
            status = await self._bridge.call(operations.vault.status())
        except KeepsakeError:
            return  # the status line asks too, and says what is wrong with the vault
        self.unread_counted.emit(status.pending_names)

    async def _ask(self) -> GraphView | None:
        """Return the part of the graph to draw, ``None`` when no name is known."""
        types = tuple(kind for kind in DRAWN if kind not in self.hidden)
        kinds: tuple[EdgeKind, ...] = ("together", "stated") if LINK in self.hidden else ()
        chosen = GraphFilter(types=types, kinds=kinds, until=self.until, text=self.text)
        if self.is_everyone:
            view = await self._bridge.call(operations.entity.graph(limit=self.size, filter=chosen))
            if view.nodes or bool(await self._bridge.call(operations.entity.list(limit=1))):
                return view
            return None
        if self.centre:
            try:
                return await self._around(self.centre, chosen)
            except NotFoundError:
                self.centre = ""
        first = await self._first(chosen)
        if first is None:
            return None
        self.centre = first
        return await self._around(first, chosen)

    async def _around(self, identity: str, chosen: GraphFilter) -> GraphView:
        limit = _LIMITS[self.depth]
        view = await self._bridge.call(
            operations.entity.graph(id=identity, depth=self.depth, limit=limit, filter=chosen)
        )
        if view.nodes:
            # A merged entity stands for the one it was merged into.
            middle = next((node for node in view.nodes if node.depth == 0), view.nodes[0])
            self.centre, self.centre_name = middle.id, middle.name
        return view

    async def _first(self, chosen: GraphFilter) -> str | None:
        """Return the person with the most company among the most mentioned people.

        Without persons it is the name with the most company.
        """
        people = replace(chosen, types=("person",))
        view: GraphView = await self._bridge.call(operations.entity.graph(limit=_CANDIDATES, filter=people))
        if not view.nodes or "person" in self.hidden:
            view = await self._bridge.call(operations.entity.graph(limit=_CANDIDATES, filter=chosen))
        if not view.nodes:
            rows: list[EntityRow] = await self._bridge.call(operations.entity.list(limit=1))
            return rows[0].id if rows else None
        company = Counter(end for edge in view.edges for end in (edge.source, edge.target))
        return max(view.nodes, key=lambda node: (node.type == "person", company[node.id], node.weight)).id

    def _draw(self, scene: GraphScene) -> None:
        choices = (self.is_everyone, "" if self.is_everyone else self.centre, self.depth, self.size)
        is_same, self._drawn_last = choices == self._drawn_last, choices
        self.drawn.emit(scene, is_same)

    def _on_runner_moved(self, scene: GraphScene, positions: Points) -> None:
        if scene is not self._scene:
            return
        positions = _with_pinned(scene, positions)
        if not scene.is_drawn:
            scene.positions, scene.is_drawn = positions, True
            self._draw(scene)
        else:
            self.moved.emit(scene, positions)

    def _on_runner_settled(self, scene: GraphScene, positions: Points) -> None:
        self._on_runner_moved(scene, positions)
        if scene is self._scene:
            positions = _with_pinned(scene, positions)
            far = np.abs(np.nan_to_num(scene.stored, nan=np.inf) - positions).max(axis=1) > _MOVED
            self._work.refresh(self._keep_quietly(scene, np.flatnonzero(far).tolist()))

    async def _keep_quietly(self, scene: GraphScene, numbers: list[int]) -> None:
        try:
            await self.keep(scene, numbers)
        except KeepsakeError as error:
            # A vault that is only read has no places for names; the graph shows them all the same.
            if error.code != "vault_read_only":
                self.failed.emit(error)


def _with_pinned(scene: GraphScene, positions: Points) -> Points:
    """Return positions with pinned nodes at their stored places.

    A layout may have begun before they were pinned.
    """
    held = scene.pinned & np.isfinite(scene.stored).all(axis=1)
    return np.where(held[:, None], scene.stored, positions)
