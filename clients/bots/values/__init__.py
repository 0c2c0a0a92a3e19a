"""What a position is worth, by game: the score that a seat may expect, for searches that look ahead."""
