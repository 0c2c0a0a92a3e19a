"""For those who look after a deployment: look into a room, prove journals against the rules. Nothing here writes."""
