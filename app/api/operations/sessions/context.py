"""Operations on the context for agents."""

from app.api.caller import Caller
from app.api.operations.sessions.summaries import check_range
from app.api.registry import operation
from app.api.session_access import mentioned
from app.context.model import Context, SectionName
from app.engine import Engine

_UNCOUNTED = frozenset({"index", "sessions", "recent", "salient", "turns"})


@operation("memory.context", joined="prompt", searches=True, sentence="Asked what it should know")
async def context(
    engine: Engine,
    caller: Caller,
    prompt: str,
    session: str = "",
    agent: str = "",
    max_tokens: int | None = None,
    sections: list[SectionName] = [],  # noqa: B006
    unasked: bool = False,
    folder: str | None = None,
    project: str = "",
) -> Context:
    """Return the context for an agent's next answer.

    It is Markdown in a fence, and the same as sections with ids: the latest messages of the conversation, important
    messages, memories and messages of other conversations that are relevant to the prompt, the latest weekly
    reflection, an index of memories with those that match the prompt first, and the summaries of recent conversations.
    A section that is not available is named in ``notes``. Paste ``text`` as it is: nothing in it can end its fence, and
    when it comes back in a message it is recognised and not stored again.

    Args:
        prompt: The question to the agent; only its words count, operators do not.
        session: The current conversation. Its latest messages are included; the other sections leave it out.
        agent: Name only recent conversations with this agent.
        max_tokens: Tokens of the whole; the setting ``context.total_tokens`` when left out.
        sections: Only these; none of them for all.
        unasked: A client passes every prompt on by itself, so only what clearly bears on it is told; for most requests
            that is nothing.
        folder: The agent begins its work in this folder, or in an unknown one where the text is empty: instead of a
            search, told are memories and summaries of earlier conversations there, and a few memories that the person
            has pinned or confirmed.
        project: Name of the project that is worked on: what belongs to it comes first.
    """
    check_range("max_tokens", max_tokens, 0)
    session = await mentioned(engine, caller, session) if session else session
    result = await engine.context.build(
        caller.access,
        prompt,
        session=session,
        agent=agent,
        max_tokens=max_tokens,
        sections=sections,
        has_floor=unasked,
        folder=folder,
        project=project,
    )
    # A line of the index tells a name, which is no use of the memory: it must not keep all of them from fading.
    included = (item for section in result.sections if section.name not in _UNCOUNTED for item in section.items)
    engine.memories.access.count(item.id for item in included)
    return result
