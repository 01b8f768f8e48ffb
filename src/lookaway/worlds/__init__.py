"""The known world: rooms and processes whose truth is exact, seen from any camera."""

from lookaway.worlds.covers import Cover, covers_at
from lookaway.worlds.facts import Facts, Traits
from lookaway.worlds.process import PROCESSES
from lookaway.worlds.room import LAYOUTS
from lookaway.worlds.view import View
from lookaway.worlds.world import HFOV_DEG, World, world_of

__all__ = ["HFOV_DEG", "LAYOUTS", "PROCESSES", "Cover", "Facts", "Traits", "View", "World", "covers_at", "world_of"]
