"""Encrypted files: the passphrase opens them, another does not, and a damaged beginning is told from that."""

import io
import json
import unicodedata

import pytest

from app.encryption.encrypted_file import MAGIC, EncryptedReader, EncryptedWriter, is_encrypted_file
from app.errors import FormatError, InputError, WrongPassphraseError
from tests.helpers.encryption import PASSPHRASE

DATA = b"Prune the roses in March. " * 10_000


def written(passphrase: str = PASSPHRASE, data: bytes = DATA) -> bytes:
    file = io.BytesIO()
    writer = EncryptedWriter(file, passphrase)
    writer.write(data)
    writer.end()
    return file.getvalue()


def read(data: bytes, passphrase: str = PASSPHRASE) -> bytes:
    reader, found = EncryptedReader(io.BytesIO(data), passphrase, "all.keepsake"), b""
    while piece := reader.read(1 << 16):
        found += piece
    return found


@pytest.fixture(scope="module")
def file() -> bytes:
    return written()


def test_the_passphrase_opens_it_and_another_does_not(file: bytes) -> None:
    assert is_encrypted_file(file)
    assert b"roses" not in file
    assert read(file) == DATA
    with pytest.raises(WrongPassphraseError, match=r"not the passphrase of all\.keepsake"):
        read(file, PASSPHRASE + ".")


def test_two_files_of_the_same_have_nothing_in_common() -> None:
    one, other = written(), written()
    assert read(one) == read(other)
    start = len(MAGIC) + 400
    assert not {one[at : at + 16] for at in range(start, len(one) - 16, 16)} & {
        other[at : at + 16] for at in range(start, len(other) - 16, 16)
    }


def test_composed_and_decomposed_letters_are_one_passphrase() -> None:
    made = written(unicodedata.normalize("NFC", "Grüße aus Zürich"))
    assert read(made, unicodedata.normalize("NFD", "Grüße aus Zürich")) == DATA


def test_a_passphrase_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="at least 8"):
        written("short")


def test_a_damaged_beginning_is_no_wrong_passphrase(file: bytes) -> None:
    for at in (len(MAGIC) + 20, len(MAGIC) + 120, file.index(b"\n", len(MAGIC)) - 3):
        damaged = bytearray(file)
        damaged[at] ^= 1
        with pytest.raises(FormatError, match=r"beginning of all\.keepsake is damaged"):
            read(bytes(damaged))
    for end in (len(MAGIC), len(MAGIC) + 100):
        with pytest.raises(FormatError, match="damaged"):
            read(file[:end])


def test_a_newer_version_says_so(file: bytes) -> None:
    newer = file.replace(MAGIC, MAGIC.replace(b"1", b"2"), 1)
    assert is_encrypted_file(newer)
    with pytest.raises(FormatError, match="newer Keepsake"):
        read(newer)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [("kdf", "n", 1 << 40), ("kdf", "p", 0), ("kdf", "name", "none"), ("key", "nonce", "AA==")],
)
def test_what_a_planted_file_asks_for_is_bounded(file: bytes, part: str, name: str, value: object) -> None:
    header, rest = file[len(MAGIC) :].split(b"\n", 1)
    fields = json.loads(header)
    fields[part][name] = value
    with pytest.raises(FormatError, match="damaged"):
        read(MAGIC + json.dumps(fields).encode() + b"\n" + rest)
