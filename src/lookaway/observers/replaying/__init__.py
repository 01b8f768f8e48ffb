"""Comparing a video with renderings of the true process: where the camera was, and what it saw there."""
