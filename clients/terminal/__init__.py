"""Terminal clients: a game as text, for people."""
