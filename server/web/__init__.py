"""HTTP and WebSockets: bytes into requests to the hub, and what comes back into bytes. Decides nothing of a game."""
