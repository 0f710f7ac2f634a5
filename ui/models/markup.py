"""Markdown as restricted HTML for Qt's text documents.

Nothing in it loads, runs or styles itself.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import escape, unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from app.attachments.model import kind_of, name_of
from app.core.text_rules.tag_names import is_inline_tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.rules_inline import StateInline
    from markdown_it.utils import EnvType, OptionsDict

WIKI = "wiki:"
TAG = "tag:"
TASK = "task:"
PICTURE = "picture:"
RICH_LIMIT = 300_000
PLAIN_STEP = 200_000
PIECE = 6_000
EDIT_LIMIT = 2_000_000
LONG_RUN, LONG_LINE = 10_000, 100_000

_TAG = re.compile(r"#([^\W\d_][\w/-]{0,63})")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_LONG_RUN = re.compile(r"\S{2000}(?=\S)")
_UNBROKEN = re.compile(r"\S{10000}")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_ONE_BLOCK = re.compile(r"\s*(```|~~~)[^\n]*\n(.*)\n\1\s*\Z", re.DOTALL)
_FRESH = re.compile(r"(?:[-*+]|#{1,6})[ \t]")
_TASK = re.compile(r"^\[([ xX])\][ \u00a0]")
_TASK_LINE = re.compile(r"(?:[\s>]|[-*+][ \t]|\d{1,9}[.)][ \t])*\[([ xX])\][ \t\u00a0]")
_NEWLINE = re.compile(r"\r\n?|\n")
_MATTER_LINK = re.compile(r"\[\[([^\[\]\n|]+)(?:\|([^\[\]\n]*))?\]\]|\[([^\[\]\n]+)\]\(([^()\s]+)\)")
_NOTE_TARGET = re.compile(
    r"[^:#?]+\.(?:md|markdown|mdown|mkd|mdx)(?:#.*)?|(?:note|fact|obs|ref|dig)-[0-9a-f-]{36}(?:\.md)?(?:#.*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ink:
    """Colours and font of the HTML.

    Qt's documents cannot take them from a style sheet.

    Args:
        text: Body text.
        muted: Quotes, front matter, image placeholders.
        link: Links, wiki links and tags.
        code: Background of code.
        line: Rules and table borders.
        ground: Background of table cells.
        mono: Family of fixed-width text.
    """

    text: str
    muted: str
    link: str
    code: str
    line: str
    ground: str
    mono: str = "monospace"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a note, as far as it is there.

    Args:
        width: Pixels to show it at; 0 while it is not there.
        height: The same.
        problem: Why it cannot be shown, ``""`` where it can.
    """

    width: int = 0
    height: int = 0
    problem: str = ""


@dataclass(slots=True)
class NoteParts:
    """Living parts of a note or message: pictures, and tasks that can be ticked.

    Args:
        picture: Returns the picture of the attachments folder that has a name.
        line: The line of the text that the rendered piece begins with; ``None`` where tasks cannot be ticked.
        refusal: Why pictures of other places are not shown.
    """

    picture: Callable[[str], Picture]
    line: int | None = 0
    refusal: str = ""
    shown: set[str] = field(default_factory=set)
    """Names of the pictures that the HTML shows."""


def _wiki_rule(state: "StateInline", silent: bool) -> bool:
    """Read ``[[target]]`` and ``[[target|words]]``."""
    if not state.src.startswith("[[", state.pos):
        return False
    end = state.src.find("]]", state.pos + 2)
    if end < 0:
        return False
    inside = state.src[state.pos + 2 : end]
    if not inside.strip() or "\n" in inside or "[" in inside:
        return False
    if not silent:
        target, _, label = inside.partition("|")
        _push_link(state, WIKI + quote(target.strip(), safe=""), (label or target).strip())
    state.pos = end + 2
    return True


