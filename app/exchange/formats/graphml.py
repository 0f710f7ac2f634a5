"""GraphML, which Gephi, yEd, Cytoscape and networkx read."""

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from app.core.text import storable
from app.entities.model import GraphView

NAME = "graphml"
_KEYS = (
    ("name", "node", "string"),
    ("type", "node", "string"),
    ("mentions", "node", "double"),
    ("x", "node", "double"),
    ("y", "node", "double"),
    ("kind", "edge", "string"),
    ("label", "edge", "string"),
    ("weight", "edge", "double"),
)
_LEAST = 0x20


def lines(graph: GraphView) -> Iterator[str]:
    """Yield names and what joins them, line by line."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for name, target, kind in _KEYS:
        yield f'  <key id="{name}" for="{target}" attr.name="{name}" attr.type="{kind}"/>'
    yield '  <graph edgedefault="undirected">'
    for node in graph.nodes:
        data = _data({"name": node.name, "type": node.type, "mentions": node.weight, "x": node.x, "y": node.y})
        yield f"    <node id={quoteattr(_clean(node.id))}>{data}</node>"
    for edge in graph.edges:
        data = _data({"kind": edge.kind, "label": edge.label, "weight": edge.weight})
        ends = f"source={quoteattr(_clean(edge.source))} target={quoteattr(_clean(edge.target))}"
        directed = ' directed="true"' if edge.kind == "stated" else ""
        yield f"    <edge {ends}{directed}>{data}</edge>"
    yield "  </graph>"
    yield "</graphml>"


def _data(values: Mapping[str, str | float | None]) -> str:
    return "".join(
        f'<data key="{key}">{escape(_clean(str(value)))}</data>'
        for key, value in values.items()
        if value not in ("", None)
    )


def _clean(text: str) -> str:
    """Return ``text`` without characters that XML cannot hold."""
    cleaned = storable(text)[0]
    return "".join(
        letter for letter in cleaned if letter in "\t\n\r" or (ord(letter) >= _LEAST and letter not in "\ufffe\uffff")
    )
