"""SQL of the accounts of the language model."""

from collections.abc import Sequence
from typing import Any

import apsw

from app.llm.model import Usage
from app.spending.model import Spending


def add(connection: apsw.Connection, day: str, purpose: str, model: str, usage: Usage, *, is_failure: bool) -> None:
    """Enter one request under its day, purpose and model."""
    connection.execute(
        "INSERT INTO model_usage (day, purpose, model, requests, failures, input_tokens, output_tokens, cost)"
        " VALUES (?, ?, ?, 1, ?, ?, ?, ?) ON CONFLICT (day, purpose, model) DO UPDATE SET requests = requests + 1,"
        " failures = failures + excluded.failures, input_tokens = input_tokens + excluded.input_tokens,"
        " output_tokens = output_tokens + excluded.output_tokens, cost = cost + excluded.cost",
        (day, purpose, model, int(is_failure), usage.input_tokens, usage.output_tokens, usage.cost),
    )


def cost_of_month(connection: apsw.Connection, month: str) -> float:
    """Return the cost of a calendar month, such as ``2026-03``."""
    cursor = connection.execute("SELECT coalesce(sum(cost), 0.0) FROM model_usage WHERE day LIKE ? || '-%'", (month,))
    return float(str(cursor.get))


def by_month(connection: apsw.Connection, months: int) -> list[Spending]:
    """Return the sums of the latest months that have any, the latest first."""
    rows = connection.execute(
        "SELECT substr(day, 1, 7), purpose, model, sum(requests), sum(failures), sum(input_tokens), sum(output_tokens),"
        " sum(cost) FROM model_usage WHERE substr(day, 1, 7) IN"
        " (SELECT DISTINCT substr(day, 1, 7) FROM model_usage ORDER BY 1 DESC LIMIT ?)"
        " GROUP BY 1, 2, 3 ORDER BY 1 DESC, 8 DESC, 2, 3",
        (months,),
    )
    return [_spending(row) for row in rows]


def _spending(row: Sequence[Any]) -> Spending:
    month, purpose, model, requests, failures, input_tokens, output_tokens, cost = row
    return Spending(month, purpose, model, requests, failures, input_tokens, output_tokens, cost)
