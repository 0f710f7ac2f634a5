"""WsgiDAV as a process: ``python -m tests.helpers.servers.wsgidav_process FOLDER PORT NAME PASSWORD``."""

import sys

from cheroot import wsgi
from wsgidav.wsgidav_app import WsgiDAVApp


def main(folder: str, port: str, name: str, password: str) -> None:
    """Serve a folder until the process is killed."""
    application = WsgiDAVApp(
        {
            "provider_mapping": {"/": folder},
            "simple_dc": {"user_mapping": {"*": {name: {"password": password}}}},
            "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
            "verbose": 0,
            "logging": {"enable": False},
        }
    )
    wsgi.Server(("127.0.0.1", int(port)), application).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
