"""The cache answers what the tokenizer answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from app.embed import wordpiece_cache
from app.embed.wordpiece_cache import WordPieceCache

_PIECES = (
    "[UNK]",
    *"abcdefghijklmnopqrstuvwxyz0123456789.,-_!'é山",
    *(f"##{letter}" for letter in "abcdefghijklmnop12"),
)


def tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(vocab={piece: at for at, piece in enumerate(_PIECES)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


_TOKENIZER = tokenizer()
_ASCII = st.text(st.characters(max_codepoint=127), max_size=60)


def expected(texts: list[str]) -> list[list[int]]:
    return [found.ids for found in _TOKENIZER.encode_batch_fast(texts, add_special_tokens=False)]


@given(st.lists(st.one_of(_ASCII, st.text(max_size=30)), max_size=6))
def test_tokens_are_those_of_the_tokenizer(texts: list[str]) -> None:
    cache = WordPieceCache(_TOKENIZER)
    assert cache.encode(texts) == expected(texts)
    assert cache.encode(texts) == expected(texts)


def test_long_words_and_control_characters_are_read_by_the_tokenizer() -> None:
    cache = WordPieceCache(_TOKENIZER)
    texts = ["a" * 500, "ab\x00ba", "a\x7fb c", "", " \t\n", "Ärger café 山 ab", "a_b-c.d", "\x1cab\x1dba"]
    assert cache.encode(texts) == expected(texts)
    assert all(len(word) < 100 for word in cache._known)


def test_a_full_cache_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece_cache, "MOST_WORDS", 3)
    cache = WordPieceCache(_TOKENIZER)
    for texts in (["a b c"], ["c d"], ["a b c d e f"], ["f a"]):
        assert cache.encode(texts) == expected(texts)
