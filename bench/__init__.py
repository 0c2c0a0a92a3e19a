"""How fast Pharos is, measured: `python -m bench` (docs/performance.md says how to read it)."""
