"""Build the help pages, README and change log as a small static website: ``python packaging/site.py [--out FOLDER]``.

The website needs no network and no server: plain files with one style sheet, a list of pages and a search over them.
"""

import argparse
import html
import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT: Final = Path(__file__).resolve().parent.parent
HELP: Final = ROOT / "resources" / "help"
PICTURES: Final = ROOT / "resources" / "pictures"
GROUPS: Final = (
    ("Begin", ("index", "install", "guide", "welcome")),
    ("Use", ("notes", "organise", "search", "graph", "schedule", "inbox", "import")),
    ("Care", ("several-machines", "upkeep", "language-model")),
    ("Agents", ("agents", "socket", "security", "encryption")),
    ("Know", ("performance", "comparison", "changelog")),
    ("Reference", ("commands", "settings", "operations")),
    ("Change", ("contributing", "architecture")),
)
_LINK: Final = re.compile(r"^(?:\.\./\.\./|resources/help/)?([\w-]+)\.md(#.*)?$")
_SLUG: Final = re.compile(r"[^\w\- ]")
_INDEXED: Final = 4_000  # characters of a page that the search looks through


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page of the website.

    Args:
        name: File name without its ending.
        title: Its first heading.
        body: HTML of its text.
        text: Its plain text, for the search.
        anchors: Ids of its headings.
    """

    name: str
    title: str
    body: str
    text: str
    anchors: frozenset[str]


def main(arguments: list[str] | None = None) -> int:
    """Build the website; print where it is, or which links lead nowhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site")
    out: Path = parser.parse_args(arguments).out
    pages = [_page(name, path.read_text(encoding="utf-8")) for name, path in sources().items()]
    write(out, pages)
    broken = [*broken_links(out, pages)]
    for link in broken:
        sys.stderr.write(f"{link} leads nowhere\n")
    sys.stdout.write(f"{len(pages)} pages in {out}\n")
    return 1 if broken else 0


def sources() -> dict[str, Path]:
    """Return the Markdown file of each page by the page's name."""
    pages = {path.stem: path for path in sorted(HELP.glob("*.md"))}
    return {"index": ROOT / "README.md", **pages, "changelog": ROOT / "CHANGELOG.md"}


def _page(name: str, text: str) -> SitePage:
    renderer = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    tokens = renderer.parse(text)
    anchors, title = set[str](), name
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            words = _plain(tokens[place + 1])
            slug = slug_of(words)
            while slug in anchors:
                slug += "-1"
            anchors.add(slug)
            token.attrSet("id", slug)
            title = words if token.tag == "h1" else title
        for child in token.children or ():
            _redirect(child)
    body = renderer.renderer.render(tokens, renderer.options, {})
    plain = " ".join(_plain(token) for token in tokens if token.type == "inline")
    return SitePage(name, title, body, plain[:_INDEXED], frozenset(anchors))


def _redirect(token: Token) -> None:
    """Point links at pages of the website, and pictures at the folder beside them."""
    attribute = {"link_open": "href", "image": "src"}.get(token.type)
    if attribute is None:
        return
    target = str(token.attrGet(attribute) or "")
    if token.type == "image":
        token.attrSet(attribute, f"pictures/{Path(target).name}")
    elif match := _LINK.match(target):
        name = {"README": "index", "CHANGELOG": "changelog"}.get(match[1], match[1])
        token.attrSet(attribute, f"{name}.html{match[2] or ''}")


def _plain(token: Token) -> str:
    return "".join(child.content for child in token.children or () if child.type in ("text", "code_inline"))


def slug_of(heading: str) -> str:
    """Return the anchor of a heading, as code hosts make it."""
    return _SLUG.sub("", heading.lower()).replace(" ", "-")


def write(out: Path, pages: list[SitePage]) -> None:
    """Write the website into ``out``, in place of one that is there."""
    shutil.rmtree(out, ignore_errors=True)
    (out / "pictures").mkdir(parents=True)
    for picture in sorted(PICTURES.glob("*.png")):
        shutil.copyfile(picture, out / "pictures" / picture.name)
    shutil.copyfile(ROOT / "LICENSE", out / "LICENSE")
    (out / "style.css").write_text(_STYLE, encoding="utf-8")
    index = [{"name": page.name, "title": page.title, "text": page.text} for page in pages]
    # A script and not JSON, which a browser does not read from a file.
    script = f"const PAGES = {json.dumps(index, ensure_ascii=False)};\n{_SEARCH}"
    (out / "search.js").write_text(script, encoding="utf-8")
    titles = {page.name: page.title for page in pages}
    for page in pages:
        (out / f"{page.name}.html").write_text(_document(page, titles), encoding="utf-8")


