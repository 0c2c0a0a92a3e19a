"""Every setting of the server, read once from the environment.

A setting's variable is `PHAROS_` and the field's name in capitals, in whichever struct below it lies. An unknown
`PHAROS_` variable or an impossible value stops the start: a misspelt limit must not go unnoticed. Times are in
milliseconds.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import TypeAlias, TypeVar

import msgspec
from msgspec.structs import asdict

PREFIX = "PHAROS_"
DAY = 24 * 3600 * 1000

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Fields = TypeVar("Fields", bound=msgspec.Struct)


class SettingsError(Exception):
    """The environment asks for what can't be; the text is one line that names the variable, never a secret."""


class Pace(msgspec.Struct, frozen=True):
    """How the rooms run."""

    served_pace: int = 1000
    """Between two decisions that the server plays for a served seat."""
    bot_wait: int = 15_000
    """How long an offered seat waits for a bot host."""
    grace: int = 500
    """How long after its deadline a decision is still accepted."""
    append_timeout: int = 3000
    """How long an append may take before whoever asked for it hears that the store is away."""
    open_ttl: int = 10 * 60_000
    """How long an open room lives with nobody attached."""
    idle_ttl: int = 7 * DAY
    """How long a game goes on without an entry."""
    finished_ttl: int = 30 * DAY
    """How long after its end a room is removed."""
    compact_after: int = 3_600_000
    """How long after its end a room's journal becomes one compressed record."""
    snapshot_every: int = 64
    """Entries between two snapshots in the store."""
    history_changes: int = 256
    """What a room remembers for those who resume, in changes."""
    history_bytes: int = 262_144
    """The same in bytes."""
    max_entries: int = 20_000
    """Entries after which a room is abandoned."""
    max_rooms: int = 10_000
    """Rooms that have not ended, on the whole store; more are refused."""
    presence_renew: int = 5000
    """How often a node says again who is attached to it; its word is void after 15 s."""
    sweep_every: int = 1000
    """How often a node looks for rooms whose time has come."""
    outage: int = 5000
    """A gap between two looks at the deadlines that counts as time in which no node could serve."""
    evict_after: int = 60_000
    """How long a room stays in memory with nobody attached."""
    holders_per_seat: int = 4
    """Connections of one seat to one node; the next one displaces the quietest."""
    chat_interval: int = 1000
    """Between two lines of chat of one person."""
    timeouts_to_serve: int = 3
    """Time-outs in a row after which the server plays for a seat."""
    undo_limit: int = 20
    """Undos between two entries that can't be undone."""


class Wire(msgspec.Struct, frozen=True):
    """What connections may do, and how long they may do nothing."""

    max_connections: int = 10_000
    """WebSocket connections of one process, whoever opens them; more are refused."""
    frame_bytes: int = 16_384
    """Bytes of a client's message."""
    rooms: int = 64
    """Rooms that one connection may be attached to."""
    credits_per_second: int = 40
    """Requests a second and connection (some cost five credits)."""
    credits_burst: int = 80
    """Credits that a connection can save up."""
    flood_after: int = 10_000
    """For how long a client may go on past its credits."""
    ping_every: int = 20_000
    """How often a quiet connection is pinged."""
    dead_after: int = 60_000
    """After how long without a sign of life a connection is closed."""
    join_within: int = 30_000
    """How soon a connection must have joined a room."""
    stuck_after: int = 30_000
    """For how long a client may take nothing of what it is sent."""
    close_within: int = 5000
    """For how long a closing handshake, or an opening one, may take."""
    outbox_frames: int = 512
    """Frames that may wait for one connection, before updates are dropped for a snapshot."""
    outbox_bytes: int = 262_144
    """The same in bytes."""
    send_buffer: int = 262_144
    """What the kernel may buffer for one connection, in bytes."""


class PerAddress(msgspec.Struct, frozen=True):
    """What one address may do."""

    connections: int = 200
    """Open WebSocket connections."""
    http_connections: int = 200
    """Open HTTP connections, where the peer is no trusted proxy."""
    calls_per_second: int = 20
    """HTTP calls a second, handshakes of WebSockets included."""
    calls_burst: int = 200
    """How many of these at once."""
    new_rooms: int = 10
    """New rooms a minute."""
    failed_lookups: int = 20
    """Look-ups a minute of rooms or tokens that do not exist."""
    limit_loopback: bool = False
    """Whether the limits per address hold for loopback addresses, too."""


