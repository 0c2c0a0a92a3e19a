"""HTTP and WebSockets: turns bytes into requests to the hub, and what comes back into bytes. Decides nothing of a game."""
