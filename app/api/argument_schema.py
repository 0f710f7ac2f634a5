"""JSON Schema of an operation's arguments, as programs that call it by schema need it."""

from typing import Any

import msgspec

from app.api.operation import Operation

_REFERENCE = "#/$defs/"


def argument_schema(operation: Operation) -> dict[str, Any]:
    """Return the JSON Schema of an operation's arguments, with the help of each."""
    whole = msgspec.json.schema(operation.arguments)
    definitions: dict[str, Any] = whole.get("$defs", {})
    root: dict[str, Any] = definitions.pop(whole["$ref"].removeprefix(_REFERENCE))
    helps = {item.name: item.help for item in operation.parameters}
    properties = {
        name: {**kind, **({"description": helps[name]} if helps.get(name) else {})}
        for name, kind in root.get("properties", {}).items()
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if root.get("required"):
        schema["required"] = root["required"]
    return {**schema, "$defs": definitions} if definitions else schema
