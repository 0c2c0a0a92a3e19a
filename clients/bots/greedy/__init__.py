"""A policy per game that weighs what it sees: `choose` in the module of the game's name."""
