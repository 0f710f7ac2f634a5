"""Plan of an import of a folder: its parts, each with its format.

A folder that is one export, such as Slack's or a vault of notes, is one part. What else lies in it is looked at file by
file, so that exports of all kinds may lie side by side.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice, takewhile
from pathlib import Path, PurePosixPath
from typing import Final

from app.errors import FormatError, KeepsakeError
from app.exchange.formats.chats import chat_detection, chat_records
from app.exchange.formats.detect import detect
from app.exchange.formats.known_formats import SPECS, of_kind
from app.exchange.formats.markdown import NOTE_SUFFIXES
from app.exchange.formats.memory_systems.memory_database import VAULT_ADVICE, VAULT_DATABASE, is_vault
from app.exchange.formats.notebooks import apple_notes, documents, notion
from app.exchange.formats.notebooks.obsidian import CANVAS, linked_names
from app.exchange.importing import unread_words
from app.exchange.importing.source_files import CONVERSATIONS
from app.exchange.importing.unread_files import FILES, FileAccount, is_media, left_out
from app.exchange.model import MIXED
from app.memories.foreign_record import Problem
from app.sentence import Sentence, counted_sentence, joined

_DOCUMENTS: Final = frozenset(spec.name for spec in of_kind("document"))
_GROUPED: Final = frozenset(spec.name for spec in of_kind("transcript", "document", "notes"))
_CONVERSATIONS: Final = frozenset({"chatgpt", "claude"})
_AS_WHOLE: Final = frozenset(spec.name for spec in SPECS.values() if spec.is_folder)
MAX_LOOKED_AT: Final = 20_000
# Of files that may hold words; pictures and sound are none of an import's business by themselves.
_LOOKED_AT: Final = frozenset({".ndjson", ".zip", ".xml"}).union(*(spec.suffixes for spec in SPECS.values()))
_MAX_NOTE_BYTES: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class FolderPart:
    """A part of a folder.

    Args:
        name: Its place in the folder, for a person and to leave it out; ``.`` for the folder itself.
        format: Its format.
        paths: What is read.
    """

    name: str
    format: str
    paths: tuple[Path, ...]


@dataclass(slots=True)
class FolderPlan:
    """Parts of a folder, and what is said of the rest.

    Args:
        parts: The parts.
        problems: Files that no part holds and no reader names.
        passed: What a search passes over wherever it lies: hidden files, links, pipes.
        words: Files with words that no part holds, wherever they lie.
    """

    parts: list[FolderPart] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    passed: list[Problem] = field(default_factory=list)
    words: list[Problem] = field(default_factory=list)

    @property
    def remarks(self) -> list[Problem]:
        """All that is said of what no part holds."""
        return [*self.problems, *self.passed, *self.words]

    @property
    def format(self) -> str:
        """Format of its parts, ``mixed`` where they are of several."""
        formats = {part.format for part in self.parts}
        return formats.pop() if len(formats) == 1 else MIXED


def plan(
    folder: Path, cancelled: Callable[[], bool] = lambda: False, *, max_looked_at: int = MAX_LOOKED_AT
) -> FolderPlan:
    """Return the parts of a folder.

    Args:
        folder: The folder.
        cancelled: Asked before each file; the search stops when it says so.
        max_looked_at: How many files that are no notes are looked at; the others are named.
    """
    return _Search(folder.resolve(), cancelled, max_looked_at).plan()


def is_one(plan: FolderPlan, folder: Path, fmt: str) -> bool:
    """Return whether a folder is read as one export.

    Args:
        plan: Its plan.
        folder: The folder.
        fmt: The format of the folder as a whole, ``""`` for none.
    """
    if any(problem.lost for problem in plan.problems) or not fmt:
        return False
    if len(plan.parts) == 1 and plan.parts[0].paths == (folder.resolve(),):
        return True
    formats = {part.format for part in plan.parts}
    alike = {*_DOCUMENTS, "markdown"} if fmt == documents.NAME else {fmt}
    return formats <= alike and fmt != "markdown"


def whole(plan: FolderPlan, folder: Path, fmt: str) -> FolderPlan | None:
    """Return the plan of a folder that is one export.

    It is ``None`` where its reader itself names all that it passes over, and no words are among that.

    Args:
        plan: Its plan.
        folder: The folder.
        fmt: Its format.
    """
    # Beside other remarks those of the reader of notes on files that are no notes do not count.
    names_others = SPECS[fmt].names_others and not (fmt == "markdown" and plan.words)
    problems = [*([] if names_others else plan.problems), *([] if fmt == "markdown" else plan.passed)]
    problems += plan.words
    return FolderPlan([FolderPart(".", fmt, (folder.resolve(),))], problems) if problems else None


class _Search:
    """Search for the parts of a folder."""

    def __init__(self, root: Path, cancelled: Callable[[], bool], max_looked_at: int) -> None:
        self._max_looked_at = max_looked_at
        self._root = root
        self._cancelled = cancelled
        self._remarks = chat_records.FolderRemarks()
        listed = takewhile(lambda _name: not cancelled(), chat_records.listed(root, self._remarks))
        self._names = list(islice(listed, chat_records.MAX_FILES))
        self._beyond = sum(1 for _name in listed)
        self._wholes: dict[str, str] = {}
        self._vaults: list[str] = []
        self._unknown: list[str] = []
        self._empty: list[str] = []
        self._words = unread_words.WordFiles()
        self._plan = FolderPlan()

    def plan(self) -> FolderPlan:
        rest = self._without_wholes("", self._names)
        self._plan.parts += [self._part(name or ".", fmt, [name]) for name, fmt in self._wholes.items()]
        notes = [
            name for name in rest if _suffix(name) in NOTE_SUFFIXES and not PurePosixPath(name).name.startswith("._")
        ]
        roots = list(self._note_roots("", notes))
        self._plan.parts += [self._part(name or ".", "markdown", [name]) for name in roots]
        others = [name for name in rest if _suffix(name) not in NOTE_SUFFIXES]
        others = [name for name in others if not (roots and _suffix(name) == CANVAS)]
        attached = self._attached(notes) if others else frozenset()
        others = [name for name in others if PurePosixPath(name).name.casefold() not in attached]
        self._look_at([name for name in others if not is_media(name)])
        self._tell_unknown([name for name in others if is_media(name)])
        self._tell_passed(roots)
        self._plan.words += self._words.problems(self._root.name)
        return self._plan

    def _attached(self, notes: Iterable[str]) -> frozenset[str]:
        """Return the names of the files that notes link to, in lower case."""
        names: set[str] = set()
        for note in takewhile(lambda _note: not self._cancelled(), notes):
            with suppress(OSError), (self._root / note).open("rb") as stream:
                names.update(linked_names(stream.read(_MAX_NOTE_BYTES).decode("utf-8", "replace")))
        return frozenset(names)

    def _part(self, name: str, fmt: str, names: Iterable[str]) -> FolderPart:
        return FolderPart(name, fmt, tuple(self._root / name for name in names))

    def _without_wholes(self, folder: str, names: list[str]) -> list[str]:
        """Note the folders that are one export, and return the files that belong to none."""
        inside = [name.removeprefix(f"{folder}/") if folder else name for name in names]
        if VAULT_DATABASE in inside and is_vault(self._root / folder):
            if any(_suffix(name) in NOTE_SUFFIXES for name in names):
                self._vaults.append(folder)
            place = f"{folder or self._root.name}/{VAULT_DATABASE}"
            self._plan.problems.append(
                Problem(
                    place,
                    Sentence("It is a Keepsake vault and was left out. {advice}", advice=Sentence(VAULT_ADVICE)),
                )
            )
            return []
        fmt = _whole_format(self._root / folder, inside)
        if fmt:
            self._wholes[folder] = fmt
            whole_names = {name for name, own in zip(names, inside, strict=True) if _belongs(fmt, own)}
            names = [name for name in names if name not in whole_names]
            if SPECS[fmt].kind == "notebook":
                return []
        rest: list[str] = []
        for child, below in _children(folder, names).items():
            rest += below if child is None else self._without_wholes(child, below)
        return rest

    def _note_roots(self, folder: str, notes: list[str]) -> Iterator[str]:
        """Yield the folders, or single files, that hold notes and no whole export."""
        if not notes:
            return
        apart = (*self._wholes, *self._vaults)
        is_apart = any(whole == folder or not folder or whole.startswith(f"{folder}/") for whole in apart)
        if not is_apart:
            yield folder
            return
        for child, below in _children(folder, notes).items():
            yield from below if child is None else self._note_roots(child, below)

    def _look_at(self, names: list[str]) -> None:
        by_format: defaultdict[str, list[str]] = defaultdict(list)
        looked_at = [name for name in names if _suffix(name) in _LOOKED_AT]
        self._unknown += [name for name in names if _suffix(name) not in _LOOKED_AT]
        for name in looked_at[: self._max_looked_at]:
            if self._cancelled():
                return
            if fmt := self._format_of(name):
                by_format[fmt].append(name)
        if beyond := looked_at[self._max_looked_at :]:
            kind = Sentence("beyond the {most} that are looked at in one folder", most=self._max_looked_at)
            advice = Sentence("Import the folders in it one by one.")
            self._plan.problems.append(left_out(self._root.name, beyond, FILES, kind, advice=advice))
        for fmt, format_names in by_format.items():
            if fmt in _GROUPED and len(format_names) > 1:
                folder = os.path.commonpath([str(PurePosixPath(name).parent) for name in format_names])
                self._plan.parts.append(self._part(f"{folder or '.'} ({fmt})", fmt, format_names))
            else:
                self._plan.parts += [self._part(name, fmt, [name]) for name in format_names]

    def _format_of(self, name: str) -> str:
        """Return the format of a file, ``""`` for none."""
        path = self._root / name
        try:
            if not path.stat().st_size:
                self._empty.append(name)
                return ""
            fmt = detect(path, self._cancelled)
        except FormatError as error:
            if error.data.get("unknown"):
                self._unknown.append(name)
            else:
                # Which formats there are is no matter of one file.
                values = {field: value for field, value in error.sentence.values.items() if field != "supported"}
                template = error.sentence.template.removesuffix(" {supported}")
                self._plan.problems.append(Problem(name, Sentence(template, **values)))
            return ""
        except (KeepsakeError, OSError) as error:
            self._plan.problems.append(
                Problem(
                    name,
                    Sentence(
                        "It could not be read and was left out: {error}",
                        error=error.sentence if isinstance(error, KeepsakeError) else error,
                    ),
                )
            )
            return ""
        if SPECS[fmt].needs_secret:
            self._plan.problems.append(
                Problem(name, Sentence("It needs its passphrase or key and was left out; import it alone."))
            )
            return ""
        return fmt

    def _tell_unknown(self, media: list[str]) -> None:
        """Name the files that are in no part."""
        problems, place = self._plan.problems, self._root.name
        is_alone = len(self._plan.parts) == 1
        exports = [folder for folder, fmt in self._wholes.items() if is_alone and fmt in _CONVERSATIONS]
        within = [name for name in self._unknown if any(_is_below(name, folder) for folder in exports)]
        others = [name for name in self._unknown if name not in within]
        # What an account holds beside its conversations is no loss.
        accounts = [folder for folder, fmt in self._wholes.items() if fmt in _AS_WHOLE]
        products = [name for name in others if any(_is_below(name, folder) for folder in accounts)]
        foreign = (name for name in others if name not in products)
        if others := [*products, *self._without_words(foreign, unread_words.foreign_words)]:
            problems.append(left_out(place, others, FILES, Sentence("in no format that is known"), lost=False))
        account = FileAccount()
        for name in within:
            account.add(name, 1)
        problems += account.problems(place)
        if self._empty:
            problems.append(left_out(place, self._empty, FILES, Sentence("without contents"), lost=False))
        if media:
            nouns = (Sentence("picture or recording"), Sentence("pictures or recordings"))
            problems.append(left_out(place, media, nouns, Sentence("that no note shows"), lost=False))
        if self._beyond:
            sentence = counted_sentence(
                self._beyond,
                "It has more than {most} files; 1 more file was not looked at.",
                "It has more than {most} files; {count} more files were not looked at.",
                most=chat_records.MAX_FILES,
            )
            advice = Sentence("Import the folders in it one by one.")
            problems.append(Problem(place, joined((sentence, advice)), count=self._beyond))

    def _tell_passed(self, roots: list[str]) -> None:
        """Name what the search passes over, except where a reader of notes does."""
        problems, place, remarks = self._plan.passed, self._root.name, self._remarks
        apart = {
            group: [name for name in names if not any(_is_below(name, root) for root in roots)]
            for group, names in (("hidden", remarks.hidden), ("links", remarks.links), ("special", remarks.special))
        }
        # A reader of notes takes hidden notes as any others.
        unread = [name for name in remarks.hidden if name in apart["hidden"] or _suffix(name) not in NOTE_SUFFIXES]
        hidden = unread_words.hidden_files(self._root, unread)
        at_top = set(apart["hidden"])
        wordless = {name for name in self._without_words(hidden, unread_words.hidden_words) if name in at_top}
        if listed_names := [name for name in apart["hidden"] if (self._root / name).is_dir() or name in wordless]:
            problems.append(
                left_out(
                    place,
                    listed_names,
                    (Sentence("hidden file or folder"), Sentence("hidden files or folders")),
                    lost=False,
                )
            )
        if listed_names := apart["links"]:
            kind = Sentence("that leads out of it or nowhere")
            if len(listed_names) > 1:
                kind = Sentence("that lead out of the folder or nowhere")
            problems.append(left_out(place, listed_names, (Sentence("link"), Sentence("links")), kind))
        if listed_names := apart["special"]:
            nouns = (Sentence("pipe, socket or device"), Sentence("pipes, sockets or devices"))
            problems.append(left_out(place, listed_names, nouns, lost=False))
        for name, why in remarks.unreadable.items():
            if not any(_is_below(name, root) for root in roots):
                problems.append(Problem(name, Sentence("It could not be read: {why}.", why=why)))

    def _without_words(self, names: Iterable[str], problem: Callable[[str], Problem]) -> Iterator[str]:
        """Yield the files that hold no words, and name the others."""
        for name in takewhile(lambda _name: not self._cancelled(), names):
            if unread_words.may_hold_words(name) and self._holds_words(name):
                self._words.add(problem(name))
            else:
                yield name

    def _holds_words(self, name: str) -> bool:
        try:
            with (self._root / name).open("rb") as stream:
                return unread_words.holds_words(name, stream)
        except OSError as error:
            self._plan.problems.append(
                Problem(name, Sentence("It could not be read: {strerror}.", strerror=error.strerror or error))
            )
            return False


def _is_below(name: str, folder: str) -> bool:
    return not folder or name == folder or name.startswith(f"{folder}/")


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _children(folder: str, names: Iterable[str]) -> dict[str | None, list[str]]:
    """Return the files of each inner folder, and under ``None`` those beside them."""
    children: dict[str | None, list[str]] = defaultdict(list)
    start = len(folder) + 1 if folder else 0
    for name in names:
        child, slash, _ = name[start:].partition("/")
        children[f"{name[:start]}{child}" if slash else None].append(name)
    return children


def _whole_format(folder: Path, names: list[str]) -> str:
    """Return the format of a folder that is one export, ``""`` for others."""
    if any("/" not in name and CONVERSATIONS.fullmatch(name) for name in names):
        try:
            return detect(folder)
        except FormatError:
            return ""
    if notion.is_export(names):
        return notion.NAME
    if (fmt := chat_detection.by_names(names)) in _AS_WHOLE and _is_at_top(fmt, names):
        return fmt
    return apple_notes.NAME if apple_notes.is_export(names, folder.name) else ""


def _is_at_top(fmt: str, names: list[str]) -> bool:
    """Return whether an export is the folder itself, and not one deeper folder."""
    own = [name for name in names if SPECS[fmt].files.fullmatch(name)]
    is_at_top = len({name.partition("/")[0] for name in own}) > 1 or any("/" not in name for name in own)
    return is_at_top or chat_detection.by_names(name.partition("/")[2] for name in own) != fmt


def _belongs(fmt: str, name: str) -> bool:
    """Return whether a file is part of an export that a folder is."""
    if fmt in _CONVERSATIONS:
        parts = PurePosixPath(name).parts
        is_own = CONVERSATIONS.fullmatch(name) is not None and len(parts) == 1
        is_file = fmt == "chatgpt" and _suffix(name) not in _LOOKED_AT | NOTE_SUFFIXES
        return is_own or parts[0] in ("projects", "projects.json", "memories.json") or is_file
    return fmt not in _AS_WHOLE or SPECS[fmt].files.fullmatch(name) is not None
