"""HTML files as notes."""

from pathlib import Path

import pytest

from app.errors import FormatError
from app.exchange.formats.detect import detect
from app.exchange.formats.web_page import read
from app.host import Host
from tests.unit.app.exchange.reading import contents, records

PAGE = "<!doctype html><html><head><title>Roses</title></head><body><h1>Red</h1><p>One &amp; two</p></body></html>"


def test_a_broken_page_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<html></ul></pre></b>words<", encoding="utf-8")
    (text,) = contents(records(read, path))
    assert "words" in text


@pytest.mark.parametrize("text", ["<html>", "<html><script>x</script>", "<html><style>x"])
def test_a_page_without_text_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.html"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="no text of its own"):
        records(read, path)


def test_the_page_of_a_chatgpt_export_leads_to_its_data(tmp_path: Path) -> None:
    path = tmp_path / "chat.html"
    path.write_text("<html><head><title>ChatGPT Data Export</title></head></html>", encoding="utf-8")
    with pytest.raises(FormatError, match="conversations"):
        detect(path)


def test_a_page_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(b"<html>" + b" " * (17 << 20))
    with pytest.raises(FormatError, match="larger"):
        records(read, path)


def test_a_page_goes_in_once(vault: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.bin"
    path.write_text(PAGE, encoding="utf-8")
    assert detect(path) == "html"
    assert contents(records(read, path)) == ["# Red\n\nOne & two"]
    host = Host(vault, overrides={"embedding.model": "hashed"}, serve=False)
    host.start()
    try:
        report = host.ask("exchange.import", path=str(path))
        again = host.ask("exchange.import", path=str(path))
    finally:
        host.stop()
    assert (report.memories, again.memories, again.unchanged) == (1, 0, 1)
