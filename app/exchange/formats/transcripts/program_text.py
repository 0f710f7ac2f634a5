"""Text that a coding agent's program puts into a person's turn."""

import re
from typing import Final, NamedTuple

# Elements that programs write. A person's own words stand in those of ``_TYPED``.
_TAGS: Final = (
    "bash-input", "bash-stderr", "bash-stdout", "command-args", "command-contents", "command-message", "command-name",
    "environment_context", "environment_details", "ide_diagnostics", "ide_opened_file", "ide_selection",
    "local-command-caveat", "local-command-stderr", "local-command-stdout", "new-diagnostics", "permissions",
    "post-tool-use-hook", "session-start-hook", "session_context", "skill", "system-reminder", "system_reminder",
    "system-warning", "task-notification", "turn_aborted", "user_info", "user_instructions",
    "user-prompt-submit-hook",
)  # fmt: skip
_TYPED: Final = re.compile(r"<(user-memory-input|user_query|user_message)>(.*?)</\1>", re.DOTALL)
_BLOCK: Final = re.compile(
    rf"^[ \t]*<({'|'.join(_TAGS)})(?:\s[^<>\n]*)?>.*?</\1(?:\s[^<>\n]*)?>[ \t]*\n?", re.DOTALL | re.MULTILINE
)
_UNCLOSED: Final = re.compile(rf"\s*<(?:{'|'.join(_TAGS)})(?:\s[^<>\n]*)?>")
_MARK: Final = re.compile(
    r"^[ \t]*\[Request (?:interrupted|cancelled) by (?:the )?user[^\]\n]*\][ \t]*\n?", re.MULTILINE
)
_NAME: Final = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS: Final = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)


class Turn(NamedTuple):
    """Words of the person and text of the program."""

    said: str
    added: str


def parted(content: str) -> Turn:
    """Part a person's turn.

    Args:
        content: The turn as a transcript has it. Elements count where they begin a line, so that a person may write
            about them.
    """
    if "<" not in content and "[Request " not in content:
        return Turn(content, "")
    command, arguments = _NAME.search(content), _ARGUMENTS.search(content)
    typed = _TYPED.sub(lambda match: match[2].strip(), content)
    if _UNCLOSED.match(typed) and not _BLOCK.match(typed.lstrip()):
        return Turn("", content)
    added: list[str] = []

    def keep(match: re.Match[str]) -> str:
        added.append(match[0].strip())
        return ""

    words = _MARK.sub(keep, _BLOCK.sub(keep, typed))
    if not added:
        return Turn(typed, "")
    words = re.sub(r"\n{3,}", "\n\n", words).strip()
    if command is not None and arguments is not None and arguments[1] and arguments[1] not in words:
        # What follows the name of a command is typed by the person.
        words = "\n\n".join(filter(None, (f"{command[1]} {arguments[1]}", words)))
    return Turn(words, "\n".join(added))
