"""The exam that a judge sits before it may fill a board, and the passport that it gets."""
