"""A bot in twenty lines: copy it and write a better `choose`. `python -m clients.bots.example URL ROOM` takes a seat.

`state` is the state document of protocol section 4, `actions` the complete list of what is legal.
"""

import asyncio
import random
import sys

from clients.connection import Connection
from clients.lobby import Lobby
from protocol.messages import Turn


def choose(state, actions):
    return random.choice(actions)


async def main(url, room):
    seat = await Lobby(url).take_seat(room, kind="bot")
    async with Connection(url) as connection:
        table = await connection.join(room, seat["token"], legal=True)
        async for message in table:
            if isinstance(message, Turn) and table.deciding:
                await table.act(choose(table.state, message.actions), seq=message.seq)
            if table.over:
                break
    print(table.state["result"])


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
