"""Completion for bash, zsh and fish, from the generated file of commands.

Typer's own completion makes every command to list their names, and loads ``rich`` for their help: half a second a key.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from app.cli.verbs.declarations import declarations, names_after, verb
from app.cli.verbs.model import JSON, YES_NO, CommandShape, OptionShape, shape_of

VARIABLE: Final = "_KEEPSAKE_COMPLETE"

_SCRIPTS: Final = {
    "bash": """\
_keepsake_completion() {
    local IFS=$'\\n'
    COMPREPLY=( $( COMP_LINE_WORDS="${COMP_WORDS[*]:0:COMP_CWORD+1}" _KEEPSAKE_COMPLETE=bash "$1" 2>/dev/null ) )
}
complete -o default -o bashdefault -F _keepsake_completion keepsake
""",
    "zsh": """\
#compdef keepsake
_keepsake() {
    local -a found
    found=( ${(f)"$( COMP_LINE_WORDS="${(F)words[1,CURRENT-1]}" COMP_CURRENT="${words[CURRENT]}" \\
        _KEEPSAKE_COMPLETE=zsh ${words[1]} 2>/dev/null )"} )
    if (( ${#found} )); then
        _describe 'keepsake' found
    else
        _files
    fi
}
if [ "$funcstack[1]" = _keepsake ]; then _keepsake "$@"; else compdef _keepsake keepsake; fi
""",
    "fish": """\
function __keepsake_complete
    set -lx COMP_LINE_WORDS (commandline -opc | string collect)
    set -lx COMP_CURRENT (commandline -ct)
    set -lx _KEEPSAKE_COMPLETE fish
    keepsake 2>/dev/null
end
complete --command keepsake --keep-order --arguments '(__keepsake_complete)'
""",
}
_HELP: Final = OptionShape(("--help",), "Show this message and exit.", takes_value=False)
_AS_JSON: Final = OptionShape(("--json",), "Print the answer as JSON.", takes_value=False)
_YES: Final = OptionShape(("--yes",), "Do not ask.", takes_value=False)


def script(shell: str) -> str:
    """Return what a shell reads to complete the command line."""
    return _SCRIPTS[shell]


def print_candidates(shell: str) -> None:
    """Print the candidates for the end of the line that a shell completes."""
    words = _typed()
    for text, about in candidates(words[1:] or [""]):
        if shell == "zsh":
            sys.stdout.write(text.replace(":", "\\:") + (f":{about}" if about else "") + "\n")
        elif shell == "fish":
            sys.stdout.write(f"{text}\t{about}\n" if about else f"{text}\n")
        else:
            sys.stdout.write(f"{text}\n")


def candidates(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the candidates for the last word, each with a line about it.

    Args:
        words: What was typed after the program's name; the last one may be empty or half a word.
    """
    *before, last = words
    candidates = [(text, about) for text, about in _candidates(before, last) if text.startswith(last)]
    return list(dict(candidates).items())


def _candidates(before: Sequence[str], last: str) -> Iterator[tuple[str, str]]:
    path, shape, waiting, arguments = "", _shape(""), None, 0
    is_only_arguments = False
    for word in before:
        if waiting is not None:
            waiting = None
        elif word == "--":
            is_only_arguments = True
        elif word.startswith("-") and not is_only_arguments:
            waiting = _option_that_waits(shape, word)
        elif shape.is_group and word in names_after(path):
            path = f"{path} {word}".strip()
            shape = _shape(path)
        else:
            arguments += 1
    if waiting is not None:
        yield from _choices(waiting, last)
    elif last.startswith("-") and not is_only_arguments:
        yield from ((name, item.help) for item in shape.options for name in item.names if name.startswith("--"))
    elif shape.is_group:
        yield from names_after(path).items()
    elif shape.arguments:
        yield from _choices(shape.arguments[min(arguments, len(shape.arguments) - 1)], last)


def _option_that_waits(shape: CommandShape, word: str) -> OptionShape | None:
    option = next((item for item in shape.options if word in item.names), None)
    return option if option is not None and option.takes_value else None


def _choices(item: OptionShape, last: str) -> Iterator[tuple[str, str]]:
    head, comma, _ = last.rpartition(",") if item.splits else ("", "", last)
    chosen = set(head.split(","))
    yield from ((head + comma + choice, "") for choice in item.choices if choice not in chosen)


def _shape(words: str) -> CommandShape:
    """Return a command, with the options that every command has."""
    known = declarations()
    if words in known.commands:
        shape = shape_of(known.commands[words])
        is_group = shape.is_group or not words
        return CommandShape(shape.summary, shape.hidden, is_group, (*shape.options, _HELP), shape.arguments)
    declaration = verb(words)
    if declaration is None:
        return CommandShape(is_group=True, options=(_HELP,))
    shapes: dict[str, list[OptionShape]] = {"option": [], "argument": [], "hidden": []}
    for item in declaration.parameters:
        is_flag = item.kind == YES_NO and not item.nullable
        splits = item.splits and item.kind != JSON
        shapes[item.place].append(OptionShape(item.names, item.help, item.choices, not is_flag, splits))
    own = (_AS_JSON, _YES, _HELP) if declaration.asks else (_AS_JSON, _HELP)
    return CommandShape(declaration.summary, options=(*shapes["option"], *own), arguments=tuple(shapes["argument"]))


def _typed() -> list[str]:
    """Return the words of the line up to the cursor, the program's name first."""
    typed_words = os.environ.get("COMP_LINE_WORDS")
    if typed_words is not None:
        current = os.environ.get("COMP_CURRENT")
        return typed_words.split("\n") if current is None else [*typed_words.split("\n"), current]
    words = os.environ.get("COMP_WORDS", "").split()  # as a script written by an older Keepsake gives them
    at = int(os.environ.get("COMP_CWORD") or len(words))
    return [*words[:at], words[at] if at < len(words) else ""]
