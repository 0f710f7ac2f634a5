"""A disk that fails under backups: what is said of them is about the disk, not about damage."""

from contextlib import closing
from pathlib import Path

import pytest

from app.errors import DISK_ERROR, KeepsakeError
from app.rpc.client import Client
from tests.helpers.hostile.failing_reads import CannotFailError, FailingReads
from tests.integration.processes.serving import serving


@pytest.mark.slow
@pytest.mark.parametrize("name", ["/backups/", ""])
def test_a_backup_that_the_disk_does_not_give_is_not_called_damaged(vault: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "failing"
    folder.mkdir()
    try:
        reads = FailingReads(folder, vault, name)
    except CannotFailError as error:
        pytest.skip(str(error))
    said: list[str] = []
    with serving(vault, reads.environment) as process, closing(Client.connect(vault)) as client:
        client.call("note.save", {"content": "heron"})
        backup = client.call("backup.now", {})["name"]
        reads.begin()
        for operation, arguments in (
            ("backup.verify", {"name": backup}),
            ("backup.preview", {"name": backup}),
            ("backup.restore", {"name": backup}),
            ("backup.verify", {"name": str(vault)}),
        ):
            try:
                answer = client.call(operation, arguments)
            except KeepsakeError as error:
                said.append(error.message)
            else:
                said.append(answer.get("problem", str(answer)))
        reads.end()
        process.terminate()
        process.wait(60)
    assert [text for text in said if "I/O error" in text or "damaged" in text] == []
    assert all(DISK_ERROR in text for text in said[:3]), said
