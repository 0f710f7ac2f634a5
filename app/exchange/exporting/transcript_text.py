"""Transcripts as Markdown: the head of a conversation, and each message below a heading."""

from app.exchange.formats.assistants.artifacts import artifacts
from app.exchange.parsing.frontmatter import dump
from app.sessions.model import Message, Session


def transcript_head(session: Session) -> str:
    """Return the front matter of a conversation."""
    head = {
        "title": session.title,
        "session": session.id,
        "agent": session.agent,
        "channel": session.channel,
        "created": session.created_at.isoformat(timespec="milliseconds"),
        "updated": session.updated_at.isoformat(timespec="milliseconds"),
    }
    return dump({name: value for name, value in head.items() if value})


def transcript_message(message: Message) -> str:
    """Return a message with its heading: number, speaker and time."""
    who = " · ".join(filter(None, (str(message.seq), message.role, message.author or (message.tool_name or ""))))
    when = message.created_at.strftime("%Y-%m-%d %H:%M:%S")
    words = "\n\n".join(filter(None, (message.content, *artifacts(message.tool_calls))))
    return f"\n### {' '.join(who.split())} · {when}\n\n{words}\n"
