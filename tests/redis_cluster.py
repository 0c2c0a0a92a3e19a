"""A private Redis Cluster for tests: three primaries, and replicas where a test wants them.

Set up command by command: `redis-cli --cluster create` waits for whole seconds where this looks.
"""

from __future__ import annotations

import contextlib
import functools
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from server.store.redis.keys import SLOTS
from tests.redis_server import RedisServer, folder, until_the_end

MEMBER = ("--cluster-enabled", "yes")


def name_of(node: RedisServer) -> str:
    """What the cluster calls the node."""
    return str(node.ask("CLUSTER MYID").decode())


def unite(nodes: Sequence[RedisServer]) -> None:
    """Make a cluster of empty servers, each the primary of its share of the slots."""
    for number, node in enumerate(nodes):
        first, last = (SLOTS * place // len(nodes) for place in (number, number + 1))
        node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        node.ask("CLUSTER", "ADDSLOTS", *range(first, last))
        nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", node.port)
    for node in nodes:
        node.wait_until(lambda client: _sees(client, len(nodes)))


def _sees(client: Any, members: int) -> bool:
    info = client.execute_command("CLUSTER INFO")
    return info["cluster_state"] == "ok" and int(info["cluster_known_nodes"]) == members


def owner(nodes: Sequence[RedisServer], slot: int) -> RedisServer:
    """The node that has the slot."""
    ranges = next(node for node in nodes if node.process.poll() is None).ask("CLUSTER SLOTS")
    port = next(primary[1] for first, last, primary, *_ in ranges if first <= slot <= last)
    return next(node for node in nodes if node.port == port)


class Pair:
    """A primary of a cluster, and its replica; they change places."""

    def __init__(self, primary: RedisServer, replica: RedisServer, members: int) -> None:
        """Make an empty server the primary's replica; wait until it has all that the primary has."""
        self.primary = primary
        self.replica = replica
        primary.ask("CLUSTER", "MEET", "127.0.0.1", replica.port)
        replica.wait_until(lambda client: _sees(client, members))
        replica.ask("CLUSTER", "REPLICATE", name_of(primary))
        self.wait_linked()

    def wait_linked(self) -> None:
        """Until the replica follows."""
        self.replica.wait_until(lambda client: client.info("replication").get("master_link_status") == "up")

    def catch_up(self) -> None:
        """Until the replica has all that the primary has now."""
        with contextlib.closing(self.primary.client()) as client:
            offset = client.info("replication")["master_repl_offset"]
        self.replica.wait_until(lambda client: client.info("replication")["slave_repl_offset"] >= offset)

    def part(self) -> None:
        """Let the replica get no more than what the primary has acknowledged up to here."""
        self.catch_up()
        self.replica.ask("CONFIG", "SET", "masterauth", "wrong")
        self.primary.ask("CLIENT", "KILL", "TYPE", "replica")
        self.replica.wait_until(lambda client: client.info("replication")["master_link_status"] == "down")

    def change_places(self) -> None:
        """Wait until the replica has taken the place of a primary that is gone."""
        self.replica.wait_until(lambda client: client.info("replication")["role"] == "master")
        self.replica.wait_until(lambda client: client.execute_command("CLUSTER INFO")["cluster_state"] == "ok")
        self.replica.ask("CONFIG", "SET", "masterauth", "")
        self.primary, self.replica = self.replica, self.primary

    def mend(self) -> None:
        """Let the one that was killed, or stopped, come back as the other's replica."""
        if self.replica.process.poll() is None:
            self.replica.signal(signal.SIGCONT)
        else:
            self.replica.start()
        self.replica.wait_until(lambda client: client.info("replication")["role"] == "slave")
        self.wait_linked()


@contextlib.contextmanager
def redis_cluster(folder: Path, *options: str, members: int = 3) -> Iterator[list[RedisServer]]:
    """A cluster of three primaries, and servers besides that are no part of it yet."""
    with contextlib.ExitStack() as stack:
        nodes = []
        for number in range(members):
            nodes.append(RedisServer(folder / f"node-{number}", *MEMBER, *options))
            stack.callback(nodes[-1].kill)
        unite(nodes[:3])
        yield nodes


@functools.cache
def shared_cluster() -> tuple[RedisServer, ...]:
    """A cluster of three primaries, for all tests of this process."""
    options = ("--appendonly", "no", *MEMBER, "--cluster-node-timeout", "5000")
    nodes = tuple(until_the_end(RedisServer(folder() / f"node-{number}", *options)) for number in range(3))
    unite(nodes)
    return nodes
