import pytest

from app.errors import TooManyCallsError
from app.rpc.server.rate_limit import Rate, TokenBucket


class Time:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_is_allowed_and_then_the_rate() -> None:
    time = Time()
    bucket = TokenBucket(lambda: Rate(10, 3), time)
    for _ in range(3):
        bucket.take()
    with pytest.raises(TooManyCallsError) as caught:
        bucket.take()
    assert caught.value.data["retry_after"] == pytest.approx(0.1, abs=0.003)
    time.now += caught.value.data["retry_after"]
    bucket.take()
    with pytest.raises(TooManyCallsError):
        bucket.take()


def test_a_rest_fills_no_more_than_the_burst() -> None:
    time = Time()
    bucket = TokenBucket(lambda: Rate(10, 3), time)
    time.now += 1e6
    for _ in range(3):
        bucket.take()
    with pytest.raises(TooManyCallsError):
        bucket.take()


def test_a_new_rate_holds_at_once() -> None:
    time, rates = Time(), [Rate(1, 1)]
    bucket = TokenBucket(lambda: rates[-1], time)
    bucket.take()
    rates.append(Rate(1000, 1))
    time.now += 0.002
    bucket.take()
    rates.append(Rate(0.5, 1))
    with pytest.raises(TooManyCallsError) as caught:
        bucket.take()
    assert caught.value.data["retry_after"] == pytest.approx(2, abs=0.003)
