"""Bounds of the numbers that operations take."""

from typing import Annotated

from msgspec import Meta

MAX_COUNT = 10_000_000

# How many things are asked for, or passed over; none of them is no limit.
Count = Annotated[int, Meta(ge=0, le=MAX_COUNT)]
