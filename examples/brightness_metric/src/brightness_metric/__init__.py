"""Is the room as bright at the end as it was at the start?"""
