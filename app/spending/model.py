"""Values of spending: requests, tokens and cost by day, purpose and model."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spending:
    """Requests to a language model, summed up.

    Args:
        month: The calendar month in UTC, such as ``2026-03``.
        purpose: What they were for, such as ``consolidation``.
        model: The model that was asked.
        requests: How many there were, failed ones among them.
        failures: How many failed.
        input_tokens: Tokens read.
        output_tokens: Tokens written.
        cost: By the prices of the settings at the time.
    """

    month: str
    purpose: str
    model: str
    requests: int
    failures: int
    input_tokens: int
    output_tokens: int
    cost: float
