"""What agents are told before a turn."""

from app.api.caller import Caller
from app.api.registry import operation
from app.api.session_access import mentioned
from app.api.summaries import check_range
from app.context.model import Context
from app.engine import Engine

_UNCOUNTED = frozenset({"index", "sessions", "recent", "salient", "turns"})


@operation("memory.context")
async def context(
    engine: Engine,
    caller: Caller,
    prompt: str,
    session: str = "",
    agent: str = "",
    max_tokens: int | None = None,
) -> Context:
    """Return what to tell an agent before it answers: Markdown in a fence, and the same as sections with ids.

    The latest turns of the conversation, important turns, memories and turns of other conversations that bear on the
    prompt, the latest weekly insight, an index of memories with the most recent first, and what recent conversations
    were about. Whatever cannot be had is named in ``notes``, and the rest is told. Paste ``text`` as it is: nothing in
    it can end its fence, and when it comes back in a turn it is known again and not taken for news.

    Args:
        prompt: What the agent was asked; only its words count, operators do not.
        session: The conversation at hand: its last turns are told, and nothing of it as if it were from elsewhere.
        agent: Name only recent conversations with this agent.
        max_tokens: Tokens of the whole; the setting ``context.total_tokens`` when left out.
    """
    check_range("max_tokens", max_tokens, 0)
    session = await mentioned(engine, caller, session) if session else session
    made = await engine.context.build(prompt, session=session, agent=agent, max_tokens=max_tokens, stores=caller.stores)
    # A line of the index tells a name, which is no use of the memory: it must not keep all of them from fading.
    told = (item for section in made.sections if section.name not in _UNCOUNTED for item in section.items)
    engine.memories.access.count(item.id for item in told)
    return made
