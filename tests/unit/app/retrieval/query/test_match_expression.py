"""Match expressions, in a real index made by the real migration."""

import random
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from app.core.text import storable
from app.index.cjk_ngrams import has_cjk, normal, runs_of, units
from app.index.searchable_text import index_entries
from app.retrieval.model import Query, Term
from app.retrieval.query.match_expression import (
    MAX_TERMS,
    Mode,
    atoms,
    excluded_expression,
    fold,
    has_token,
    match_expression,
    quote,
    search_terms,
)
from app.store.words.tokenizer import TOKENIZER, stem

ANY_TEXT = st.text(max_size=80) | st.text(alphabet="ab\"'*()^:-+ {},ANDORTNEAR\x00\ud800我们กี่é,", max_size=60)
RUN = st.text(alphabet="我们今天去東京タワーカナ한국어학교กำลังไปที่น้ำລາວខ្មែរမြန်မာ々ｶﾞﾊﾟ", min_size=2, max_size=16)
WORD = st.text(alphabet=st.characters(categories=["L", "N", "M"]), min_size=1, max_size=12)
MODES: tuple[Mode, ...] = ("any", "all")


class Index:
    """The index of a vault with nothing else in it."""

    def __init__(self, database: Path) -> None:
        self.connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READWRITE)

    def fill(self, *texts: str) -> None:
        self.connection.execute("DELETE FROM chunks")
        for number, text in enumerate(texts, 1):
            self.connection.execute(
                "INSERT INTO chunks (id, kind, own_text, grams, content_hash, created_at)"
                " VALUES (?, 'memory', ?, ?, '', 0)",
                (number, storable(text)[0], index_entries(storable(text)[0])),
            )
        self.connection.execute("INSERT INTO chunks_fts (rowid, text, grams) SELECT id, own_text, grams FROM chunks")

    def find(self, expression: str | None) -> list[int]:
        if expression is None:
            return []
        return [
            row[0]
            for row in self.connection.execute("SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?", (expression,))
        ]


