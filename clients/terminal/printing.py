"""What there is to see, as plain lines, where there is no terminal: a game as it is played, a game that has ended."""

from __future__ import annotations

from collections.abc import Callable

from clients.room import Room
from clients.terminal.replaying import Replay
from clients.terminal.screens.replay import Eyes
from clients.terminal.story import Story

Say = Callable[[str], None]


async def print_room(room: Room, say: Say) -> Story:
    """Tell what happens in a room until it has ended."""
    story = Story(lambda line: say(str(line)))
    async for message in room:
        story.take(message)
        if story.over:
            break
    return story


def print_replay(replay: Replay, say: Say) -> None:
    """Tell the whole game as everybody may know it now.

    Raises:
        BadReplay: the journal does not lead where it says.
    """
    eyes = Eyes(replay, everything=True)
    for step in range(len(replay)):
        for line in eyes.lines(step):
            say(str(line))
