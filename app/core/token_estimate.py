"""Token counts of texts, estimated without a tokenizer."""

import re

_WIDE = re.compile(r"[\u0e00-\u0e7f\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
CHARS_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Return the estimated token count.

    A wide-script character counts as one token, four other characters count as one.
    """
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // CHARS_PER_TOKEN)
