"""The address of a place travels sealed, and opens with the words of its invitation alone."""

import pytest

from app.devices import sealed_address
from app.devices.invitation_words import new_secret
from app.errors import InputError

ADDRESS = "https://anna:pass%40word@cloud.example/Keepsake für alle"


def test_an_address_opens_with_its_words() -> None:
    secret = new_secret()
    text = sealed_address.sealed(secret, ADDRESS)
    assert "cloud" not in text
    assert text.isascii()
    assert sealed_address.opened(secret, f"  {text[:40]}\r\n{text[40:]}\n") == ADDRESS


def test_a_plain_address_stays_as_it_is() -> None:
    for address in (ADDRESS, "/home/anna/My sync folder", ""):
        assert sealed_address.opened(new_secret(), address) == address


def test_what_is_damaged_or_of_other_words_is_refused() -> None:
    secret = new_secret()
    text = sealed_address.sealed(secret, ADDRESS)
    for damaged in (text[:-4], text[:-8] + "AAAAAAAA", text + "ü", text + "=", sealed_address.PREFIX):
        with pytest.raises(InputError, match="other words, or is not whole"):
            sealed_address.opened(secret, damaged)
    with pytest.raises(InputError, match="other words"):
        sealed_address.opened(new_secret(), text)
