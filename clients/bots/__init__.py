"""Policies that play, and the means to let them play: against each other here, or in rooms of a server."""
