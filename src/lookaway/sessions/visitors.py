"""Who may talk to a server of sessions: clients that name it as it is named, and no web page.

A page in somebody's browser can post to a server on their machine, by its own address (the browser then tells the
page's Origin) or through a name of the page's that suddenly means 127.0.0.1 (the Host is then that name).
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Collection
from urllib.parse import urlsplit


def unwelcome(host: str | None, origin: str | None, names: Collection[str]) -> str | None:
    """Why a request with these headers is refused, or None; `names` are the server's own."""
    name = _host_name(host or "")
    if name is None or not (name in names or is_loopback(name) or ("*" in names and _is_address(name))):
        return f"this server is not called '{(host or '')[:100]}'; see --allow-host"
    if origin is not None and urlsplit(origin).netloc.lower() != (host or "").lower():
        return "no web page of another server may talk to this one"
    return None


def unknown_bearer(authorization: str | None, token: str) -> str | None:
    """Why somebody who signs in like this is refused, or None; nobody need sign in to a server without a token."""
    given = (authorization or "").removeprefix("Bearer ")
    if not token or hmac.compare_digest(given.encode("utf-8", "replace"), token.encode()):
        return None
    return "this server asks for its token; name the variable that holds it in settings.sign_in"


def server_names(host: str, more: Collection[str] = ()) -> frozenset[str]:
    """The names that a server at this host goes by; one that listens everywhere goes by every address, told as `*`."""
    names = {host.lower(), *(name.lower() for name in more)}
    if _is_address(host) and ipaddress.ip_address(host).is_unspecified:
        names |= {"*", socket.gethostname().lower(), socket.getfqdn().lower()}
    return frozenset(names)


def _host_name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def is_loopback(name: str) -> bool:
    """Whether a host is this machine, where nobody else hears."""
    return name == "localhost" or (_is_address(name) and ipaddress.ip_address(name).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
