"""Text of digests: where sentences end."""

from app.memories.text.digest_text import sentences


def test_sentences_end_at_full_width_marks_too() -> None:
    said = ["下雨了吗？", "苍鹭飞走了！", "院子空了。", "It rained!"]
    assert sentences(" ".join(said)) == said
