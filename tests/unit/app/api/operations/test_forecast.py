"""The decay forecast: what would fade, and that nothing does."""

import math

from hypothesis import given
from hypothesis import strategies as st

from app.api.caller import Caller
from app.host import Host
from app.memories.decay.decay_rules import decayed

SHARES = st.floats(0, 1)


@given(SHARES, st.floats(0, 10), st.floats(0, 400), st.floats(0, 400))
def test_confidence_only_falls(confidence: float, rate: float, some: float, more: float) -> None:
    left = decayed(decayed(confidence, rate, some), rate, more)
    assert math.isclose(left, decayed(confidence, rate, some + more), rel_tol=1e-9, abs_tol=1e-300)
    assert 0 <= left <= confidence
    assert decayed(confidence, 0, more) == confidence == decayed(confidence, rate, 0)


def test_forecast_names_what_would_fade_and_changes_nothing(host: Host) -> None:
    fading = host.ask("fact.remember", content="Rosa rents a flat", decay_rate=0.05).memory
    host.ask("fact.remember", content="Mona sails", decay_rate=0.0)
    sure = host.ask("fact.remember", content="Lena sings", decay_rate=1.0).memory
    host.ask("fact.confirm", id=sure.id)
    seen = host.ask("memory.forecast")
    assert [(horizon.days, horizon.count) for horizon in seen.horizons] == [(30, 0), (90, 1), (365, 1)]
    assert (seen.fading, seen.horizons[1].facts[0].id) == (1, fading.id)
    assert [horizon.count for horizon in host.ask("memory.forecast", days=[59, 60]).horizons] == [0, 1]
    assert host.ask("note.get", id=fading.id).confidence == 1.0
    assert host.call("memory.forecast", {}, Caller("agent", "inner")).result().value.fading == 0
