"""The server: rooms, rules, store and wire of Pharos."""
