"""The filter of echoed memories: recalled text is not stored as new.

Text that Keepsake gave to an agent may come back from it.
"""

from dataclasses import replace

from app.core.text_rules.recall_fence import without_recalled
from app.errors import InputError
from app.memories.model import NewMemory


def without_recalled_text(draft: NewMemory) -> NewMemory:
    """Return ``draft`` without what Keepsake told.

    Raises:
        InputError: Nothing else is in it.
    """
    content = without_recalled(draft.content)
    facts = tuple(fact for fact in map(without_recalled, draft.facts) if fact)
    if content == draft.content and facts == draft.facts:
        return draft
    if not content and not facts:
        raise InputError(
            "That is what Keepsake told you: it is stored already. Write what is new, in words of your own.",
            field="content",
        )
    return replace(draft, content=content, facts=facts)
