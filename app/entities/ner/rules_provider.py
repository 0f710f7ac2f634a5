"""Provider of names by rules: people, organisations and places by runs of capitalised words.

Small lists and the words around them decide the type.

One pass over the words; each word is looked at a bounded number of times.
"""

from collections.abc import Iterator

from app.entities.ner.classifier import Classification, NameClassifier
from app.entities.ner.gazetteer import gazetteer
from app.entities.ner.han import han_names
from app.entities.ner.provider import KNOWN_CONFIDENCE, MAX_CHARACTERS, MAX_SPANS, KnownNames, NameSpan
from app.entities.ner.word_tokens import words

LONGEST = 8  # words of a name
_ADDING = frozenset({"and", "&", "y", "e"})  # with another small word after it, a new name begins
_LONG = 4  # letters of a known name that stands for itself in small letters


class RulesProvider:
    """Finds names by rules, small lists and what the registry knows."""

    name = "rules"

    def extract(self, text: str, known: KnownNames) -> list[NameSpan]:
        """Return people, organisations, places, projects and known names of any type."""
        read = text[:MAX_CHARACTERS]
        found = list(han_names(read, self.name))
        reader = _Reader(read, known)
        for judged in reader.judgements():
            if len(found) >= MAX_SPANS:
                break
            start, end = reader.words[judged.begin].start, reader.words[judged.end - 1].name_end
            found.append(NameSpan(start, end, read[start:end], judged.type, judged.confidence, self.name))
        return found


class _Reader:
    """Reads one text's words."""

    def __init__(self, text: str, known: KnownNames) -> None:
        self.words = words(text)
        self._known = known
        self._judge = NameClassifier(text, self.words, gazetteer())

    def judgements(self) -> Iterator[Classification]:
        """Yield the names in order; each word is in one at most."""
        words, firsts = self.words, self._known.firsts
        at, count = 0, len(words)
        while at < count:
            word = words[at]
            is_first = word.key in firsts
            if not word.capital and not is_first:
                at += 1
                continue
            known = self._known_at(at) if is_first else None
            if not word.capital:
                if known is not None:
                    yield known
                at = at + 1 if known is None else known.end
                continue
            end = self._run_end(at)
            found = self._judge.run(at, end)
            if known is not None and not _covers(found, known):
                found, end = [known], known.end
            yield from found
            at = end

    def _run_end(self, begin: int) -> int:
        """Return the end of the run of capitalised words that starts at ``begin``.

        It may have small linking words in it.
        """
        end = begin + 1
        while end < len(self.words) and end - begin < LONGEST:
            word = self.words[end]
            if not word.joined or self.words[end - 1].possessive:
                break
            ahead = end
            while ahead < end + 2 and ahead < len(self.words) and self._links(ahead):
                if ahead > end and self.words[end].key in _ADDING:
                    return end
                ahead += 1
            if ahead >= len(self.words) or not self.words[ahead].capital or not self.words[ahead].joined:
                break
            end = ahead + 1
        return end

    def _links(self, at: int) -> bool:
        word = self.words[at]
        return not word.capital and word.joined and word.key in gazetteer().links

    def _known_at(self, begin: int) -> Classification | None:
        """Return the longest known name that begins at ``begin``."""
        key, found = "", None
        for end in range(begin + 1, min(begin + self._known.longest, len(self.words)) + 1):
            word = self.words[end - 1]
            if end > begin + 1 and not word.joined:
                break
            key = f"{key} {word.key}" if key else word.key
            bare = key[:-2] if word.possessive else key
            kind = self._known.types.get(bare)
            if kind is not None and self._is_name(begin, end):
                found = Classification(kind, KNOWN_CONFIDENCE, begin, end)
        return found

    def _is_name(self, begin: int, end: int) -> bool:
        """Return whether these letters are a known name, not an ordinary word.

        A lone word in small letters may be an ordinary one.
        """
        word = self.words[begin]
        if word.capital or end - begin > 1:
            return True
        return len(word.key) >= _LONG and word.key not in gazetteer().common


def _covers(found: list[Classification], known: Classification) -> bool:
    return any(one.begin <= known.begin and one.end >= known.end and one.type == known.type for one in found)
