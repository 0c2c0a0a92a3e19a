"""A board per game: `board`, `describe` and `narrate` in the module of the game's name."""
