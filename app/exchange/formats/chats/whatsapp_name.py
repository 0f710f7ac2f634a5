"""Names of WhatsApp's chats and of their files in any language."""

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from app.exchange.importing.source_files import SourceEntry

FILES = re.compile(r"(?:.*/)?(?:_chat|[^/]*(?:WhatsApp|واتساب|واتس اب)[^/]*)\.txt", re.IGNORECASE)
_PROGRAM = r"(?:WhatsApp|واتساب|واتس اب)"
_CHAT = (
    r"(?:chats?|chatt|chatten|discussion|conversa(?:ci[oó]n|tion|zione|[tț]ie)?|чат|переписка|sohbet(?:i)?|czat|rozmowa"
    r"|keskustelu|besz[eé]lget[eé]s|συνομιλ[ιί]α|konverz[aá]ci?[ae]|perbualan|sembang|obrolan|vestlus|pokalbis|saruna"
    r"|razgovor|разговор|بدردشة|محادثة|دردشة|چت|گفتگو|שיחה|שיחת|צ.?אט|대화|채팅|チャット|トーク(?:履歴)?|聊天(?:记录|記錄|紀錄)?"
    r"|对话|對話|चैट|แชท|แชต|cuộc trò chuyện|đoạn chat|trò chuyện|usapan|gumzo)"
)
_WITH = (
    r"(?:with|mit|con|com|avec|met|med|con il contatto|с контактом|с|з|із|z|s|so|sa|cu|ile|dengan|με|kanssa|ar|su|amb"
    r"|עם|مع|با|से|के साथ|với|กับ|kay)"
)
_NAMED = re.compile(
    rf"_chat(?: ?\(\d+\))?|{_PROGRAM}['’\w]{{0,4}}[ -]*{_CHAT}.*|{_CHAT}[ -]+(?:\w{{1,3}} )?{_PROGRAM}.*"
    rf"|.*{_PROGRAM}['’\w]{{0,4}}[ -]*{_CHAT}",
    re.IGNORECASE,
)
_LED = re.compile(
    rf"(?:{_PROGRAM}['’\w]{{0,4}}(?:[ -]*{_CHAT})?|{_CHAT}[ -]+(?:\w{{1,3}} )?{_PROGRAM})"
    rf"[ :-]+(?:{_WITH} )?(?P<name>\S.*)",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"^WhatsApp(?: Chat)?[ -]+(?:(?:with|mit|con|avec) )?", re.IGNORECASE)
_NAMELESS = re.compile(r"(?:whatsapp|chats?|exported|export|history|messages?|txt|[\W\d_])+", re.IGNORECASE)
_NAMING = re.compile(
    r"\b(?:group|subject|gruppe|betreff|grupo|asunto|groupe|objet|gruppo|oggetto)\b"  # codespell:ignore groupe,objet
    r".*[\"\u201c\u201d\u201e\u00ab][ \u00a0]?"
    r"([^\"\u201c\u201d\u201e\u00ab\u00bb\n]{1,80}?)[ \u00a0]?[\"\u201c\u201d\u00bb]",
    re.IGNORECASE,
)
_MOST_NAMED = 3


def is_named(file_name: str) -> bool:
    """Return whether WhatsApp calls exported chats so."""
    path = PurePosixPath(file_name)
    return path.suffix.lower() == ".txt" and _NAMED.fullmatch(path.stem) is not None


def plain_title(entry: SourceEntry, path: Path) -> str:
    """Return the name of a chat's file without WhatsApp's words.

    It tells chats apart over imports, so its rules must stay as they are.
    """
    stem = PurePosixPath(entry.name).stem
    stem = path.stem if stem.casefold() == "_chat" and path.suffix.lower() == ".zip" else stem
    stem = re.sub(r" ?\(\d+\)$", "", stem)
    return _PLAIN.sub("", stem) or stem


def title(plain: str) -> str:
    """Return a title without the words that WhatsApp adds in other languages."""
    match = _LED.fullmatch(plain)
    return match["name"] if match is not None else plain


def is_nameless(plain: str) -> bool:
    """Return whether the name of a file says nothing of the chat in it."""
    return _NAMELESS.fullmatch(plain) is not None


@dataclass(slots=True)
class Evidence:
    """Evidence in a chat of what it is called."""

    group: str = ""
    authors: dict[str, None] = field(default_factory=dict)

    def add(self, author: str, text: str) -> None:
        """Take the first line of a message, or a notice with a name."""
        if author:
            self.authors[author] = None
        elif (match := _NAMING.search(text)) is not None:
            self.group = match[1]

    def decide(self) -> str:
        """Return the name of the group, else the few authors.

        It is ``""`` where there are many.
        """
        return self.group or (", ".join(self.authors) if len(self.authors) <= _MOST_NAMED else "")
