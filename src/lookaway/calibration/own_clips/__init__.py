"""The graders graded on clips that somebody brings: each is changed in known ways, and every number must follow.

Of such a clip nobody knows the truth, but it is known what a change does to it: mirrored it must score as before, with
its subject painted out of the return it must score worse. See docs/calibrate.md.
"""
