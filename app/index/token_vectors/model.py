"""Values about token vectors."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenVectorState:
    """Progress of the token vectors of a late interaction model.

    Args:
        model: The model's name.
        texts: The number of messages, and of pieces of memories, that should have them.
        waiting: The number of those that wait for them.
        failure: Why none are made at the moment.
    """

    model: str
    texts: int
    waiting: int
    failure: str = ""
