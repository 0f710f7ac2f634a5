"""Texts to test with: our own nasty strings, and the shared data where it is mounted."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

NAUGHTY = (
    "",
    " ",
    "\t\r\n",
    "null",
    "None",
    "0",
    "-1",
    "NaN",
    "'; drop table messages; --",
    '"',
    '" OR 1=1',
    "a AND NOT b NEAR(c, 2) *",
    "col:umn ^start -minus +plus (paren",
    "%s %n {0} ${HOME} $(id) `id`",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "[[link|alias]] ![](file:///etc/passwd) [x](javascript:alert(1))",
    "../../../../etc/passwd\\..\\..",
    "line\u2028separator\u2029paragraph\x85next\x0bvertical",
    "zero\u200bwidth\u200djoin\ufeffmark\u2060",
    "\u202eright to left override\u202c",
    "مرحبا بالعالم שלום עולם",
    "田中さんにあげて下さい 社會科學院語學研究所 사회과학원",
    "กำลังไปโรงเรียนวันนี้",
    "Z̮̞̠͙͔ͅḀ̗̞͈̻̗Ḷ͙͎̯̹̞͓G̻O̭̗̮",
    "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏿 🇹🇭",
    "ﬁ ß İ ı ſ Å Å ½ ②",
    "𝕳𝖊𝖑𝖑𝖔 \U0010ffff",
    "C:\\CON\\aux.txt",
    "x" * 5000,
)


@pytest.fixture(params=NAUGHTY, ids=[f"naughty{number}" for number in range(len(NAUGHTY))])
def naughty(request: pytest.FixtureRequest) -> str:
    """Return one nasty string after another."""
    text: str = request.param
    return text


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of data sets beside the checkout; skip where it is not mounted."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"needs the data sets of {folder}")
    return folder


@pytest.fixture(scope="session")
def blns(shared_data: Path) -> list[str]:
    """Return the Big List of Naughty Strings; skip where the shared data is not mounted."""
    source = shared_data / "bad-inputs" / "blns" / "blns.json"
    if not source.is_file():
        pytest.skip(f"needs {source}")
    strings: list[str] = json.loads(source.read_text(encoding="utf-8"))
    return strings
