"""Looking at videos that somebody brings, of which nothing is known: what happened in them, in numbers and in words."""