class Settings(msgspec.Struct, frozen=True):
    """Every setting."""

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: int = 8000
    """The port to listen on; 0: any free one."""
    store: str = "sqlite:///pharos.db"
    """Where rooms are kept: `sqlite:///file`, `sqlite:////dir/file`, `memory://` (for tests), or a Redis."""
    origins: tuple[str, ...] = ()
    """Web pages that may talk to the server; empty: the server's own loopback URLs."""
    trusted_proxies: tuple[Network, ...] = ()
    """Addresses and networks whose `X-Forwarded-For` is believed."""
    bot_key: str = ""
    """What bot hosts prove themselves with; empty: there are none."""
    log: str = "console"
    """For people (`console`) or for machines (`json`)."""
    log_level: str = "info"
    """The least level that is logged; `debug` tells of every entry and refusal."""
    traces: bool = False
    """Whether actions are traced with OpenTelemetry (the extra `otel`; where to, its own `OTEL_` variables say)."""
    node: str = ""
    """The name of this process among those on one store; empty: a random one."""
    redis_replicas: int = 0
    """How many replicas must have an append before it counts (not on a cluster)."""
    body_bytes: int = 16_384
    """Bytes of the body of a request."""
    body_within: int = 10_000
    """How long the body of a request may take to come."""
    call_within: int = 60_000
    """How long a call may take, from the connection or the answer before it to its own answer, taken by the peer."""
    shutdown_within: int = 10_000
    """How long a server that is to stop may take, all told; then what is left is cut."""
    shutdown_delay: int = 0
    """How long a server that is to stop stays up, not ready, so that balancers notice before its clients have to go."""
    stop_with_stdin: bool = False
    """Whether the server stops when its standard input ends: for a program that starts a server of its own."""
    reconnect_spread: int = 5000
    """Clients of a server that stops are told to come back at moments spread over this time."""
    pace: Pace = Pace()
    wire: Wire = Wire()
    per_address: PerAddress = PerAddress()


LEAST: Mapping[str, int] = {
    "port": 0, "grace": 0, "served_pace": 0, "bot_wait": 0, "chat_interval": 0, "undo_limit": 0, "shutdown_delay": 0,
    "redis_replicas": 0, "frame_bytes": 1024, "outbox_bytes": 4096, "send_buffer": 4096, "body_bytes": 1024,
    "credits_burst": 5, "reconnect_spread": 0,
}  # fmt: skip
"""The least value of a number, where that is not 1."""
MOST = {"port": 65_535, "presence_renew": 10_000, "send_buffer": 2**31 - 1}
ANY = 2**53 - 1
OWN_PORT = {"http": "80", "https": "443"}
ORIGIN = re.compile(r"(?P<scheme>https?)://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:(?P<port>[1-9][0-9]{0,4}))?")
ORDER = (
    ("shutdown_delay", "shutdown_within", "of which it is a part"),
    ("sweep_every", "outage", "or each look at the deadlines is the end of an outage"),
    ("ping_every", "dead_after", "or who is quiet is dead"),
)
"""Of each two settings the first is less than the second, and why."""
ONE_OF = {"log": ("console", "json"), "log_level": ("debug", "info", "warning", "error")}


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings that the environment asks for.

    Raises:
        SettingsError: a variable is unknown, or its value impossible.
    """
    given = {name: value for name, value in environment.items() if name.startswith(PREFIX)}
    settings = _read(Settings, given)
    if given:
        raise SettingsError(f"{min(given)}: there is no such setting")
    values = {**asdict(settings), **asdict(settings.pace), **asdict(settings.wire)}
    for less, more, why in ORDER:
        if values[less] >= values[more]:
            raise SettingsError(f"{PREFIX}{less.upper()}: must be less than {PREFIX}{more.upper()}, {why}")
    return settings


def masked(url: str) -> str:
    """The URL as it may be logged: without user, password and query."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return "***"
    address, slash, path = rest.partition("?")[0].partition("/")
    who, at, where = address.rpartition("@")
    return f"{scheme}://{'***' if who else ''}{at}{where}{slash}{path}"


def _read(struct: type[Fields], given: dict[str, str]) -> Fields:
    """Fill the struct, and take what was used out of `given`."""
    values: dict[str, object] = {}
    for field in msgspec.structs.fields(struct):
        variable = PREFIX + field.name.upper()
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            values[field.name] = _read(field.type, given)
        elif variable in given:
            values[field.name] = _value(variable, field, given.pop(variable).strip())
    return struct(**values)


def _value(variable: str, field: msgspec.structs.FieldInfo, text: str) -> object:
    if field.type is bool:
        return _flag(variable, text)
    if field.type is int:
        return _number(variable, text, LEAST.get(field.name, 1), MOST.get(field.name, ANY))
    if field.name == "origins":
        return tuple(_origin(variable, item) for item in _items(text))
    if field.name == "trusted_proxies":
        return tuple(_network(variable, item) for item in _items(text))
    allowed = ONE_OF.get(field.name)
    if allowed is not None and text not in allowed:
        raise SettingsError(f"{variable}: must be one of {', '.join(allowed)}")
    return text


def _number(variable: str, text: str, least: int, most: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise SettingsError(f"{variable}: must be a whole number") from None
    if not least <= number <= most:
        raise SettingsError(f"{variable}: must be from {least} to {most}")
    return number


def _flag(variable: str, text: str) -> bool:
    if text not in ("0", "1"):
        raise SettingsError(f"{variable}: must be 0 or 1")
    return text == "1"


def _origin(variable: str, text: str) -> str:
    """An origin as browsers send it: scheme, host, and the port where it is not the scheme's own."""
    found = ORIGIN.fullmatch(text.lower())
    port = found["port"] if found else None
    if found is None or port == OWN_PORT[found["scheme"]] or not 0 < int(port or 1) < 65_536:
        example = "https://example.org or http://localhost:5173"
        raise SettingsError(f"{variable}: must be origins as browsers send them, like {example}, separated by commas")
    return found[0]


def _network(variable: str, text: str) -> Network:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise SettingsError(f"{variable}: must be addresses or networks, separated by commas") from None


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]
