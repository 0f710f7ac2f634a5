"""Words of texts are counted as the full-text index counts them."""

import apsw
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.text import storable
from app.store.words.tokenizer import TOKENIZER, count_words

TEXTS = st.text(max_size=80) | st.text(alphabet="ab\"'*-_ \x00\u0301我们今天กี่é,.😀\u200d़कि", max_size=60)
LONG = ["", "😀", "...", "x " * 127, "x " * 20_000, "我们今天" * 50]


@given(st.lists(TEXTS, max_size=20))
@example(LONG)
def test_a_count_is_that_of_the_index(texts: list[str]) -> None:
    connection = apsw.Connection(":memory:")
    arguments = " ".join(f"'{one}'" if " " in one else one for one in TOKENIZER)
    connection.execute(f'CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = "{arguments}")')
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)")
    stored = [storable(text)[0] for text in texts]
    connection.executemany("INSERT INTO t (rowid, x) VALUES (?, ?)", enumerate(stored))
    counts = dict(connection.execute("SELECT doc, count(*) FROM v GROUP BY doc"))
    connection.close()
    assert [count_words(text) for text in stored] == [counts.get(row, 0) for row in range(len(stored))]
