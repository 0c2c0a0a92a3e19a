"""The steps of the game, a subsystem a file, in the rulebook's words; `rules.py` calls them by phase."""
