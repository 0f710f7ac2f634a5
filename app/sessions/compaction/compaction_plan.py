"""Compaction plan: messages to condense and messages that fit, as pure functions.

A tool's answer is never parted from the call it answers: a model refuses a conversation that begins with one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.core.text_rules.token_estimate import CHARS_PER_TOKEN

SUMMARY_SHARE = 0.25
_LEAST_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """Options of how conversations are held, condensed and given back.

    Args:
        budget: Tokens of a conversation that an agent's model has room for.
        trigger: Share of the budget above which messages are condensed.
        target: Share of the budget that the messages left over take at most.
        min_messages: Messages not yet condensed without which nothing is condensed.
        retain: Messages that a compaction leaves as they are.
        emergency_retain: Messages that an emergency compaction leaves.
        max_history: Messages given back at most.
        working_messages: Messages of a conversation held in memory.
        queue: Appends that may wait in the background.
        is_condensing: False when older messages are passed over without a summary.
        excluded_agents: Names of agents of whose conversations nothing is stored.
        after_turn: True when summaries follow messages by themselves.
        quiet_s: Seconds of quiet after which a turn counts as over.
        captures: True when memories are taken from completed turns.
        capture_messages: Messages not yet looked at without which none are taken.
    """

    budget: int = 8000
    trigger: float = 0.8
    target: float = 0.5
    min_messages: int = 4
    retain: int = 20
    emergency_retain: int = 4
    max_history: int = 100
    working_messages: int = 50
    queue: int = 1000
    is_condensing: bool = True
    excluded_agents: frozenset[str] = frozenset()
    after_turn: bool = True
    quiet_s: float = 2.0
    captures: bool = True
    capture_messages: int = 4


@dataclass(frozen=True, slots=True)
class MessageSize:
    """Size of one message.

    Args:
        seq: Its number.
        tokens: What it costs, calls included; see ``cost``.
        is_answer: True for a tool's answer, with which no conversation can begin.
    """

    seq: int
    tokens: int
    is_answer: bool = False


def cost(tokens: int, calls_characters: int) -> int:
    """Return the tokens of a message: its text and its tool calls.

    They are never 0, because the role costs too.
    """
    return max(1, tokens - (-calls_characters // CHARS_PER_TOKEN))


def utilisation(weights: Sequence[MessageSize], summary_tokens: int, budget: int) -> float:
    """Return the share of ``budget`` that a summary and the messages after it take."""
    return (summary_tokens + sum(weight.tokens for weight in weights)) / budget


def summary_room(options: SessionOptions) -> int:
    """Return the tokens a summary may take.

    With a longer one, condensing to the target could end above the trigger.
    """
    share = min(SUMMARY_SHARE, max(_LEAST_SHARE, options.trigger - options.target))
    return int(share * options.budget)


def is_due(weights: Sequence[MessageSize], summary_tokens: int, options: SessionOptions) -> bool:
    """Return whether messages not yet condensed must be: enough of them, and over the trigger."""
    if len(weights) < options.min_messages:
        return False
    return utilisation(weights, summary_tokens, options.budget) > options.trigger


def messages_to_roll(
    weights: Sequence[MessageSize], summary_tokens: int, options: SessionOptions, *, force: bool = False
) -> int | None:
    """Return the number of the last message to condense, ``None`` for none.

    The oldest messages go, no more than needed for the rest to be within the target. The last message stays, with the
    tool call that it answers.

    Args:
        weights: The messages not yet condensed, ascending.
        summary_tokens: What the summary before them takes.
        options: Budget, trigger, target and least number of messages.
        force: Condense even when it is not due; what fits the budget is then brought to the target's share of itself.
    """
    if not force and not is_due(weights, summary_tokens, options):
        return None
    rest = sum(weight.tokens for weight in weights)
    goal = options.target * (min(options.budget, rest) if force else options.budget)
    last: int | None = None
    for condensed, following in pairwise(weights):
        rest -= condensed.tokens
        if following.is_answer:
            continue
        last = condensed.seq
        if rest <= goal:
            break
    return last


def messages_to_compact(weights: Sequence[MessageSize], retain: int) -> int | None:
    """Return the last message before the ``retain`` most recent, ``None`` for none.

    Answers whose call would be parted from them go with it; when nothing but answers is left, their call stays.
    """
    begin = len(weights) - max(retain, 0)
    if begin <= 0:
        return None
    if begin == len(weights):
        return weights[-1].seq
    later = (place for place in range(begin, len(weights)) if not weights[place].is_answer)
    earlier = (place for place in range(begin - 1, 0, -1) if not weights[place].is_answer)
    place = next(later, None) or next(earlier, None)
    return None if place is None else weights[place - 1].seq


def fitting_messages(weights: Sequence[MessageSize], budget: int, max_history: int) -> int:
    """Return where the messages that fit begin.

    They are the most recent ones, without a gap, within both limits.
    """
    begin, room = len(weights), budget
    while begin > 0 and len(weights) - begin < max_history and weights[begin - 1].tokens <= room:
        begin -= 1
        room -= weights[begin].tokens
    while 0 < begin < len(weights) and weights[begin].is_answer:
        begin += 1
    return begin
