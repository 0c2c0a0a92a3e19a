"""The store for several nodes: Redis 6.2 or later, alone, as a cluster, or watched by Sentinels.

`store` is the store itself; `attempt` an append; `scripts` and `lua/` what the server does in one step; `keys` where
things lie; `servers` which server has what; `link` the connection that all calls share; `hearing` the wake-ups;
`addresses` what a URL says; `replies` what comes back; `checks` what is looked at when the store is opened.
"""

from server.store.redis.addresses import Place, read_url
from server.store.redis.store import RedisStore

__all__ = ["Place", "RedisStore", "read_url"]