def _document(page: SitePage, titles: dict[str, str]) -> str:
    return _TEMPLATE.format(
        title=html.escape(page.title), contents="".join(_contents(page.name, titles)), body=page.body
    )


def _contents(current: str, titles: dict[str, str]) -> Iterator[str]:
    named = {name for _, names in GROUPS for name in names}
    rest = tuple(name for name in titles if name not in named)
    for group, names in (*GROUPS, ("More", rest)):
        known = [name for name in names if name in titles]
        if known:
            yield f"<h2>{group}</h2><ul>"
            for name in known:
                mark = ' aria-current="page"' if name == current else ""
                yield f'<li><a href="{name}.html"{mark}>{html.escape(titles[name])}</a></li>'
            yield "</ul>"


def broken_links(out: Path, pages: list[SitePage]) -> Iterator[str]:
    """Yield the links between pages and to pictures that lead nowhere."""
    anchors = {f"{page.name}.html": page.anchors for page in pages}
    for page in pages:
        for target in re.findall(r'(?:href|src)="([^"]+)"', page.body):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = html.unescape(target).partition("#")
            if (name and not (out / name).is_file()) or (
                anchor and anchor not in anchors.get(name or f"{page.name}.html", frozenset())
            ):
                yield f"{page.name}: {target}"


_TEMPLATE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Keepsake</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav aria-label="Pages">
<a class="brand" href="index.html">Keepsake</a>
<input id="search" type="search" placeholder="Search these pages" aria-label="Search these pages">
<ul id="found" hidden></ul>
{contents}
</nav>
<main>
{body}
</main>
<script src="search.js"></script>
</body>
</html>
"""
_STYLE: Final = """:root { color-scheme: light dark; --text: #1d2024; --soft: #5b626b; --page: #fff; --side: #f5f6f8;
  --line: #dfe2e7; --accent: #2457c5; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --soft: #a3aab4; --page: #16181b; --side: #1d2024;
  --line: #33383f; --accent: #8fb4ff; } }
* { box-sizing: border-box; }
body { margin: 0; display: flex; min-height: 100vh; color: var(--text); background: var(--page);
  font: 16px/1.6 system-ui, sans-serif; }
nav { flex: 0 0 17rem; padding: 1.5rem; background: var(--side); border-right: 1px solid var(--line); overflow-y: auto;
  position: sticky; top: 0; height: 100vh; }
nav h2 { font-size: .8rem; letter-spacing: .04em; color: var(--soft); margin: 1.4rem 0 .3rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .15rem 0; }
.brand { font-weight: 700; font-size: 1.2rem; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
[aria-current] { font-weight: 600; color: var(--text); }
input { width: 100%; margin-top: 1rem; padding: .45rem .6rem; font: inherit; color: inherit; background: var(--page);
  border: 1px solid var(--line); border-radius: 6px; }
main { flex: 1; min-width: 0; max-width: 52rem; padding: 2rem 3rem 5rem; }
h1 { font-size: 2rem; line-height: 1.25; margin-top: 0; }
h2 { margin-top: 2.2rem; }
img { max-width: 100%; border: 1px solid var(--line); border-radius: 8px; }
pre, code { font-family: ui-monospace, monospace; font-size: .92em; }
pre { padding: .9rem 1rem; background: var(--side); border: 1px solid var(--line); border-radius: 8px;
  overflow-x: auto; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { padding: .4rem .7rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; }
  main { padding: 1.5rem; } }
"""
_SEARCH: Final = """const box = document.getElementById("search"), list = document.getElementById("found");
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const hits = words.length ? PAGES.filter(page => words.every(word =>
    (page.title + " " + page.text).toLowerCase().includes(word))) : [];
  list.replaceChildren(...hits.slice(0, 12).map(page => {
    const row = document.createElement("li"), link = document.createElement("a");
    link.href = page.name + ".html";
    link.textContent = page.title;
    row.append(link);
    return row;
  }));
  list.hidden = !hits.length;
});
"""

if __name__ == "__main__":
    sys.exit(main())