@pytest.fixture(scope="module")
def index(template_db: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    copy = tmp_path_factory.mktemp("fts") / "memory.db"
    copy.write_bytes(template_db.read_bytes())
    opened = Index(copy)
    opened.connection.execute("PRAGMA foreign_keys = ON")
    opened.connection.execute("PRAGMA synchronous = OFF")
    yield opened
    opened.connection.close()


def plain(text: str) -> list[Term]:
    return [Term(word) for word in text.split()]


# What is found ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "query_text"),
    [
        ("I don't know", "don't"),
        ("I don't know", "don’t"),
        ("written in C++ by us", "C++"),
        ("call foo_bar() twice", "foo_bar"),
        ("mail jane.doe+x@example.org now", "jane.doe+x@example.org"),
        ("see https://example.org/a/b?c=d#e", "https://example.org/a/b?c=d#e"),
        ("a state-of-the-art machine", "state-of-the-art"),
        ("Running shoes", "run"),
        ("the café", "CAFE"),
        ("the cafe\u0301", "café"),
        ("O'Brien said", "O'Brien"),
        ("on 2026-10-12 at 14:30", "2026-10-12"),
        ("我们今天去东京", "今天"),
        ("我们今天去东京", "东"),
        ("我用iPhone手机", "iphone"),
        ("我用iPhone手机", "用iPhone手"),
        ("データを見る", "ﾃﾞｰﾀ"),
        ("ＡＢＣ社", "abc"),
        ("ＡＢＣ", "abc"),
        ("abc", "ＡＢＣ"),
        ("กำลังไปโรงเรียนวันนี้", "โรงเรียน"),
        ("กำลังไปโรงเรียนวันนี้", "เรียน"),
        ("나는 학교에 간다", "학교"),
        (unicodedata.normalize("NFD", "나는 학교에 간다"), "학교"),
        ("Ёлка и йод", unicodedata.normalize("NFD", "йод")),
        ("हिन्दी में", "हिन्दी"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_a_word_finds_its_text(index: Index, document: str, query_text: str, mode: Mode) -> None:
    index.fill(document, "something else entirely, 别的")
    assert index.find(match_expression([Term(query_text)], mode)) == [1]


@pytest.mark.parametrize(
    ("document", "query_text"),
    [
        ("we run daily", "daily we"),
        ("我们今天", "们去"),
        ("我们。今天", "们今"),
        ("โรงเรียน", "เรือน"),
        ("abc 今天 def", "abc, 明天"),
    ],
)
def test_a_phrase_does_not_find_what_stands_apart(index: Index, document: str, query_text: str) -> None:
    index.fill(document)
    assert index.find(match_expression([Term(query_text, phrase=True)], "all")) == []


def test_a_phrase_of_both_kinds_of_writing(index: Index) -> None:
    index.fill("see you 我们 at noon", "see you at noon", "我们")
    assert index.find(match_expression([Term("see you 我们", phrase=True)], "any", need_phrases=True)) == [1]


def test_modes(index: Index) -> None:
    index.fill("red bicycle", "red car", "blue bicycle")
    assert sorted(index.find(match_expression(plain("red bicycle"), "any"))) == [1, 2, 3]
    assert index.find(match_expression(plain("red bicycle"), "all")) == [1]


def test_any_counts_pairs_of_a_run_and_ranks_the_whole_first(index: Index) -> None:
    index.fill("昨天看了上海", "今天去东京", "完全不同")
    assert index.find(match_expression([Term("今天去东京")], "any")) == [2]
    assert sorted(index.find(match_expression([Term("昨天去东京")], "any"))) == [1, 2]
    assert index.find(match_expression([Term("昨天去东京")], "all")) == []


def test_required_phrases(index: Index) -> None:
    index.fill("a red bicycle", "a bicycle shop", "red shop")
    terms = [Term("red bicycle", phrase=True), Term("shop")]
    assert sorted(index.find(match_expression(terms, "any"))) == [1, 2, 3]
    assert index.find(match_expression(terms, "any", need_phrases=True)) == [1]


def test_excluded_words_and_phrases(index: Index) -> None:
    index.fill("apple pie", "apple cake", "apple tart of 我们")
    assert index.find(match_expression([Term("apple"), Term("cake", excluded=True)])) == [1, 3]
    assert index.find(match_expression([Term("apple"), Term("们", excluded=True)])) == [1, 2]
    assert index.find(match_expression([Term("apple"), Term("apple pie", phrase=True, excluded=True)])) == [2, 3]
    assert index.find(match_expression([Term("apple"), Term("***", excluded=True)])) == [1, 2, 3]
    assert index.find(
        excluded_expression([Term("apple"), Term("的我们", excluded=True), Term("pie", excluded=True)])
    ) == [1]
    assert excluded_expression([Term("apple"), Term("***", excluded=True)]) is None


@pytest.mark.parametrize("terms", [[], [Term("word", excluded=True)], [Term("***")], [Term("😀")], [Term("")]])
def test_nothing_to_match(terms: list[Term]) -> None:
    assert match_expression(terms) is None
    assert match_expression(Query(text="", terms=tuple(terms))) is None


# Stop words -------------------------------------------------------------------------------------------------------


def test_stop_words_are_dropped_when_others_remain(index: Index) -> None:
    index.fill("the and of", "bicycle")
    assert index.find(match_expression(plain("the bicycle"))) == [2]
    assert sorted(index.find(match_expression(plain("the bicycle"), drop_stop_words=False))) == [1, 2]
    assert index.find(match_expression(plain("the of?"))) == [1]


def test_punctuation_and_excluded_terms_do_not_change_which_words_are_searched() -> None:
    assert search_terms([Term("Why?"), Term("***"), Term("bicycle"), Term("red", excluded=True)]) == [Term("bicycle")]
    assert search_terms([Term("Why?"), Term("***"), Term("red", excluded=True)]) == [Term("Why?")]


def test_phrases_and_prefixes_are_never_stop_words(index: Index) -> None:
    index.fill("to be or not to be", "bicycle", "theatre")
    assert index.find(match_expression([Term("to be", phrase=True), Term("bicycle")])) == [1, 2]
    assert index.find(match_expression([Term("the", prefix=True), Term("bicycle")])) == [2, 3]


# Prefixes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        ("day", ["day", "days", "daylight", "daydreaming"]),
        ("runni", ["running"]),
        ("universi", ["university", "universities"]),
        ("enjoy", ["enjoy", "enjoyment", "enjoying"]),
        ("cars", ["cars", "carson"]),
        ("crè", ["crème"]),
        ("CAFÉ", ["cafés"]),
        ("foo-ba", ["foo-bar"]),
        ("b", ["bee"]),
        ("今", ["今天"]),
    ],
)
def test_a_prefix_finds_what_begins_with_it(index: Index, prefix: str, found: list[str]) -> None:
    index.fill(*found, "dae", "entirely other")
    for mode in MODES:
        assert sorted(index.find(match_expression([Term(prefix, prefix=True)], mode))) == [*range(1, len(found) + 1)]


ENDINGS = ("", "s", "es", "ed", "ing", "er", "ly", "ness", "ation", "ational", "ity", "ies", "ful", "able", "ement")


@given(st.text(alphabet="abeilnorstyu", min_size=2, max_size=7), st.sampled_from(ENDINGS), st.data())
def test_almost_any_beginning_of_a_word_finds_it(index: Index, root: str, ending: str, data: st.DataObject) -> None:
    word = root + ending
    cut = data.draw(st.integers(min_value=1, max_value=len(root)))
    assume(stem(word).startswith(word[:cut]))
    index.fill(word)
    assert index.find(match_expression([Term(word[:cut], prefix=True)])) == [1]


# Any text ---------------------------------------------------------------------------------------------------------


TERMS = st.lists(
    st.builds(Term, text=ANY_TEXT, phrase=st.booleans(), prefix=st.booleans(), excluded=st.booleans()), max_size=6
)


@given(TERMS, st.sampled_from(MODES), st.booleans(), st.booleans())
@example([Term('a"b'), Term("NEAR(a b, 2)"), Term("text : x"), Term("^a"), Term("AND")], "all", False, True)
@example([Term("a\x00b"), Term("\ud83d\ude00"), Term("\udc00x")], "any", False, False)
def test_no_text_is_syntax(index: Index, terms: list[Term], mode: Mode, drop: bool, need: bool) -> None:
    expression = match_expression(terms, mode, drop_stop_words=drop, need_phrases=need)
    assert index.find(expression) is not None


def test_naughty_strings_are_words(index: Index, naughty: str) -> None:
    index.fill(naughty)
    for mode in MODES:
        for options in ({"phrase": True}, {"prefix": True}, {}):
            found = index.find(match_expression([Term(naughty, **options)], mode, drop_stop_words=False))
            assert found == ([1] if has_token(naughty) else [])


def test_the_big_list_of_naughty_strings_is_found(index: Index, blns: list[str]) -> None:
    for text in blns:
        index.fill(text)
        expression = match_expression([Term(text, phrase=True)], "all")
        assert bool(index.find(expression)) == has_token(text), text


@given(st.text(max_size=200))
def test_a_text_is_found_by_each_of_its_words(index: Index, document: str) -> None:
    index.fill(document)
    for word in storable(document)[0].split():
        for mode in MODES:
            expected = [1] if has_token(word) else []
            assert index.find(match_expression([Term(word)], mode)) == expected, word


@given(st.lists(WORD, min_size=1, max_size=8), st.sampled_from([" ", ", ", "-", "_", "/", "\n"]))
def test_a_word_is_found_whatever_stands_around_it(index: Index, words: list[str], between: str) -> None:
    assume(not any(unicodedata.category(word[0])[0] == "M" for word in words))
    index.fill(between.join(words))
    for word in words:
        assert index.find(match_expression([Term(word)], "all")) == ([1] if has_token(word) else []), word


@given(ANY_TEXT | st.just(""), RUN, ANY_TEXT | st.just(""), st.data())
def test_any_part_of_a_run_is_found(index: Index, before: str, run: str, after: str, data: st.DataObject) -> None:
    index.fill(f"{before} {run} {after}")
    characters = [unit for found in runs_of(run) for piece, _ in found for unit in units(piece)]
    assume(len(characters) >= 2)
    start = data.draw(st.integers(0, len(characters) - 2))
    end = data.draw(st.integers(start + 2, len(characters)))
    part = "".join(characters[start:end])
    assume(part in normal(run))
    for mode in MODES:
        for phrase in (False, True):
            assert index.find(match_expression([Term(part, phrase=phrase)], mode)) == [1]
    # A syllable of Thai may still lack its last marks.
    shorter = part[:-1]
    if len(units(shorter)) >= 2:
        assert index.find(match_expression([Term(shorter)], "all")) == [1]


@given(RUN, RUN)
def test_nothing_but_substrings_is_found_by_a_whole_run(index: Index, run: str, other: str) -> None:
    flat, searched = normal(run), normal(other)
    assume(len(runs_of(other)) == 1 and len(units(searched)) >= 2)
    index.fill(run)
    if index.find(match_expression([Term(other)], "all")):
        assert searched in flat


def test_an_endless_question_stays_small(index: Index) -> None:
    index.fill("word1007")
    many = [Term(f"word{number}") for number in range(5000)]
    assert index.find(match_expression(many)) == [1]
    long_run = "".join(map(chr, range(0x4E00, 0x5E00)))
    expression = match_expression([Term(long_run)], "any")
    assert expression is not None
    assert expression.count(" OR ") <= 130
    assert index.find(expression) == []


# Words as SQLite takes them ---------------------------------------------------------------------------------------


def tokens(texts: list[str], tokenizer: str) -> dict[int, str]:
    connection = apsw.Connection(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = "{tokenizer}")')
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, 'instance')")
    with connection:
        connection.executemany("INSERT INTO t (rowid, x) VALUES (?, ?)", enumerate(texts))
    found = {row[0]: row[1] for row in connection.execute("SELECT doc, term FROM v")}
    connection.close()
    return found


