"""`python -m server.support.health`: whether the server of this container is alive, for its HEALTHCHECK."""

from __future__ import annotations

import http.client
import os
import sys

PATIENCE = 2.0


def alive(host: str, port: int) -> bool:
    """Whether `/healthz` answers in time that all is well."""
    connection = http.client.HTTPConnection(host, port, timeout=PATIENCE)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    own = os.environ.get("PHAROS_HOST", "127.0.0.1").strip()
    everywhere = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
    sys.exit(not alive(everywhere.get(own, own), int(os.environ.get("PHAROS_PORT", "8000"))))
