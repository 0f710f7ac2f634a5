"""Builds the chat model of a vault."""

from collections.abc import Callable
from functools import partial

from app.config.config import Config
from app.llm.openai_model import OpenAiModel, ServiceKey, UsageRecorder
from app.llm.options import ModelOptions


def build(config: Config, key: Callable[[], ServiceKey], accounts: UsageRecorder) -> OpenAiModel:
    """Build the chat model, which reads the settings each time it is asked.

    Args:
        config: The vault's settings.
        key: Returns the key of the service of the settings.
        accounts: The accounts of what it cost.
    """
    return OpenAiModel(partial(model_options, config), key, accounts)


def model_options(config: Config) -> ModelOptions:
    """Return the settings of the language model as they are now."""
    if config.text("llm.provider") == "none":
        return ModelOptions()
    return ModelOptions(
        config.text("llm.base_url"),
        config.text("llm.model").strip(),
        config.text("llm.fast_model").strip(),
        config.number("llm.timeout"),
        config.whole("llm.attempts"),
        config.whole("llm.max_output_tokens"),
        config.flag("llm.send_private"),
        config.number("llm.input_price"),
        config.number("llm.output_price"),
        config.number("llm.monthly_cap"),
    )
