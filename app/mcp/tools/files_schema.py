"""Schema of the files profile's one tool, Anthropic's memory tool."""

from typing import Any, Final

COMMANDS: Final = ("view", "create", "str_replace", "insert", "delete", "rename")
ROOT: Final = "/memories"

FILES_TOOLS: Final[list[dict[str, Any]]] = [
    {
        "name": "memory",
        "title": "Memory",
        "description": (
            "Your own files under /memories, kept from one conversation to the next; the person can read and change"
            " them. View /memories before you begin, and keep there what you will need later. Commands: view (path,"
            " view_range), create (path, file_text), str_replace (path, old_str, new_str), insert (path, insert_line,"
            " insert_text), delete (path), rename (old_path, new_path)."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "enum": list(COMMANDS), "description": "What to do"},
                "path": {"type": "string", "description": "A file or folder, such as /memories/notes.txt"},
                "view_range": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "description": "First and last line to view; -1 for the end",
                },
                "file_text": {"type": "string", "description": "The text of the file to create"},
                "old_str": {"type": "string", "description": "Text that stands once in the file"},
                "new_str": {"type": "string", "description": "Text in its place"},
                "insert_line": {
                    "type": "integer",
                    "description": "The line to insert after, 0 for the beginning",
                },
                "insert_text": {"type": "string", "description": "Text to insert"},
                "old_path": {"type": "string", "description": "The path of the file or folder to rename"},
                "new_path": {"type": "string", "description": "Its new path"},
            },
            "required": ["command"],
        },
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": False,
            "openWorldHint": False,
        },
    }
]
