"""Authoritative rooms: no sockets, no Redis."""
