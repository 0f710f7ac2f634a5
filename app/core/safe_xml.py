"""Parser of XML from elsewhere, which resolves no entities."""

from xml.parsers import expat


class UnsafeXmlError(Exception):
    """The XML declares entities, which no real document or answer does."""


def safe_parser(encoding: str | None = None, *, has_namespaces: bool) -> expat.XMLParserType:
    """Return a parser that refuses entities with ``UnsafeXmlError``.

    Args:
        encoding: The encoding, ``None`` for the one that the XML declares.
        has_namespaces: Whether names begin with their namespace and a space.
    """
    parser = expat.ParserCreate(encoding, namespace_separator=" " if has_namespaces else None)
    parser.buffer_text = True
    parser.EntityDeclHandler = _refuse
    return parser


def local(tag: str) -> str:
    """Return a name without its namespace."""
    return tag.rpartition(" ")[2]


def _refuse(*_declaration: object) -> None:
    raise UnsafeXmlError
