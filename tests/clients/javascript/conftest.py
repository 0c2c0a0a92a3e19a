"""These tests need Node: without it on PATH they are none of the tests here."""

from __future__ import annotations

import shutil

collect_ignore = [] if shutil.which("node") else ["test_example_bot.py"]
