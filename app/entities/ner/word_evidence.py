"""Evidence about the words of a text: how they are written, and their neighbours."""

import re
from collections.abc import Sequence
from functools import cached_property

from app.entities.ner.gazetteer import Gazetteer
from app.entities.ner.word_tokens import CODE, URL, Word

_NEAR = 40  # words to either side that may be of the same sentence, line or link
_SENTENCE = 12  # words to either side that are likely of the same sentence
_TELLING = 4  # letters of a word whose small first letter tells that titles are not capitalised here
_TOKEN = re.compile(r"[^\W_]+")
_FOREIGN = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LIFE = re.compile(r" \((?:born\b|b\. ?\d|\w{3,9} \d\d?, ?\d{4}|\d\d? \w{3,9},? \d{4}|\d{4} ?[-–—])")
_FILE_END = re.compile(r"\.[a-z]{1,4}\b")
_ITALIC = frozenset("*_")
_QUOTES = frozenset(('""', "“”", "„“", "«»", "‘’", "「」", "『』", "《》"))
_OPENING = _ITALIC | {quotes[0] for quotes in _QUOTES}
_DESCRIBED = re.compile(r"\]\([^()\s]{1,300}\)(?: \(\[[^\n]{1,300}\]\([^()\s]{1,300}\)\))* [-–—] ")
_COMPOUND = frozenset(
    ("inspired", "starring", "style", "based", "led", "like", "era", "themed", "directed", "produced")
)
_CONTRACTED = ("n't", "n’t", "'re", "’re", "'ll", "’ll", "'ve", "’ve")
_LEADING = ("Mc", "Mac", "De", "Di", "Du", "La", "Le", "Van", "O'", "O’", "D'", "D’", "L'", "L’")


