"""A file of lines that is set aside when it has grown."""

from pathlib import Path

from app.trace.rotation import RotatingFile


def test_a_line_larger_than_a_file_is_kept_alone(tmp_path: Path) -> None:
    file = RotatingFile(tmp_path / "t", 10, 3)
    file.append([b"a\n", b"b" * 50 + b"\n", b"c\n"])
    file.close()
    assert [(tmp_path / name).read_bytes()[:1] for name in ("t.2", "t.1", "t")] == [b"a", b"b", b"c"]


def test_file_that_refused_lines_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    file = RotatingFile(tmp_path / "t", 10, 1)
    file.append([b"lost\n"])
    (tmp_path / "t").rmdir()
    file.append([b"kept\n"])
    file.close()
    assert (tmp_path / "t").read_bytes() == b"kept\n"
