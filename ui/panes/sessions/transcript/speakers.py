"""Speakers of a conversation: the person and others, with a colour for each."""

from collections.abc import Iterable

from app.sessions.model import Message
from ui import theme


class Speakers:
    """The speakers of a conversation, as far as its messages are at hand.

    Programs store what a person says under the role of the user, and so do imported chats with what everybody says.
    Where several speak under that role, only messages without a name are the person's own.
    """

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._places: dict[str, int] = {}

    @property
    def is_group(self) -> bool:
        """True when several people speak."""
        return len(self._names) > 1

    def meet(self, messages: Iterable[Message]) -> bool:
        """Take the speakers of more messages; return whether it is a group only now."""
        was_group = self.is_group
        self._names |= {message.author: None for message in messages if message.role == "user" and message.author}
        return self.is_group and not was_group

    def is_own(self, message: Message) -> bool:
        """Return whether the person said a message."""
        return message.role == "user" and not (self.is_group and message.author)

    def colour(self, message: Message, speaker: str) -> str:
        """Return the colour of a message's speaker, for the person the accent."""
        series = theme.current().tokens.series
        if self.is_own(message):
            return series[0]
        count = len(series) - 2
        place = sum(map(ord, speaker)) % count
        if self.is_group and speaker not in self._places:
            places = set(self._places.values())
            free = (other % count for other in range(place, place + count))
            self._places[speaker] = next((other for other in free if other not in places), place)
        return series[1 + self._places.get(speaker, place)]
