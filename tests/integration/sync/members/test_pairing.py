"""A machine comes to the others by twelve words and a click, and in no other way."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import pytest

from app.changes import ChangeSet
from app.devices.join_attempt import VALID_S
from app.devices.model import JoinRequest
from app.errors import CallStoppedError, ExchangeError, InputError, NotFoundError
from app.host import Host
from app.sync.exchanges.exchange_places import without_password
from app.sync.sealing import member_list, sealed_object
from app.sync.sealing.device_keys import DeviceKeys
from tests.helpers.engine import engine_of
from tests.helpers.servers.s3 import S3Server
from tests.integration.sync.machines import QUIET, Machine, hasten, machines_in, settle

T = TypeVar("T")
WRONG = "abandon " * 11 + "about"


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[list[Machine]]:
    """Return three machines, of which the first shares its vault."""
    with machines_in(tmp_path, "desktop", "laptop", "server") as machines:
        machines[0].share()
        yield machines


def asking(machine: Machine, words: str, name: str) -> Future[Any]:
    """Have a machine ask to be let in."""
    joining = engine_of(machine.host).sync.devices.join(words, str(machine.folder), name)
    future: Future[Any] = machine.host.submit(joining)
    return future


def requests(machine: Machine, count: int = 1) -> list[JoinRequest]:
    """Return who waits, once there are so many."""
    until = time.monotonic() + 60
    while len(waiting := machine.ask("device.requests")) < count:
        assert time.monotonic() < until
        time.sleep(0.02)
    return list(waiting)


def names(machine: Machine) -> list[str]:
    return [device.name for device in machine.ask("device.list") if device.removed_at is None]


def test_a_machine_is_let_in_and_knows_the_others(machines: list[Machine]) -> None:
    one, other, _ = machines
    one.ask("note.save", content="from before")
    one.sync()
    invitation = one.ask("device.invite")
    assert len(invitation.words.split()) == 12
    assert invitation.address == str(one.folder)
    joining = asking(other, invitation.words, " My  laptop ")
    [request] = requests(one)
    assert request.name == "My laptop"
    device = one.ask("device.approve", request=request.id)
    assert (device.name, device.is_this) == ("My laptop", False)
    assert joining.result().vault
    settle(one, other)
    assert other.contents() == ["from before"]
    here, there = one.ask("device.list"), other.ask("device.list")
    assert [device.name for device in here] == [device.name for device in there]
    assert [device.is_this for device in here] == [not device.is_this for device in there]
    assert {device.behind for device in (*here, *there)} == {0}
    assert all(device.last_seen_at is not None for device in (*here, *there))
    assert not list(one.folder.rglob("[iqa]-*"))


def test_who_is_behind_is_said(machines: list[Machine]) -> None:
    one, other, _ = machines
    other.join(one)
    settle(one, other)
    for number in range(3):
        one.ask("note.save", content=f"note {number}")
    one.sync()
    [behind] = [device.behind for device in one.ask("device.list") if not device.is_this]
    [lacking] = [device.behind for device in other.ask("device.list") if device.is_this]
    assert behind == lacking == 3
    settle(one, other)
    assert {device.behind for device in one.ask("device.list")} == {0}


def test_words_that_are_wrong_reach_nobody(machines: list[Machine], tmp_path: Path) -> None:
    one, other, _ = machines
    words = one.ask("device.invite").words
    with pytest.raises(InputError, match="no invitation with these words"):
        other.ask("device.join", words=WRONG, place=str(other.folder), name="laptop")
    with pytest.raises(InputError, match="twelve words"):
        other.ask("device.join", words=words.rpartition(" ")[0], place=str(other.folder), name="laptop")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="Nothing is shared there"):
        other.ask("device.join", words=words, place=str(tmp_path / "empty"), name="laptop")
    with pytest.raises(InputError, match="one line"):
        other.ask("device.join", words=words, place=str(other.folder), name=" ")
    with pytest.raises(InputError, match="already"):
        one.ask("device.join", words=words, place=str(one.folder), name="desktop")
    assert one.ask("device.requests") == []
    assert other.ask("device.state").place == ""


def test_a_machine_that_is_refused_gets_nothing_and_may_try_again(machines: list[Machine]) -> None:
    one, other, _ = machines
    other.ask("note.save", content="its own")
    words = one.ask("device.invite").words
    joining = asking(other, words, "laptop")
    [request] = requests(one)
    one.ask("device.refuse", request=request.id)
    with pytest.raises(InputError, match="refused"):
        joining.result()
    with pytest.raises(NotFoundError):
        one.ask("device.approve", request=request.id)
    with pytest.raises(InputError, match="no invitation"):
        other.ask("device.join", words=words, place=str(other.folder), name="laptop")
    other.join(one)
    settle(one, other)
    assert one.contents() == other.contents() == ["its own"]


def test_of_two_with_the_same_words_one_is_let_in(machines: list[Machine]) -> None:
    one, other, third = machines
    words = one.ask("device.invite").words
    joining = [asking(other, words, "laptop"), asking(third, words, "server")]
    waiting = requests(one, 2)
    assert {request.name for request in waiting} == {"laptop", "server"}
    [chosen] = [request for request in waiting if request.name == "server"]
    one.ask("device.approve", request=chosen.id)
    assert joining[1].result().vault
    with pytest.raises(InputError, match="Another machine came in"):
        joining[0].result()
    assert set(names(one)) == {names(one)[0], "server"}


def test_two_are_let_in_at_once_by_two(machines: list[Machine], tmp_path: Path) -> None:
    one, other, third = machines
    other.join(one)
    fourth = Machine(tmp_path / "tablet", one.folder)
    try:
        joining = [
            asking(third, one.ask("device.invite").words, "server"),
            asking(fourth, other.ask("device.invite").words, "tablet"),
        ]
        approvals = [
            machine.host.submit(engine_of(machine.host).sync.devices.approve(requests(machine)[0].id))
            for machine in (one, other)
        ]
        for future in (*approvals, *joining):
            future.result()
        third.ask("note.save", content="of the server")
        settle(one, other, third, fourth)
        assert len(names(one)) == 4
        assert names(one) == names(fourth)
        assert fourth.contents() == ["of the server"]
    finally:
        fourth.stop()


class Timed(Machine):
    """A machine whose clock can be set."""

    later_ms = 0

    def start(self) -> None:
        self.host = Host(self.vault, serve=False, overrides=QUIET, clock=self)
        self.host.start()
        hasten(self.host)

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self.later_ms


def test_an_invitation_ends(machines: list[Machine], tmp_path: Path) -> None:
    _, other, third = machines
    one = Timed(tmp_path / "timed", tmp_path / "shared")
    try:
        one.join(machines[0])
        words = one.ask("device.invite").words
        joining = asking(other, words, "laptop")
        [request] = requests(one)
        one.later_ms = VALID_S * 1000 + 1
        with pytest.raises(NotFoundError, match="waits no longer"):
            one.ask("device.approve", request=request.id)
        with pytest.raises(InputError, match="ten minutes"):
            joining.result()
        with pytest.raises(InputError, match="no invitation"):
            third.ask("device.join", words=words, place=str(third.folder), name="server")
        assert len(names(one)) == 2
    finally:
        one.stop()


def test_the_address_of_a_server_comes_along_sealed(
    machines: list[Machine], tmp_path: Path, s3_server: S3Server, no_keyring: None
) -> None:
    one, other = Machine(tmp_path / "one", tmp_path / "shared"), machines[1]
    try:
        place = s3_server.new_place()
        one.share(place)
        invitation = one.ask("device.invite")
        assert invitation.place not in repr(invitation)
        with pytest.raises(InputError, match="other words"):
            other.ask("device.join", words=WRONG, place=invitation.place, name="laptop")
        assert "no keyring" in " ".join(one.ask("device.state").notes)
        call = {"words": invitation.words, "place": f"{invitation.place}\n", "name": "laptop"}
        joining = other.host.call("device.join", call)
        one.ask("device.approve", request=requests(one)[0].id)
        assert joining.result().value.place == without_password(place)
        other.sync()
    finally:
        one.stop()
    assert machines[0].ask("device.invite").place == ""


def test_who_asks_is_told_of_without_a_question(machines: list[Machine]) -> None:
    one, other, _ = machines
    areas: list[frozenset[str]] = []
    unsubscribe = one.host.subscribe(lambda event: areas.append(event.areas) if isinstance(event, ChangeSet) else None)
    assert one.ask("device.requests", known=True) == []
    joining = asking(other, one.ask("device.invite").words, "laptop")
    [request] = until(lambda: one.ask("device.requests", known=True))
    assert request.name == "laptop"
    assert frozenset({"devices"}) in areas
    one.ask("device.refuse", request=request.id)
    with pytest.raises(InputError, match="refused"):
        joining.result()
    until(lambda: not one.ask("device.requests", known=True))
    unsubscribe()


def test_an_invitation_ends_with_the_program_and_leaves_nothing(machines: list[Machine]) -> None:
    one, other, _ = machines
    words = one.ask("device.invite").words
    assert list(one.folder.rglob("i-*"))
    one.host.stop()
    one.start()
    until(lambda: not list(one.folder.rglob("[iqa]-*")))
    with pytest.raises(InputError, match="no invitation"):
        other.ask("device.join", words=words, place=str(other.folder), name="laptop")
    until(lambda: one.rows("SELECT value FROM meta WHERE key = 'sync.invitations'") == [("{}",)])


def test_what_a_machine_left_that_ended_while_it_asked_is_removed(machines: list[Machine], tmp_path: Path) -> None:
    _, other, _ = machines
    one = Timed(tmp_path / "timed", tmp_path / "shared")
    try:
        one.join(machines[0])
        joining = asking(other, one.ask("device.invite").words, "laptop")
        until(lambda: one.ask("device.requests", known=True))
        other.host.stop()
        assert isinstance(joining.exception(), CallStoppedError)
        one.later_ms = VALID_S * 1000 + 1
        until(lambda: not one.ask("device.requests", known=True))
        one.later_ms *= 2
        one.ask("device.invite")
        until(lambda: len(list(one.folder.rglob("[iqa]-*"))) == 1)
    finally:
        one.stop()


def until(find: Callable[[], T]) -> T:
    """Return what is found, once it is there."""
    end = time.monotonic() + 60
    while not (found := find()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def test_messages_that_somebody_else_puts_there_count_for_nothing(machines: list[Machine]) -> None:
    one, other, _ = machines
    invitation = one.ask("device.invite")
    joining = asking(other, invitation.words, "laptop")
    [request] = requests(one)
    [message] = one.folder.rglob("q-*")
    whole = message.read_bytes()
    forged = message.with_name(message.name[:-32] + "0" * 32)
    forged.write_bytes(whole)  # a request replayed under another name
    message.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    answer = message.with_name(message.name.replace("q-", "a-", 1))
    answer.write_bytes(whole)  # an answer that is none
    assert one.ask("device.requests") == []
    with pytest.raises(NotFoundError):
        one.ask("device.approve", request=request.id)
    message.write_bytes(whole)
    answer.unlink()
    one.ask("device.approve", request=request.id)
    assert joining.result().vault
    message.write_bytes(whole)  # replayed when it was answered
    assert one.ask("device.requests") == []
    assert len(names(one)) == 2


def test_names_are_the_same_everywhere(machines: list[Machine]) -> None:
    one, other, _ = machines
    other.join(one)
    settle(one, other)
    [device] = [device for device in one.ask("device.list") if not device.is_this]
    one.ask("device.rename", device=device.id, name="Old laptop")
    other.sync()
    [own] = [device for device in other.ask("device.list") if device.is_this]
    assert own.name == "Old laptop"
    with pytest.raises(NotFoundError):
        one.ask("device.rename", device="0" * 32, name="x")


def test_a_removed_machine_reads_nothing_new(machines: list[Machine]) -> None:
    one, other, third = machines
    other.join(one)
    third.join(one)
    third.ask("note.save", content="of the server")
    other.ask("note.save", content="of the laptop")
    settle(one, other, third)
    laptop, _ = other.sealer()
    [device] = [device for device in one.ask("device.list") if device.name == "laptop"]
    one.ask("device.remove", device=device.id)
    one.ask("note.save", content="canary after it went")
    settle(one, third)
    assert third.contents() == ["canary after it went", "of the laptop", "of the server"]
    with pytest.raises(ExchangeError, match="was removed"):
        other.sync()
    assert other.contents() == ["of the laptop", "of the server"]
    opened = [other_text for other_text in readable(one, laptop) if b"canary" in other_text]
    assert opened == []
    assert [device.name for device in third.ask("device.list") if device.removed_at is not None] == ["laptop"]


@pytest.mark.parametrize("gap", [0, 40])
def test_what_a_removed_machine_writes_is_not_taken_in(machines: list[Machine], gap: int) -> None:
    one, other, third = machines
    other.join(one)
    other.ask("note.save", content="in time")
    settle(one, other)
    stolen, sealer = other.sealer()
    [device] = [device for device in one.ask("device.list") if device.name == "laptop"]
    one.ask("device.remove", device=device.id)
    [last] = [path for path in one.folder.rglob("s-*") if path.parent.name == own_lane(other)]
    number = int(last.name[-12:]) + 1 + gap
    name = f"{last.parent.name}/s-{number:012d}-{number:012d}"
    fields = {"first": number, "last": number, "previous": "", "digest": ""}
    planted = sealed_object.seal(stolen, 1, sealer.vault, name, b"planted", fields)
    assert sealer.text(name, planted) == b"planted"  # its own keys are good for that
    last.with_name(name.partition("/")[2]).write_bytes(planted)
    third.join(one)
    settle(one, third)
    assert third.contents() == ["in time"]
    assert (one.sync().waiting, third.sync().waiting) == ("", "")


def own_lane(machine: Machine) -> str:
    [(lane,)] = machine.rows("SELECT lane FROM lanes WHERE is_own")
    return f"{lane:016x}"


def test_a_removed_machine_may_be_invited_again(machines: list[Machine]) -> None:
    one, other, _ = machines
    other.join(one)
    settle(one, other)
    [device] = [device for device in one.ask("device.list") if not device.is_this]
    with pytest.raises(InputError, match="cannot remove itself"):
        other.ask("device.remove", device=device.id)
    one.ask("device.remove", device=device.id)
    other.ask("note.save", content="meanwhile")
    with pytest.raises(ExchangeError, match="was removed"):
        other.sync()
    other.join(one)
    settle(one, other)
    assert one.contents() == ["meanwhile"]


def readable(machine: Machine, keys: DeviceKeys) -> list[bytes]:
    """Return what some keys open of all that is at the place."""
    _, sealer = machine.sealer()
    point, texts = machine.point(), []
    members = member_list.chain(sealer.vault, [point.get(name) or b"" for name in point.names("members")])[-1]
    for name in [name for lane in point.lanes() for name in point.names(lane)]:
        found = sealed_object.read(point.get(name) or b"", sealer.vault, name, members.signing_keys)
        secret = sealed_object.key_of(found, keys)
        if secret is not None:
            texts.append(sealed_object.opened(found, secret))
    return texts
