"""Capsules: signed memories for another person, and everything that can be wrong with one."""

import base64
import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.errors import FormatError, InputError, KeepsakeError
from app.exchange.capsules import KEY_FILE, CapsuleMaker
from app.exchange.formats.own import capsule
from app.host import Host


@pytest.fixture
def sender(vault: Path) -> Iterator[Host]:
    host = Host(vault, serve=False)
    host.start()
    host.ask("note.save", title="Roses", content="Prune in March.", tags=["garden"], store="shared")
    host.ask("note.save", title="Diary", content="private words", tags=["garden"])
    host.ask("fact.remember", content="Anna lives in Bern.", store="shared")
    yield host
    host.stop()


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path / "receiver", serve=False)
    host.start()
    yield host
    host.stop()


@pytest.fixture
def made(sender: Host, tmp_path: Path) -> Path:
    path = tmp_path / "garden.capsule"
    report = sender.ask("capsule.make", path=str(path), sender="Maren Vogt")
    assert report.memories == 2
    assert report.fingerprint == sender.ask("capsule.key")
    return path


def test_only_what_was_chosen_goes_out_and_comes_in(made: Path, sender: Host, receiver: Host) -> None:
    assert b"private words" not in made.read_bytes()
    preview = receiver.ask("exchange.preview", path=str(made))
    assert (preview.format, preview.notes) == ("capsule", 2)
    assert "Maren Vogt" in preview.detail
    assert sender.ask("capsule.key") in preview.detail
    report = receiver.ask("exchange.import", path=str(made))
    assert (report.memories, report.problems) == (2, ())
    assert receiver.ask("exchange.import", path=str(made)).memories == 0
    assert len(receiver.ask("note.ids")) == 2
    assert set(receiver.ask("note.ids")).isdisjoint(sender.ask("note.ids"))


def test_a_selection_by_tag(sender: Host, tmp_path: Path) -> None:
    path = tmp_path / "both.capsule"
    assert sender.ask("capsule.make", path=str(path), tags=["garden"], stores=["shared", "private"]).memories == 2
    with pytest.raises(InputError, match="No memory was chosen"):
        sender.ask("capsule.make", path=str(tmp_path / "none.capsule"), tags=["nowhere"])
    assert not (tmp_path / "none.capsule").exists()


@pytest.mark.parametrize("days", [0, -1, 3651, 10**12])
def test_days_out_of_bounds(sender: Host, tmp_path: Path, days: int) -> None:
    with pytest.raises(InputError, match="days"):
        sender.ask("capsule.make", path=str(tmp_path / "x.capsule"), days=days)


def test_the_import_is_undone_as_one(made: Path, receiver: Host) -> None:
    report = receiver.ask("exchange.import", path=str(made))
    receiver.ask("memory.undo", run_id=report.run_id)
    assert receiver.ask("note.ids") == []


def changed(path: Path, **fields: object) -> None:
    """Change fields of the first line, without signing it again."""
    first, _, rest = path.read_bytes().partition(b"\n")
    header = json.loads(first) | fields
    path.write_bytes(json.dumps(header, separators=(",", ":")).encode() + b"\n" + rest)


@pytest.mark.parametrize(
    "fields",
    [
        {"sender": "Somebody else"},
        {"expires_at": 9_999_999_999_999},
        {"count": 3},
        {"digest": "00"},
        {"signature": base64.b64encode(b"x" * 64).decode()},
        {"signature": "no base64"},
        {"key": "AAAA"},
        {"key": base64.b64encode(Ed25519PrivateKey.generate().public_key().public_bytes_raw()).decode()},
        {"expires_at": "soon"},
        {"made_at": True},
        {"sender": None},
    ],
)
def test_a_changed_first_line_is_refused(made: Path, receiver: Host, fields: dict[str, object]) -> None:
    changed(made, **fields)
    with pytest.raises(FormatError, match="not what its sender signed"):
        receiver.ask("exchange.import", path=str(made))
    assert receiver.ask("note.ids") == []


@pytest.mark.parametrize("at", [0.3, 0.6, 0.99])
def test_a_changed_or_cut_body_is_refused(made: Path, receiver: Host, at: float) -> None:
    data = made.read_bytes()
    place = data.index(b"\n") + 1 + int(at * (len(data) - data.index(b"\n") - 2))
    for broken in (data[:place], data[:place] + b"!" + data[place + 1 :], data + b"more\n"):
        made.write_bytes(broken)
        with pytest.raises(FormatError, match="not what its sender signed"):
            receiver.ask("exchange.import", path=str(made))
    assert receiver.ask("note.ids") == []


