"""Exporter of the knowledge graph, as a file that the MCP reference memory server reads."""

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.exchange.exporting.export_target import FileTarget, writable
from app.exchange.exporting.exporters import Exportable
from app.exchange.model import ExportReport, VaultDetail
from app.knowledge_graph.repo import MARK, OF_ENTITY
from app.memories.model import Memory


class GraphExporter:
    """Writes entities with their observations, and relations, one a line.

    Args:
        path: Where to.

    Raises:
        InputError: Something else is there.
    """

    def __init__(self, path: Path) -> None:
        with writable(path):
            self._target = FileTarget(path)
            self._file = self._target.open()
        self._entities: dict[str, dict[str, Any]] = {}
        self._relations: dict[tuple[str, str, str], None] = {}
        self._observations: defaultdict[str, list[str]] = defaultdict(list)

    def write(self, batch: Sequence[Exportable]) -> None:
        """Take the next values; what is not of the graph is passed over."""
        for value in batch:
            if isinstance(value, Memory) and OF_ENTITY in value.attributes:
                self._observations[str(value.attributes[OF_ENTITY])].append(value.content)
            elif isinstance(value, VaultDetail):
                self._detail(value)

    def finish(self) -> ExportReport:
        """Put the file in its place."""
        lines = [
            {
                "type": "entity",
                "name": mark["name"],
                "entityType": mark["type"],
                "observations": self._observations[key],
            }
            for key, mark in self._entities.items()
            if mark["listed"]
        ]
        names = {key: mark["name"] for key, mark in self._entities.items()}
        lines += [
            {
                "type": "relation",
                "from": names[subject],
                "to": names[target],
                "relationType": predicate,
            }
            for subject, predicate, target in self._relations
            if subject in names and target in names
        ]
        with writable(self._target.path):
            text = "\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines)
            self._file.write(text.encode())
            self._file.close()
            self._target.commit()
            size = self._target.path.stat().st_size
        memories = sum(len(observation) for observation in self._observations.values())
        return ExportReport(str(self._target.path), "mcp-memory", 0, 0, memories, files=1, bytes=size)

    def attach(self, vault: Path) -> None:
        """Take nothing: this format has no files."""

    def abandon(self) -> None:
        """Remove the unfinished file."""
        self._file.close()
        self._target.abandon()

    def _detail(self, detail: VaultDetail) -> None:
        if detail.type == "entity":
            attributes = detail.fields["attributes"]
            if MARK in attributes and not attributes.get("retired") and detail.fields["merged_into"] is None:
                self._entities[detail.fields["id"]] = attributes[MARK]
        elif detail.type == "relation":
            stated = detail.fields
            self._relations[stated["subject"], stated["predicate"], stated["object"]] = (
                None  # once, though several state it
            )
