"""Hand a run on: seal it, check a sealed one, show many as a leaderboard, tell its numbers in others' formats."""
