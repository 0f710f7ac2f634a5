"""Words of Slack's messages: markup, blocks, attachments and files as Markdown."""

import html
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from app.exchange.formats.chats import chat_records
from app.exchange.formats.chats.chat_words import merged, unread
from app.exchange.parsing.lenient import first_text, row, table, text
from app.exchange.parsing.source_words import Noise, spoken

_TOKEN: Final = re.compile(r"<([@#!])?([^<>|]{1,4000})(?:\|([^<>]{0,4000}))?>")
STAND_INS: Final = frozenset(
    {
        "this message contains interactive elements",
        "this message contains interactive elements, please open it in slack",
        "this content can't be displayed",
        "this content can’t be displayed",
        "no preview available",
    }
)
NOISE: Final = (
    *("user_profile", "profile", "bot_profile", "edited", "video_html", "style", "focus_on_load", "url_private"),
    *("fallback", "pretty_type", "preview_highlight", "simplified_html", "service_icon", "footer_icon", "tz_label"),
    *("author_icon", "dispatch_action_config", "mrkdwn_in", "mode", "filetype", "mimetype", "external_type"),
    *("file_access", "media_display_type", "locale", "shares", "reactions"),
)
# Of blocks: what a click sends, and how one looks.
_TECHNICAL: Final = frozenset({"value", "style", "size", "border", "orientation", "alignment", "verbatim", "width"})
_SPEAKING: Final = frozenset({"text", "title", "label", "question", "description", "alt_text"})
_ENUMERATED: Final = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+|[\W\d_]*")
_NOBODYS: Final = Noise(NOISE, STAND_INS)
_MAX_INDENT: Final = 8
_MAX_DEPTH: Final = 30
_OF_FILES: Final = frozenset({"preview", "name", "username", "reactions"})


