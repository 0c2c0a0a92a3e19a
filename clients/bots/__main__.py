"""`python -m clients.bots`: bots that play against one another, or take the free seats of a room.

python -m clients.bots --game dragonwood --seats 4 --games 5
python -m clients.bots --room K7QF2M --policy greedy
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from clients.bots.policies import UnknownPolicy, policy
from clients.bots.runner import Plan, Played, join_room, play_game
from clients.bots.thinking import THINKERS
from clients.errors import Refused, Unreachable, in_words
from clients.lobby import Lobby, url_argument


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m clients.bots", description="Seat bots at a Pharos server.")
    parser.add_argument("--url", type=url_argument, default="http://127.0.0.1:8000", help="the server (%(default)s)")
    parser.add_argument("--game", default="dragonwood", help="the game of new rooms (%(default)s)")
    parser.add_argument("--seats", type=int, default=4, help="seats of new rooms (%(default)s)")
    parser.add_argument(
        "--policy", default="random", help="random, greedy, easy, normal, hard; several with commas, a seat each"
    )
    parser.add_argument("--games", type=int, default=1, help="how many games to play (%(default)s)")
    parser.add_argument("--at-once", type=int, default=5, help="how many of them at once (%(default)s)")
    parser.add_argument("--room", help="take the free seats of this room instead of creating rooms")
    parser.add_argument("--options", type=json.loads, default={}, metavar="JSON", help="options of new rooms")
    parser.add_argument("--codec", choices=("json", "msgpack"), default="json")
    parser.add_argument("--seed", type=int, help="for the bots' choices; the dice are the server's")
    return parser.parse_args(argv)


async def run(asked: argparse.Namespace) -> int:
    """Play, and print how each game ended; the exit code."""
    game = asked.game
    if asked.room is not None:
        game = (await Lobby(asked.url).look(asked.room))["room"]["game"]
    plan = Plan(asked.url, game, asked.seats, asked.policy.split(","), asked.options, asked.codec, asked.seed)
    for name in plan.policies:
        policy(name, game)
    if asked.room is not None:
        show(await join_room(plan, asked.room))
        return 0
    turns = asyncio.Semaphore(max(1, asked.at_once))

    async def one(number: int) -> None:
        async with turns:
            show(await play_game(plan, number))

    await asyncio.gather(*(one(number) for number in range(asked.games)))
    return 0


def show(played: Played) -> None:
    """Print a game's result, seat by seat in order of rank."""
    room, result = played.state["room"], played.state["result"]
    if result is None:
        print(f"{played.room}  {room['game']}: {room['status']}", flush=True)
        return
    print(f"{played.room}  {room['game']}, {played.state['turn']['number']} turns, ended by {result['reason']}")
    for line in sorted(_lines(room, result)):
        print("  " + line, flush=True)


def _lines(room: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    seats = zip(result["ranks"], room["seats"], result["scores"], strict=True)
    return [f"{rank}. {seat['name']:<24} {score:>4}" for rank, seat, score in seats]


def main() -> int:
    """The command."""
    try:
        return asyncio.run(run(arguments()))
    except (Refused, Unreachable, UnknownPolicy) as error:
        print(f"pharos bots: {in_words(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        THINKERS.stop()


if __name__ == "__main__":
    sys.exit(main())
