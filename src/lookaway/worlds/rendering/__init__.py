"""The ray-traced renderer of the known world: embree finds hits, numpy shades them."""