PORTER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'"


def test_the_tokenizer_is_that_of_the_index(index: Index) -> None:
    sql = index.connection.execute("SELECT sql FROM sqlite_master WHERE name = 'chunks_fts'").get
    name, *arguments = TOKENIZER
    assert " ".join([name, *(f"'{argument}'" if " " in argument else argument for argument in arguments)]) == PORTER
    assert f'tokenize = "{PORTER}"' in str(sql)


@given(st.lists(WORD.map(fold), min_size=1, max_size=20))
def test_any_word_has_the_stem_of_the_index(words: list[str]) -> None:
    found = tokens(words, PORTER)
    single = [(word, found[at]) for at, word in enumerate(words) if at in found and len(word.split()) == 1]
    assert [(word, stem(word), term) for word, term in single if stem(word) != term] == []


@pytest.mark.parametrize("text", ["", "😀", "...", "two words"])
def test_a_text_that_is_not_one_word_is_its_own_stem(text: str) -> None:
    assert stem(text) == text


def test_stems_are_the_same_in_every_thread() -> None:
    words = [f"{root}{ending}" for root in ("hop", "relat", "control", "größ") for ending in ENDINGS]
    expected = [stem.__wrapped__(word) for word in words]
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: [stem.__wrapped__(word) for word in words], range(200)):
            assert found == expected