class SlackText:
    """Slack's texts as Markdown.

    Args:
        people: Names of people by their ids; channels and groups may be among them.
    """

    def __init__(self, people: Mapping[str, str]) -> None:
        self._people = people

    def markup(self, text: str) -> str:
        """Return Slack's markup as Markdown, with people by their names."""
        return html.unescape(_TOKEN.sub(self._token, text))

    def message(self, fields: dict[str, Any], metadata: Collection[str]) -> str:
        """Return all words of a message but those in fields of ``metadata``."""
        blocks = self.blocks(fields.get("blocks"))
        words = self.markup(text(fields.get("text")))
        comment = table(fields.get("comment"))
        parts = [
            merged("" if blocks.strip() and is_stand_in(words) else words, blocks),
            *(self.attachment(table(part)) for part in row(fields.get("attachments"))),
            *(self.file(table(part)) for part in [*row(fields.get("files")), fields.get("file")] if table(part)),
            self.markup(text(comment.get("comment"))),
        ]
        read = chat_records.joined(parts[0], *(part for part in parts[1:] if merged(parts[0], part) != parts[0]))
        known = {*metadata, "text"} if is_stand_in(words) else metadata
        return chat_records.joined(read, unread(fields, known, [read], _NOBODYS, self.markup))

    def attachment(self, part: dict[str, Any]) -> str:
        """Return the words of an attachment, such as a card or a shared message."""
        author = " ".join(filter(None, (first_text(part, "author_name"), first_text(part, "author_subname"))))
        fields = [
            ": ".join(filter(None, (first_text(field, "title"), first_text(field, "value"))))
            for field in map(table, row(part.get("fields")))
        ]
        lines = [first_text(part, "pretext"), author, first_text(part, "title"), first_text(part, "text"), *fields]
        card = self.markup("\n".join(filter(None, lines)))
        shared = "\n\n".join(
            self.blocks(table(item.get("message")).get("blocks"))
            for item in map(table, row(part.get("message_blocks")))
        )
        files = "\n".join(self.file(table(file)) for file in row(part.get("files")))
        footer = self.markup(first_text(part, "footer"))
        words = merged(card, self.blocks(part.get("blocks")), shared, files, footer)
        attached_words = merged(words, unread(part, (), [words], _NOBODYS, self.markup, is_message=False))
        fallback = self.markup(first_text(part, "fallback"))
        return attached_words or ("" if is_stand_in(fallback) else fallback)

    def file(self, part: dict[str, Any]) -> str:
        """Return the mark of a file, with its words where the export has them."""
        title = first_text(part, "title", "name", "id") or "without a name"
        comment = self.markup(text(table(part.get("initial_comment")).get("comment")))
        transcript = "\n".join(value.text for value in spoken(part.get("transcription"), _NOBODYS))
        written = first_text(part, "plain_text", "preview_plain_text", "preview")
        words = merged(f"[file: {title}]", self.blocks(part.get("title_blocks")), written, comment, transcript)
        return merged(words, unread(part, _OF_FILES, [words], _NOBODYS, self.markup, is_message=False))

    def blocks(self, value: Any) -> str:
        """Return the words of blocks, of kinds that are known or not."""
        return "\n".join(filter(str.strip, (self._block(table(block)) for block in row(value))))

    def _block(self, block: dict[str, Any], depth: int = 0) -> str:
        kind = text(block.get("type"))
        if kind.startswith("rich_text"):
            return self._rich(block, depth)
        if kind == "mrkdwn":
            return self.markup(text(block.get("text")))
        if kind in ("plain_text", "markdown", "raw_text"):
            return text(block.get("text"))
        return "\n".join(filter(str.strip, self._lines(block, depth)))

    def _lines(self, value: dict[str, Any], depth: int) -> Iterable[str]:
        """Yield the words of a block of any kind, in the order of its fields."""
        if depth > _MAX_DEPTH or _NOBODYS.has_object(value):
            return
        if words := self._inline(value):
            yield words
            return
        for name, inner in value.items():
            if _NOBODYS.has_field(name) or name in _TECHNICAL:
                continue
            if isinstance(inner, str):
                is_mark = name not in _SPEAKING and _ENUMERATED.fullmatch(inner)
                yield "" if is_mark else self.markup(inner)
            elif isinstance(inner, dict):
                yield self._block(inner, depth + 1)
            else:
                yield from self._row(row(inner), depth + 1)

    def _row(self, values: list[Any], depth: int) -> Iterable[str]:
        for value in values:
            if isinstance(value, str):
                yield self.markup(value)
            elif isinstance(value, list):
                yield " | ".join(filter(str.strip, self._row(value, depth + 1))) if depth < _MAX_DEPTH else ""
            else:
                yield self._block(table(value), depth)

    def _rich(self, element: dict[str, Any], depth: int) -> str:
        kind = text(element.get("type"))
        children = [table(child) for child in row(element.get("elements"))] if depth < _MAX_DEPTH else []
        if kind in ("rich_text_section", "rich_text_quote", "rich_text_preformatted"):
            words = "".join(self._inline(child) or self._block(child, depth + 1) for child in children)
            if kind == "rich_text_quote":
                return "\n".join(f"> {line}" for line in words.splitlines())
            return f"```\n{words}\n```" if kind == "rich_text_preformatted" else words
        if kind == "rich_text_list":
            level = element.get("indent")
            indent = "  " * (min(level, _MAX_INDENT) if isinstance(level, int) else 0)
            is_numbered = element.get("style") == "ordered"
            items = [self._rich(child, depth + 1) for child in children]
            return "\n".join(f"{indent}{f'{at}.' if is_numbered else '-'} {item}" for at, item in enumerate(items, 1))
        if kind == "rich_text" or children:
            return "\n".join(self._block(child, depth + 1) for child in children)
        return "\n".join(self._lines({**element, "type": ""}, depth + 1))

    def _inline(self, part: dict[str, Any]) -> str:
        """Return a piece of a line, ``""`` for an object of another kind."""
        kind, words = text(part.get("type")), text(part.get("text"))
        if kind == "text" and table(part.get("style")).get("code") is True:
            words = f"`{words}`"
        elif kind == "link":
            url = text(part.get("url"))
            words = f"[{words}]({url})" if words and words != url else url
        elif kind in ("user", "channel"):
            name = text(part.get(f"{kind}_id"))
            words = f"{'@' if kind == 'user' else '#'}{self._people.get(name, name)}"
        elif kind in ("usergroup", "broadcast", "team"):
            words = f"@{first_text(part, 'range', 'usergroup_id', 'team_id')}"
        elif kind == "emoji":
            tone = part.get("skin_tone")
            words = f":{text(part.get('name'))}:" + (f":skin-tone-{tone}:" if isinstance(tone, int) else "")
        elif kind in ("date", "color"):
            words = first_text(part, "fallback", "value")
        elif kind != "text":
            words = ""
        return words

    def _token(self, match: re.Match[str]) -> str:
        kind, what, label = match[1], match[2], match[3]
        if kind == "@":
            return f"@{self._people.get(what) or label or what}"
        if kind == "#":
            return f"#{label or self._people.get(what) or what}"
        if kind == "!" and what.startswith("date^"):
            return label or what
        if kind == "!":
            return f"@{(label or what.partition('^')[0]).removeprefix('@')}"
        return f"[{label}]({what})" if label and label != what else what


def is_stand_in(text: str) -> bool:
    """Return whether a text only says that there are words elsewhere in a message."""
    return _NOBODYS.has_text(text)