def test_an_expired_and_a_newer_one_are_refused(made: Path, receiver: Host) -> None:
    header = capsule.open_capsule(made, 0)
    with pytest.raises(FormatError, match=r"could be imported until .* Ask Maren Vogt"):
        capsule.open_capsule(made, header.expires_at)
    assert capsule.open_capsule(made, header.expires_at - 1) == header
    changed(made, version=2)
    with pytest.raises(FormatError, match="newer Keepsake"):
        receiver.ask("exchange.import", path=str(made))


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]\n", b"null\n", b'{"type":"keepsake_capsule"', b'{"type":"keepsake_capsule"}\n{}\n']
)
def test_what_is_no_capsule_is_refused(tmp_path: Path, receiver: Host, data: bytes) -> None:
    path = tmp_path / "x.capsule"
    path.write_bytes(data)
    with pytest.raises(KeepsakeError):
        receiver.ask("exchange.import", path=str(path), format="capsule")


def test_a_memory_of_the_same_id_here_is_never_replaced(made: Path, sender: Host) -> None:
    before = sender.ask("note.ids")
    report = sender.ask("exchange.import", path=str(made))
    assert report.updated == 0
    assert set(before) <= set(sender.ask("note.ids"))


def test_the_key_stays_and_is_private(sender: Host, vault: Path) -> None:
    first = sender.ask("capsule.key")
    assert sender.ask("capsule.key") == first == CapsuleMaker(vault).fingerprint()
    assert stat.S_IMODE((vault / KEY_FILE).stat().st_mode) == 0o600
    (vault / KEY_FILE).write_bytes(b"short")
    with pytest.raises(KeepsakeError, match="cannot be read"):
        sender.ask("capsule.key")


def test_another_file_is_not_overwritten(sender: Host, made: Path, tmp_path: Path) -> None:
    sender.ask("capsule.make", path=str(made))
    other = tmp_path / "other.txt"
    other.write_text("mine", "utf-8")
    with pytest.raises(InputError, match="not overwritten"):
        sender.ask("capsule.make", path=str(other))
    assert other.read_text("utf-8") == "mine"


def test_the_first_import_makes_a_key_known(sender: Host, receiver: Host, made: Path, tmp_path: Path) -> None:
    origin = receiver.ask("exchange.preview", path=str(made)).capsule
    assert (origin.sender, origin.known_since, origin.is_own) == ("Maren Vogt", None, False)
    assert sender.ask("exchange.preview", path=str(made)).capsule.is_own
    receiver.ask("exchange.import", path=str(made))
    first = receiver.ask("exchange.preview", path=str(made)).capsule.known_since
    later = tmp_path / "later.capsule"
    sender.ask("capsule.make", path=str(later), sender="Somebody else", recipient="Anna")
    found = receiver.ask("exchange.preview", path=str(later)).capsule
    assert (found.sender, found.known_as, found.known_since) == ("Somebody else", "Maren Vogt", first)
    assert found.recipient == "Anna"
    receiver.ask("exchange.import", path=str(later))
    assert receiver.ask("exchange.preview", path=str(later)).capsule.known_as == "Maren Vogt"


def test_the_receiver_is_signed_too(sender: Host, receiver: Host, tmp_path: Path) -> None:
    path = tmp_path / "anna.capsule"
    sender.ask("capsule.make", path=str(path), recipient="Anna")
    path.write_bytes(path.read_bytes().replace(b'"recipient":"Anna"', b'"recipient":"Olga"'))
    with pytest.raises(FormatError, match="not what its sender signed"):
        receiver.ask("exchange.import", path=str(path))


def test_only_named_memories_and_how_many(sender: Host, tmp_path: Path) -> None:
    diary = next(one for one in sender.ask("note.ids") if sender.ask("note.get", id=one).title == "Diary")
    path = tmp_path / "diary.capsule"
    assert sender.ask("capsule.make", path=str(path), ids=[diary]).memories == 1
    assert b"private words" in path.read_bytes()
    assert sender.ask("capsule.count") == 2
    assert sender.ask("capsule.count", tags=["garden"], stores=["shared", "private"]) == 2
    assert sender.ask("capsule.count", text="nowhere") == 0
