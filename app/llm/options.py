"""Options of the language model."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from app.core.network.network_log import LOCAL


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Settings of the language model.

    Args:
        base_url: The address of the service; empty where none is configured.
        main_model: Its better model.
        fast_model: Its quicker model; the better one when empty.
        timeout_s: Seconds that one answer may take.
        attempts: Attempts for one answer.
        max_output_tokens: Tokens of an answer at most, whatever is asked for.
        send_private: Whether private texts may go to a service on another machine.
        input_price: Price of a million tokens that are read.
        output_price: Price of a million tokens that are written.
        monthly_cap: Cost of a calendar month beyond which nothing is asked; 0 for no limit.
    """

    base_url: str = ""
    main_model: str = ""
    fast_model: str = ""
    timeout_s: float = 60.0
    attempts: int = 3
    max_output_tokens: int = 1024
    send_private: bool = False
    input_price: float = 0.0
    output_price: float = 0.0
    monthly_cap: float = 0.0

    @property
    def is_configured(self) -> bool:
        """Return whether a service and a model are named."""
        return bool(self.base_url and self.main_model)

    @property
    def host(self) -> str:
        """Return the name of the service's machine, ``""`` for none."""
        try:
            return urlsplit(self.base_url).hostname or ""
        except ValueError:
            return ""

    @property
    def is_local(self) -> bool:
        """Return whether the service runs on this machine."""
        return self.host in LOCAL

    def model_of(self, tier: str) -> str:
        """Return the name of the model of a tier."""
        return (self.fast_model if tier == "fast" else "") or self.main_model

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """Return the cost of some tokens."""
        return (input_tokens * self.input_price + output_tokens * self.output_price) / 1_000_000
