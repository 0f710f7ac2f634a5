"""Plain JSON Schemas for functions of language models.

APIs of models take less than JSON Schema. In a plain schema each node has one type; there are no references, unions,
nulls and objects of any shape: such an object is given as JSON in a text. An optional choice is a text, since strict
clients must give every argument, and ``""`` counts as not given.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

Schema = dict[str, Any]

_KEPT: Final[tuple[str, ...]] = ("description", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
_REFERENCE: Final = "#/$defs/"
_TYPES: Final[dict[type, str]] = {bool: "boolean", int: "integer", float: "number", str: "string"}
_TEXT: Final = "string"


def plain_schema(schema: Schema) -> Schema:
    """Return a plain schema of an object of arguments."""
    definitions = schema.get("$defs", {})
    plain = _object(schema, definitions, ())
    return plain if "properties" in plain else {"type": "object", "properties": {}}


def parsed_arguments(values: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Return arguments of a plain schema as the whole schema has them.

    Those that count as not given are left out, and JSON in texts is parsed.
    """
    return _fields(values, schema, schema.get("$defs", {}))


# Schemas ----------------------------------------------------------------------------------------------------------


def _plain(node: Schema, definitions: Schema, inside: tuple[str, ...], *, is_required: bool = True) -> Schema:
    name = node.get("$ref", "").removeprefix(_REFERENCE)
    if name and name in inside:
        return _as_json(node, "object")
    within = (*inside, name) if name else inside
    whole = _resolved(node, definitions)
    # What a reference's target says of itself is meant for programmers.
    schema: Schema = {
        keyword: whole[keyword]
        for keyword in _KEPT
        if keyword in whole and (keyword != "description" or keyword in node)
    }
    kind = _type(whole)
    if "enum" in whole or "const" in whole:
        choices = [choice for choice in whole.get("enum", [whole.get("const")]) if choice is not None]
        return _choice(schema, kind, choices, is_required=is_required)
    if kind == "object":
        plain = _object(whole, definitions, within)
        return {**schema, **plain} if plain.get("properties") else _as_json(node, kind)
    if kind == "array":
        return {"type": kind, **schema, "items": _plain(whole.get("items") or {}, definitions, within)}
    return {"type": kind, **schema}


def _object(whole: Schema, definitions: Schema, inside: tuple[str, ...]) -> Schema:
    required = whole.get("required", [])
    properties = {
        name: _plain(node, definitions, inside, is_required=name in required)
        for name, node in whole.get("properties", {}).items()
    }
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _choice(kept: Schema, kind: str, choices: list[Any], *, is_required: bool) -> Schema:
    if is_required and kind == _TEXT:
        return {"type": kind, **kept, "enum": choices}
    words = f"{kept.get('description', '')} One of: {', '.join(map(str, choices))}.".strip()
    return {"type": kind, **kept, "description": words}


def _as_json(node: Schema, kind: str) -> Schema:
    return {"type": _TEXT, "description": f"{node.get('description', '')} An {kind} as JSON.".strip()}


def _resolved(node: Schema, definitions: Schema) -> Schema:
    """Return a node without references and unions: the first branch that is not null."""
    while True:
        if "$ref" in node:
            target = definitions[node["$ref"].removeprefix(_REFERENCE)]
            node = {**target, **{name: value for name, value in node.items() if name != "$ref"}}
            continue
        union = node.get("anyOf") or node.get("oneOf")
        if not union:
            return node
        branch = next((part for part in union if part.get("type") != "null"), {"type": _TEXT})
        node = {**branch, **{name: value for name, value in node.items() if name not in ("anyOf", "oneOf")}}


def _type(node: Schema) -> str:
    kind = node.get("type")
    if isinstance(kind, list):
        kind = next((part for part in kind if part != "null"), None)
    if kind is None and ("properties" in node or "additionalProperties" in node):
        kind = "object"
    if kind is None:
        choices = [choice for choice in node.get("enum", [node.get("const")]) if choice is not None]
        kind = _TYPES.get(type(choices[0]), _TEXT) if choices else _TEXT
    return str(kind)


# Values -----------------------------------------------------------------------------------------------------------


def _fields(values: Mapping[str, Any], whole: Schema, definitions: Schema) -> dict[str, Any]:
    properties = whole.get("properties", {})
    required = whole.get("required", [])
    return {
        name: _parsed(value, properties[name], definitions) if name in properties else value
        for name, value in values.items()
        if name in required or name not in properties or not _is_absent(value, properties[name], definitions)
    }


def _is_absent(value: Any, node: Schema, definitions: Schema) -> bool:
    """Return whether an optional argument counts as not given."""
    if value is None:
        return True
    if not isinstance(value, str) or value.strip():
        return False
    whole = _resolved(node, definitions)
    return _is_nullable(node) or _type(whole) != _TEXT or "enum" in whole or "const" in whole


def _is_nullable(node: Schema) -> bool:
    branches = [node, *(node.get("anyOf") or node.get("oneOf") or [])]
    return any(branch.get("type") == "null" for branch in branches) or "null" in (node.get("type") or ())


def _parsed(value: Any, node: Schema, definitions: Schema) -> Any:
    whole = _resolved(node, definitions)
    kind = _type(whole)
    is_any = "type" not in whole and not whole.get("properties") and "enum" not in whole and "const" not in whole
    if isinstance(value, str) and (kind != _TEXT or is_any):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    if isinstance(value, dict) and whole.get("properties"):
        return _fields(value, whole, definitions)
    if isinstance(value, list) and "items" in whole:
        return [_parsed(part, whole["items"], definitions) for part in value]
    return value
