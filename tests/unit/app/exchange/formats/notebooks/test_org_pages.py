from pathlib import Path

import pytest

from app.exchange.formats.markdown import read
from app.exchange.formats.notebooks.org_pages import as_markdown, inline
from app.memories.foreign_record import MemoryRecord
from tests.unit.app.exchange.reading import only, records

PAGE = """\
#+TITLE: Roses
#+ALIAS: Rosa, Rose
#+FILETAGS: :garden:plants:

* TODO Water *daily* :urgent:
:PROPERTIES:
:id: 5f713e91-8a3c-4b04-a33a-c39482428e2d
:collapsed: true
:END:
  In the /early/ morning, see [[file:./Water can.org][the can]].
** Deeper [[https://example.org][a page]]
#+BEGIN_SRC python
a = "*no* /emphasis/"
#+END_SRC
#+BEGIN_QUOTE
Said once.
#+END_QUOTE
"""


def test_a_page_of_logseq() -> None:
    assert as_markdown(PAGE).splitlines() == [
        "title:: Roses",
        "alias:: Rosa, Rose",
        "tags:: garden, plants",
        "",
        "- TODO Water **daily** #urgent",
        "  id:: 5f713e91-8a3c-4b04-a33a-c39482428e2d",
        "    In the *early* morning, see [[Water can|the can]].",
        "  - Deeper [a page](https://example.org)",
        "    ```python",
        '    a = "*no* /emphasis/"',
        "    ```",
        "    > Said once.",
    ]


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("a/b/c and 1/2", "a/b/c and 1/2"),
        ("https://a.org/b/c/", "https://a.org/b/c/"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("=code *not strong*=", "`code *not strong*`"),
        ("[[A page]]", "[[A page]]"),
        ("[[../assets/a.png]]", "![](../assets/a.png)"),
        ("x\0y", "xy"),
        ("*", "*"),
    ],
)
def test_inline(written: str, read_as: str) -> None:
    assert inline(written) == read_as


@pytest.mark.parametrize("text", ["", "#+BEGIN_SRC", ":PROPERTIES:", "*", "#+END_SRC", "*" * 5000])
def test_broken_pages_do_no_harm(text: str) -> None:
    assert isinstance(as_markdown(text), str)


def test_a_graph_with_pages_of_both_kinds(tmp_path: Path) -> None:
    for folder in ("pages", "logseq"):
        (tmp_path / folder).mkdir()
    (tmp_path / "logseq" / "config.edn").write_text("{}")
    (tmp_path / "pages" / "Roses.org").write_text(PAGE)
    (tmp_path / "pages" / "List.md").write_text("- ((5f713e91-8a3c-4b04-a33a-c39482428e2d))")
    found = {note.title: note for note in only(records(read, tmp_path), MemoryRecord)}
    assert set(found) == {"Roses", "List"}
    assert found["Roses"].tags == ("garden", "plants", "urgent")
    assert found["Roses"].attributes["markup"] == "org"
    assert found["List"].attributes["block_references"] == ["[[Roses]]"]
