"""Procedural textures: square, tileable, linear light."""
