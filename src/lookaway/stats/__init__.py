"""Statistics that stay honest with few scenes."""
