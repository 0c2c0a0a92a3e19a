"""How a seat sees a game and weighs it, where a greedy policy and the value of positions have that in common."""
