"""Twelve words say a secret, and most mistakes are noticed before anything is asked."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.devices.invitation_words import SECRET_BYTES, new_secret, secret_of, words_of
from app.errors import InputError


@given(st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES))
def test_words_say_the_secret(secret: bytes) -> None:
    assert secret_of(words_of(secret)) == secret
    assert secret_of(f"  {words_of(secret).upper().replace(' ', chr(10))}\n") == secret


def test_the_words_are_those_of_the_standard() -> None:
    # From the test vectors of BIP-39.
    assert words_of(bytes(16)) == "abandon " * 11 + "about"
    assert words_of(bytes([0x7F] * 16)) == "legal winner thank year wave sausage worth useful legal winner thank yellow"
    assert words_of(bytes([0xFF] * 16)) == "zoo " * 11 + "wrong"


def test_secrets_differ() -> None:
    assert len({new_secret() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("", "these are 0"),
        ("abandon " * 11, "these are 11"),
        ("abandon " * 13, "these are 13"),
        ("abandon " * 10 + "abandn about", "Is it abandon?"),
        ("abandon " * 11 + "qqqqqq", "place 12 is none"),
        ("abandon " * 12, "do not belong together"),
        ("about " + "abandon " * 11, "do not belong together"),
    ],
)
def test_what_is_wrong_is_said(words: str, reason: str) -> None:
    with pytest.raises(InputError, match=re.escape(reason)):
        secret_of(words)
