"""JSON answers of chat models, checked strictly, and mended once."""

from dataclasses import replace
from typing import TypeVar

import msgspec

from app.errors import ModelUnavailableError
from app.llm.chat_model import ChatModel
from app.llm.model import ChatMessage, ChatRequest, Usage

T = TypeVar("T")
_LONGEST_COMPLAINT = 300


async def ask_for_json(model: ChatModel, request: ChatRequest, shape: type[T]) -> tuple[T, Usage]:
    """Ask for a JSON object of the fields of ``shape``, twice at most.

    Args:
        model: Who is asked.
        request: What is asked.
        shape: A ``msgspec.Struct``; unknown fields are refused where it forbids them.

    Returns:
        The object, and what both answers took.

    Raises:
        ModelUnavailableError: The model cannot be asked, or neither answer fits; nothing is guessed.
        AccessDeniedError: See ``ChatModel.complete``.
    """
    json_request = replace(request, wants_json=True)
    answer = await model.complete(json_request)
    try:
        return _decoded(answer.text, shape), answer.usage
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        complaint = f"That is not a JSON object of the agreed form ({str(error)[:_LONGEST_COMPLAINT]}). Answer again."
    turns = (ChatMessage("assistant", answer.text), ChatMessage("user", complaint))
    second = await model.complete(replace(json_request, messages=(*json_request.messages, *turns)))
    try:
        return _decoded(second.text, shape), answer.usage + second.usage
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise ModelUnavailableError(
            "The language model's answer is not a JSON object of the agreed form.", purpose=request.purpose
        ) from error


def _decoded(text: str, shape: type[T]) -> T:
    """Decode an answer, without the Markdown fence that some models put around JSON."""
    body = text.strip()
    if body.startswith("```") and body.endswith("```"):
        first, _, rest = body[3:-3].partition("\n")
        body = rest if first.strip().isalpha() or not first.strip() else body[3:-3]
    return msgspec.json.decode(body, type=shape)
