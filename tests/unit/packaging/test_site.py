"""The website holds every page of the help, and no link in it leads nowhere."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.unit.packaging.test_packages import script

site = script("site")
VOID = {"meta", "link", "input", "img", "br", "hr"}


class Balanced(HTMLParser):
    """Fails where a tag is closed that was not opened last."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Pass over a tag that closes itself."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    assert site.main(["--out", str(folder)]) == 0
    return folder


def test_every_page_is_there_and_in_the_contents(out: Path) -> None:
    index = (out / "index.html").read_text("utf-8")
    for name in site.sources():
        assert (out / f"{name}.html").is_file()
        assert f'href="{name}.html"' in index


def test_every_group_names_pages_that_exist() -> None:
    named = [name for _, names in site.GROUPS for name in names]
    assert {*named} <= {*site.sources()}
    assert len(named) == len({*named})


def test_pages_are_sound_and_need_no_network(out: Path) -> None:
    for page in out.glob("*.html"):
        parser = Balanced()
        parser.feed(page.read_text("utf-8"))
        assert parser.open == [], page
        assert '<script src="http' not in page.read_text("utf-8")
    assert "PAGES" in (out / "search.js").read_text("utf-8")


def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.html").touch()
    body = '<a href="a.html#there">x</a><a href="a.html#gone">y</a><a href="b.html">z</a><a href="https://x.y">w</a>'
    page = site.SitePage("a", "A", body, "", frozenset({"there"}))
    assert [*site.broken_links(tmp_path, [page])] == ["a: a.html#gone", "a: b.html"]


def test_anchors_are_those_of_code_hosts() -> None:
    assert site.slug_of("Why not …? (and when)") == "why-not--and-when"
