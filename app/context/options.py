"""Context options from the settings, read for each context so that changes apply at once."""

from app.config.config import Config
from app.context.model import ContextOptions


def context_options(config: Config) -> ContextOptions:
    """Return the options that ``config`` sets."""
    whole = config.whole
    return ContextOptions(
        whole("context.total_tokens"),
        {
            "recent": whole("context.recent_max_tokens"),
            "salient": whole("context.salient_max_tokens"),
            "facts": whole("context.max_tokens"),
            "turns": whole("context.relevant_max_tokens"),
            "reflection": whole("context.reflection_max_tokens"),
            "index": whole("context.index_max_tokens"),
            "sessions": whole("context.sessions_max_tokens"),
        },
        whole("context.max_facts"),
        whole("context.recent_messages"),
        whole("context.salient_messages"),
        config.number("context.salient_importance"),
        whole("context.relevant_messages"),
        config.number("context.relevant_similarity"),
        config.flag("context.reflection"),
        whole("context.recent_sessions"),
        whole("context.index_limit") if config.flag("context.index") else 0,
        whole("context.index_recent_days"),
        config.text("search.recipe"),
    )
