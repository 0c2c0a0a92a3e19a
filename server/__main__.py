"""`python -m server`: serve until a signal."""

from __future__ import annotations

import sys

from server.app import main

if __name__ == "__main__":
    sys.exit(main())
