"""Following a subject through a clip from its box in the first frame, without weights and without truth.

Read in this order: `pictures` (what is looked at), `first_mask`, `colours` (which colours are its own), `plate` (what
places look like without it), `carrying` (from frame to frame by flow), `looking_again` (after it was lost), `following`
(the whole way, twice), `examining` (is there another one, or something else in its place?).
"""
