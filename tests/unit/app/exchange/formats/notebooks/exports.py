"""Small exports of note programs, in the shapes that these programs write."""

import io
import struct
import tarfile
import zlib
from pathlib import Path

KEY = "sk-proj-abcdEFGH1234ijklMNOP5678qrstUVWX90yzABCD"
FOLDER, SUB, TAG = "f" * 32, "e" * 32, "d" * 32
ROSE, TULIP, PICTURE = "a" * 32, "b" * 32, "c" * 32


def png(red: int = 200) -> bytes:
    """Return a picture of one dot."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    dot = zlib.compress(bytes([0, red, 0, 0]))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", dot) + chunk(b"IEND", b"")


def joplin_item(key: str, kind: int, title: str = "", body: str | None = None, **fields: object) -> bytes:
    """Return an item as Joplin serialises it."""
    given = {"id": key, **fields, "type_": kind}
    head = [title, "", *([body, ""] if body else [])] if title or body else []
    return "\n".join([*head, *(f"{name}: {value}" for name, value in given.items())]).encode()


def tar(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def jex(path: Path, **more: bytes) -> Path:
    """Write an export with two notes, a notebook within another, a tag and a picture."""
    times = {"user_created_time": "2020-01-02T03:04:05.678Z", "user_updated_time": "2021-01-02T03:04:05.678Z"}
    rose = f"See [the tulip](:/{TULIP}#soil) and ![dot](:/{PICTURE}).\n\nid: not a field\n\nEnd."
    files = {
        f"{ROSE}.md": joplin_item(ROSE, 1, "Rose", rose, parent_id=SUB, markup_language=1, **times),
        f"{TULIP}.md": joplin_item(TULIP, 1, "Tulip", "Red.", parent_id=FOLDER, is_todo=1, todo_completed=0, **times),
        f"{FOLDER}.md": joplin_item(FOLDER, 2, "Garden", parent_id=""),
        f"{SUB}.md": joplin_item(SUB, 2, "Beds", parent_id=FOLDER),
        f"{PICTURE}.md": joplin_item(PICTURE, 4, "dot", mime="image/png", file_extension="png"),
        f"{TAG}.md": joplin_item(TAG, 5, "Plants"),
        f"{'9' * 32}.md": joplin_item("9" * 32, 6, note_id=ROSE, tag_id=TAG),
        f"resources/{PICTURE}.png": png(),
        **more,
    }
    return tar(path, files)


def pdf(*pages: str, encrypted: bool = False) -> bytes:
    """Return a document with these texts."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects += [f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    objects += ["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    for number, text in enumerate(pages):
        content = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
            f" /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    objects += ["<< /Title (Plans for the garden) /CreationDate (D:20200102030405Z) >>"]
    out, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(out)
    size = len(objects) + 1
    out += (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\n"
        f"startxref\n{start}\n%%EOF\n".encode()
    )
    if not encrypted:
        return out
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(out)))
    writer.encrypt("geheim", algorithm="RC4-128")
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()
