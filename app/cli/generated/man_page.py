"""The manual page, from the declarations."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from app import __version__
from app.cli.verbs.command_help import help_words, option_term, synopsis
from app.cli.verbs.generation import about_subject
from app.cli.verbs.model import Verb

_STATUSES: Final = (
    ("0", "Done."),
    ("1", "Something was left out, or is wrong, or the person said no."),
    ("2", "Wrong usage."),
    ("65", "Wrong input."),
    ("69", "Keepsake is not running, where it has to be."),
    ("70", "An error inside Keepsake."),
    ("74", "A failure of the machine."),
    ("75", "Another program has the vault open."),
    ("77", "Not allowed."),
    ("130", "Interrupted."),
)
_VARIABLES: Final = (
    ("KEEPSAKE_VAULT", "The vault's folder, unless --vault names one."),
    ("KEEPSAKE_TOKEN", "The token of an agent; commands are then called as that agent."),
    ("KEEPSAKE_PASSPHRASE", "The passphrase of an encrypted vault, where nobody can be asked for it."),
    ("NO_COLOR", "Nothing is shown in bold."),
)
_EXAMPLES: Final = (
    ("keepsake note save 'Roses' -  < roses.md", "Store a file as a note."),
    ("keepsake memory search 'tag:garden roses'", "Search, with the reason for each hit."),
    ("keepsake note list --tag old --json | keepsake note delete-many -", "Delete what a list shows."),
    ("keepsake agent add claude --trust inner --stores shared,social", "Let an agent in."),
)


def man_page(commands: dict[str, Any], verbs: Iterable[Verb]) -> str:
    """Return the manual page in the language of man.

    Args:
        commands: The commands written by hand, by their words; ``""`` is the program itself.
        verbs: The commands made from the catalogue.
    """
    root = commands[""]
    lines = [
        f'.TH KEEPSAKE 1 "" "Keepsake {__version__}" "User Commands"',
        ".SH NAME",
        "keepsake \\- keep one person's long\\-term memory",
        ".SH SYNOPSIS",
        ".B keepsake",
        "[\\fIOPTION\\fR]... [\\fICOMMAND\\fR [\\fIARGUMENT\\fR]...]",
        ".SH DESCRIPTION",
        *_paragraphs(root.help or ""),
        ".PP",
        *_paragraphs(
            "Answers are tables for a person. In a pipe they are lines with tabs, the id first, and with --json the"
            " JSON that the operation answers. Where a text or a list is taken, '-' reads it from standard input."
        ),
        ".SH OPTIONS",
        *_options(root),
        ".SH COMMANDS",
    ]
    for words, command in commands.items():
        if words and not command.hidden:
            lines += _command(words, command)
    for subject, group in groupby(verbs, lambda item: " ".join(item.words[:-1])):
        about = about_subject(subject)
        lines += [f".SH {_text(subject.upper())}", *([_text(about)] if about else [])]
        for item in group:
            lines += _verb(item)
    lines += [".SH EXIT STATUS", *_definitions(_STATUSES), ".SH ENVIRONMENT", *_definitions(_VARIABLES)]
    lines += [".SH EXAMPLES", *_definitions(_EXAMPLES)]
    return "\n".join(lines) + "\n"


def _command(words: str, command: Any) -> Iterator[str]:
    names = [_placeholder(item) for item in command.params if item.param_type_name == "argument"]
    yield from _tagged(" ".join([f"keepsake {words}", *names]))
    yield from _paragraphs(command.help or "", is_tagged=True)
    yield from _nested(_options(command))


def _placeholder(item: Any) -> str:
    name = str(item.name).upper().strip("_") + ("..." if item.nargs == -1 else "")
    return name if item.required else f"[{name}]"


def _verb(item: Verb) -> Iterator[str]:
    yield from _tagged(" ".join(["keepsake", *item.words, synopsis(item)]))
    yield from _paragraphs(f"{item.summary}\n\n{item.doc}", is_tagged=True)
    shown = [
        (option_term(parameter), help_words(parameter)) for parameter in item.parameters if parameter.place == "option"
    ]
    if item.asks:
        shown.append(("--yes", "Do not ask; this cannot be undone."))
    yield from _nested(list(_definitions(shown)))


def _options(command: Any) -> list[str]:
    options = [item for item in command.params if item.param_type_name == "option" and item.help]
    return list(_definitions((", ".join([*item.opts, *item.secondary_opts]), item.help) for item in options))


def _definitions(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, about in pairs:
        yield from _tagged(term)
        yield _text(about) if about else "\\&"


def _tagged(term: str) -> list[str]:
    return [".TP", f"\\fB{_text(term)}\\fR"]


def _nested(lines: list[str]) -> list[str]:
    return [".RS", *lines, ".RE"] if lines else []


def _paragraphs(text: str, *, is_tagged: bool = False) -> list[str]:
    parts = [" ".join(part.split()) for part in text.replace("``", "'").split("\n\n") if part.strip()]
    lines = [line for part in parts for line in (".IP" if is_tagged else ".PP", _text(part))]
    return lines[1:]


def _text(text: str) -> str:
    """Return a text with what steers the formatter escaped."""
    escaped = text.replace("``", "'").replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    escaped = escaped.replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^([.'])", r"\\&\1", escaped)
