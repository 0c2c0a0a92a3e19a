"""The journal's home: the contract in `store.py`, and the stores that keep it."""
