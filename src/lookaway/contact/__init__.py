"""A contact sheet: one task of the known world on one page, 1600 px wide.

content = task_content(task, truth, world)    # or world_content(world)
rgb = contact_sheet(content)
"""

from lookaway.contact.content import SheetContent, task_content, world_content
from lookaway.contact.sheet import contact_sheet

__all__ = ["SheetContent", "contact_sheet", "task_content", "world_content"]
