"""Sentences of a message as they stand in it, without code, quotations, lists and questions.

pysbd (the rule-based splitter most used) was tried: it is unmaintained, takes quadratic time on long lines, and knows
nothing of messages.
"""

import re
from collections.abc import Iterator
from typing import Final

MAX_CHARACTERS: Final = 20_000  # read of one message
LONGEST: Final = 320  # characters of a sentence; longer ones are left out

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_LINE: Final = re.compile(r"[^\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
# Quotations, tables, headings, numbered and bulleted lists, markup, and the names before lines of a pasted chat.
_FOREIGN_LINE: Final = re.compile(r"\s*(?:[>|#{}<\[]|\d{1,3}[.)]\s|[-*•–—]\s|[^\s:]{1,30}(?: [^\s:]{1,30})?:\s)")
_END: Final = re.compile(r"[.!?…]+[\"”’»')\]]*\s+|[。！？]+[”』」]*\s*")
_NO_END: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|jr|sr|vs|etc|e\.g|i\.e|no|ca|approx|a\.m|p\.m|[a-z]|nr|hr|fr|bzw|usw|str|sra|srta"
    r"|ud"
    r"|dra|d\.h|z\.b|u\.a|feat|inc|ltd|co|mt|ft|jan|feb|apr|aug|sept?|oct|nov|dec)"
    r"|(?:\b(?:am|vom|zum|bis|den|dem|der|seit|ab|im)|\.) ?\d{1,2})\.\s+\Z",
    re.IGNORECASE,
)
_LOOKED_BACK: Final = 24
_MARKS: Final = re.compile(r"[\"“”„«»「」『』]")


def sentences(text: str) -> Iterator[str]:
    """Return the statements of a message, each a piece of it, word for word.

    Questions, code, lists, quoted lines, and sentences that begin or end within a quotation are left out. Takes time
    linear in the length of the text, of which ``MAX_CHARACTERS`` are read.
    """
    text = text[:MAX_CHARACTERS]
    spans = [match.span() for match in _CODE.finditer(text)]
    for begin, end in zip([0, *(end for _, end in spans)], [*(begin for begin, _ in spans), len(text)], strict=True):
        for line in _LINE.finditer(text, begin, end):
            if not _FOREIGN_LINE.match(line[0]):
                yield from _of_line(line[0])


def _of_line(line: str) -> Iterator[str]:
    is_quoting = False
    begin = 0
    for end in (*_ends(line), len(line)):
        sentence = line[begin:end].strip()
        begin = end
        is_whole = not is_quoting
        if _is_open_after(sentence):
            is_quoting = not is_quoting
        if is_whole and not is_quoting and 0 < len(sentence) <= LONGEST and not _asks(sentence):
            yield sentence


def _ends(line: str) -> Iterator[int]:
    for match in _END.finditer(line):
        following = line[match.end() : match.end() + 1]
        if following.islower() and "?" not in match[0]:
            continue  # three dots, or a name such as Yahoo!
        if match[0][0] == "." and _NO_END.search(line[max(match.end() - _LOOKED_BACK, 0) : match.end()]):
            continue
        yield match.end()


def _is_open_after(sentence: str) -> bool:
    """Return whether a sentence has one half of a quotation."""
    return len(_MARKS.findall(sentence)) % 2 == 1


def _asks(sentence: str) -> bool:
    return sentence.rstrip("\"”»')] !").endswith(("?", "？")) or sentence.startswith("¿")
