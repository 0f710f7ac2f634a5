"""What is encrypted or signed for one purpose counts for no other, and for nobody else."""

import pytest

from app.sync.sealing import primitives
from app.sync.sealing.primitives import NotOpenedError


def test_encryption_is_bound_to_what_it_is_for() -> None:
    key = primitives.random_key()
    sealed = primitives.encrypt(key, b"text", b"here")
    assert primitives.decrypt(key, sealed, b"here") == b"text"
    for other in (
        (primitives.random_key(), sealed, b"here"),
        (key, sealed, b"there"),
        (key, sealed[:-1], b"here"),
        (key, b"", b"here"),
    ):
        with pytest.raises(NotOpenedError):
            primitives.decrypt(*other)


def test_purposes_have_keys_of_their_own() -> None:
    secret = primitives.random_key()
    assert primitives.derived(secret, "one") == primitives.derived(secret, "one")
    assert primitives.derived(secret, "one") != primitives.derived(secret, "two")
    assert len(primitives.derived(secret, "one", 16)) == 16


def test_a_signature_counts_for_one_purpose() -> None:
    private = primitives.random_key()
    public, signature = primitives.public_signing_key(private), primitives.sign(private, "one", b"data")
    assert primitives.is_signed(public, "one", b"data", signature)
    assert not primitives.is_signed(public, "two", b"data", signature)
    assert not primitives.is_signed(public, "one", b"date", signature)
    assert not primitives.is_signed(primitives.public_signing_key(primitives.random_key()), "one", b"data", signature)
    assert not primitives.is_signed(b"short", "one", b"data", signature)


def test_only_the_recipient_reads() -> None:
    private = primitives.random_key()
    sealed = primitives.encrypt_to(primitives.public_receiving_key(private), "one", b"text", b"here")
    assert primitives.decrypt_as(private, "one", sealed, b"here") == b"text"
    for other in (
        (primitives.random_key(), "one", sealed, b"here"),
        (private, "two", sealed, b"here"),
        (private, "one", sealed, b"there"),
        (private, "one", bytes(32) + sealed[32:], b"here"),
        (private, "one", sealed[:20], b"here"),
    ):
        with pytest.raises(NotOpenedError):
            primitives.decrypt_as(*other)
    with pytest.raises(NotOpenedError):
        primitives.encrypt_to(bytes(32), "one", b"text", b"here")  # a key that everybody agrees on
