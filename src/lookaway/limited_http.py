"""How judges' clients receive: a reply larger than the limit, packed or unpacked, is an error before it is read."""

from __future__ import annotations

import ssl
import zlib
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from lookaway.limits import MB, REPLY_BYTES

PACKED = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
ACCEPTED = {"Accept-Encoding": "gzip, deflate"}


class TooLarge(httpx.TransportError):
    """A reply of more than `REPLY_BYTES`."""

    def __init__(self) -> None:
        super().__init__(f"the reply has more than the {REPLY_BYTES // MB} MB that are taken")


class LimitedTransport(httpx.AsyncHTTPTransport):
    """Hands over whole replies, unpacked by us: httpx would unpack a gzip of a gzip of a gzip without a limit."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        try:
            packed = await _received(response)
        finally:
            await response.aclose()
        body = unpacked(packed, response.headers.get("Content-Encoding", ""))
        gone = {b"content-encoding", b"content-length", b"transfer-encoding"}
        headers = [(name, value) for name, value in response.headers.raw if name.lower() not in gone]
        return httpx.Response(response.status_code, headers=headers, content=body, extensions=response.extensions)


def limited_transport(url: str, verify: ssl.SSLContext | bool = True) -> LimitedTransport:
    """The way to one server, over the environment's proxy where there is one; httpx looks for none by itself here."""
    parts, proxies = urlsplit(url), getproxies()
    proxy = None if proxy_bypass(parts.hostname or "") else proxies.get(parts.scheme) or proxies.get("all")
    return LimitedTransport(verify=verify, proxy=proxy)


async def _received(response: httpx.Response) -> bytes:
    assert isinstance(response.stream, httpx.AsyncByteStream)
    kept = bytearray()
    async for chunk in response.stream:
        kept += chunk
        if len(kept) > REPLY_BYTES:
            raise TooLarge
    return bytes(kept)


def unpacked(packed: bytes, encoding: str) -> bytes:
    """The body without its Content-Encoding, which is none or one of those asked for."""
    name = encoding.strip().lower()
    if name in ("", "identity") or not packed:
        return packed
    if name not in PACKED:
        raise httpx.DecodingError(f"the reply is packed as '{name[:50]}', which was not asked for")
    reader = zlib.decompressobj(PACKED[name])
    try:
        body = reader.decompress(packed, REPLY_BYTES + 1)
    except zlib.error as error:
        raise httpx.DecodingError(f"the reply cannot be unpacked ({error})") from error
    if len(body) > REPLY_BYTES:
        raise TooLarge
    if not reader.eof:
        raise httpx.RemoteProtocolError("the packed reply stops in the middle")
    return body