def test_stems_are_those_of_sqlite() -> None:
    chance = random.Random(5)
    letters = "aeiouybcdglmnprstz"
    words = ["".join(chance.choices(letters, k=chance.randint(1, 8))) + chance.choice(ENDINGS) for _ in range(20_000)]
    words += [
        "relational",
        "conditional",
        "hopping",
        "filing",
        "agreed",
        "feed",
        "eed",
        "sky",
        "ties",
        "caresses",
        "naive",
    ]
    words += ["größer", "straße", "пошли", "a" * 65 + "ing", "mp3s", "controlling", "rolling", "generalizations"]
    found = tokens(words, PORTER)
    assert [(word, stem(fold(word)), found[at]) for at, word in enumerate(words) if stem(fold(word)) != found[at]] == []


def test_latin_letters_fold_as_in_sqlite() -> None:
    letters = [chr(point) for point in range(0x30, 0x250) if chr(point).isalnum() and point not in (0x149,)]
    found = tokens(letters, PORTER)
    stacked = "ǠǡǢǣǮǯǼǽǾǿ"  # SQLite leaves the mark on these
    assert [letter for at, letter in enumerate(letters) if letter not in stacked and fold(letter) != found[at]] == []


@given(st.text(max_size=20))
def test_what_has_a_token(text: str) -> None:
    """Signs younger than SQLite's tables are tokens there as well; nothing relies on it."""
    found = bool(tokens([storable(text)[0]], PORTER))
    assert found or not has_token(text)
    signs = any(unicodedata.category(character)[0] in "PSM" for character in text)
    assert has_token(text) or signs or not found


@given(st.text(max_size=40))
def test_quoting_leaves_one_string(text: str) -> None:
    inside = quote(text)[1:-1]
    assert '"' not in inside.replace('""', "")
    assert "\x00" not in inside
    assert not has_cjk(text) or has_cjk(inside)


def test_the_longest_words_of_a_long_text_are_searched() -> None:
    terms = [Term(f"{'x' * (number % 90)}{number}") for number in range(200)]
    query_text = atoms([Term("the"), *terms, *terms])
    assert len(query_text) == MAX_TERMS
    assert {len(atom.words[0]) for atom in query_text} >= set(range(70, 90))
    assert len(atoms([*terms, Term("a b", phrase=True)])) == MAX_TERMS
    assert any(atom.words == ("a", "b") for atom in atoms([*terms, Term("a b", phrase=True)]))


def test_words_behind_many_little_ones_are_found(index: Index) -> None:
    index.fill("the heron", "the wall")
    assert index.find(match_expression([*[Term("and")] * 100, Term("heron")])) == [1]