class WordEvidence:
    """Evidence about the words of one text, which does not decide what they name.

    Args:
        text: The text.
        words: All its words.
        lists: Names and cue words.
    """

    def __init__(self, text: str, words: Sequence[Word], lists: Gazetteer) -> None:
        self._text = text
        self._words = words
        self._lists = lists

    def is_prose(self, begin: int, end: int) -> bool:
        """Return whether words stand among words in small letters, as in a sentence.

        In headings, link texts, list items and titles capitals tell nothing.
        """
        small, capitals = self._around(begin, end)
        return small > 1 and small > capitals

    def is_title_like(self, begin: int, end: int) -> bool:
        """Return whether most of the words around are capitalised."""
        small, capitals = self._around(begin, end)
        return capitals > small

    def _around(self, begin: int, end: int) -> tuple[int, int]:
        """Return the counts of small and capitalised words of the same sentence, line or link."""
        words, small, capitals = self._words, 0, 0
        at = begin
        while at > max(0, begin - _NEAR) and not words[at].first:
            at -= 1
        last = min(len(words), end + _NEAR)
        while at < last:
            word = words[at]
            if at >= end and word.first:
                break
            if not begin <= at < end and (len(word.key) >= _TELLING or not word.capital):
                capitals += word.capital
                small += not word.capital
            at += 1
        return small, capitals

    def is_alone(self, begin: int, end: int) -> bool:
        """Return whether words are all there is of their line, link text or sentence."""
        return self._words[begin].first and (end >= len(self._words) or self._words[end].first)

    def is_product(self, at: int) -> bool:
        """Return whether code or an address of this text has the word in small letters."""
        return self._words[at].bare in self._technical

    @property
    def is_technical(self) -> bool:
        """Return whether the text has code or addresses in it.

        Capitalised words are likelier products there.
        """
        return bool(self._technical)

    @cached_property
    def _technical(self) -> frozenset[str]:
        parts = [match[0] for pattern in (CODE, URL) for match in pattern.finditer(self._text)]
        words = (word for part in parts for word in _TOKEN.findall(part))
        return frozenset(word.casefold() for word in words if word.islower() or word.istitle())

    def is_ordinary(self, at: int) -> bool:
        """Return whether a word is an ordinary one, capitalised or not."""
        bare, lists = self._words[at].bare, self._lists
        return bare in lists.common or bare in lists.ordinary or bare in lists.never

    def is_compound_ordinary(self, at: int) -> bool:
        """Return whether a word is ordinary, or made of ordinary words by hyphens."""
        lists = self._lists
        parts = self._words[at].bare.split("-")
        return self.is_ordinary(at) or all(part in lists.common or part in lists.ordinary for part in parts)

    def is_on_screen(self, at: int) -> bool:
        """Return whether a sentence speaks of what is inside a program: ``notes in Obsidian``."""
        near = self._words[max(0, at - _SENTENCE) : at + _SENTENCE]
        return any(word.key in self._lists.screen_words for word in near)

    def is_after_comma(self, at: int) -> bool:
        """Return whether a comma and a blank part a word from the one before."""
        return self._text[self._words[at - 1].end : self._words[at].start] == ", "

    def is_work(self, begin: int, end: int) -> bool:
        """Return whether words fill quotation marks or italics, as titles of works do."""
        start, stop = self._words[begin].start, self._words[end - 1].end
        before, after = self._text[max(0, start - 2) : start], self._text[stop : stop + 2]
        if before[-1:] in _ITALIC and after[:1] == before[-1:]:
            return before != before[-1:] * 2  # else it is bold
        return after[:1] != "" and before[-1:] + after[:1] in _QUOTES

    def is_opened(self, at: int) -> bool:
        """Return whether a quotation mark or one of italics stands right before a word."""
        return self._text[max(0, self._words[at].start - 1) : self._words[at].start] in _OPENING

    def is_label(self, at: int) -> bool:
        """Return whether a link's text is one word: a possessive, or described after a dash."""
        word = self._words[at]
        if self._text[max(0, word.start - 1) : word.start] != "[" or self._text[word.end : word.end + 1] != "]":
            return False
        return word.possessive or _DESCRIBED.match(self._text, word.end) is not None

    def is_part_of_term(self, begin: int, end: int) -> bool:
        """Return whether a file's ending or a sign joins words to a term: ``Luxor.jl``."""
        start, stop = self._words[begin].start, self._words[end - 1].end
        before, after = self._text[max(0, start - 3) : start], self._text[stop : stop + 6]
        return before.endswith(("/", " + ")) or after.startswith(("/", " + ")) or _FILE_END.match(after) is not None

    def is_plain(self, at: int) -> bool:
        """Return whether a word has no digits, inner capitals or second script."""
        word = self._words[at]
        if not word.capital:
            return False
        if word.text.isascii() and word.text.isalpha() and word.text[1:].islower():  # most of them
            return True
        if any(letter.isdigit() for letter in word.text) or "+" in word.text or "&" in word.text:
            return False
        if _FOREIGN.search(word.text):
            return False
        if len(word.text) == 1 or "." in word.text:
            return True
        return all(self._is_plain_part(part) for part in word.text[: len(word.bare)].split("-") if part)

    @staticmethod
    def _is_plain_part(part: str) -> bool:
        for lead in _LEADING:
            if part.startswith(lead) and part[len(lead) :][:1].isupper():
                part = part[len(lead) :]
                break
        return part[1:].islower() or not part[1:]

    def is_letter(self, at: int) -> bool:
        """Return whether a word is one letter without the dot of an initial."""
        word = self._words[at]
        return len(word.text) == 1 and self._text[word.end : word.end + 1] != "."

    def is_born(self, at: int) -> bool:
        """Return whether dates of a life stand in brackets after a word."""
        return _LIFE.match(self._text, self._words[at].end) is not None

    def is_surname(self, at: int) -> bool:
        """Return whether a word may be a surname after a given name."""
        word = self._words[at]
        if not self.is_plain(at) or word.bare in self._lists.demonyms or word.bare.endswith(_CONTRACTED):
            return False
        parts = word.bare.split("-")
        is_joined = len(parts) > 1 and any(part in self._lists.ordinary for part in parts)
        return not (is_joined or self.is_compound(at) or self.is_ordinary(at) or word.bare in self._lists.thing_ends)

    def is_compound(self, at: int) -> bool:
        """Return whether a word ends as an adjective made of a name does: ``Scorsese-inspired``."""
        first, _, last = self._words[at].bare.rpartition("-")
        return bool(first) and last in _COMPOUND

    def is_known_surname(self, at: int) -> bool:
        """Return whether a word is in the list of surnames."""
        return self.is_plain(at) and self._words[at].bare in self._lists.surnames