def _tag_rule(state: "StateInline", silent: bool) -> bool:
    """Read ``#tag`` where no letter stands before it."""
    if state.src[state.pos] != "#" or (state.pos and not state.src[state.pos - 1].isspace()):
        return False
    match = _TAG.match(state.src, state.pos)
    if not match or not is_inline_tag(match[1].rstrip("/-")):
        return False
    if not silent:
        _push_link(state, TAG + quote(match[1].rstrip("/-"), safe=""), match[0].rstrip("/-"))
    state.pos = match.end() - (len(match[0]) - len(match[0].rstrip("/-")))
    return True


def _push_link(state: "StateInline", href: str, label: str) -> None:
    opening = state.push("link_open", "a", 1)
    opening.attrs = {"href": href}
    state.push("text", "", 0).content = label
    state.push("link_close", "a", -1)


class _Renderer(RendererHTML):
    """HTML that Qt's rich text shows well."""

    def image(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        """Show a picture of the attachments folder, of others the words only."""
        target = str(tokens[idx].attrGet("src") or "")
        words = self.renderInlineAsText(tokens[idx].children or [], options, env) or unquote(target)
        parts, name = _parts(env), name_of(target)
        if parts is None or not name or kind_of(name) != "picture":
            why = f": {parts.refusal}" if parts is not None and parts.refusal else ""
            return _placeholder(words + why, _ink(env))
        picture = parts.picture(name)
        if not picture.width:
            return _placeholder(f"{words}: {picture.problem}" if picture.problem else f"{words} …", _ink(env))
        parts.shown.add(name)
        size = f'width="{picture.width}" height="{picture.height}"'
        return f'<img src="{PICTURE}{quote(name, safe="")}" {size} alt="{escape(words)}">'

    def paragraph_open(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        """Open a paragraph; a picture's line gets no space in proportion to its height."""
        inline = tokens[idx + 1] if idx + 1 < len(tokens) else None
        children = inline.children or () if inline is not None and _parts(env) is not None else ()
        if not tokens[idx].hidden and any(child.type == "image" for child in children):
            return '<p style="line-height:100%">'
        return self.renderToken(tokens, idx, options, env)

    def code_inline(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        """Show code in a line."""
        del options
        ink = _ink(env)
        code = escape(tokens[idx].content)
        return f"<code style=\"background-color:{ink.code};font-family:'{ink.mono}'\">&#8201;{code}&#8201;</code>"

    def fence(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        """Show a block of code on its own ground."""
        del options
        return _block(tokens[idx].content, _ink(env))

    def code_block(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        """Show indented code like fenced code."""
        return self.fence(tokens, idx, options, env)

    def link_open(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        """Colour a link; underline only those that lead out."""
        del options
        href = str(tokens[idx].attrGet("href") or "")
        line = "none" if href.startswith((WIKI, TAG, TASK)) else "underline"
        return f'<a href="{escape(href)}" style="color:{_ink(env).link};text-decoration:{line}">'

    def blockquote_open(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        """Open a quotation: a bar and dimmer words."""
        del tokens, idx, options
        ink = _ink(env)
        return (
            f'<table cellspacing="0" cellpadding="0" style="margin:4px 0"><tr><td width="3" bgcolor="{ink.line}"></td>'
            f'<td style="padding-left:10px;color:{ink.muted}">'
        )

    def blockquote_close(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        del tokens, idx, options, env
        return "</td></tr></table>"

    def table_open(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        """Open a table; its ground shines through between the cells as thin lines."""
        del tokens, idx, options
        return f'<table bgcolor="{_ink(env).line}" cellspacing="1" cellpadding="6" style="margin:6px 0">'

    def td_open(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        del options
        return f'<td bgcolor="{_ink(env).ground}"{_side(tokens[idx])}>'

    def th_open(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        """Open a heading cell."""
        del options
        return f'<th bgcolor="{_ink(env).code}"{_side(tokens[idx])}>'

    def hr(self, tokens: "Sequence[Token]", idx: int, options: "OptionsDict", env: "EnvType") -> str:
        """Draw a thin rule; Qt's own takes the colour of the words."""
        del tokens, idx, options
        style = f"background-color:{_ink(env).line};font-size:1px;line-height:1px;margin:12px 0"
        return f'<p style="{style}">&nbsp;</p>'


def _placeholder(words: str, ink: Ink) -> str:
    return f'<span style="color:{ink.muted};font-style:italic">[{escape(words)}]</span>'


def _parts(env: "EnvType") -> NoteParts | None:
    parts: NoteParts | None = env.get("parts")  # type: ignore[assignment, unused-ignore]
    return parts


def _ink(env: "EnvType") -> Ink:
    ink: Ink = env["ink"]  # type: ignore[assignment, unused-ignore]
    return ink


def _side(token: "Token") -> str:
    """Return the alignment of a cell, which Markdown writes into its style."""
    style = str(token.attrGet("style") or "text-align:left")
    return f' align="{style.rpartition(":")[2]}"'


def _block(code: str, ink: Ink) -> str:
    return _framed(escape(code.rstrip()), ink)


def _framed(html: str, ink: Ink) -> str:
    return (
        f'<table width="100%" cellspacing="0" cellpadding="8" style="margin:6px 0"><tr><td bgcolor="{ink.code}">'
        f"<pre style=\"font-family:'{ink.mono}';margin:0;white-space:pre-wrap\">{html}</pre>"
        "</td></tr></table>"
    )


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable(["table", "strikethrough"])
    parser.inline.ruler.before("link", "wiki", _wiki_rule)
    parser.inline.ruler.before("link", "tag", _tag_rule)
    parser.core.ruler.push("tasks", _tasks)
    return parser


def _tasks(state: Any) -> None:
    """Turn ``[ ]`` and ``[x]`` at the head of list items into boxes.

    A list of tasks alone has no bullets before them.
    """
    lists: list[list[Any]] = []  # for each list that is open: its token, its items, its tasks
    for place, token in enumerate(state.tokens):
        if token.type == "bullet_list_open":
            lists.append([token, 0, 0])
        elif token.type == "bullet_list_close":
            opening, items, tasks = lists.pop()
            if items == tasks:
                opening.attrSet("style", "list-style-type:none")
        elif lists and token.type == "list_item_open" and token.level == lists[-1][0].level + 1:
            lists[-1][1] += 1
        elif token.type == "inline" and _make_task(state, place) and lists:
            lists[-1][2] += 1


def _make_task(state: Any, place: int) -> bool:
    """Turn the head of an inline token into a box if it is a task."""
    token = state.tokens[place]
    is_head = place > 1 and state.tokens[place - 2].type == "list_item_open"
    if not is_head or state.tokens[place - 1].type != "paragraph_open" or not token.children:
        return False
    first = token.children[0]
    match = _TASK.match(first.content) if first.type == "text" else None
    if match is None:
        return False
    box = "\N{BALLOT BOX}" if match[1] == " " else "\N{BALLOT BOX WITH CHECK}"
    first.content = f"{box} {first.content[match.end() :]}"
    if (parts := _parts(state.env)) is not None and parts.line is not None and token.map:
        first.content = first.content[1:]
        token.children[:0] = _task_box(box, f"{TASK}{parts.line + token.map[0]}")
    return True


def _task_box(box: str, href: str) -> "list[Token]":
    opening, words, closing = Token("link_open", "a", 1), Token("text", "", 0), Token("link_close", "a", -1)
    opening.attrs = {"href": href}
    words.content = box
    return [opening, words, closing]


def render(source: str, ink: Ink, parts: NoteParts | None = None) -> str:
    """Return ``source`` as HTML; front matter becomes a dim block at its head.

    Args:
        source: Markdown.
        ink: Colours and font.
        parts: The living parts of a note; ``None`` for text that is only read.
    """
    head = ""
    if match := _FRONT_MATTER.match(source):
        head, source = _matter(match[1], ink), source[match.end() :]
        if parts is not None and parts.line is not None:
            parts = replace(parts, line=parts.line + lines_of(match[0]))
    env: dict[str, Any] = {"ink": ink, "parts": parts}
    return head + str(_parser().render(breakable(source), env)).rstrip()


def lines_of(text: str) -> int:
    """Return how many lines end in ``text``, as Markdown counts them."""
    return len(_NEWLINE.findall(text))


def _matter(text: str, ink: Ink) -> str:
    """Return front matter as a dim block whose links to notes lead there."""

    def link(match: "re.Match[str]") -> str:
        title, shown, words, target = match.groups()
        href = WIKI + quote(unescape(title).strip(), safe="") if title else target
        if not title and target_of(unescape(target))[0] not in ("note", "attachment"):
            return match[0]
        return f'<a href="{href}" style="color:{ink.link};text-decoration:none">{shown or title or words}</a>'

    return _framed(_MATTER_LINK.sub(link, escape(text.rstrip())), ink)


def pieces(source: str, size: int = PIECE) -> list[str]:
    """Return ``source`` cut into pieces of about ``size`` characters.

    Cuts are after empty lines and before items and headings, never inside code.

    Each can be rendered by itself; together they read as the whole.
    """
    if len(source) <= size:
        return [source]
    match = _FRONT_MATTER.match(source)
    head = match[0] if match else ""
    cut: list[str] = []
    lines: list[str] = [head] if head else []
    length, fence = len(head), ""
    for line in source[len(head) :].splitlines(keepends=True):
        mark = _FENCE.match(line)
        if length >= size and not fence and _FRESH.match(line):
            cut.append("".join(lines))
            lines, length = [], 0
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1] == fence:
            fence = ""
        lines.append(line)
        length += len(line)
        if length >= size and not fence and not line.strip():
            cut.append("".join(lines))
            lines, length = [], 0
    return [*cut, "".join(lines)] if lines else cut


def is_rich(source: str) -> bool:
    """Return whether a text is small enough to be laid out with all its formats."""
    return len(source) <= RICH_LIMIT


def is_editable(source: str) -> bool:
    """Return whether an editor can hold a text.

    Laying out an unbroken run of letters takes the square of its length.
    """
    if len(source) > EDIT_LIMIT:
        return False
    # Runs lie within lines, and to look for them in all of a text takes as long as to lay it out.
    long = [line for line in source.split("\n") if len(line) >= LONG_RUN]
    return not any(len(line) >= LONG_LINE or _UNBROKEN.search(line) for line in long)


def breakable(source: str) -> str:
    """Return ``source`` with places to break very long runs of letters.

    The result is for display, never for storage.
    """
    return _LONG_RUN.sub("\\g<0>\u200b", source)


def unfenced(source: str) -> str:
    """Return the inside of a text that is one block of code, else the text."""
    match = _ONE_BLOCK.match(source)
    return match[2].strip("\r\n") if match and match[1] not in match[2] else source


def target_of(href: str) -> tuple[str, str]:
    """Return what a link means.

    ``("wiki", title)``, ``("tag", name)``, ``("task", line)``, ``("attachment" | "note", target)``,
    ``("keepsake" | "web" | "other", href)``.
    """
    for kind, mark in (("task", TASK), ("wiki", WIKI), ("tag", TAG)):
        if href.startswith(mark):
            return kind, unquote(href[len(mark) :])
    if name_of(href):
        return "attachment", unquote(href)
    if _NOTE_TARGET.fullmatch(href):
        return "note", href
    scheme = href.partition(":")[0].lower()
    if scheme == "keepsake":
        return scheme, href
    return ("web" if scheme in ("http", "https", "mailto") else "other"), href


def toggled_task(line: str) -> tuple[int, str] | None:
    """Return the place of a task's box and the letter that ticking writes.

    It is ``None`` for other lines.
    """
    match = _TASK_LINE.match(line)
    return (match.start(1), " " if match[1] in "xX" else "x") if match else None


def words_of(source: str) -> list[str]:
    """Return the titles in the wiki links of a text, in order."""
    return [link.partition("|")[0].strip() for link in re.findall(r"\[\[([^\[\]\n]+)\]\]", source)]
