"""Operations on the language model: its state, a test of it, and what it cost."""

import asyncio
import time
from typing import Annotated, Final

import msgspec

from app.api.caller import Caller
from app.api.registry import operation
from app.core.text import collapse
from app.engine import Engine
from app.errors import KeepsakeError
from app.llm.model import ChatMessage, ChatRequest, ModelStatus, ModelTest, Tier
from app.llm.parts import model_options
from app.spending.model import Spending

Months = Annotated[int, msgspec.Meta(ge=1, le=120)]

_QUESTION: Final = "Answer with the single word: yes"
_LONGEST: Final = 200
_TOKENS: Final = 256  # models that think before they speak need some


@operation("llm.status", owner_only=True)
async def status(engine: Engine, caller: Caller) -> ModelStatus:
    """Return the state of the language model.

    Its names, whether it answers, its cost this month, and what may be sent to it. Nothing is sent now;
    ``llm.test`` asks it something.
    """
    await engine.spending.load()
    options = model_options(engine.config)
    return ModelStatus(
        is_configured=options.is_configured,
        is_available=engine.chat.is_available,
        host=options.host,
        is_local=options.is_local,
        main_model=options.main_model,
        fast_model=options.model_of("fast"),
        has_answered=engine.chat.has_answered,
        note=engine.chat.note,
        sent=_sent(options.is_configured, options.is_local, options.send_private, options.host),
        spent_this_month=engine.spending.spent_this_month,
        monthly_cap=options.monthly_cap,
    )


@operation("llm.test", owner_only=True)
async def ask_small_question(engine: Engine, caller: Caller, tier: Tier = "main") -> ModelTest:
    """Ask the language model one small question, and return how long its answer took.

    Nothing from the vault is sent. A service that cannot be reached is no error: the answer says why.

    Args:
        tier: The ``main`` model, or the ``fast`` one.
    """
    options = model_options(engine.config)
    request = ChatRequest((ChatMessage("user", _QUESTION),), "test", (), tier, max_output_tokens=_TOKENS)
    engine.chat.try_again()
    await engine.chat.prepare()
    begun = time.perf_counter()
    text, note = "", ""
    try:
        async with asyncio.timeout(options.timeout_s):
            text = (await engine.chat.complete(request)).text
    except KeepsakeError as error:
        note = error.sentence
    except TimeoutError:
        note = f"{options.host} did not answer within {options.timeout_s:g} seconds."
    seconds = round(time.perf_counter() - begun, 3)
    return ModelTest(not note, options.model_of(tier), seconds, collapse(text)[:_LONGEST], note)


@operation("llm.usage", owner_only=True)
async def usage(engine: Engine, caller: Caller, months: Months = 12) -> list[Spending]:
    """Return requests, tokens and cost of the language model by month, purpose and model.

    Months are calendar months in UTC, the latest first. Costs follow the prices in the settings at the time. What
    isolated agents cost is among it.

    Args:
        months: How many months, of those in which the model was asked.
    """
    return await engine.spending.by_month(months)


def _sent(is_configured: bool, is_local: bool, sends_private: bool, host: str) -> str:
    if not is_configured:
        return "Nothing is sent: no language model is configured."
    if is_local:
        return "Texts of every store may be sent, to this machine only."
    if sends_private:
        return f"Texts of every store may be sent to {host}, private ones too (llm.send_private)."
    return f"Texts of the stores shared and social may be sent to {host}; private ones are not."
