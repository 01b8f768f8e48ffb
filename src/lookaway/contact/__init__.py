"""A contact sheet: one task of the known world on one page, 1600 px wide.

story = of_task(task, truth, world)    # or of_world(world)
rgb = contact_sheet(story)
"""

from lookaway.contact.sheet import contact_sheet
from lookaway.contact.story import Story, of_task, of_world

__all__ = ["Story", "contact_sheet", "of_task", "of_world"]
