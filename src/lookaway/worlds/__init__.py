"""The known world: rooms and processes whose truth is exact, seen from any camera."""

from lookaway.worlds.facts import ProcessFacts
from lookaway.worlds.process import processes
from lookaway.worlds.room import layouts
from lookaway.worlds.view import View
from lookaway.worlds.world import World

__all__ = ["ProcessFacts", "View", "World", "layouts", "processes"]
