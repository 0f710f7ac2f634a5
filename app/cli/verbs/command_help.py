"""Help of verbs and subjects, for a terminal."""

import shutil
import textwrap
from collections.abc import Iterable, Mapping
from typing import Final

from app.cli.verbs.declarations import declarations, names_after
from app.cli.verbs.model import JSON, NUMBER, WHOLE, YES_NO, Verb, VerbParameter
from app.cli.verbs.option_parser import is_flag, takes_several

_LEAST, _MOST = 50, 100
_TERM: Final = 26
_KINDS: Final[Mapping[str, str]] = {WHOLE: "NUMBER", NUMBER: "NUMBER", YES_NO: "true|false|null", JSON: "JSON"}


def verb_help(verb: Verb) -> list[str]:
    """Return the help of a verb, line by line."""
    arguments = [item for item in verb.parameters if item.place == "argument"]
    options = [item for item in verb.parameters if item.place == "option"]
    shown = [(option_term(item), help_words(item)) for item in options]
    if verb.asks:
        shown.append(("--yes", "Do not ask; this cannot be undone."))
    shown += [("--json", "Print the answer as JSON."), ("-h, --help", "Show this help.")]
    usage = " ".join(filter(None, ["keepsake", *verb.words, "[OPTIONS]", synopsis(verb)]))
    lines = [f"Usage: {usage}", "", *_text(verb.summary), *([""] if verb.doc else []), *_text(verb.doc)]
    if explained := [(item.name.upper(), help_words(item)) for item in arguments if item.help or item.choices]:
        lines += ["", "Arguments:", *_rows(explained)]
    return [*lines, "", "Options:", *_rows(shown)]


def subject_help(words: str) -> list[str]:
    """Return the help of a subject with its commands, line by line."""
    about = declarations().subjects.get(words, "")
    return [
        f"Usage: keepsake {words} COMMAND [ARGUMENTS]",
        "",
        *_text(about),
        "",
        "Commands:",
        *_rows(sorted(names_after(words).items())),
    ]


def synopsis(verb: Verb) -> str:
    """Return the arguments of a verb as its usage shows them."""
    return " ".join(_argument(item) for item in verb.parameters if item.place == "argument")


def help_words(item: VerbParameter) -> str:
    """Return the meaning of a parameter, with its choices and default."""
    parts = [item.help]
    if item.choices and item.place == "argument":
        parts.append(f"One of {', '.join(item.choices)}.")
    if item.splits:
        parts.append("Several with commas, or by giving it again.")
    if item.name == "cadence":
        return "'0 9 * * 1 Europe/Berlin' (cron, UTC without a zone), 'every 2h', a time for once, or JSON."
    if item.reads:
        parts.append(
            "'-' reads standard input, '@FILE' a file." if item.reads == "file" else "'-' reads standard input."
        )
    if item.default is not None and item.default is not False:
        default = item.default if isinstance(item.default, list) else [item.default]
        shown = "yes" if item.default is True else ", ".join(map(str, default))
        parts.append(f"[default: {shown}]")
    return " ".join(part for part in parts if part).replace("``", "'")


def _argument(item: VerbParameter) -> str:
    name = item.name.upper()
    if takes_several(item):
        name = (name if item.joins else name.removesuffix("S")) + "..."
    return name if item.required else f"[{name}]"


def option_term(item: VerbParameter) -> str:
    """Return an option with its names and what it takes."""
    names = ", ".join(item.names)
    if is_flag(item):
        return names
    return f"{names} {'|'.join(item.choices) or _KINDS.get(item.kind, item.kind.upper())}"


def _rows(pairs: Iterable[tuple[str, str]]) -> list[str]:
    lines = []
    for term, about in pairs:
        text = textwrap.wrap(about.replace("``", "'"), max(_width() - _TERM - 2, 20)) or [""]
        if len(term) > _TERM - 4:
            lines.append(f"  {term}")
        else:
            lines.append(f"  {term:<{_TERM - 2}}{text.pop(0)}".rstrip())
        lines += [" " * _TERM + line for line in text if line]
    return lines


def _text(text: str) -> list[str]:
    paragraphs = [textwrap.wrap(part.replace("``", "'"), _width()) for part in text.split("\n\n") if part.strip()]
    return [line for at, part in enumerate(paragraphs) for line in ([""] * bool(at) + part)]


def _width() -> int:
    return min(max(shutil.get_terminal_size().columns, _LEAST), _MOST)
