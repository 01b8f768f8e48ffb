"""Sessions: interactive world models driven step by step, over HTTP or WebSocket.

    with serving(my_model) as address:               # my_model(opening) returns a Session
        session = opened(address, Opening(first_frame=picture, prompt="A ball rolls.", fps=16.0))
        pictures = session.step({"script": "yaw:left:60@0.5s"}, "", frames=8)

The messages are in messages.py, and for implementers in docs/sessions.md.
"""

from __future__ import annotations

from lookaway.sessions.client import RemoteSession, opened
from lookaway.sessions.serving import serving
from lookaway.sessions.session import TRIGGER_FIELD, Action, Opening, Opens, Picture, Session

__all__ = ["TRIGGER_FIELD", "Action", "Opening", "Opens", "Picture", "RemoteSession", "Session", "opened", "serving"]
