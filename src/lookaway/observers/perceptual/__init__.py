"""Distance of pictures by the features of a network for recognition (LPIPS, Zhang et al. 2018)."""
