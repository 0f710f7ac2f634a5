"""Pauses between the attempts of a request, and what a service asks for."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.network.http_requests import (
    Pauses,
    RequestError,
    RequestFault,
    RequestLimits,
    repeat,
    retry_after_seconds,
    tls_context,
)

LIMITS = RequestLimits(attempts=3, longest_pause_s=30.0, silence_s=1.0, whole_s=None)


def outcome(errors: Iterator[RequestError], received: Iterator[int] | None = None) -> tuple[object, list[float]]:
    """Return what a request comes to whose attempts fail as given, and the pauses between them."""
    pauses: list[float] = []

    async def attempt() -> str:
        error = next(errors, None)
        if error is not None:
            raise error
        return "answer"

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async def whole() -> object:
        try:
            return await repeat(attempt, LIMITS, sleep=sleep, received=lambda: next(received) if received else 0)
        except RequestError as error:
            return error.fault

    return asyncio.run(whole()), pauses


def test_a_request_is_repeated_until_it_is_answered_or_its_attempts_are_spent() -> None:
    slow, busy = RequestError(RequestFault.SLOW), RequestError(RequestFault.BUSY, status=503, pause_s=7.0)
    assert outcome(iter([slow, busy])) == ("answer", [0.5, 7.0])
    assert outcome(iter([slow, slow, busy])) == (RequestFault.BUSY, [0.5, 1.0])
    assert outcome(iter([RequestError(RequestFault.BUSY, pause_s=31.0)])) == (RequestFault.BUSY, [])


@pytest.mark.parametrize("fault", [RequestFault.UNTRUSTED, RequestFault.NO_ADDRESS])
def test_a_fault_that_stays_is_not_tried_again(fault: RequestFault) -> None:
    assert outcome(iter([RequestError(fault)])) == (fault, [])


def test_attempts_are_counted_anew_while_bytes_arrive() -> None:
    errors = iter([RequestError(RequestFault.UNREACHABLE)] * 5)
    assert outcome(errors, iter(range(20))) == ("answer", [0.5] * 5)


def test_a_service_that_begins_again_and_again_does_not_keep_a_request_alive() -> None:
    errors = (RequestError(RequestFault.UNREACHABLE) for _ in range(100))
    assert outcome(errors, cycle([0, 5, 4, 5, 3]))[0] is RequestFault.UNREACHABLE


def test_pauses_grow_to_the_longest_and_end() -> None:
    pauses = Pauses(5, 3.0)
    assert [pauses.after() for _ in range(5)] == [0.5, 1.0, 2.0, 3.0, None]
    assert Pauses(1, 3.0).after() is None


def test_a_service_may_ask_for_another_pause_but_for_no_longer_one() -> None:
    pauses = Pauses(4, 30.0)
    assert [pauses.after(7.0), pauses.after(0.0), pauses.after(31.0)] == [7.0, 1.0, None]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("", None),
        ("soon", None),
        ("-3", None),
        ("0", 0.0),
        ("12", 12.0),
        (" 3 ", 3.0),
        ("0.75", 0.75),
        ("45.5", 45.5),
        ("1.", None),
        ("Mon, 01 Jan 99999999999 00:00:00 GMT", None),
        ("Mon, 01 Jan 2029 00:00:00 +99999999999999999999", None),
        ("٣", None),
        ("9" * 400, 999999999.0),
    ],
)
def test_how_long_to_rest(value: str, seconds: float | None) -> None:
    assert retry_after_seconds(value) == seconds


def test_a_date_to_rest_until() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=600), usegmt=True)
    assert 500 < (retry_after_seconds(later) or 0) <= 600
    assert retry_after_seconds("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert retry_after_seconds("Wed, 21 Oct 2015 07:28:00") == 0.0


@given(st.text(max_size=60))
def test_any_wish_to_rest_is_a_time_or_nothing(value: str) -> None:
    seconds = retry_after_seconds(value)
    assert seconds is None or seconds >= 0


def test_a_variable_that_names_no_file_of_certificates_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    usual = len(tls_context().get_ca_certs())
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    assert 0 < len(tls_context().get_ca_certs()) <= usual
