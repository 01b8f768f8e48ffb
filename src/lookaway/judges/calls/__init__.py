"""Calls to a judge: paced, tried again, kept, and paid for within a budget."""
