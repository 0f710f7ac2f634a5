"""Documentation of the fields of a dataclass."""

import inspect
import re
from typing import Any


def field_docs(kind: Any) -> dict[str, str]:
    """Return what the docstring of a dataclass says of its fields, by name."""
    arguments = (inspect.getdoc(kind) or "").partition("\nArgs:\n")[2]
    return {
        name: " ".join(match[2].split())
        for match in re.finditer(r"^ {4}([\w, ]+): (.*(?:\n {8,}.*)*)", arguments, re.MULTILINE)
        for name in match[1].split(", ")
    }
