"""Python clients of Pharos: the connection, bots, the terminal."""
