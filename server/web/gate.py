"""Whether this process takes on anything new: open, until it is to stop."""

from __future__ import annotations

import asyncio


class Gate:
    """Shut once, and for good."""

    def __init__(self) -> None:
        self._shut = asyncio.Event()

    @property
    def draining(self) -> bool:
        """Whether the process is to stop."""
        return self._shut.is_set()

    def shut(self) -> None:
        """The process is to stop."""
        self._shut.set()

    async def wait(self, seconds: float) -> bool:
        """Wait until the process is to stop, at most so long; whether it is."""
        try:
            async with asyncio.timeout(seconds):
                await self._shut.wait()
        except TimeoutError:
            return False
        return True
