"""The games as environments for research: PettingZoo and OpenSpiel. Needs the extra `research`."""
