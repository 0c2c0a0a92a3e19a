"""What guides a search, by game: what a position is worth, and a fast player (`clients.bots.tree.Guide`)."""
