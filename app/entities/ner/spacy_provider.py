"""Provider of names by a spaCy pipeline.

The only file that imports spaCy, and only when it reads.
"""

import importlib.util
import logging
from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

from app.entities.model import EntityType
from app.entities.ner.provider import MAX_SPANS, KnownNames, NameSpan

_log = logging.getLogger(__name__)

MOST_CHARACTERS: Final = 20_000  # of one text; the memory that a pipeline takes grows with it
_CONFIDENCE: Final = 0.5  # fills gaps of the rules: measured in tests.bench.ner
_SIZES: Final = ("_trf", "_lg", "_md", "_sm")  # the best first
_LATIN: Final = frozenset(
    ("en", "de", "fr", "es", "it", "pt", "nl", "da", "nb", "sv", "fi", "pl", "ro", "ca", "hr", "lt", "sl")
)
_UNUSED: Final = ("parser", "lemmatizer", "textcat", "textcat_multilabel")
_LAST_LATIN: Final = 0x24F
_LABELS: Final[dict[str, EntityType]] = {
    "PERSON": "person",
    "PER": "person",
    "ORG": "organization",
    "ORGANIZATION": "organization",
    "CORPORATION": "organization",
    "GROUP": "organization",
    "GPE": "location",
    "LOC": "location",
    "LOCATION": "location",
    "FAC": "location",
    "WORK_OF_ART": "other",
    "CREATIVE-WORK": "other",
    "PRODUCT": "other",
    "EVENT": "other",
    "LAW": "other",
    "MISC": "other",
}


@cache
def _is_installed() -> bool:
    return importlib.util.find_spec("spacy") is not None


@cache
def installed_pipelines() -> tuple[str, ...]:
    """Return the names of the installed pipelines, the best first, without importing spaCy."""
    if not _is_installed():
        return ()
    names = {entry.name for entry in entry_points(group="spacy_models")}
    return tuple(sorted(names, key=lambda name: (_size(name), not name.startswith("en_"), name)))


def _size(name: str) -> int:
    return next((rank for rank, mark in enumerate(_SIZES) if mark in name), len(_SIZES))


class SpacyProvider:
    """Finds names with a pipeline, loaded at the first text and kept until ``release``.

    Args:
        pipeline: Returns the name or folder of the pipeline; empty for the best installed one.
    """

    name = "spacy"

    def __init__(self, pipeline: Callable[[], str] = lambda: "") -> None:
        self._pipeline = pipeline
        self._loaded: tuple[str, Any] | None = None
        self._broken = ""
        self.failure = ""

    @property
    def is_available(self) -> bool:
        """Return whether spaCy and a pipeline are installed and not known to be broken."""
        chosen = self._chosen()
        return bool(chosen) and chosen != self._broken

    def extract(self, text: str, known: KnownNames) -> list[NameSpan]:
        """Return names in ``text``, of which at most ``MOST_CHARACTERS`` are read; ``known`` is not needed.

        Nothing is found, and ``failure`` says why, where the pipeline cannot be loaded or does not work.
        """
        del known
        chosen = self._chosen()
        if not chosen or chosen == self._broken:
            return []
        try:
            found = self._nlp(chosen)(text[:MOST_CHARACTERS]).ents
        except Exception as error:  # noqa: BLE001  (pipelines are others' code and fail in any way)
            self._broken, self._loaded = chosen, None
            self.failure = f"The spaCy pipeline '{chosen}' does not work ({type(error).__name__}). Install it again."
            _log.info("the spaCy pipeline failed: %s", type(error).__name__)
            return []
        is_small, is_latin = _SIZES[-1] in chosen, self._nlp(chosen).lang in _LATIN
        spans = (self._span(one) for one in list(found)[:MAX_SPANS])
        return [span for span in spans if span is not None and _is_likely(span, is_small=is_small, is_latin=is_latin)]

    def release(self) -> None:
        """Drop the pipeline, which takes a hundred megabytes and more."""
        self._loaded = None

    def _chosen(self) -> str:
        if not _is_installed():
            return ""
        wanted = self._pipeline().strip()
        installed = installed_pipelines()
        if not wanted:
            return installed[0] if installed else ""
        return wanted if wanted in installed or Path(wanted).is_dir() else ""

    def _nlp(self, chosen: str) -> Any:
        if self._loaded is None or self._loaded[0] != chosen:
            import spacy  # noqa: PLC0415  (an extra, and slow to import)

            nlp = spacy.load(chosen)
            for pipe in _UNUSED:
                if pipe in nlp.pipe_names:
                    nlp.disable_pipe(pipe)
            self._loaded = (chosen, nlp)
        return self._loaded[1]

    def _span(self, found: Any) -> NameSpan | None:
        kind, text = _LABELS.get(str(found.label_).upper()), str(found.text)
        start = int(found.start_char) + len(text) - len(text.lstrip())
        clean = text.strip()
        if clean.casefold().startswith("the ") and kind != "other":
            start, clean = start + len("the "), clean[len("the ") :]
        for ending in ("'s", "’s"):
            clean = clean.removesuffix(ending)
        if kind is None or not any(letter.isalpha() for letter in clean):
            return None
        return NameSpan(start, start + len(clean), clean, kind, _CONFIDENCE, self.name)


def _is_likely(span: NameSpan, *, is_small: bool, is_latin: bool) -> bool:
    """Return whether a find is worth keeping.

    Small pipelines mistake many single words for organisations and things, and text of other scripts for names.
    """
    if is_latin and not any(letter.isalpha() and ord(letter) <= _LAST_LATIN for letter in span.text):
        return False
    return not (is_small and span.type in {"organization", "other"} and " " not in span.text)
