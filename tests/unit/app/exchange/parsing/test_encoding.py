import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.exchange.parsing.encoding import decode

TEXT = "# Über\nЗаметка 筆記 😀\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marked_and_plain_unicode(encoding: str) -> None:
    decoded = decode(TEXT.encode(encoding))
    assert decoded is not None
    assert (decoded.text, decoded.repair, decoded.bom) == (TEXT, "", encoding != "utf-8")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_recognised(encoding: str) -> None:
    decoded = decode("A note in plain words.\n".encode(encoding))
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == ("A note in plain words.\n", encoding)
    assert decoded.repair


@pytest.mark.parametrize(("data", "text"), [(b"\xe9t\xe9 \x80", "été €"), (b"\x81\xe9", "\x81é")])
def test_eight_bit_text_is_read_and_reported(data: bytes, text: str) -> None:
    decoded = decode(data)
    assert decoded is not None
    assert decoded.text == text
    assert "not UTF-8" in decoded.repair


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" * 9, bytes(range(256)) * 4, b"\x00" * 64])
def test_binary_is_no_text(data: bytes) -> None:
    assert decode(data) is None


def test_a_few_bad_bytes_do_not_spoil_the_rest() -> None:
    decoded = decode("Größe über Straße ".encode() + b"\xff")
    assert decoded is not None
    assert decoded.text == "Größe über Straße \ufffd"
    assert "1 place in it was not valid UTF-8" in decoded.repair


def test_a_few_nuls_do_not_make_it_binary() -> None:
    decoded = decode(b"words and words and a nul \x00 and more words, on and on")
    assert decoded is not None
    assert "\x00" in decoded.text


@given(st.binary())
def test_any_bytes_are_text_or_not(data: bytes) -> None:
    decode(data)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_utf8_is_read_as_it_is(text: str) -> None:
    decoded = decode(text.encode())
    assert decoded is not None
    assert decoded.text == text.removeprefix("\ufeff")
