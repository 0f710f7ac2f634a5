"""GraphML, which Gephi, yEd, Cytoscape and networkx read."""

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from app.core.text import storable
from app.entities.model import GraphView

NAME = "graphml"
_KEYS = (
    ("name", "node", "string"),
    ("type", "node", "string"),
    ("mentions", "node", "double"),
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
        data = _data({"name": node.name, "type": node.type, "mentions": node.weight})
        yield f"    <node id={quoteattr(_clean(node.id))}>{data}</node>"
    for edge in graph.edges:
        data = _data({"kind": edge.kind, "label": edge.label, "weight": edge.weight})
        ends = f"source={quoteattr(_clean(edge.source))} target={quoteattr(_clean(edge.target))}"
        directed = ' directed="true"' if edge.kind == "stated" else ""
        yield f"    <edge {ends}{directed}>{data}</edge>"
    yield "  </graph>"
    yield "</graphml>"


def _data(values: dict[str, str | float]) -> str:
    return "".join(
        f'<data key="{key}">{escape(_clean(str(value)))}</data>' for key, value in values.items() if value != ""
    )


def _clean(text: str) -> str:
    """Return ``text`` without characters that XML cannot hold."""
    cleaned = storable(text)[0]
    return "".join(one for one in cleaned if one in "\t\n\r" or (ord(one) >= _LEAST and one not in "\ufffe\uffff"))
