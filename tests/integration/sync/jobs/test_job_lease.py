"""Leases at places of each kind, and what is made of damaged and foreign ones."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.sync.exchanges.exchange_places import place_of
from app.sync.exchanges.exchange_point import LEASES
from app.sync.leases import job_lease
from app.sync.leases.job_lease import JobLease
from app.sync.sealing import member_list, primitives
from app.sync.sealing.device_keys import DeviceKeys, new_device_keys
from app.sync.sealing.member_list import Member, MemberList

if TYPE_CHECKING:
    from app.sync.exchanges.exchange_point import ExchangePoint

VAULT = "0" * 32
CHAIN, RUN = "1" * 32, "2" * 32


def member(keys: DeviceKeys) -> Member:
    receiving = primitives.public_receiving_key(keys.receiving[-1])
    return Member(primitives.public_signing_key(keys.signing), receiving, 0)


def two_members() -> tuple[DeviceKeys, DeviceKeys, MemberList]:
    """Return the keys of two machines, and the list of them."""
    shared, epoch = primitives.random_key(), {1: primitives.random_key()}
    one, other = (replace(new_device_keys(), shared=shared, epochs=epoch) for _ in range(2))
    members = MemberList(VAULT, 1, epoch=1)
    for keys in (one, other):
        members = member_list.with_device(members, member(keys))
    return one, other, members


@pytest.fixture
def point(address: str) -> Iterator["ExchangePoint"]:
    """Return the exchange point at a place of each kind."""
    place = place_of(address)
    place.make_vault(VAULT)
    found = place.point(VAULT)
    yield found
    found.close()


@pytest.fixture
def folder_point(tmp_path: Path) -> "ExchangePoint":
    place = place_of(str(tmp_path))
    place.make_vault(VAULT)
    return place.point(VAULT)


def test_of_two_that_want_a_lease_one_gets_it(point: "ExchangePoint") -> None:
    one, other, members = two_members()
    assert job_lease.latest(point, members, CHAIN) == JobLease()
    begun = JobLease(0, runs=(RUN,), is_begun=True)
    held = job_lease.put_next(point, one, members, CHAIN, begun)
    assert held == JobLease(1, one.id, (RUN,), is_begun=True)
    assert job_lease.put_next(point, other, members, CHAIN, begun) is None
    assert job_lease.latest(point, members, CHAIN) == held
    done = job_lease.put_next(point, one, members, CHAIN, replace(held, is_begun=False))
    assert done == JobLease(2, one.id, (RUN,))
    assert job_lease.latest(point, members, CHAIN) == done
    assert len(point.names(LEASES)) == 1
    assert job_lease.latest(point, members, "3" * 32) == JobLease()


def test_a_lease_of_nobody_holds_nobody_up(folder_point: "ExchangePoint") -> None:
    one, other, members = two_members()
    begun = JobLease(0, runs=(RUN,), is_begun=True)
    job_lease.put_next(folder_point, one, members, CHAIN, begun)
    removed = member_list.with_device(members, replace(member(one), removed_at_ms=1))
    assert job_lease.latest(folder_point, removed, CHAIN) == JobLease(1)
    (name,) = folder_point.names(LEASES)
    data = folder_point.get(name)
    assert data is not None
    for wrong in (data[:-9], data.replace(b'"begun":true', b'"begun":fals'), b"", b"{}\n"):
        folder_point.remove(name)
        folder_point.put_new(name, wrong)
        assert job_lease.latest(folder_point, members, CHAIN) == JobLease(1)
    taken = job_lease.put_next(folder_point, other, members, CHAIN, replace(begun, number=1))
    assert taken == JobLease(2, other.id, (RUN,), is_begun=True)


def test_a_lease_counts_for_its_own_work_and_number_alone(folder_point: "ExchangePoint") -> None:
    one, _, members = two_members()
    job_lease.put_next(folder_point, one, members, CHAIN, JobLease(0, runs=(RUN,), is_begun=True))
    (name,) = folder_point.names(LEASES)
    data = folder_point.get(name)
    assert data is not None
    for other_name in (name.replace(CHAIN, "3" * 32), f"{name[:-1]}2"):
        folder_point.put_new(other_name, data)
    assert job_lease.latest(folder_point, members, "3" * 32) == JobLease(1)
    assert job_lease.latest(folder_point, members, CHAIN) == JobLease(2)


def test_a_lease_tells_the_place_neither_the_work_nor_the_run(folder_point: "ExchangePoint") -> None:
    one, other, members = two_members()
    chain, run = (job_lease.digest(one, kind, "sch-reflection") for kind in ("job", "run"))
    assert chain == job_lease.digest(other, "job", "sch-reflection") != run
    job_lease.put_next(folder_point, one, members, chain, JobLease(0, runs=(run,), is_begun=True))
    (name,) = folder_point.names(LEASES)
    assert b"reflection" not in name.encode() + (folder_point.get(name) or b"")
