import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sessions.compaction import compaction_plan
from app.sessions.compaction.compaction_plan import MessageSize, SessionOptions

TERMS = SessionOptions(budget=1000, trigger=0.8, target=0.5, min_messages=4)


def weights(*tokens: int, answers: tuple[int, ...] = ()) -> list[MessageSize]:
    return [MessageSize(seq, size, seq in answers) for seq, size in enumerate(tokens, 1)]


@st.composite
def talks(draw: st.DrawFn) -> list[MessageSize]:
    sizes = draw(st.lists(st.tuples(st.integers(1, 400), st.booleans(), st.integers(1, 3)), max_size=40))
    seq, made = 0, []
    for tokens, is_answer, step in sizes:
        seq += step
        made.append(MessageSize(seq, tokens, is_answer and bool(made)))
    return made


terms_of_any_kind = st.builds(
    SessionOptions,
    budget=st.integers(1, 5000),
    trigger=st.floats(0.1, 1),
    target=st.floats(0.05, 0.95),
    min_messages=st.integers(1, 10),
)


@pytest.mark.parametrize(
    ("sizes", "summary", "due"),
    [
        ([200] * 4, 0, False),  # exactly the trigger is not over it
        ([200] * 4, 1, True),  # what the summary takes counts
        ([201] * 4, 0, True),
        ([900] * 3, 0, False),  # big, but fewer than four
        ([], 5000, False),
    ],
)
def test_due_needs_four_turns_and_more_than_the_trigger(sizes: list[int], summary: int, due: bool) -> None:
    assert compaction_plan.is_due(weights(*sizes), summary, TERMS) is due


def test_the_oldest_turns_go_until_the_rest_is_half_of_the_budget() -> None:
    assert compaction_plan.messages_to_roll(weights(*[100] * 10), 0, TERMS) == 5


def test_nothing_goes_while_it_is_not_due() -> None:
    assert compaction_plan.messages_to_roll(weights(*[100] * 8), 0, TERMS) is None


def test_force_brings_what_fits_to_half_of_itself() -> None:
    assert compaction_plan.messages_to_roll(weights(*[50] * 8), 0, TERMS, force=True) == 4


def test_a_tool_answer_goes_with_its_call() -> None:
    assert compaction_plan.messages_to_roll(weights(*[100] * 10, answers=(6, 7)), 0, TERMS) == 7


def test_one_turn_cannot_be_condensed_away() -> None:
    assert compaction_plan.messages_to_roll(weights(5000), 0, TERMS, force=True) is None


def test_a_call_that_is_being_answered_stays() -> None:
    assert compaction_plan.messages_to_roll(weights(10, 900, 900, 900, answers=(3, 4)), 0, TERMS) == 1


@pytest.mark.parametrize(
    ("retain", "answers", "upper"),
    [
        (4, (), 6),
        (10, (), None),
        (99, (), None),
        (0, (), 10),
        (0, (10,), 10),
        (4, (7,), 7),  # the answer goes with its call
        (2, (9, 10), 7),  # only answers left: their call stays
        (2, (2, 3, 4, 5, 6, 7, 8, 9, 10), None),
    ],
)
def test_compaction_keeps_the_most_recent(retain: int, answers: tuple[int, ...], upper: int | None) -> None:
    assert compaction_plan.messages_to_compact(weights(*[100] * 10, answers=answers), retain) == upper


@pytest.mark.parametrize(
    ("budget", "most", "answers", "begin"),
    [
        (1000, 100, (), 0),
        (999, 100, (), 1),
        (350, 100, (), 7),
        (1000, 3, (), 7),
        (99, 100, (), 10),
        (-5, 100, (), 10),
        (350, 100, (8, 9), 9),
        (1000, 100, (1,), 0),  # we did not cut there
        (1000, 0, (), 10),
    ],
)
def test_the_most_recent_turns_that_fit(budget: int, most: int, answers: tuple[int, ...], begin: int) -> None:
    assert compaction_plan.fitting_messages(weights(*[100] * 10, answers=answers), budget, most) == begin


def test_a_large_turn_is_not_passed_over() -> None:
    assert compaction_plan.fitting_messages(weights(10, 10, 500, 10), 100, 10) == 3


def test_what_a_turn_costs() -> None:
    assert [
        compaction_plan.cost(0, 0),
        compaction_plan.cost(7, 0),
        compaction_plan.cost(7, 1),
        compaction_plan.cost(0, 9),
    ] == [1, 7, 8, 3]


@given(talks(), st.integers(0, 2000), terms_of_any_kind, st.booleans())
def test_rolling_leaves_the_target_or_one_exchange(
    talk: list[MessageSize], summary: int, options: SessionOptions, force: bool
) -> None:
    upper = compaction_plan.messages_to_roll(talk, summary, options, force=force)
    if upper is None:
        is_one_exchange = all(weight.is_answer for weight in talk[1:])
        assert is_one_exchange or not (force or compaction_plan.is_due(talk, summary, options))
        return
    rest = [weight for weight in talk if weight.seq > upper]
    assert rest
    assert not rest[0].is_answer
    fits = sum(weight.tokens for weight in rest) <= options.target * options.budget
    assert fits or all(weight.is_answer for weight in rest[1:])


@given(talks(), st.integers(0, 50))
def test_compaction_keeps_no_more_than_requested_but_a_running_call(talk: list[MessageSize], retain: int) -> None:
    upper = compaction_plan.messages_to_compact(talk, retain)
    rest = [weight for weight in talk if upper is None or weight.seq > upper]
    assert len(rest) <= retain or all(weight.is_answer for weight in rest[1:])
    assert not (upper is not None and rest and rest[0].is_answer)


@given(talks(), st.integers(-10, 5000), st.integers(0, 50))
def test_what_fits_is_within_both_limits_and_as_much_as_can_be(talk: list[MessageSize], budget: int, most: int) -> None:
    begin = compaction_plan.fitting_messages(talk, budget, most)
    kept = talk[begin:]
    assert sum(weight.tokens for weight in kept) <= max(budget, 0)
    assert len(kept) <= most
    if 0 < begin < len(talk):
        assert not talk[begin].is_answer
    more = begin - 1
    while more > 0 and talk[more].is_answer:
        more -= 1
    if begin > 0:
        wider = talk[more:]
        assert len(wider) > most or sum(weight.tokens for weight in wider) > budget


@given(terms_of_any_kind)
def test_a_full_summary_next_to_the_target_is_not_due_again(options: SessionOptions) -> None:
    room = compaction_plan.summary_room(options)
    assert room <= options.budget * compaction_plan.SUMMARY_SHARE
    if options.trigger - options.target >= 0.05:
        assert room + options.target * options.budget <= options.trigger * options.budget + 1e-6
