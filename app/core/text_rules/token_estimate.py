"""Token counts of texts, estimated without a tokenizer."""

import re
from typing import Final

_WIDE = re.compile(r"[\u0e00-\u0e7f\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
CHARS_PER_TOKEN = 4

# Ids, dates and times, of which a token holds one or two characters, and the brackets around ids.
_DENSE: Final = re.compile(r"(?<![A-Za-z])(?=[a-f]{0,12}\d)[0-9a-f][0-9a-f:.-]{5,}|[⟦⟧]")
_DENSE_CHARS: Final = 1.5
_BRACKET_TOKENS: Final = 3


def estimate_tokens(text: str) -> int:
    """Return the estimated token count.

    A wide-script character counts as one token, four other characters count as one.
    """
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // CHARS_PER_TOKEN)


def estimate_served_tokens(text: str) -> int:
    """Return the estimated token count of text with many ids and dates."""
    dense = _DENSE.findall(text)
    own = sum(_BRACKET_TOKENS if piece in "⟦⟧" else -(-len(piece) // _DENSE_CHARS) for piece in dense)
    return int(own) + estimate_tokens(_DENSE.sub("", text))
