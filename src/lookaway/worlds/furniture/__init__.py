"""Things that stand in rooms, each built with its back at y = 0, front towards -y, foot at z = 0."""
