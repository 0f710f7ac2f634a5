import os
import socket
import sys

import pytest

from app.rpc import peer
from app.rpc.peer import is_own


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no Unix sockets here")
def test_a_process_of_another_user_is_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = socket.socketpair(socket.AF_UNIX)
    try:
        assert is_own(one)
        if hasattr(socket, "SO_PEERCRED") or sys.platform == "darwin":
            user = os.getuid()
            monkeypatch.setattr(peer.os, "getuid", lambda: user + 1)
            assert not is_own(two)
    finally:
        one.close()
        two.close()


def test_what_has_no_user_is_let_through() -> None:
    with socket.socket() as loopback:
        assert is_own(loopback)
    assert is_own(None)
    assert is_own(object())
